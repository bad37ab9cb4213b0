"""What the source says of the class of a value, where it says so outright."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ANY_KEY, ObjectKind, ScopeFlag, TypeHint
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    MODULE,
    TEXT,
)

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.solver import Solver

_NO_OBJECTS: Final = (FUNCTION, CLASS, BOUND, MODULE, TEXT, CONTAINER)
"""What is no object of a class; a literal may look like one."""
_DECLARED: Final = (TypeHint.DECLARED, TypeHint.LIMIT)
_WHOLE: Final = {"typescript": _DECLARED, "python": (TypeHint.LIMIT,)}
"""Language → the annotations that hold against what no object of their classes can be."""


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
        for index, facts in enumerate(program.facts):
            typed = _WHOLE.get(facts.language, ())
            for slot, known, hint in program.typed(index):
                if hint in _DECLARED and known >= 0:
                    if self.solver.is_unknown(slot) or (
                        hint in typed and self._is_other(slot, known)
                    ):
                        solver.listen(known, (self._on_type, slot))
                elif hint == TypeHint.CLASS and self.solver.is_unknown(slot):
                    solver.listen(known, (self._on_object, slot))
                elif hint == TypeHint.OBJECT and self.solver.is_unknown(slot):
                    solver.edge(known, slot)
                elif hint == TypeHint.RETURNED and self.solver.is_unknown(slot):
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

    def _is_other(self, slot: int, known: int) -> bool:
        """Whether a slot has nothing that may be an object of the classes that another holds."""
        kind, flags = self.solver.kind, self.program.flags
        classes = self.solver.points[known] or ()
        return all(kind[value] in _NO_OBJECTS for value in self.solver.points[slot] or ()) and all(
            kind[it] == CLASS
            and not flags[it] & ScopeFlag.INTERFACE
            and self.solver.rules.is_made(it)
            for it in classes
        )
