"""Attributes whose annotation names all classes that they may be of.

What is of none of these is kept out, wherever it is assigned: a function that makes things of all
kinds, as a registry does by their names, returns all of them to each of its callers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import BOUND, CLASS, FUNCTION, INSTANCE, TEXT
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_BUILTIN: Final = {TEXT: str, CLASS: type, FUNCTION: None, BOUND: None}
"""What a class has to derive from for its objects to be such values; None: none can."""


class PythonAnnotated(PythonFeature):
    """Assignments to attributes, as far as the annotation of one admits what is assigned."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._get = rules.program.name("__get__")
        self._limits: dict[int, dict[int, int]] = {}
        """Name → class that annotates an attribute of it → slot with the annotation's limit."""

    def find(self) -> None:
        """Note such attributes: of classes, and of receivers that methods assign to."""
        limits, solver = self.rules.types.limits, self.solver
        for scope, members in enumerate(self.rules.classes.members):
            if members and solver.kind[scope] == CLASS:
                for name, slot in members.items():
                    if slot in limits:
                        self._limits.setdefault(name, {})[scope] = slot
        for owner, name, source in solver.own_stores:
            if source in limits:
                self._limits.setdefault(name, {}).setdefault(owner, source)

    def keep(self) -> None:
        """Let them have no more of what methods assign through their own receiver."""
        solver = self.solver
        if self._limits:
            others: list[tuple[int, int, int]] = []
            for row in solver.own_stores:
                if self._limit(*row[:2]) < 0:
                    others.append(row)
                else:
                    self.assign(*row)
            solver.own_stores = others

    def assign(self, scope: int, name: int, source: int) -> None:
        """Let an attribute of a class have what a slot has, as far as its annotation admits it."""
        target, limit = self.rules.classes.declare(scope, name), self._limit(scope, name)
        if limit < 0:
            self.solver.edge(source, target)
        else:
            self.solver.listen(source, (self._on_assigned, limit, target))

    def _limit(self, scope: int, name: int) -> int:
        """The slot with the limit of an attribute, -1 for one that has none."""
        known = self._limits.get(name)
        if known is not None:
            for owner in self.rules.classes.order(scope):
                if owner in known:
                    return known[owner]
        return -1

    def is_descriptor(self, scope: int) -> bool:
        """Whether an annotation is that of what an object gives, not of the object."""
        return scope < self.rules.program.scopes and self.rules.classes.find(scope, self._get) >= 0

    @handler
    def _on_assigned(self, value: int, listener: Listener) -> None:
        kind = self.solver.kind[value]
        if kind == INSTANCE and self.is_descriptor(value - self.rules.program.scopes):
            self.solver.add(listener[2], value)
        elif kind not in _BUILTIN or any(
            known < 0 or self._may_be(known, _BUILTIN[kind])
            for known in self.rules.types.limits[listener[1]]
        ):
            self.rules.types.on_limited(value, listener)

    def _may_be(self, scope: int, builtin: type | None) -> bool:
        """Whether a class may derive from a builtin one."""
        derived = self.rules.plain.of_class(scope)
        return derived is None or builtin in derived
