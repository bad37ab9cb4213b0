"""Which method a call on a Ruby object or class means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Handler, Listener, handler
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.program import CLASS, FUNCTION, INSTANCE, MODULE
from toolroll_codegraph.resolve.ruby.extensions import RubyExtensions
from toolroll_codegraph.resolve.rules import Rules
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.arguments import RubyArguments
    from toolroll_codegraph.resolve.ruby.constants import RubyConstants
    from toolroll_codegraph.resolve.ruby.objects import RubyObjects
    from toolroll_codegraph.resolve.ruby.protocols import RubyProtocols
    from toolroll_codegraph.resolve.ruby.reflection import RubyReflection

_MOST_RECEIVERS: Final = 32
_MOST_MISSED: Final = 4
"""So many names a `method_missing` is told: of more it is not known which goes with what."""
_MOST_WATCHED: Final = 8
"""So many extending modules are asked again when they get a method later."""


class RubyDispatch(Rules):
    """Ancestors with mixins, singleton methods, `super`, `method_missing`, `new`.

    Singleton methods are kept beside instance methods under their name with a dot before it.
    """

    arguments: RubyArguments
    imports: RubyConstants
    objects: RubyObjects
    protocols: RubyProtocols
    reflection: RubyReflection

    def __init__(self, solver: Solver, classes: Classes) -> None:
        super().__init__(solver, classes)
        name = solver.program.name
        self.initialize, self.new = name("initialize"), name("new")
        self.makers = frozenset((self.new, name("exception")))
        self.instance = name("instance")
        self.method_missing = name("method_missing")
        self.extensions = RubyExtensions(classes)
        self.attributes: dict[int, dict[int, tuple[int, bool]]] = {}
        """Name of an accessor → class → (instance variable, whether it writes)."""
        self.unanswered: dict[int, list[Call]] = {}
        """Class → calls of methods that it does not have yet: it may be extended later."""
        self.missed: dict[int, set[int]] = {}
        """`method_missing` → the names it was asked for."""
        self.top: dict[int, list[tuple[int, int]]] = {}
        """Name → (file, slot) of the methods that are defined outside of any class."""
        # Made once: a bound method for each of the many listeners would take more than they do.
        self.on_member: Handler = self._invoke

    def instance_call(self, call: Call, value: int, name: int) -> bool:
        """Look a method up in the ancestors, then among the ways a missing one is answered."""
        scope = value - self.scopes
        classes = self.classes
        if classes.lookup(scope, name, (self.on_member, call, value)):
            return True
        if self._read_attribute(call, scope, name):
            return True
        if self.protocols.protocol(call, value, scope, name):
            return True
        if self.top_call(call, value, name) or self.objects.answer(call, value, scope, name):
            return True
        if not call.flags & CallFlag.IMPLICIT and not self.objects.is_known_elsewhere(scope, name):
            return classes.lookup(scope, self.method_missing, (self._missing, call, value))
        return False

    @handler
    def _missing(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        name = -1
        told = self.missed.setdefault(value, set())
        told.add(call.name)
        if len(told) <= _MOST_MISSED:
            name = self.solver.slot()
            self.solver.add(name, self.solver.text(call.name))
        shifted = self.solver.derived_call(call, call.result, (name, *call.positional))
        shifted.stand_for(call)
        if self.kind[value] == FUNCTION:
            self.enter(shifted, value, receiver)

    def _read_attribute(self, call: Call, scope: int, name: int) -> bool:
        owners = self.attributes.get(name)
        if owners is None or owners.keys().isdisjoint(self.classes.order(scope)):
            return False
        for known in self.classes.order(scope):
            found = owners.get(known)
            if found is not None:
                slot = self.classes.declare(known, found[0])
                if not found[1]:
                    self.solver.edge(slot, call.result)
                elif call.positional:
                    self.solver.edge(call.positional[0], slot)
                call.fired += (-3 - known,)
                return True
        return False

    def class_call(self, call: Call, value: int) -> None:
        name = self.static(call.name)
        classes = self.classes
        if classes.lookup(value, name, (self.on_member, call, value)):
            return
        if call.name in self.makers and self.program.kind[value] != 4:
            self.instantiate(call, value)
            return
        if self._ask_extended(call, value):
            return
        if self._read_attribute(call, value, name):
            return
        if self.top_call(call, value, call.name):
            return
        if call.name == self.instance:  # of `Singleton`
            self.instantiate(call, value, CallFlag.QUIET)  # called from the library
            return
        if call.flags & CallFlag.IMPLICIT or self.reflection.is_object_method(call.name):
            return
        self.unanswered.setdefault(value, []).append(call)
        classes.lookup(value, self.static(self.method_missing), (self._missing, call, value))

    def _ask_extended(self, call: Call, value: int) -> bool:
        classes = self.classes
        modules, reach = self.extensions.of(value)
        few = len(modules) <= _MOST_WATCHED
        if not few and reach.isdisjoint(classes.definers(call.name)):
            return False
        for module in modules:
            known = few or classes.find(module, call.name) >= 0
            if known and classes.lookup(module, call.name, (self.on_member, call, value)):
                return True
        return False

    def extended_call(self, call: Call, value: int) -> None:
        """A call of a method that only a module extending the class has, now or later."""
        if not self._ask_extended(call, value):
            self.unanswered.setdefault(value, []).append(call)

    def instantiate(self, call: Call, scope: int, more: int = 0) -> None:
        key = -1 - scope
        if not call.once(key):
            return
        instance = scope + self.scopes
        self.classes.instantiated.add(scope)
        self.solver.add(call.result, instance)
        inner = Call(-1, call.scope, call.line, self.initialize, call.positional, call.keywords,
                     call.flags & CallFlag.BLOCK | more)  # fmt: skip
        if not self.classes.lookup(scope, self.initialize, (self.on_member, inner, instance)):
            self.objects.make(call, scope)
            self.solver.record(call.scope, scope, call.line)

    def top_call(self, call: Call, value: int, name: int) -> bool:
        """A method defined outside of any class: nearest first."""
        if not call.flags & CallFlag.SAFE_NAME and self.kind[value] != MODULE:
            return False
        found = self.top.get(name)
        if not found:
            return False
        here = self.program.file_of[call.scope]
        near = [slot for index, slot in found if index == here]
        if not near:
            required = self._reachable(here)
            near = [slot for index, slot in found if index in required]
        if not near and len(found) == 1:
            near = [found[0][1]]
        for slot in near:
            self.solver.listen(slot, (self.on_member, call, value))
        return bool(near)

    def main_call(self, call: Call, value: int) -> None:
        """A call outside of any class: of a method there, or of a module mixed in there."""
        if not self.top_call(call, value, call.name):
            for module in (*self.extensions.of(value)[0], *self.classes.order(value)):
                if self.classes.lookup(module, call.name, (self.on_member, call, value)):
                    return

    def _reachable(self, index: int) -> set[int]:
        seen, pending = {index}, [index]
        while pending:
            for target in self.imports.required.get(pending.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
        return seen

    def call_super(self, call: Call, value: int) -> None:
        owner = self.program.owner_class(call.scope)
        if owner < 0:
            return
        kind = self.kind[value]
        if kind == INSTANCE:
            start, name = value - self.scopes, call.name
        elif kind == CLASS:
            start, name = value, self.static(call.name)
        else:
            return
        if owner not in self.classes.order(start):
            if kind == CLASS:  # an extended module: the class's own singleton method is behind
                self.classes.lookup(start, name, (self.on_member, call, value))
                return
            start = owner
        found = self.classes.lookup(start, name, (self.on_member, call, value), after=owner)
        if not found and kind == INSTANCE:
            if name == self.initialize:
                self.objects.make(call, start)
            else:
                self.objects.answer(call, value, start, name)
        if found or kind != CLASS:
            return
        for module in self.extensions.of(start)[0]:
            if self.classes.lookup(module, call.name, (self.on_member, call, value)):
                return

    def _invoke(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        if self.kind[value] == FUNCTION:
            self.enter(call, value, receiver)
        else:
            self.call_value(call, value)

    def enter(self, call: Call, function: int, receiver: int) -> None:
        solver, program = self.solver, self.program
        if receiver >= 0:
            self._receive(function, receiver, call.result)
        if function in call.fired:
            return
        call.fired += solver.alone(function)
        if not (program.flags[function] & ScopeFlag.BLOCK or call.flags & CallFlag.QUIET):
            solver.record(call.scope, function, call.line)
        if call.result >= 0:
            solver.edge(program.ret[function], call.result)
        if call.positional or call.keywords:
            self.arguments.give(call, function)

    def _receive(self, function: int, receiver: int, result: int) -> None:
        this = self.program.this[function]
        if this < 0:
            return
        if this in self.solver.returned:
            self.solver.add(result, receiver)
        known = self.solver.points[this]
        if known is not None and len(known) >= _MOST_RECEIVERS:
            owner = self.program.owner_class(function)
            if owner >= 0 and self.kind[receiver] == INSTANCE:
                self.solver.add(this, owner + self.scopes)
        else:
            self.solver.add(this, receiver)
