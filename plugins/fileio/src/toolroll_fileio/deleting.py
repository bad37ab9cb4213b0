"""`file_delete` (manual 9.4): files go softly, and stay restorable until the retention is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import bindparam, func, select, update

from toolroll_fileio.failures import failure
from toolroll_fileio.mutation import DELETE, Mutation
from toolroll_fileio.names import ROOT, Span
from toolroll_fileio.reading import check_target
from toolroll_fileio.results import Deleted
from toolroll_fileio.store import IN_SPACE, IN_SPAN
from toolroll_fileio.tables import active, files

if TYPE_CHECKING:
    from toolroll_fileio.settings import FileioSettings

__all__ = ["check_delete", "delete", "remove_file"]

_GONE: Final[dict[str, Any]] = {
    "deleted": True,
    "deleted_at": bindparam("now"),
    "updated_at": bindparam("now"),
}
_SUMS: Final = select(func.sum(files.c.size), func.max(files.c.updated_at)).where(
    IN_SPACE, active, IN_SPAN
)
_REMOVE_ONE: Final = update(files).where(files.c.id == bindparam("file_id")).values(**_GONE)
_SPACE: Final = (files.c.apikey_hash == bindparam("tenant")) & (
    files.c.project == bindparam("in_project")
)
_REMOVE_SPAN: Final = update(files).where(_SPACE, active, IN_SPAN).values(**_GONE)


def check_delete(project: str, path: str, *, recursive: bool, settings: FileioSettings) -> None:
    """Check what needs no lock.

    Raises:
        ToolError: INVALID_PATH, PERMISSION_DENIED.
    """
    check_target(project, path)
    if path != ROOT:
        return
    if not recursive:
        raise failure("INVALID_PATH", "path names the project's root; give a file or directory")
    if not settings.allow_root_wipe:
        raise failure(
            "PERMISSION_DENIED",
            "emptying a whole project is not allowed here; delete its directories one by one",
        )


def delete(change: Mutation, path: str, *, recursive: bool) -> Deleted:
    """Delete a file, or a directory with everything below it.

    Raises:
        ToolError: NOT_FOUND, NOT_EMPTY.
    """
    if path != ROOT and (file := change.files.get(path)):
        remove_file(change, file.id)
        change.enqueue(DELETE, [path])
        change.account(files=-1, size=-file.size)
        change.retreat(path, file.updated_at, directory=False)
        return Deleted(deleted_count=1)
    span = Span.below(path)
    found = change.files.paths(span) if recursive else []
    if not found:
        if not recursive and change.files.any_in(span):
            raise failure("NOT_EMPTY", "the directory holds files; delete it with recursive true")
        if path == ROOT:
            return Deleted(deleted_count=0)
        raise failure(
            "NOT_FOUND", "no file or directory has this path; file_list shows those there are"
        )
    bound = {"low": span.low, "high": span.high}
    size, newest = change.connection.execute(_SUMS, {**change.files.bound, **bound}).one()
    change.connection.execute(
        _REMOVE_SPAN,
        {
            "tenant": change.space.tenant,
            "in_project": change.space.project,
            "now": change.now,
            **bound,
        },
    )
    change.enqueue(DELETE, found)
    change.account(files=-len(found), size=-int(size))
    change.retreat(path, newest, directory=True)
    return Deleted(deleted_count=len(found))


def remove_file(change: Mutation, file_id: int) -> None:
    """Mark one file as deleted now."""
    change.connection.execute(_REMOVE_ONE, {"file_id": file_id, "now": change.now})
