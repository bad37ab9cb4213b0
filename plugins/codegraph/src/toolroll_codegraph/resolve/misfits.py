"""Calls whose arguments do not fit the parameters of what they may call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, ScopeKind

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.solver import Solver


class Misfits:
    """The calls that entered a function not, since it does not take their arguments."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._found: list[tuple[Call, int]] = []

    def note(self, call: Call, function: int) -> None:
        self._found.append((call, function))

    def settle(self, classes: Classes) -> None:
        """Suppose calls where the arguments fit nothing that may be called, as after an edit of its
        parameters: they are what is to be mended.
        """
        solver, program = self._solver, self._solver.program
        missed: list[tuple[Call, int]] = []
        for call, function in self._found:
            entered = any(0 <= mark < program.scopes for mark in call.fired)
            if not entered and not call.flags & CallFlag.QUIET:
                missed.append((call, function))
        self._found.clear()
        made = {(call.scope, call.line) for call, _ in missed if call.flags & CallFlag.IMPLICIT}
        names = {program.scope_name[function] for _, function in missed}
        makers = self._makers(made, names, classes) if made else {}
        reached = solver.edges.reached({(program.caller[scope], line) for scope, line in makers})
        for call, function in missed:
            known = reached.get((program.caller[call.scope], call.line), set())
            made_by = makers.get((call.scope, call.line), ())
            rivals = [found - {function} for found in made_by if function in found]
            if not rivals or any(known.isdisjoint(others) for others in rivals):
                solver.suppose(call.scope, function, call.line)

    def _makers(
        self, places: set[tuple[int, int]], names: set[int], classes: Classes
    ) -> dict[tuple[int, int], list[set[int]]]:
        """For each call in some places the constructors of all classes that it makes.

        Each of these is entered by a call of its own, which knows nothing of the others.
        """
        solver, program = self._solver, self._solver.program
        makers: dict[tuple[int, int], list[set[int]]] = {}
        for call in solver.calls:
            if call is None or (call.scope, call.line) not in places:
                continue
            found: set[int] = set()
            for mark in call.fired:
                scope = -1 - mark
                if 0 <= scope < program.scopes and program.kind[scope] == ScopeKind.CLASS:
                    slots = (classes.find(scope, name) for name in names)
                    found.update(*(solver.points[slot] or () for slot in slots if slot >= 0))
            if found:
                makers.setdefault((call.scope, call.line), []).append(found)
        return makers
