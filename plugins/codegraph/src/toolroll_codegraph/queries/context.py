"""Callers and callees of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import sqlalchemy as sa

from toolroll_codegraph.confidence import REFERENCE
from toolroll_codegraph.storage.store import chunks
from toolroll_codegraph.storage.tables import calls, functions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sqlalchemy.orm import Session

MOST_NODES: Final = 500
DEEPEST: Final = 20
_Wrapped = frozenset[str] | None
"""Of a wrapper, the functions that it was reached for, by their identifiers; None: any."""


class Reached:
    """A function reached over calls, with how."""

    __slots__ = ("confidence", "depth", "function", "lines", "via")

    def __init__(self, function: Any, depth: int, step: _Step) -> None:
        self.function = function
        self.depth = depth
        self.confidence = step.confidence
        self.lines = [int(line) for line in step.lines.split(",")]
        self.via = step.via


class _Step(NamedTuple):
    """The call between a function and one that is nearer; of several, the surest."""

    confidence: int
    via: int
    """The nearer function."""
    lines: str


def reach(
    session: Session, starts: Collection[int], *, callers: bool, depth: int, most: int = MOST_NODES
) -> tuple[list[Reached], bool]:
    """Walk calls breadth first; each function once, at its smallest depth.

    A start itself appears, at depth 1, only if it or another one calls it. Sorted by depth, file
    and line. The second value tells whether `most`, or a depth that nobody reads, cut the walk
    short; of the functions of one depth the surest are kept.

    Through a decorator's wrapper the walk goes on to those who call what it wraps, or to what they
    call, and to no others that are decorated alike.
    """
    seen: dict[int, tuple[int, _Step]] = {}
    walked: dict[int, _Wrapped] = dict.fromkeys(starts)
    frontier = walked.copy()
    truncated = False
    for level in range(1, min(depth, DEEPEST) + 1):
        found: dict[int, _Step] = {}
        further: dict[int, _Wrapped] = {}
        for other, step, wrapped in _next(session, frontier, callers=callers):
            known = found.get(other)
            new = other not in seen and (level == 1 or other not in starts)
            if new and (known is None or step[:2] > known[:2]):
                found[other] = step
            if other not in walked or not _holds(walked[other], wrapped):
                further[other] = _joined(further[other], wrapped) if other in further else wrapped
        if len(seen) + len(found) > most:
            truncated = True
            room = max(most - len(seen), 0)
            found = dict(sorted(found.items(), key=lambda item: (-item[1][0], item[0]))[:room])
        seen |= {other: (level, step) for other, step in found.items()}
        for other, wrapped in further.items():
            walked[other] = _joined(walked[other], wrapped) if other in walked else wrapped
        frontier = further
        if truncated or not frontier:
            break
    return _described(session, seen), truncated or (bool(frontier) and depth > DEEPEST)


def references(session: Session, function: int) -> list[tuple[Any, list[int]]]:
    """The functions that hand a function to others and do not call it, with the lines on which
    they do, sorted by file and line."""
    rows = session.execute(
        sa.select(functions, calls.c.lines)
        .join(calls, functions.c.id == calls.c.caller)
        .where(calls.c.callee == function, calls.c.confidence == REFERENCE)
        .order_by(functions.c.path, functions.c.start_line, functions.c.qualified_name)
    )
    return [(row, [int(line) for line in row.lines.split(",")]) for row in rows]


def _next(
    session: Session, frontier: Mapping[int, _Wrapped], *, callers: bool
) -> Iterator[tuple[int, _Step, _Wrapped]]:
    """The calls from a frontier on: (function, call, what it wraps of that which led there)."""
    here, there = (calls.c.callee, calls.c.caller) if callers else (calls.c.caller, calls.c.callee)
    # What a wrapper was reached for, and for what the walk leaves it again.
    ends = (calls.c.stands_for, calls.c.passes_on)
    inward, onward = ends if callers else ends[::-1]
    columns = (there, here, calls.c.confidence, calls.c.lines, inward, onward)
    for chunk in chunks(sorted(frontier)):
        for other, via, confidence, lines, entered, left in session.execute(
            sa.select(*columns).where(here.in_(chunk), calls.c.confidence != REFERENCE)
        ):
            wrapped, mine = frontier[via], frozenset(entered.split(",")) if entered else None
            both = mine if wrapped is None else wrapped if mine is None else wrapped & mine
            if both is not None and not both:
                continue  # of another function that is decorated alike
            onwards: _Wrapped = frozenset(left.split(",")) if left else None
            if onwards is not None and mine is not None and both is not None:
                onwards &= both
            yield other, _Step(confidence, via, lines), onwards


def _holds(known: _Wrapped, wrapped: _Wrapped) -> bool:
    return known is None or (wrapped is not None and wrapped <= known)


def _joined(known: _Wrapped, wrapped: _Wrapped) -> _Wrapped:
    return None if known is None or wrapped is None else known | wrapped


def _described(session: Session, seen: dict[int, tuple[int, _Step]]) -> list[Reached]:
    ids = sorted(seen)
    reached: list[Reached] = []
    for chunk in chunks(ids):
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
