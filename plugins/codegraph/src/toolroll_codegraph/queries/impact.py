"""What a change of files may affect: functions that reach them, and the tests among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from attrs import frozen

from toolroll_codegraph.queries.context import reach
from toolroll_codegraph.queries.freshness import indexed_files
from toolroll_codegraph.storage.tables import functions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sqlalchemy.orm import Session

    from toolroll_codegraph.queries.changes import Lines


@frozen
class Impact:
    """Functions that changed and functions that reach them, nearest first."""

    changed: tuple[Any, ...]
    affected: tuple[tuple[Any, int], ...]
    """(function, number of calls away)."""
    tests: tuple[str, ...]
    """Test files with an affected function, sorted."""
    truncated: bool
    """Whether more is affected than is listed."""
    unknown: tuple[str, ...]
    """Changed paths of which the index knows nothing, sorted."""
    stale: tuple[str, ...]
    """Changed files that changed after they were indexed, sorted."""


def impact(
    session: Session,
    project: int,
    root: Path,
    changes: Mapping[str, Lines],
    *,
    depth: int,
    most: int = 5000,
) -> Impact:
    """Find what reaches the changed functions within `depth` calls; a directory means its files."""
    changed: dict[int, Any] = {}
    unknown: list[str] = []
    stale: list[str] = []
    for path, ranges in sorted(changes.items()):
        indexed = indexed_files(session, project, path)
        if not indexed:
            unknown.append(path)
        for file in indexed:
            if file.is_stale(root) and (root / file.path).exists():  # a deleted one is as it was
                stale.append(file.path)
            for row in _touched(_functions(session, project, file.path), ranges):
                changed[row.id] = row
    reached, truncated = reach(session, changed, callers=True, depth=depth, most=most)
    affected = tuple(
        (item.function, item.depth) for item in reached if item.function.id not in changed
    )
    everything = [*changed.values(), *(row for row, _ in affected)]
    tests = sorted({row.path for row in everything if row.is_test})
    return Impact(
        tuple(changed.values()),
        affected,
        tuple(tests),
        truncated,
        tuple(unknown),
        tuple(sorted(set(stale))),
    )


def _functions(session: Session, project: int, path: str) -> Sequence[Any]:
    return session.execute(
        sa.select(functions)
        .where(functions.c.project == project, functions.c.path == path)
        .order_by(functions.c.start_line, functions.c.id)
    ).all()


def _touched(rows: Sequence[Any], ranges: Lines) -> list[Any]:
    """The innermost functions around the ranges; without ranges every function of the file."""
    usable = [row for row in rows if row.kind != "class"]
    if not ranges:
        return usable
    found: dict[int, Any] = {}
    for first, last in ranges:
        inside = [row for row in usable if row.start_line <= last and row.end_line >= first]
        named = [row for row in inside if row.kind != "module"] or inside
        for row in named:
            covered = any(
                other.id != row.id
                and other.start_line >= row.start_line
                and other.end_line <= row.end_line
                and other.start_line <= first
                and other.end_line >= last
                for other in named
            )
            if not covered:
                found[row.id] = row
    return list(found.values())
