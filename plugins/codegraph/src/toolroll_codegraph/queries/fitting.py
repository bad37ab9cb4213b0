"""How much of what was reached an answer lists: clients of agents take no more than so much."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolroll_codegraph.queries.context import Reached
    from toolroll_codegraph.results import CallRecord

Row = tuple["Reached", "CallRecord"]
"""A function that was reached, and how it is listed."""


def fit(callers: Sequence[Row], callees: Sequence[Row], most: int) -> tuple[list[Row], list[Row]]:
    """Return the callers and callees to list, so that they take `most` characters of JSON together.

    Each side has half of them, and what the other leaves of its own. The nearest functions are
    listed; of those that are equally far the surest, and code before its tests. The order stays.
    """
    above, below = _lengths(callers), _lengths(callees)
    room = max(most // 2, most - sum(below))
    rest = most - min(sum(above), room)
    return _nearest(callers, above, room), _nearest(callees, below, rest)


def _lengths(rows: Sequence[Row]) -> list[int]:
    return [len(record.model_dump_json()) + 1 for _, record in rows]


def _nearest(rows: Sequence[Row], lengths: Sequence[int], most: int) -> list[Row]:
    if sum(lengths) <= most:
        return [*rows]
    listed = [False] * len(rows)
    for place in sorted(range(len(rows)), key=lambda place: _rank(rows[place][0])):
        most -= lengths[place]
        if most < 0:
            break
        listed[place] = True
    return [*compress(rows, listed)]


def _rank(item: Reached) -> tuple[int, int, bool]:
    return item.depth, -item.confidence, item.function.is_test
