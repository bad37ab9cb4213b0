"""Calls whose arguments do not fit the parameters of what they may call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.solver import Solver


class Misfits:
    """The calls that entered a function not, since it does not take their arguments."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._found: list[tuple[Call, int]] = []

    def note(self, call: Call, function: int) -> None:
        self._found.append((call, function))

    def settle(self) -> None:
        """Suppose calls where the arguments fit nothing that may be called, as after an edit of its
        parameters: they are what is to be mended.
        """
        scopes = self._solver.program.scopes
        for call, function in self._found:
            entered = any(0 <= mark < scopes for mark in call.fired)
            if not entered and not call.flags & CallFlag.QUIET:
                self._solver.suppose(call.scope, function, call.line)
        self._found.clear()
