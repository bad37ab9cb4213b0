"""What can be said of a few edited files at once, while their program is not resolved again.

Where its lines did not change, a function calls what it called; what others call is told by the
edited files and their neighbours alone. Calls from other files stay as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from toolroll_codegraph.facts import CallColumn, FileFacts, ImportKind, numbers
from toolroll_codegraph.indexing.lines import MovedLines, moved_lines
from toolroll_codegraph.indexing.rows import FileRows, GraphRows, Row

_NOT_COUNTED: Final = ("class", "module", "lambda")


class Edited(msgspec.Struct):
    """One file of an edit."""

    path: str
    old: FileFacts | None
    new: FileFacts
    rows: FileRows
    """The rows that are stored; none of a new file."""


class Callee(msgspec.Struct, frozen=True):
    """A function that is called."""

    name: str
    """As calls write it: that of its class for a constructor."""
    path: str
    kind: str


_Place = tuple[int, int, str]
"""(caller, line, name) of calls: what they reach is told by one source alone."""


def provisional_rows(
    edit: Edited, near: GraphRows, stored: Mapping[int, Callee], removed: Iterable[str]
) -> FileRows:
    """Return the rows of an edited file.

    Args:
        edit: The file.
        near: What it is resolved to beside its neighbours, with the rows of all of them.
        stored: The functions that the stored rows call, by identifier.
        removed: Files that are there no more.
    """
    found = near.files[edit.path]
    callees = _callees(near)
    gone = {*near.files, *removed}
    callees |= {key: callee for key, callee in stored.items() if callee.path not in gone}
    marks = edit.old.lines if edit.old is not None else b""
    merged = _Merged(edit, found, callees, moved_lines(marks, edit.new.lines))
    calls = merged.calls()
    return FileRows(found.functions, calls, _relations(edit, near, calls, callees))


def counted(rows: FileRows, facts: FileFacts | None) -> dict[str, int]:
    """What a file adds to the counts of its family's program; calls as far as they are told."""
    kinds = [row[3] for row in rows.functions]
    imports = facts.imports if facts is not None else ()
    return {
        "functions": sum(kind not in _NOT_COUNTED for kind in kinds),
        "classes": kinds.count("class"),
        "calls": len(rows.calls),
        "imports": sum(row[1] != ImportKind.CONSTANT for row in imports),
    }


def _callees(near: GraphRows) -> dict[int, Callee]:
    return {
        row[0]: called_as(row[1], row[2], row[3], path)
        for path, rows in near.files.items()
        for row in rows.functions
    }


def called_as(name: str, qualified: str, kind: str, path: str) -> Callee:
    """Return what a function is called as."""
    if kind == "constructor":
        name = qualified.rpartition(".")[0].rpartition(".")[2] or name
    return Callee(name, path, kind)


class _Merged:
    """The calls of one file, told by the edit or kept."""

    def __init__(
        self, edit: Edited, near: FileRows, callees: Mapping[int, Callee], lines: MovedLines
    ) -> None:
        self._edit = edit
        self._near = near
        self._callees = callees
        self._lines = lines
        self._spans = {row[0]: (row[4], row[5]) for row in near.functions}
        self._called = _methods(edit.new)

    def calls(self) -> list[Row]:
        """At each place the kept calls, unless the edit tells others."""
        kept, told = self._kept(), self._told()
        edges: dict[tuple[int, int], tuple[int, set[int]]] = {}
        for place in kept.keys() | told.keys():
            caller, line, _ = place
            before, now = kept.get(place, {}), told.get(place, {})
            for callee, confidence in (now if now.keys() - before.keys() else before).items():
                surest, lines = edges.get((caller, callee), (0, set[int]()))
                edges[caller, callee] = max(surest, confidence), lines | {line}
        return sorted(
            (*pair, confidence, ",".join(map(str, sorted(lines))))
            for pair, (confidence, lines) in edges.items()
        )

    def _kept(self) -> dict[_Place, dict[int, int]]:
        """The stored calls that are still there, by their places now."""
        kept: dict[_Place, dict[int, int]] = {}
        for caller, callee, confidence, text in self._edit.rows.calls:
            known = self._callees.get(callee)
            if caller not in self._spans or known is None:
                continue
            for line in map(int, text.split(",")):
                now = self._line(line, known.name)
                if now:
                    kept.setdefault((caller, now, known.name), {})[callee] = confidence
        return kept

    def _line(self, line: int, name: str) -> int:
        """Where a call stands now: on its line, or on one in its place that calls this name."""
        found = self._lines.now.get(line)
        if found is not None:
            return found
        places = self._lines.replaced.get(line, range(0))
        return next((place for place in places if name in self._called.get(place, ())), 0)

    def _told(self) -> dict[_Place, dict[int, int]]:
        """What the functions that the edit changed call, as far as their neighbours tell."""
        touched = self._touched()
        told: dict[_Place, dict[int, int]] = {}
        for caller, callee, confidence, text in self._near.calls:
            if caller in touched:
                for line in map(int, text.split(",")):
                    place = caller, line, self._callees[callee].name
                    told.setdefault(place, {})[callee] = confidence
        return told

    def _touched(self) -> set[int]:
        """The functions that are new or have lines that are, or lack some that were there."""
        before = {row[0]: (row[4], row[5]) for row in self._edit.rows.functions}
        fresh, gone = sorted(self._lines.fresh), sorted(self._lines.replaced)
        return {
            scope
            for scope, span in self._spans.items()
            if scope not in before or _within(fresh, span) or _within(gone, before[scope])
        }


def _within(lines: list[int], span: tuple[int, int]) -> bool:
    return any(span[0] <= line <= span[1] for line in lines)


def _methods(facts: FileFacts) -> dict[int, set[str]]:
    """The names of the methods called on each line."""
    calls = numbers(facts.calls)
    names = calls[CallColumn.NAME :: CallColumn.WIDTH]
    lines = calls[CallColumn.LINE :: CallColumn.WIDTH]
    found: dict[int, set[str]] = {}
    for name, line in zip(names, lines, strict=True):
        if name >= 0:
            found.setdefault(line, set()).add(facts.names[name])
    return found


def _relations(
    edit: Edited, near: GraphRows, calls: Iterable[Row], callees: Mapping[int, Callee]
) -> list[Row]:
    """What a file imports and calls; of what was too far to be looked at, what it imported."""
    found: list[Row] = [row for row in near.files[edit.path].relations if row[1] == "imports"]
    found += [
        row for row in edit.rows.relations if row[1] == "imports" and row[0] not in near.files
    ]
    between: dict[str, int] = {}
    for _, callee, *_ in calls:
        called = callees[callee]
        if called.path != edit.path and called.kind != "class":
            between[called.path] = between.get(called.path, 0) + 1
    return sorted([*found, *((path, "calls", count) for path, count in between.items())])
