"""Which method a call on a Ruby object or class means."""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Handler, Listener, handler
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.program import BOUND, CLASS, FUNCTION, INSTANCE, MODULE
from toolroll_codegraph.resolve.ruby.extensions import RubyExtensions
from toolroll_codegraph.resolve.ruby.unanswered import RubyUnanswered
from toolroll_codegraph.resolve.rules import Rules
from toolroll_codegraph.resolve.slots import MOST_VALUES
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.arguments import RubyArguments
    from toolroll_codegraph.resolve.ruby.constants import RubyConstants
    from toolroll_codegraph.resolve.ruby.objects import RubyObjects
    from toolroll_codegraph.resolve.ruby.protocols import RubyProtocols
    from toolroll_codegraph.resolve.ruby.raising import RubyRaising
    from toolroll_codegraph.resolve.ruby.refinements import RubyRefinements
    from toolroll_codegraph.resolve.ruby.reflection import RubyReflection
    from toolroll_codegraph.resolve.ruby.supers import RubySuper

_INSIDE: Final = CallFlag.SAFE_NAME | CallFlag.IMPLICIT | CallFlag.SUPER | CallFlag.QUIET
"""Calls that may reach private methods."""
_MOST_RECEIVERS: Final = 32
_MOST_MISSED: Final = 4
"""So many names a `method_missing` is told: of more it is not known which goes with what."""


