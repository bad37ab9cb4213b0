"""Edits that move lines and change nothing else: comments, blank lines, formatting, literals.

The facts of such a file differ in line numbers only, and perhaps in the names of local variables,
so that every call still goes where it went: the stored rows are renumbered, and the program is not
resolved again.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from toolroll_codegraph.facts import CallColumn, FileFacts, numbers
from toolroll_codegraph.facts.columns import lines_of
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH, TEST_WIDTH, RelationRow
from toolroll_codegraph.indexing.rows import FileRows, Row

_SAME = (
    "language", "slots", "flow_counts", "flow", "wait_counts", "waits", "returned", "tails",
    "dynamic", "arguments", "objects", "constants", "free", "types", "exported", "parse_errors",
)  # fmt: skip
"""Facts without line numbers."""
_WITH_LINES = (
    ("loads", LOAD_WIDTH, LOAD_WIDTH - 1),
    ("stores", STORE_WIDTH, STORE_WIDTH - 1),
    ("calls", CallColumn.WIDTH, CallColumn.LINE),
    ("tests", TEST_WIDTH, TEST_WIDTH - 1),
)
"""Flat facts: how many numbers a row has, and which is the line."""


@frozen
class LineShift:
    """Old line numbers of a file to new ones."""

    module: tuple[int, int]
    """First and last line of the file now; that a class begins with the file says nothing of it."""
    first: dict[int, int]
    last: dict[int, int]
    calls: dict[int, int]

    def apply(self, rows: FileRows) -> FileRows | None:
        """Renumber a file's rows; None if a line is none of those that moved."""
        try:
            moved = FileRows(
                [(*row[:4], *self._place(row), *row[6:]) for row in rows.functions],
                [(*row[:3], self._lines(row[3]), *row[4:]) for row in rows.calls],
                list(rows.relations),
            )
        except KeyError:
            return None
        moved.functions.sort()
        moved.calls.sort()
        moved.relations.sort()
        return moved

    def _place(self, row: Row) -> tuple[int, int]:
        return self.module if row[3] == "module" else (self.first[row[4]], self.last[row[5]])

    def _lines(self, text: str) -> str:
        return ",".join(map(str, sorted(self.calls[int(line)] for line in text.split(","))))


def line_shift(old: FileFacts, new: FileFacts) -> LineShift | None:
    """Return how lines moved, or None when the facts differ in more than line numbers."""
    if any(getattr(old, name) != getattr(new, name) for name in _SAME):
        return None
    if not _same_names(old, new):
        return None
    same = [(*row[:3], *row[5:]) for row in old.scopes] == [
        (*row[:3], *row[5:]) for row in new.scopes
    ] and [(*row[:5], row[6]) for row in old.imports] == [(*row[:5], row[6]) for row in new.imports]
    if not same:
        return None
    if _without_lines(old) != _without_lines(new):
        return None
    pairs = [(0, 0)]
    for was, now in zip(old.relations, new.relations, strict=True):
        former, present = was[1:], now[1:]
        pairs += [(former[it - 1], present[it - 1]) for it in lines_of(was, old.language)]
    for name, width, line in _WITH_LINES:
        before, after = numbers(getattr(old, name)), numbers(getattr(new, name))
        if len(before) != len(after):
            return None
        for column in range(width):
            if column != line and before[column::width] != after[column::width]:
                return None
        pairs += zip(before[line::width], after[line::width], strict=True)
    scopes = list(zip(old.scopes, new.scopes, strict=True))[1:]
    first = _mapping((a[3], b[3]) for a, b in scopes)
    last = _mapping((a[4], b[4]) for a, b in scopes)
    pairs += [(a[3], b[3]) for a, b in scopes]  # making a class calls what its bases say
    calls = _mapping(pairs)
    if first is None or last is None or calls is None:
        return None
    if len(set(calls.values())) != len(calls):  # two lines became one
        return None
    return LineShift((new.scopes[0][3], new.scopes[0][4]), first, last, calls)


def _same_names(old: FileFacts, new: FileFacts) -> bool:
    """Whether no name differs but those that the facts do not mention: of local variables."""
    if old.names == new.names:
        return True
    if len(old.names) != len(new.names):
        return False
    mentioned = _mentioned(new)
    pairs = enumerate(zip(old.names, new.names, strict=True))
    return not any(was != now and item in mentioned for item, (was, now) in pairs)


def _mentioned(facts: FileFacts) -> set[int]:
    """The names that a file's facts refer to; what may be one in language specific rows counts."""
    found = {*facts.exported, *(row[4] for row in facts.imports)}
    for row in facts.scopes:
        found.add(row[1])
        found.update(name for name, *_ in row[8])
        found.update(name for name, _ in row[10])
    for relation in _without_lines(facts):
        found.update(relation[1:])
    calls, arguments = numbers(facts.calls), numbers(facts.arguments)
    found.update(calls[CallColumn.NAME :: CallColumn.WIDTH])
    starts = [*calls[CallColumn.START :: CallColumn.WIDTH], len(arguments)]
    for call, positional in enumerate(calls[CallColumn.POSITIONAL :: CallColumn.WIDTH]):
        found.update(arguments[starts[call] + positional : starts[call + 1] : 2])
    found.update(numbers(facts.loads)[2::LOAD_WIDTH])
    found.update(numbers(facts.stores)[1::STORE_WIDTH])
    found.update(numbers(facts.constants)[1::2])
    found.update(numbers(facts.free)[0::2])
    return found


def _without_lines(facts: FileFacts) -> list[RelationRow]:
    """The relations of a file with 0 for each line."""
    found: list[RelationRow] = []
    for relation in facts.relations:
        kind, *numbers_of = relation
        for place in lines_of(relation, facts.language):
            numbers_of[place - 1] = 0
        first, second, third, fourth = numbers_of
        found.append((kind, first, second, third, fourth))
    return found


def _mapping(pairs: Iterable[tuple[int, int]]) -> dict[int, int] | None:
    """The pairs as a mapping, None if one line became two."""
    found: dict[int, int] = {}
    for old, new in pairs:
        if found.setdefault(old, new) != new:
            return None
    return found
