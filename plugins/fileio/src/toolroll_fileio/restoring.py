"""`file_list_deleted` and `file_undelete`: what was deleted softly, and taking it back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, func, select, update

from toolroll_fileio.failures import failure
from toolroll_fileio.meeting import check_meeting
from toolroll_fileio.mutation import UPSERT, Mutation
from toolroll_fileio.names import ROOT, Span
from toolroll_fileio.results import DeletedFile, DeletedFiles, Restored, timestamp
from toolroll_fileio.store import IN_SPACE, IN_SPAN, Files
from toolroll_fileio.tables import files, gone
from toolroll_fileio.writing import check_quota

if TYPE_CHECKING:
    from toolroll_fileio.settings import FileioSettings

__all__ = ["list_deleted", "undelete"]

_AT_OR_BELOW: Final = (files.c.path == bindparam("path")) | IN_SPAN
_RECENT: Final = files.c.deleted_at > bindparam("since")

_newest = (
    select(files.c.path, func.max(files.c.deleted_at).label("deleted_at"))
    .where(IN_SPACE, gone, _AT_OR_BELOW, _RECENT, files.c.path > bindparam("after"))
    .group_by(files.c.path)
    .order_by(files.c.path)
    .limit(bindparam("most"))
    .subquery()
)
_LIST: Final = (
    select(files.c.path, files.c.size, files.c.deleted_at)
    .join(_newest, (files.c.path == _newest.c.path) & (files.c.deleted_at == _newest.c.deleted_at))
    .where(IN_SPACE, gone)
    .order_by(files.c.path)
)
_LAST: Final = select(func.max(files.c.deleted_at)).where(IN_SPACE, gone, _AT_OR_BELOW, _RECENT)
_OF_LAST: Final = (
    select(files.c.id, files.c.path, files.c.size)
    .where(IN_SPACE, gone, _AT_OR_BELOW, files.c.deleted_at == bindparam("deleted_at"))
    .order_by(files.c.path)
)
_RESTORE: Final = (
    update(files)
    .where(files.c.id == bindparam("file_id"))
    .values(deleted=False, deleted_at=None, updated_at=bindparam("now"))
)


def list_deleted(
    found: Files, path: str, limit: int, after: str, now: datetime, settings: FileioSettings
) -> DeletedFiles:
    """Return the newest restorable version of each deleted file at or below a path."""
    kept = timedelta(days=settings.delete_retention_days)
    span = Span.below(path)
    rows = found.connection.execute(
        _LIST,
        {
            **found.bound,
            "path": path,
            "low": span.low,
            "high": span.high,
            "since": now - kept,
            "after": after,
            "most": limit + 1,
        },
    ).all()
    listed = [
        DeletedFile(
            path=row.path,
            size=row.size,
            deleted_at=timestamp(row.deleted_at),
            purged_after=timestamp(row.deleted_at + kept),
        )
        for row in rows[:limit]
    ]
    return DeletedFiles(
        files=listed, next_cursor=listed[-1].path if len(rows) > limit and listed else ""
    )


def undelete(change: Mutation, path: str, settings: FileioSettings) -> Restored:
    """Take back the latest deletion at or below a path, whole or not at all.

    All files that one call deleted have one `deleted_at`, so the latest one names that call.

    Raises:
        ToolError: NOT_FOUND, ALREADY_EXISTS, NOT_DIRECTORY, QUOTA_EXCEEDED.
    """
    span = Span.below(path)
    bound = {**change.files.bound, "path": path, "low": span.low, "high": span.high}
    since = change.now - timedelta(days=settings.delete_retention_days)
    last = change.connection.execute(_LAST, {**bound, "since": since}).scalar()
    if last is None:
        raise failure(
            "NOT_FOUND", "nothing deleted here can be restored; file_list_deleted shows what can"
        )
    rows = change.connection.execute(_OF_LAST, {**bound, "deleted_at": last}).all()
    paths = [row.path for row in rows]
    _check_room(change, path, paths)
    size = sum(row.size for row in rows)
    check_quota(change, size, settings)
    change.connection.execute(_RESTORE, [{"file_id": row.id, "now": change.now} for row in rows])
    change.enqueue(UPSERT, paths)
    change.account(files=len(rows), size=size)
    change.touch(paths)
    return Restored(restored_count=len(rows))


def _check_room(change: Mutation, path: str, paths: list[str]) -> None:
    if above := change.files.file_above(path):
        raise failure("NOT_DIRECTORY", f"{above} is a file; nothing can lie below it")
    stay = change.files.paths(Span.below(path))
    if path != ROOT and change.files.get(path):
        stay.append(path)
    check_meeting(stay, paths)
