"""What can be said of a few edited files at once, while their program is not resolved again.

The edited files are resolved with their neighbours alone, as they were and as they are: what
differs is what the edit changed. All else calls what it called, wherever its lines are now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from toolroll_codegraph.confidence import CERTAIN, REFERENCE
from toolroll_codegraph.facts import CallColumn, FileFacts, ImportKind, numbers
from toolroll_codegraph.indexing.lines import MovedLines, moved_lines
from toolroll_codegraph.indexing.rows import FileRows, GraphRows, Row

_NOT_COUNTED: Final = ("class", "mixin", "module", "lambda")
_UNNAMED: Final = "<lambda>"


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


_INHERITED: Final = 8
"""From this column on the row of a function says what it or its class inherits."""
_Places = dict[tuple[int, int, str], dict[int, int]]
"""(caller, line, name) of calls → their callees with confidences."""


def provisional_rows(
    edits: Sequence[Edited], before: GraphRows, after: GraphRows, stored: Mapping[int, Callee]
) -> dict[str, FileRows]:
    """Return the rows of edited files by path.

    Args:
        edits: The files.
        before: What they were resolved to beside their neighbours, with the rows of all of them.
        after: The same with what they are now.
        stored: The functions in other files that their stored rows call, by identifier.
    """
    lines = [
        moved_lines(edit.old.lines if edit.old is not None else b"", edit.new.lines)
        for edit in edits
    ]
    now: dict[int, int] = {}
    for edit, moved in zip(edits, lines, strict=True):
        now |= _renumbered(edit.rows.functions, after.files[edit.path].functions, moved)
    callees = {**stored, **_callees(after)}
    rows: dict[str, FileRows] = {}
    for edit, moved in zip(edits, lines, strict=True):
        near = after.files[edit.path]
        before_methods = _methods(edit.old) if edit.old is not None else {}
        there = _There(moved, before_methods, _methods(edit.new), now, callees)
        was = before.files.get(edit.path, FileRows())
        standing = there.standing(edit.rows.calls)
        standing.update(((row[0], row[1]), row[4:]) for row in near.calls)
        merged = _merged(there.places(edit.rows.calls), there.places(was.calls), near, callees)
        calls = [(*row, *standing[row[0], row[1]]) for row in merged]
        functions = _inheriting(edit.rows.functions, was.functions, near.functions)
        rows[edit.path] = FileRows(functions, calls, _relations(edit, after, calls, callees))
    return rows


def counted(rows: FileRows, facts: FileFacts | None) -> dict[str, int]:
    """What a file adds to the counts of its family's program; calls as far as they are told."""
    kinds = [row[3] for row in rows.functions]
    imports = facts.imports if facts is not None else ()
    return {
        "functions": sum(kind not in _NOT_COUNTED for kind in kinds),
        "classes": kinds.count("class"),
        "calls": sum(row[2] != REFERENCE for row in rows.calls),
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
    if kind == "lambda":
        name = _UNNAMED
    elif kind == "constructor":
        name = qualified.rpartition(".")[0].rpartition(".")[2] or name
    return Callee(name, path, kind)


def _renumbered(old: Sequence[Row], new: Sequence[Row], moved: MovedLines) -> dict[int, int]:
    """The identifiers before and after an edit of the functions that are still there.

    Those without a name are counted: one more before them gives them another identifier.
    """
    after = _by_line(new)
    there = {row[0] for row in new if row[3] != "lambda"}
    found: dict[int, int] = {}
    for (line, name), ids in _by_line(old).items():
        now = after.get((moved.now.get(line, 0), name), [])
        if len(now) == len(ids):
            found.update(zip(ids, now, strict=True))
        else:
            found.update((same, same) for same in ids if same in there)
    return found


def _inheriting(stored: Iterable[Row], was: Iterable[Row], now: Iterable[Row]) -> list[Row]:
    """The functions now; those of which the neighbours tell nothing new inherit as before."""
    known = {row[0]: row[_INHERITED:] for row in stored}
    told = {row[0]: row[_INHERITED:] for row in was}
    found: list[Row] = []
    for row in now:
        before, columns = known.get(row[0]), row[_INHERITED:]
        if before is not None and told.get(row[0]) == columns:
            columns = before
        found.append((*row[:_INHERITED], *columns))
    return found


def _by_line(functions: Sequence[Row]) -> dict[tuple[int, str], list[int]]:
    """Identifiers by where a function begins and by its name, in the order of the source."""
    found: dict[tuple[int, str], list[int]] = {}
    for row in sorted(functions, key=lambda row: (len(row[2]), row[2])):
        name = _UNNAMED if row[3] == "lambda" else row[2]
        found.setdefault((row[4], name), []).append(row[0])
    return found


def _merged(
    kept: _Places, was: _Places, after: FileRows, callees: Mapping[int, Callee]
) -> list[Row]:
    """The stored calls, without those that the edit takes away, and with those that it adds.

    What the neighbours leave unknown is unknown before and after, and takes nothing away.
    """
    now: _Places = {}
    for caller, callee, confidence, text, *_ in after.calls:
        for line in map(int, text.split(",")):
            now.setdefault((caller, line, callees[callee].name), {})[callee] = confidence
    edges: dict[tuple[int, int], tuple[int, set[int]]] = {}
    for place in kept.keys() | now.keys():
        caller, line, _ = place
        found = _changed(kept.get(place, {}), was.get(place, {}), now.get(place, {}))
        for callee, confidence in found.items():
            surest, lines = edges.get((caller, callee), (REFERENCE, set[int]()))
            if confidence != REFERENCE and surest == REFERENCE:
                lines.clear()  # on which it is handed over
            if confidence != REFERENCE or surest == REFERENCE:
                lines.add(line)
            edges[caller, callee] = max(surest, confidence), lines
    return sorted(
        (*pair, confidence, ",".join(map(str, sorted(lines))))
        for pair, (confidence, lines) in edges.items()
    )


def _changed(
    stored: Mapping[int, int], was: Mapping[int, int], now: Mapping[int, int]
) -> dict[int, int]:
    """The callees of one place; weak evidence against a stored one needs another in its stead."""
    added = {key: sure for key, sure in now.items() if key not in was}
    gone = {key for key, sure in was.items() if key not in now and (added or sure == CERTAIN)}
    return {key: sure for key, sure in stored.items() if key not in gone} | added


class _There(msgspec.Struct):
    """Which calls of a file are still there, and where."""

    moved: MovedLines
    before: Mapping[int, set[str]]
    """The names of the methods that were called on each line."""
    after: Mapping[int, set[str]]
    """The same, of the lines now."""
    now: Mapping[int, int]
    """Functions of the edited files: their identifiers before and after."""
    callees: Mapping[int, Callee]

    def places(self, calls: Iterable[Row]) -> _Places:
        """Calls by their places now."""
        found: _Places = {}
        for before, called, confidence, text, *_ in calls:
            caller, callee = self.now.get(before), self.now.get(called, called)
            known = self.callees.get(callee)
            if caller is not None and known is not None:
                for line in map(int, text.split(",")):
                    now = self._line(line, known.name)
                    if now:
                        found.setdefault((caller, now, known.name), {})[callee] = confidence
        return found

    def standing(self, calls: Iterable[Row]) -> dict[tuple[int, int], Row]:
        """(caller, callee) → whose calls the call stands for and passes on, as listed in rows."""
        now = self.now
        return {
            (now.get(caller, caller), now.get(callee, callee)): tuple(
                ",".join(sorted(str(now.get(int(item), int(item))) for item in text.split(",")))
                if text
                else ""
                for text in standing
            )
            for caller, callee, _, _, *standing in calls
        }

    def _line(self, line: int, name: str) -> int:
        """Where a call stands now: on its line, or on one in its place that calls this name.

        What is called under no name of a method is there if the methods are.
        """
        found = self.moved.now.get(line)
        if found is not None:
            return found
        before = self.before.get(line, set())
        wanted = {name} if name in before else before
        places = self.moved.replaced.get(line, range(0)) if wanted else ()
        return next((place for place in places if wanted <= self.after.get(place, set())), 0)


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
    for _, callee, confidence, *_ in calls:
        called = callees[callee]
        if confidence == REFERENCE:
            continue
        if called.path != edit.path:
            between[called.path] = between.get(called.path, 0) + 1
    return sorted([*found, *((path, "calls", count) for path, count in between.items())])
