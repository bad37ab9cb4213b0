"""`file_rename` (manual 9.5): every conflict is found before anything moves."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, func, select, update

from toolroll_fileio.deleting import remove_file
from toolroll_fileio.failures import failure
from toolroll_fileio.meeting import check_meeting
from toolroll_fileio.mutation import DELETE, UPSERT, Mutation
from toolroll_fileio.names import MAX_PATH_BYTES, Span, check_path, check_project
from toolroll_fileio.results import Moved
from toolroll_fileio.store import IN_SPACE, IN_SPAN, StoredFile
from toolroll_fileio.tables import active, files

__all__ = ["check_rename", "rename"]

_ASIDE: Final = ">"
"""Marks a path on its way: no path starts with it, so that paths in a move can't collide."""

_NEWEST: Final = select(func.max(files.c.updated_at)).where(IN_SPACE, active, IN_SPAN)
_SPACE: Final = (files.c.apikey_hash == bindparam("tenant")) & (
    files.c.project == bindparam("in_project")
)
_MOVE_ONE: Final = (
    update(files)
    .where(files.c.id == bindparam("file_id"))
    .values(path=bindparam("new_path"), updated_at=bindparam("now"))
)
_SET_ASIDE: Final = (
    update(files)
    .where(_SPACE, active, IN_SPAN)
    .values(
        path=bindparam("target").concat(func.substr(files.c.path, bindparam("rest"))),
        updated_at=bindparam("now"),
    )
)


def check_rename(project: str, source: str, target: str) -> None:
    """Check what needs no lock.

    Raises:
        ToolError: INVALID_PATH.
    """
    check_project(project)
    check_path(source, "from_path", root=False)
    check_path(target, "to_path", root=False)


def rename(change: Mutation, source: str, target: str, *, overwrite: bool) -> Moved:
    """Move a file, or a directory with everything below it, to another path.

    A directory may be merged into another one as long as no two files, and no file and directory,
    would meet.

    Raises:
        ToolError: NOT_FOUND, NOT_DIRECTORY, INVALID_PATH, ALREADY_EXISTS.
    """
    file = change.files.get(source)
    if file:
        return _move_file(change, file, target, overwrite=overwrite)
    paths = change.files.paths(Span.below(source))
    if not paths:
        raise failure(
            "NOT_FOUND", "from_path names no file or directory; file_list shows those there are"
        )
    return _move_directory(change, source, paths, target)


def _move_file(change: Mutation, file: StoredFile, target: str, *, overwrite: bool) -> Moved:
    _check_parents(change, target)
    if change.files.is_directory(target):
        raise failure("ALREADY_EXISTS", "to_path is a directory; name the file inside it")
    victim = change.files.get(target)
    if victim and not overwrite:
        raise failure("ALREADY_EXISTS", "to_path is a file; replace it with overwrite true")
    if victim:
        remove_file(change, victim.id)
    change.connection.execute(
        _MOVE_ONE, {"file_id": file.id, "new_path": target, "now": change.now}
    )
    _enqueue(change, [file.path], [target])
    change.account(files=-1 if victim else 0, size=-victim.size if victim else 0)
    change.retreat(file.path, file.updated_at, directory=False)
    change.touch([target])
    return Moved(moved_count=1)


def _move_directory(change: Mutation, source: str, paths: list[str], target: str) -> Moved:
    if target.startswith(f"{source}/"):
        raise failure(
            "INVALID_PATH", "to_path lies inside from_path; a directory can't hold itself"
        )
    _check_parents(change, target)
    if change.files.get(target):
        raise failure("ALREADY_EXISTS", "to_path is a file; a directory can't replace it")
    moved = [target + path[len(source) :] for path in paths]
    if max(map(len, moved)) > MAX_PATH_BYTES:
        raise failure("INVALID_PATH", f"a moved path would be longer than {MAX_PATH_BYTES} bytes")
    span = Span.below(source)
    there = change.files.paths(Span.below(target))
    check_meeting([path for path in there if not span.low <= path < span.high], moved)
    newest = _remap(change, source, target)
    _enqueue(change, paths, moved)
    change.account(files=0, size=0)
    change.retreat(source, newest, directory=True)
    change.touch(moved)
    return Moved(moved_count=len(moved))


def _enqueue(change: Mutation, old: list[str], new: list[str]) -> None:
    """Write both jobs of each moved file; the worker can't lose one, whatever order it takes.

    UPSERT comes first, so that the vectors of the old path are still there to be taken over. A path
    that is old and new, or held a replaced file, gets no DELETE.
    """
    coming = set(new)
    change.enqueue(UPSERT, new)
    change.enqueue(DELETE, [path for path in old if path not in coming])


def _check_parents(change: Mutation, target: str) -> None:
    if above := change.files.file_above(target):
        raise failure("NOT_DIRECTORY", f"{above} is a file; nothing can lie below it")


def _remap(change: Mutation, source: str, target: str) -> datetime:
    """Give every file below `source` its new path, and return their newest change so far.

    In two steps, because SQLite checks the unique index row by row: moving `/a/b` to `/a` may pass
    through paths that other moved files still hold.
    """
    span = Span.below(source)
    bound = {"low": span.low, "high": span.high}
    newest = change.connection.execute(_NEWEST, {**change.files.bound, **bound}).scalar_one()
    fields = {"tenant": change.space.tenant, "in_project": change.space.project, "now": change.now}
    aside = Span.prefixed(_ASIDE)
    change.connection.execute(
        _SET_ASIDE, {**fields, **bound, "target": _ASIDE + target, "rest": len(source) + 1}
    )
    change.connection.execute(
        _SET_ASIDE,
        {**fields, "low": aside.low, "high": aside.high, "target": "", "rest": len(_ASIDE) + 1},
    )
    return newest
