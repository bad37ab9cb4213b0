"""What the operations that wait for a slot's values use of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallColumn, Operation
from toolroll_codegraph.facts.model import LOAD_WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolroll_codegraph.resolve.solver import Solver


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
