"""What a change of files may affect: functions that reach them, and the tests among them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from attrs import frozen

from toolroll_codegraph.queries.context import reach
from toolroll_codegraph.storage.tables import functions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

_HUNK: Final = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_REVISION: Final = re.compile(r"[\w./~^@{}:][\w./~^@{}:-]*\Z")

Lines = tuple[tuple[int, int], ...]
"""Ranges of changed lines, both ends included; empty for a whole file."""


@frozen
class Impact:
    """Functions that changed and functions that reach them, nearest first."""

    changed: tuple[Any, ...]
    affected: tuple[tuple[Any, int], ...]
    """(function, number of calls away)."""
    tests: tuple[str, ...]
    """Test files with an affected function, sorted."""
    truncated: bool


def changed_lines(root: Path, revision: str) -> dict[str, Lines]:
    """Return the lines that differ from a git revision in the working tree, by file.

    Raises:
        ValueError: The revision is malformed, or git cannot compare with it.
    """
    if not _REVISION.match(revision):
        raise ValueError(f"not a git revision: {revision!r}")
    command = ["git", "-C", str(root), "diff", "--relative", "--no-color", "--no-ext-diff",
               "--unified=0", revision, "--"]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603 - fixed words and a checked revision
    except OSError as error:
        raise ValueError(f"git cannot be run: {error.strerror}") from None
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ValueError(message[0] if message else "git diff failed")
    return parse_diff(done.stdout.decode("utf-8", "replace"))


def parse_diff(text: str) -> dict[str, Lines]:
    """Read the new line ranges of a unified diff."""
    found: dict[str, list[tuple[int, int]]] = {}
    path = ""
    for line in text.splitlines():
        if line.startswith("+++ "):
            name = line[4:].strip().strip('"')
            path = "" if name == "/dev/null" else name.partition("/")[2]
        hunk = _HUNK.match(line)
        if hunk is not None and path:
            start, length = int(hunk[1]), int(hunk[2] or "1")
            found.setdefault(path, []).append((start, start + max(length, 1) - 1))
    return {path: tuple(ranges) for path, ranges in found.items()}


def impact(
    session: Session, project: int, changes: Mapping[str, Lines], *, depth: int, most: int = 5000
) -> Impact:
    """Find what reaches the changed functions within `depth` calls."""
    changed: dict[int, Any] = {}
    for path, ranges in sorted(changes.items()):
        rows = session.execute(
            sa.select(functions)
            .where(functions.c.project == project, functions.c.path == path)
            .order_by(functions.c.start_line, functions.c.id)
        ).all()
        for row in _touched(rows, ranges):
            changed[row.id] = row
    nearest: dict[int, tuple[Any, int]] = {}
    truncated = False
    for start in changed:
        reached, cut = reach(session, start, callers=True, depth=depth, most=most)
        truncated = truncated or cut
        for item in reached:
            known = nearest.get(item.function.id)
            if item.function.id not in changed and (known is None or item.depth < known[1]):
                nearest[item.function.id] = (item.function, item.depth)
    affected = sorted(
        nearest.values(), key=lambda pair: (pair[1], pair[0].path, pair[0].start_line, pair[0].id)
    )
    everything = [*changed.values(), *(row for row, _ in affected)]
    tests = sorted({row.path for row in everything if row.is_test})
    return Impact(tuple(changed.values()), tuple(affected), tuple(tests), truncated)


def _touched(rows: Sequence[Any], ranges: Lines) -> list[Any]:
    """The innermost functions around the ranges; without ranges every function of the file."""
    usable = [row for row in rows if row.kind not in ("class",)]
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
