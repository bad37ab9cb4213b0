"""Callers and callees of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import sqlalchemy as sa

from toolroll_codegraph.storage.tables import calls, functions

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

MOST_NODES: Final = 500
DEEPEST: Final = 20
_CHUNK: Final = 400


class Reached:
    """A function reached over calls, with how."""

    __slots__ = ("confidence", "depth", "function", "lines", "via")

    def __init__(self, function: Any, depth: int, step: _Step) -> None:
        self.function = function
        self.depth = depth
        self.confidence = step.confidence
        self.lines = step.lines
        self.via = step.via


class _Step(NamedTuple):
    """The call between a function and one that is nearer; of several, the surest."""

    confidence: int
    via: int
    """The nearer function."""
    lines: list[int]


def reach(
    session: Session, starts: Collection[int], *, callers: bool, depth: int, most: int = MOST_NODES
) -> tuple[list[Reached], bool]:
    """Walk calls breadth first; each function once, at its smallest depth.

    A start itself appears, at depth 1, only if it or another one calls it. Sorted by depth, file
    and line. The second value tells whether `most`, or a depth that nobody reads, cut the walk
    short; of the functions of one depth the surest are kept.
    """
    here, there = (calls.c.callee, calls.c.caller) if callers else (calls.c.caller, calls.c.callee)
    seen: dict[int, tuple[int, _Step]] = {}
    frontier = sorted(starts)
    truncated = False
    for level in range(1, min(depth, DEEPEST) + 1):
        found: dict[int, _Step] = {}
        for position in range(0, len(frontier), _CHUNK):
            chunk = frontier[position : position + _CHUNK]
            rows = session.execute(
                sa.select(there, here, calls.c.confidence, calls.c.lines).where(here.in_(chunk))
            )
            for other, via, confidence, lines in rows:
                if other in seen or (level > 1 and other in starts):
                    continue
                known = found.get(other)
                if known is None or (confidence, via) > known[:2]:
                    numbers = [int(line) for line in lines.split(",")]
                    found[other] = _Step(confidence, via, numbers)
        if len(seen) + len(found) > most:
            truncated = True
            room = max(most - len(seen), 0)
            found = dict(sorted(found.items(), key=lambda item: (-item[1][0], item[0]))[:room])
        seen |= {other: (level, step) for other, step in found.items()}
        frontier = sorted(found)
        if truncated or not frontier:
            break
    return _described(session, seen), truncated or (bool(frontier) and depth > DEEPEST)


def _described(session: Session, seen: dict[int, tuple[int, _Step]]) -> list[Reached]:
    ids = sorted(seen)
    reached: list[Reached] = []
    for position in range(0, len(ids), _CHUNK):
        chunk = ids[position : position + _CHUNK]
        rows = session.execute(sa.select(functions).where(functions.c.id.in_(chunk)))
        for row in rows:
            if row.kind != "class":
                reached.append(Reached(row, *seen[row.id]))
    reached.sort(
        key=lambda item: (
            item.depth, item.function.path, item.function.start_line, item.function.qualified_name
        )
    )  # fmt: skip
    return reached
