"""Calls that reach nothing of the project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallColumn, CallFlag

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.solver import Solver


def count_unresolved(solver: Solver, resolved: Sequence[int]) -> dict[int, int]:
    """Distinct texts of calls that reached nothing of the project, for each caller.

    `resolved` says of each call whether it did.
    """
    program, operations = solver.program, solver.operations
    counts: dict[int, int] = {}
    seen: set[tuple[int, int]] = set()
    caller, last = program.caller, -1
    columns = (CallColumn.SCOPE, CallColumn.SOURCE, CallColumn.NAME, CallColumn.FLAGS)
    scope_column, sources, names, flag_column = map(operations.column, columns)
    for identifier, flags in enumerate(flag_column):
        if flags & CallFlag.IMPLICIT or resolved[identifier]:
            continue
        index = operations.call_file[identifier]
        if index >= len(program.by_path):
            break  # copies
        if index != last:
            seen.clear()
            last = index
        owner = caller[scope_column[identifier] + program.scope_base[index]]
        key = (owner << 32 | names[identifier] + 1, sources[identifier])
        if key not in seen:
            seen.add(key)
            counts[owner] = counts.get(owner, 0) + 1
    return counts