class RubyDispatch(Rules):
    """Ancestors with mixins, singleton methods, `super`, `method_missing`, `new`.

    Singleton methods are kept beside instance methods under their name with a dot before it.
    """

    arguments: RubyArguments
    imports: RubyConstants
    objects: RubyObjects
    protocols: RubyProtocols
    raising: RubyRaising
    refinements: RubyRefinements
    supers: RubySuper
    reflection: RubyReflection
    unanswered: RubyUnanswered

    def __init__(self, solver: Solver, classes: Classes) -> None:
        super().__init__(solver, classes)
        name = solver.program.name
        self.initialize, self.new = name("initialize"), name("new")
        self.makers = frozenset((self.new, name("exception")))
        self.equalities = frozenset((name("=="), name("==="), name("!="), name("!")))
        """What any class answers itself."""
        self.instance, self.allocate = name("instance"), name("allocate")
        self.method_missing = name("method_missing")
        self.extensions = RubyExtensions(classes)
        self.attributes: dict[int, dict[int, tuple[int, bool]]] = {}
        """Name of an accessor → class → (instance variable, whether it writes)."""
        self.making: list[tuple[Call, int]] | None = []
        """Calls of `new` with their classes, where modules have one: hooks extend classes late."""
        self.defining: dict[int, list[int]] = {}
        """Classes that define methods under names that values tell → the slots of these."""
        self.missing: list[tuple[Call, int, int]] | None = []
        """Calls of methods that are not there, with receiver and name, until those defined by other
        methods are known."""
        self.folded: set[int] = set()
        """Parameters for what a block has made last, of `inject` and the like."""
        self.withdrawn: set[int] = set()
        """Slots of the members that classes have undefined."""
        self.missed: dict[int, set[int]] = {}
        """`method_missing` → the names it was asked for."""
        self.top: dict[int, list[tuple[int, int]]] = {}
        """Name → (file, slot) of the methods that are defined outside of any class."""
        # Made once: a bound method for each of the many listeners would take more than they do.
        self.on_member: Handler = self.invoke
        classes.undefined.on_member = self.on_member

    def instance_call(self, call: Call, value: int, name: int) -> bool:
        """Look a method up in the ancestors, then among the ways a missing one is answered."""
        scope = value - self.scopes
        classes = self.classes
        if self.refinements.of_class and self.refinements.answer(call, value, scope, name):
            return True
        if self.withdrawn and classes.find(scope, name) in self.withdrawn:
            return self._call_missing(call, value, scope, name)
        if classes.lookup(scope, name, (self.on_member, call, value)):
            return True
        if self._read_attribute(call, scope, name):
            return True
        if self.protocols.protocol(call, value, scope, name):
            return True
        if name in self.imports.common and self.common_call(call, value, name):
            return True
        if self.top_call(call, value, name) or self.objects.answer(call, value, scope, name):
            return True
        if call.flags & CallFlag.IMPLICIT or self.objects.is_known_elsewhere(scope, name):
            return False
        return self._call_missing(call, value, scope, name)

    def _call_missing(self, call: Call, value: int, scope: int, name: int) -> bool:
        classes = self.classes
        if classes.find(scope, self.method_missing) < 0 or self._is_left_open(scope, name):
            return False
        if self.missing is None or not self._defined_by(scope, self.defining.keys()):
            return classes.lookup(scope, self.method_missing, (self.on_missing, call, value))
        self.missing.append((call, value, name))  # it may be defined yet
        return True

    def _is_left_open(self, scope: int, name: int) -> bool:
        """Whether a class that includes a module has what the module itself does not."""
        if self.program.kind[scope] != ScopeKind.NAMESPACE:
            return False
        return bool(self.classes.overriders(scope, name))

    def _defined_by(self, scope: int, owners: Set[int]) -> bool:
        """Whether a class inherits from one of some, or is extended by one."""
        if not owners.isdisjoint(self.classes.order(scope)):
            return True
        extending = self.extensions.first(self.extensions.of(scope))
        return not owners.isdisjoint(extending)

    def answer_missing(self) -> None:
        """Call `method_missing` where no method has been defined until now.

        Not where more names may have been told than a slot holds.
        """
        waiting, self.missing = self.missing, None
        points = self.solver.points
        full = {
            scope
            for scope, slots in self.defining.items()
            if any(len(points[slot] or ()) >= MOST_VALUES for slot in slots)
        }
        for call, value, name in waiting or ():
            scope = value - self.scopes
            if self.classes.find(scope, name) < 0 and not self._defined_by(scope, full):
                self.classes.lookup(scope, self.method_missing, (self.on_missing, call, value))

    @handler
    def on_missing(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        name = -1
        told = self.missed.setdefault(value, set())
        told.add(call.name)
        if value in call.fired:  # for another receiver
            self._receive(value, receiver, call.result)
            return
        if len(told) <= _MOST_MISSED:
            name = self.solver.slot()
            self.solver.add(name, self.solver.text(call.name))
        flags = CallFlag.IMPLICIT | call.flags & (CallFlag.BLOCK | CallFlag.QUIET)
        shifted = Call(call.result, call.scope, call.line, -1, (name, *call.positional),
                       call.keywords, flags)  # fmt: skip
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
                call.once(-3 - known)
                return True
        return False

    def class_call(self, call: Call, value: int) -> None:
        name = self.static(call.name)
        classes = self.classes
        if classes.lookup(value, name, (self.on_member, call, value)):
            return
        if call.name in self.makers and self.program.kind[value] != 4:
            if not self._modules_make:
                self.instantiate(call, value)
            elif self.making is None:
                self._make_extended(call, value)
            else:
                self.making.append((call, value))
            return
        if call.name == self.allocate:
            self.solver.add(call.result, value + self.scopes)
            return
        if self._ask_extended(call, value):
            return
        if self._read_attribute(call, value, name):
            return
        if call.name in self.imports.common and self.common_call(call, value, call.name):
            return
        if self.top_call(call, value, call.name):
            return
        if call.name == self.instance:  # of `Singleton`
            self.instantiate(call, value, CallFlag.QUIET)  # called from the library
            return
        if self.reflection.is_object_method(call.name):
            return
        if call.flags & CallFlag.IMPLICIT:  # of an operator that a module may have
            if call.name not in self.equalities and classes.definers(call.name):
                self.unanswered.add(call, value)
            return
        self.unanswered.add(call, value)
        self.unanswered.call_missing(call, value)

    @cached_property
    def _modules_make(self) -> bool:
        """Whether a module has a `new` for the classes that it extends."""
        return any(self.program.kind[scope] == 4 for scope in self.classes.definers(self.new))

    def answer_new(self) -> None:
        """Make what waited until it is known which classes have a `new` of a module."""
        waiting, self.making = self.making, None
        for call, value in waiting or ():
            self._make_extended(call, value)

    def _make_extended(self, call: Call, value: int) -> None:
        if not self._ask_extended(call, value):
            self.instantiate(call, value)

    def _ask_extended(self, call: Call, value: int) -> bool:
        for module in self.extensions.having(value, call.name):
            if self.classes.lookup(module, call.name, (self.on_member, call, value)):
                return True
        return False

    def extended_call(self, call: Call, value: int) -> None:
        """A call of a method that only a module extending the class has, now or later."""
        if not self._ask_extended(call, value):
            self.unanswered.add(call, value)

    def instantiate(self, call: Call, scope: int, more: int = 0) -> None:
        if not call.once_of(self.mark(scope)):
            return
        instance = scope + self.scopes
        self.classes.instantiated.add(scope)
        self.solver.add(call.result, instance)
        positional = call.positional
        if call.flags & CallFlag.ANY_CLASS and positional and positional[0] in self.folded:
            # `layers.inject(app) { |inner, layer| layer.new(inner) }`: each is made once.
            others = self.solver.slot()
            self.solver.listen(positional[0], (self._on_folded, others, instance))
            positional = others, *positional[1:]
        inner = Call(-1, call.scope, call.line, self.initialize, positional, call.keywords,
                     call.flags & CallFlag.BLOCK | CallFlag.IMPLICIT | more)  # fmt: skip
        if not self.classes.lookup(scope, self.initialize, (self.on_member, inner, instance)):
            self.objects.make(call, scope)
            self.solver.record(call.scope, scope, call.line)

    @handler
    def _on_folded(self, value: int, listener: Listener) -> None:
        if value != listener[2]:
            self.solver.add(listener[1], value)

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

    def common_call(self, call: Call, value: int, name: int) -> bool:
        """A method that the project adds to every object, or to every class."""
        every, of_classes = self.imports.common[name]
        for scope in (*(of_classes if self.kind[value] == CLASS else ()), *every):
            if self.classes.lookup(scope, name, (self.on_member, call, value)):
                return True
        return False

    def main_call(self, call: Call, value: int) -> None:
        """A call outside of any class: of a method there, or of a module mixed in there."""
        if call.name in self.imports.common and self.common_call(call, value, call.name):
            return
        if not self.top_call(call, value, call.name):
            for module in (*self.extensions.of(value), *self.classes.order(value)):
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

    def invoke(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        if self.kind[value] == FUNCTION:
            flags = self.program.flags[value]
            if flags & ScopeFlag.PRIVATE and not call.flags & _INSIDE:
                return  # a receiver is written that is not `self`
            if flags & ScopeFlag.ABSTRACT and self._is_guessed(receiver):
                return
            self.enter(call, value, receiver)
        elif self.kind[value] == BOUND and self._is_unbound(value):
            self.enter(call, self.solver.detail[value][0], receiver)
        else:
            self.call_value(call, value)

    def _is_guessed(self, receiver: int) -> bool:
        """Whether an object is of a class that nothing makes: who makes it has what is missing."""
        made = self.classes.instantiated
        return self.kind[receiver] == INSTANCE and receiver - self.scopes not in made

    def _is_unbound(self, value: int) -> bool:
        """Whether a method object is a class's `instance_method`."""
        function, owner = self.solver.detail[value]
        return self.kind[owner] == CLASS and not self.program.flags[function] & ScopeFlag.SINGLETON

    def enter(self, call: Call, function: int, receiver: int) -> None:
        solver, program = self.solver, self.program
        if receiver >= 0:
            self._receive(function, receiver, call.result)
        if function in call.fired:
            return
        call.fired += solver.alone(function)
        if self.raising.followed:
            self.raising.enter(call, function)
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
