"""What `super()` finds: a member of a class behind one in the order of a receiver's class."""

from __future__ import annotations

from typing import Final

import msgspec

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE
from toolroll_codegraph.resolve.python.containers import METHOD
from toolroll_codegraph.resolve.python.feature import PythonFeature

_SUPER: Final = "super"


class PythonSupers(PythonFeature):
    """Calls and reads through `super()`, and `super(Class, object)` of another class."""

    def call(self, call: Call, value: int) -> None:
        """Call or read a member behind the class that the call is written in."""
        program = self.rules.program
        owner = program.owner_class(call.scope)
        if owner >= 0:
            self._find(call, value, program.original(owner))

    def _find(self, call: Call, value: int, owner: int) -> None:
        rules = self.rules
        kind = self.solver.kind[value]
        if kind == INSTANCE:
            start = value - rules.scopes
        elif kind == CLASS:
            start = value
        else:
            return
        if owner not in rules.classes.order(start):
            start = owner
        if call.flags & CallFlag.READ:
            place = rules.reading(call.result, call.name, call.scope, call.line)
            read = (self._on_read, place, value)
            found = rules.classes.lookup(start, call.name, read, after=owner)
            if not found and call.name == rules.new:
                self._keep_new(call, owner)
        elif not rules.classes.lookup(start, call.name, (rules.on_member, call, value), owner):
            rules.kinds.call_type(call, value, owner)
            if call.name == rules.init:
                rules.caught.keep(call, start)
            contents = rules.protocols.contents(value) if kind == INSTANCE else -1
            rules.django.call(call, value)
            if contents >= 0:  # what a class derived from `list` has of that
                rules.models.method(call, contents)

    def _keep_new(self, call: Call, owner: int) -> None:
        """`make = super().__new__` where no base of the project has one, called later."""
        program, made = self.rules.program, self.solver.make
        above = made(CONTAINER, _SUPER, program.value[owner], program.this[call.scope])
        self.solver.add(call.result, made(CONTAINER, METHOD, above, call.name))

    @handler
    def _on_read(self, value: int, listener: Listener) -> None:
        """Run an abstract property itself: what overrides it is what asks `super()` for it."""
        _, read, receiver = listener
        kind, flags = self.solver.kind, self.rules.program.flags
        if (
            kind[value] == FUNCTION
            and kind[receiver] == INSTANCE
            and flags[value] & ScopeFlag.PROPERTY
            and not flags[value] & ScopeFlag.SETTER
        ):
            self.rules.run_property(value, receiver, read.scope, read.line, read.target)
        else:
            self.rules.on_read(value, listener)

    def make(self, call: Call) -> None:
        """The object that `super(Class, object)` is, or `super()` of the method around."""
        program, given = self.rules.program, call.positional
        if not given and program.owner_class(call.scope) >= 0:
            owner = program.original(program.owner_class(call.scope))
            given = program.value[owner], program.this[call.scope]
        if len(given) > 1 and min(given) >= 0:
            self.solver.add(call.result, self.solver.make(CONTAINER, _SUPER, *given))

    def use(self, call: Call, value: int) -> bool:
        """Call or read a member of such an object; False for others."""
        detail = self.solver.detail[value]
        if detail[0] != _SUPER:
            return False
        call = msgspec.structs.replace(call, flags=call.flags | CallFlag.SUPER)
        self.solver.listen(detail[1], (self._on_class, call, detail[2]))
        return True

    @handler
    def _on_class(self, owner: int, listener: Listener) -> None:
        if self.solver.kind[owner] == CLASS:
            self.solver.listen(listener[2], (self._on_receiver, listener[1], owner))

    @handler
    def _on_receiver(self, value: int, listener: Listener) -> None:
        self._find(listener[1], value, listener[2])
