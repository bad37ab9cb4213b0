"""`method_missing`: what a class answers in place of methods that it has not."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import FUNCTION
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.slots import MOST_VALUES

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_MOST_TOLD: Final = 4
"""So many names a `method_missing` is told: of more it is not known which goes with what."""


class RubyMissing(RubyFeature):
    """Calls `method_missing` for what no method, accessor or delegate of an object answers."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.name = rules.program.name("method_missing")
        self.defining: dict[int, list[int]] = {}
        """Classes that define methods under names that values tell → the slots of these."""
        self._waiting: list[tuple[Call, int, int]] | None = []
        """Calls of methods that are not there, with receiver and name, until those defined by other
        methods are known."""
        self._told: dict[int, set[int]] = {}
        """`method_missing` → the names it was asked for."""

    def call(self, call: Call, value: int, scope: int, name: int) -> bool:
        classes = self.classes
        if classes.find(scope, self.name) < 0 or self._is_left_open(scope, name):
            return False
        if self._waiting is None or not self._defined_by(scope, self.defining.keys()):
            return classes.lookup(scope, self.name, (self.on_missing, call, value))
        self._waiting.append((call, value, name))  # it may be defined yet
        return True

    def _is_left_open(self, scope: int, name: int) -> bool:
        """Whether a class below a module, or below a class that nothing makes, has what is missing
        there."""
        abstract = self.program.kind[scope] == ScopeKind.NAMESPACE
        if not abstract and scope in self.classes.instantiated:
            return False
        return bool(self.classes.overriders(scope, name))

    def _defined_by(self, scope: int, owners: Set[int]) -> bool:
        """Whether a class inherits from one of some, or is extended by one."""
        if not owners.isdisjoint(self.classes.order(scope)):
            return True
        extending = self.rules.extensions.first(self.rules.extensions.of(scope))
        return not owners.isdisjoint(extending)

    def settle(self) -> None:
        """Call `method_missing` where no method has been defined until now.

        Not where more names may have been told than a slot holds.
        """
        waiting, self._waiting = self._waiting, None
        points = self.solver.points
        full = {
            scope
            for scope, slots in self.defining.items()
            if any(len(points[slot] or ()) >= MOST_VALUES for slot in slots)
        }
        for call, value, name in waiting or ():
            scope = value - self.program.scopes
            if self.classes.find(scope, name) < 0 and not self._defined_by(scope, full):
                self.classes.lookup(scope, self.name, (self.on_missing, call, value))

    @handler
    def on_missing(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        name = -1
        told = self._told.setdefault(value, set())
        told.add(call.name)
        if value in call.fired:  # for another receiver
            self.rules.receive(value, receiver, call.result)
            return
        if len(told) <= _MOST_TOLD:
            name = self.solver.slot()
            self.solver.add(name, self.solver.text(call.name))
        flags = CallFlag.IMPLICIT | call.flags & (CallFlag.BLOCK | CallFlag.QUIET)
        shifted = Call(call.result, call.scope, call.line, -1, (name, *call.positional),
                       call.keywords, flags)  # fmt: skip
        shifted.stand_for(call)
        if self.solver.kind[value] == FUNCTION:
            self.rules.enter(shifted, value, receiver)
