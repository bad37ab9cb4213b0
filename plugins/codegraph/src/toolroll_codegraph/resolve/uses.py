"""What the operations that wait for a slot's values use of them, and where values come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, Operation
from toolroll_codegraph.facts.model import LOAD_WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolroll_codegraph.resolve.solver import Solver

_LONGEST_CHAIN: Final = 6


def names_used(solver: Solver, slots: Iterable[int]) -> tuple[set[int], set[int]]:
    """The names of the methods called on some slots' values, and of the attributes read."""
    called: set[int] = set()
    loaded: set[int] = set()
    operations, program = solver.operations, solver.program
    pending = [*slots]
    for slot in pending:
        pending += solver.narrowed.get(slot, ())
        for position in range(operations.wait_start[slot], operations.wait_start[slot + 1]):
            entry = operations.wait[position]
            kind, item = entry & Operation.MASK, entry >> Operation.SHIFT
            if kind == Operation.CALL:
                used = operations.calls[item * CallColumn.WIDTH + CallColumn.NAME]
                if used >= 0:
                    called.add(program.renames[operations.call_file[item]][used])
            elif kind == Operation.LOAD:
                used = operations.loads[item * LOAD_WIDTH + 2]
                loaded.add(program.renames[operations.load_file[item]][used])
    return called, loaded


def comes_from(slot: int, outside: set[int], producers: dict[int, int]) -> bool:
    """Whether a value is made by what is outside of the project."""
    current: int | None = slot
    for _ in range(_LONGEST_CHAIN):
        if current is None:
            return False
        if current in outside:
            return True
        current = producers.get(current)
    return False
