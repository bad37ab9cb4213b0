"""What the source says of the class of a value, where it says so outright."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ANY_KEY, ObjectKind, TypeHint
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, EXTERNAL, FUNCTION, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.solver import Solver

_DECLARED: Final = (TypeHint.DECLARED, TypeHint.LIMIT)


class DeclaredTypes:
    """Gives slots objects of the classes that annotations and the like name."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.program = solver.program
        self._any_key = solver.program.name(ANY_KEY)

    def seed(self, index: int) -> None:
        """Enter what is certain in a file."""
        for slot, known, hint in self.program.typed(index):
            if hint == TypeHint.CERTAIN:
                self.solver.listen(known, (self._on_type, slot))

    def settle(self) -> None:
        """Enter what is declared of slots of which the flow of values says nothing."""
        solver, program = self.solver, self.program
        for index in range(len(program.facts)):
            for slot, known, hint in program.typed(index):
                if hint in _DECLARED and known >= 0 and self._is_unknown(slot):
                    solver.listen(known, (self._on_type, slot))
                elif hint == TypeHint.CLASS and self._is_unknown(slot):
                    solver.listen(known, (self._on_object, slot))
                elif hint == TypeHint.OBJECT and self._is_unknown(slot):
                    solver.edge(known, slot)
                elif hint == TypeHint.RETURNED and self._is_unknown(slot):
                    solver.listen(known, (self._on_returning, slot))

    @handler
    def _on_type(self, value: int, listener: Listener) -> None:
        kind = self.solver.kind[value]
        # JavaScript's functions may make objects.
        if kind == CLASS or (kind == FUNCTION and self.program.family == "scripts"):
            self.solver.add(listener[1], value + self.program.scopes)
        elif kind == CONTAINER and self.solver.detail[value][0] == ObjectKind.ALIAS:
            self.solver.edge(self.solver.field(value, self._any_key), listener[1])

    @handler
    def _on_object(self, value: int, listener: Listener) -> None:
        """Let a slot have the class of what another has."""
        scope = value - self.program.scopes
        is_object = self.solver.kind[value] == INSTANCE and scope < self.program.scopes
        if is_object and self.solver.rules.is_made(scope):
            self.solver.add(listener[1], self.program.original(scope))

    @handler
    def _on_returning(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.solver.edge(self.program.ret[value], listener[1])

    def _is_unknown(self, slot: int) -> bool:
        """Whether a slot has nothing, or only what the project does not define."""
        kind = self.solver.kind
        return all(kind[value] == EXTERNAL for value in self.solver.points[slot] or ())
