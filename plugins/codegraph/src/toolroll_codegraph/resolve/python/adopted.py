"""Functions written outside of a class that it has as methods: `Table.select = select`."""

from __future__ import annotations

from toolroll_codegraph.facts import ScopeFlag
from toolroll_codegraph.resolve.program import CLASS, FUNCTION
from toolroll_codegraph.resolve.python.feature import PythonFeature


class PythonAdopted(PythonFeature):
    """Gives such functions the receiver that methods have which no call of the project reaches."""

    def settle(self) -> None:
        """Let the first parameter be an instance of the class, or of each of several."""
        solver, program = self.solver, self.program
        points, kind, scopes = solver.points, solver.kind, program.scopes
        found: list[tuple[int, int]] = []
        for owner, members in enumerate(program.members):
            if not members or kind[owner] != CLASS:
                continue
            for slot in members.values():
                for value in points[slot] or ():
                    if value < scopes and kind[value] == FUNCTION and self._is_outside(value):
                        first = program.params[value][0][1]
                        if first >= 0 and points[first] is None:
                            found.append((first, owner + scopes))
        for first, instance in found:
            solver.add(first, instance)

    def _is_outside(self, function: int) -> bool:
        """Whether a function is no method by itself, but called as one is."""
        program = self.program
        return (
            not program.flags[function] & (ScopeFlag.METHOD | ScopeFlag.STATIC)
            and program.params.first_name(function) == self.rules.descriptors.receiver
        )
