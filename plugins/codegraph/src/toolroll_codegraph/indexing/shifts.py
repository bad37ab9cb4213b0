"""Edits that move lines and change nothing else: comments, blank lines, formatting, literals.

The facts of such a file differ in line numbers only, so that every call still goes where it went:
the stored rows are renumbered, and the program is not resolved again.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from toolroll_codegraph.facts import FileFacts, numbers
from toolroll_codegraph.indexing.rows import FileRows

_FLAT_ROW = 5
"""Numbers in a row of loads and stores; the last one is the line."""


@frozen
class LineShift:
    """Old line numbers of a file to new ones."""

    first: dict[int, int]
    last: dict[int, int]
    calls: dict[int, int]

    def apply(self, rows: FileRows) -> FileRows | None:
        """Renumber a file's rows; None if a line is none of those that moved."""
        try:
            moved = FileRows(
                [
                    (*row[:4], self.first[row[4]], self.last[row[5]], *row[6:])
                    for row in rows.functions
                ],
                [(*row[:3], self._lines(row[3])) for row in rows.calls],
                list(rows.relations),
            )
        except KeyError:
            return None
        moved.functions.sort()
        moved.calls.sort()
        moved.relations.sort()
        return moved

    def _lines(self, text: str) -> str:
        return ",".join(map(str, sorted(self.calls[int(line)] for line in text.split(","))))


def line_shift(old: FileFacts, new: FileFacts) -> LineShift | None:
    """Return how lines moved, or None when the facts differ in more than line numbers."""
    same = (
        old.language == new.language
        and old.names == new.names
        and old.slots == new.slots
        and old.copies == new.copies
        and old.dynamic == new.dynamic
        and old.objects == new.objects
        and old.constants == new.constants
        and old.free == new.free
        and old.relations == new.relations
        and old.types == new.types
        and old.exported == new.exported
        and old.parse_errors == new.parse_errors
        and [(*row[:3], *row[5:]) for row in old.scopes]
        == [(*row[:3], *row[5:]) for row in new.scopes]
        and [(*row[:2], *row[3:]) for row in old.calls]
        == [(*row[:2], *row[3:]) for row in new.calls]
        and [(*row[:5], row[6]) for row in old.imports]
        == [(*row[:5], row[6]) for row in new.imports]
    )
    if not same:
        return None
    pairs: list[tuple[int, int]] = [(0, 0)]
    for before, after in ((old.loads, new.loads), (old.stores, new.stores)):
        was, now = numbers(before), numbers(after)
        if len(was) != len(now):
            return None
        for place in range(_FLAT_ROW - 1):
            if was[place::_FLAT_ROW] != now[place::_FLAT_ROW]:
                return None
        pairs += zip(was[4::_FLAT_ROW], now[4::_FLAT_ROW], strict=True)
    pairs += ((a[2], b[2]) for a, b in zip(old.calls, new.calls, strict=True))
    first = _mapping((a[3], b[3]) for a, b in zip(old.scopes, new.scopes, strict=True))
    last = _mapping((a[4], b[4]) for a, b in zip(old.scopes, new.scopes, strict=True))
    calls = _mapping(pairs)
    if first is None or last is None or calls is None:
        return None
    if len(set(calls.values())) != len(calls):  # two lines became one
        return None
    return LineShift(first, last, calls)


def _mapping(pairs: Iterable[tuple[int, int]]) -> dict[int, int] | None:
    """The pairs as a mapping, None if one line became two."""
    found: dict[int, int] = {}
    for old, new in pairs:
        if found.setdefault(old, new) != new:
            return None
    return found
