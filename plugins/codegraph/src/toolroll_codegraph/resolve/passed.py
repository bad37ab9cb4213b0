"""Parameters that functions hand over to a library, and the calls that give them their values.

`def later(run): loop.call_soon(run)` makes of `later(save)` a place where `save` is handed over, as
do decorators that register what they decorate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.program import BOUND, CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.solver import Solver

_HANDED: Final = (FUNCTION, BOUND, CONTAINER)
"""Kinds of what is handed over: functions, and literals that may hold some."""


class Passed:
    """Parameters that are handed over, until it is asked who gives them what they have."""

    def __init__(self, solver: Solver, resolved: Sequence[int]) -> None:
        """`resolved` says of each call whether it enters something of the project."""
        self._solver = solver
        self._resolved = resolved
        self._owners: dict[int, set[int]] = {}
        """Function → those of its parameters of which nobody has been asked yet."""
        self._known: set[int] = set()

    def note(self, scope: int, parameter: int) -> None:
        """Note that `scope`, or a function in it, hands over a parameter: its own, or one of those
        around it."""
        if parameter in self._known:
            return
        self._known.add(parameter)
        program, kind = self._solver.program, self._solver.kind
        if all(kind[value] not in _HANDED for value in self._solver.points[parameter] or ()):
            return
        while scope >= 0:
            if any(slot == parameter for _, slot, _ in program.params[scope]):
                self._owners.setdefault(scope, set()).add(parameter)
                return
            scope = program.parent[scope]

    def given(self) -> Iterator[tuple[Call, int]]:
        """The calls that give such parameters what they have, with the slots of the arguments."""
        owners, self._owners = self._owners, {}
        if not owners:
            return
        points, asked = self._solver.points, owners.keys()
        for call in compress(self._solver.calls, self._resolved):
            if call is None or asked.isdisjoint(call.fired):
                continue
            slots = (*call.positional, *(slot for _, slot in call.named()))
            for function in call.fired:
                for parameter in owners.get(function, ()):
                    held = points[parameter] or ()
                    for slot in slots:
                        if slot >= 0 and not frozenset(points[slot] or ()).isdisjoint(held):
                            yield call, slot
