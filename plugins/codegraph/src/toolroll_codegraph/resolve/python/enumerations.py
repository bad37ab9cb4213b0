"""Classes whose members are values: enumerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, WRAPPED
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

ENUMERATIONS: Final = frozenset(
    ["enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"]
)
_METHODS: Final = (FUNCTION, WRAPPED)


class PythonEnumerations(PythonFeature):
    """What a class has assigned is a member of it, an instance that keeps what was assigned."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.known: set[int] = set()
        """Classes with such a base of the library."""

    def make(self) -> None:
        """Give the `__init__` of enumerations what their members are assigned."""
        init = self.rules.init
        below = (scope for known in self.known for scope in self.classes.below(known))
        for scope in sorted({*self.known, *below}):
            if self.classes.find(scope, init) < 0:
                continue
            for name, slot in list((self.program.members[scope] or {}).items()):
                if not self.program.texts[name].startswith("_"):
                    self.solver.listen(slot, (self._on_assigned, scope, slot))

    @handler
    def _on_assigned(self, value: int, listener: Listener) -> None:
        """Make a member, for the library does: of a tuple, each item is an argument."""
        scope: int = listener[1]
        slot: int = listener[2]
        if self.solver.kind[value] in _METHODS:
            return
        given = -slot - 2 if self.solver.kind[value] == CONTAINER else slot
        parent, line = self.program.parent[scope], self.program.first_line[scope]
        call = Call(-1, parent, line, -1, (given,), (), CallFlag.QUIET)
        made = self.rules.on_entered, call, scope + self.program.scopes
        self.classes.lookup(scope, self.rules.init, made)

    def has(self, scope: int) -> bool:
        """Whether a class is one."""
        return bool(self.known) and not self.known.isdisjoint(self.classes.order(scope))

    def member(self, scope: int, name: int) -> int:
        """What an enumeration's member is: an instance; -1 for methods and for other classes."""
        if not self.has(scope):
            return -1
        slot = self.classes.find(scope, name)
        values = self.solver.points[slot] or () if slot >= 0 else ()
        if slot < 0 or any(self.solver.kind[value] in _METHODS for value in values):
            return -1
        return scope + self.program.scopes

    def is_value(self, scope: int, name: int) -> bool:
        """Whether a member is known to be assigned a value, which only its `value` gives."""
        slot = self.classes.find(scope, name)
        return slot >= 0 and bool(self.solver.points[slot])

    @handler
    def on_method(self, value: int, listener: Listener) -> None:
        """Pass a method of an enumeration on: what else is assigned there only `value` gives."""
        if self.solver.kind[value] in _METHODS:
            then: Listener = listener[1]
            then[0](value, then)

    def value(self, scope: int, target: int) -> None:
        """Read `value` of a member of an enumeration: what one of them is assigned."""
        for known in self.classes.order(scope):
            for slot in list((self.program.members[known] or {}).values()):
                self.solver.listen(slot, (self._on_value, target))

    @handler
    def _on_value(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] not in _METHODS:
            self.solver.add(listener[1], value)
