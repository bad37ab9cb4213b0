"""What `super` finds: in classes behind the one that it is written in, in objects' prototypes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptSupers(JavaScriptFeature):
    """Calls, reads and writes through `super`, and `super(…)` itself."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.kind = rules.kind

    def call(self, call: Call, value: int) -> None:
        rules, kind = self.rules, self.kind[value]
        found = self._listener(call, value)
        owner = self.program.owner_class(call.scope)
        if owner < 0:
            if kind == CONTAINER:  # super in an object literal
                rules.prototypes.climb(self._home(call.scope, value), call.name, found)
            return
        if kind == CLASS:
            start, name = value, rules.static(call.name)
        elif kind == INSTANCE:
            start, name = value - rules.scopes, call.name
        else:
            return
        if owner not in rules.classes.order(start):
            start = owner
        known = rules.classes.lookup(start, name, found, after=owner)
        if not known and name == rules.constructor:
            self._construct(owner, call, value)
        if not known and kind == INSTANCE and not call.flags & CallFlag.READ:
            rules.contents.call(call, value)

    def _construct(self, owner: int, call: Call, receiver: int) -> None:
        """Run the functions that a class extends, itself or by way of classes without constructors.

        In another file they may turn out later than that they are called.
        """
        for slot in self.program.bases[owner]:
            self.solver.listen(slot, (self._on_base, call, receiver))

    @handler
    def _on_base(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        if self.kind[value] == FUNCTION:
            self.rules.enter(call, value, receiver)
        elif self.kind[value] == CLASS and call.once(-1 - value):
            self._construct(value, call, receiver)

    def _listener(self, call: Call, value: int) -> Listener:
        """What uses the member that is found."""
        if not call.flags & CallFlag.READ:
            return self.rules.on_member, call, value
        if call.positional:
            return self.rules.on_setter, call, value
        place = self.rules.reading(call.result, call.name, call.scope, call.line)
        return self.rules.on_read, place, value

    def _home(self, scope: int, receiver: int) -> int:
        """The object literal that the method around a scope is written in."""
        while scope >= 0 and self.program.this[scope] < 0:
            scope = self.program.parent[scope]
        known = () if scope < 0 else self.solver.points[self.program.this[scope]] or ()
        return next((value for value in known if self.kind[value] == CONTAINER), receiver)
