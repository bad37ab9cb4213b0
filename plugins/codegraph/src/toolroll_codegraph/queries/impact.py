"""What a change of files may affect: functions that reach them, and the tests among them.

A changed line belongs to the innermost function around it, a decorator's to what it decorates, and
any other in a class to the class, which stands for all its functions. What is changed outside of
these is the module's: who imports it may be affected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from attrs import frozen

from toolroll_codegraph.indexing.lines import line_marks, moved_lines
from toolroll_codegraph.languages.registry import is_test, language_of
from toolroll_codegraph.queries.changes import blob_text
from toolroll_codegraph.queries.context import reach
from toolroll_codegraph.queries.decorated import first_lines
from toolroll_codegraph.queries.freshness import indexed_files, text_of
from toolroll_codegraph.queries.related import related_files
from toolroll_codegraph.queries.setups import tests_around
from toolroll_codegraph.storage.tables import functions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sqlalchemy.orm import Session

    from toolroll_codegraph.queries.changes import Change, Lines
    from toolroll_codegraph.queries.freshness import IndexedFile


_AROUND: Final = ("class", "module")


@frozen
class Impact:
    """Functions that changed and functions that reach them, nearest first."""

    changed: tuple[Any, ...]
    affected: tuple[tuple[Any, int], ...]
    """(function, number of calls away)."""
    tests: tuple[str, ...]
    """Test files with an affected function, and changed ones that are not indexed yet, sorted."""
    imported_by: tuple[str, ...]
    """Files that import one in which code outside of functions and classes changed, sorted."""
    truncated: bool
    """Whether more is affected than is listed."""
    unknown: tuple[str, ...]
    """Changed paths of which the index knows nothing, sorted."""
    stale: tuple[str, ...]
    """Changed files that changed after they were indexed, sorted."""
    unclear: tuple[str, ...]
    """Those of which the index has neither the text that changed nor the one now, sorted: which of
    their functions did, only a new index can tell."""


def impact(
    session: Session,
    project: int,
    root: Path,
    changes: Mapping[str, Change],
    *,
    depth: int,
    most: int = 5000,
) -> Impact:
    """Find what reaches the changed functions within `depth` calls; a directory means its files.

    Where the index is still that of the text before the change, the lines that it has changed there
    count: they lead to the callers of what is gone now, too. Where it is that of a text after more
    changes, those count that are in the place of the changed ones.
    """
    changed: dict[int, Any] = {}
    starts: set[int] = set()
    importing: set[str] = set()
    unknown: list[str] = []
    stale: list[str] = []
    unclear: list[str] = []
    for path, change in sorted(changes.items()):
        indexed = indexed_files(session, project, path)
        if not indexed:
            unknown.append(path)
        for file in indexed:
            now = text_of(root / file.path)
            if now is not None and not file.holds(now):  # a deleted one is as it was
                stale.append(file.path)
            text, ranges, sure = _as_indexed(root, file, change, now)
            if ranges and not sure:
                unclear.append(file.path)
            rows = _functions(session, project, file.path)
            # A directory of which a line changed is a submodule.
            touched = _touched(text or b"", rows, ranges if file.path == path else ())
            for row in touched:
                changed[row.id] = row
                if row.kind == "class":
                    starts.update(inner.id for inner in rows if _holds(row, inner))
                elif row.kind == "module":
                    related = related_files(session, project, file.path, "imported_by")
                    importing.update(other for other, *_ in related)
    starts.update(changed)
    reached, truncated = reach(session, starts, callers=True, depth=depth, most=most)
    known = {*starts, *(item.function.id for item in reached)}
    around = tests_around(
        session, project,
        [*((row, 0) for row in changed.values()), *((it.function, it.depth) for it in reached)],
    )  # fmt: skip
    affected = (
        *((item.function, item.depth) for item in reached if item.function.id not in starts),
        *((row, far) for row, far in around if row.id not in known and far <= depth),
    )
    everything = [*changed.values(), *(row for row, _ in affected)]
    tests = {row.path for row in everything if row.is_test}
    tests |= {path for path in unknown if _is_new_test(root, path)}
    return Impact(
        tuple(changed.values()),
        affected,
        tuple(sorted(tests)),
        tuple(sorted(importing)),
        truncated,
        tuple(unknown),
        tuple(sorted(set(stale))),
        tuple(sorted(set(unclear))),
    )


def _as_indexed(
    root: Path, file: IndexedFile, change: Change, now: bytes | None
) -> tuple[bytes | None, Lines, bool]:
    """The text of which a file is indexed, what changed there, and whether that can be told."""
    after = _checked_out(root, file, change.new_blob, now) or now
    if after is None or file.holds(after):
        return after, change.new, True
    before = _checked_out(root, file, change.old_blob, now)
    if before is not None and file.holds(before):
        return before, change.old, True
    if now is not None and after is not now and file.holds(now):
        return now, _moved(after, now, change.new), True
    return now, change.new, False


def _checked_out(root: Path, file: IndexedFile, blob: str, now: bytes | None) -> bytes | None:
    """The text that git has under a name, with the ends of lines that it writes to the disk."""
    text = blob_text(root, blob)
    if text is None or now is None or file.holds(text) or b"\r" in text or b"\r\n" not in now:
        return text
    return text.replace(b"\n", b"\r\n")


def _moved(before: bytes, after: bytes, ranges: Lines) -> Lines:
    """Where the lines of a text are in a later one; for what is gone, the line before it."""
    moved = moved_lines(line_marks(before), line_marks(after))
    there: set[int] = set()
    for first, last in ranges:
        for line in range(first, last + 1):
            place = moved.replaced.get(line, range(0))
            there.update(place or (moved.now.get(line) or max(place.start - 1, 0),))
    found: list[tuple[int, int]] = []
    for line in sorted(there):
        if found and line == found[-1][1] + 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return tuple(found)


def _is_new_test(root: Path, path: str) -> bool:
    """Whether a file that is not indexed is there to be run all the same."""
    code = language_of(path.rpartition("/")[2]) is not None
    return code and is_test(path) and text_of(root / path) is not None


def _functions(session: Session, project: int, path: str) -> Sequence[Any]:
    return session.execute(
        sa.select(functions)
        .where(
            functions.c.project == project, functions.c.path == path, functions.c.kind != "mixin"
        )
        .order_by(functions.c.start_line, functions.c.id)
    ).all()


def _touched(text: bytes, rows: Sequence[Any], ranges: Lines) -> list[Any]:
    """The innermost functions around the ranges; without ranges every function of the file."""
    if not ranges:
        return [row for row in rows if row.kind != "class"]
    begins = first_lines(text, rows)
    found: dict[int, Any] = {}
    for first, last in ranges:
        inside = [row for row in rows if begins[row.id] <= last and row.end_line >= first]
        named = (
            [row for row in inside if row.kind not in _AROUND]
            or [row for row in inside if row.kind == "class"]
            or inside
            or [row for row in rows if row.kind == "module"]
        )
        for row in named:
            covered = any(
                _holds(row, other) and begins[other.id] <= first and other.end_line >= last
                for other in named
            )
            if not covered:
                found[row.id] = row
    return list(found.values())


def _holds(row: Any, other: Any) -> bool:
    """Whether one function or class is inside of another."""
    return (
        other.id != row.id and other.start_line >= row.start_line and other.end_line <= row.end_line
    )
