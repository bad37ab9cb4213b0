"""The cleaner: purges what is past its retention, a bounded number of rows at a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from sqlalchemy import Connection, bindparam, delete, func, select, update

from toolroll.retention import purge_before
from toolroll_fileio.jobs import DONE, FAILED
from toolroll_fileio.tables import changes, files, gone, jobs, projects

if TYPE_CHECKING:
    import toolroll
    from toolroll_fileio.settings import FileioSettings

__all__ = ["clean", "due"]

MOST_ROWS: Final = 500
"""Rows removed in one transaction, so that no writer waits long."""
CHANGES_KEPT: Final = 50_000
"""Index changes kept of all spaces; an index further behind is filled anew."""

_FIRST_DELETED: Final = select(func.min(files.c.deleted_at)).where(gone)
_OLD_FILES: Final = (
    select(files.c.id).where(gone, files.c.deleted_at < bindparam("before")).limit(MOST_ROWS)
)
_PURGE: Final = delete(files).where(files.c.id.in_(_OLD_FILES))
_OLD_JOBS: Final = (
    select(jobs.c.id)
    .where(jobs.c.status.in_((DONE, FAILED)), jobs.c.updated_at < bindparam("before"))
    .limit(MOST_ROWS)
)
_FORGET: Final = delete(jobs).where(jobs.c.id.in_(_OLD_JOBS))
_LAST_SEQ: Final = select(func.max(changes.c.seq))
_OLD_CHANGES: Final = (
    select(changes.c.seq, changes.c.apikey_hash, changes.c.project)
    .where(changes.c.seq <= bindparam("through"))
    .order_by(changes.c.seq)
    .limit(MOST_ROWS)
)
_TRIM: Final = delete(changes).where(changes.c.seq <= bindparam("through"))
_TRIMMED: Final = (
    update(projects)
    .where(
        projects.c.apikey_hash == bindparam("tenant"),
        projects.c.project == bindparam("in_project"),
    )
    .values(trimmed_seq=bindparam("through"))
)


def due(context: toolroll.PackContext, every: timedelta) -> datetime:
    """Return the time before which deleted files go this time, `every` so long."""
    kept = timedelta(days=cast("FileioSettings", context.settings).delete_retention_days)
    with context.database.reading() as connection:
        oldest = connection.execute(_FIRST_DELETED).scalar()
    return purge_before(datetime.now(UTC), kept, oldest, every)


def clean(context: toolroll.PackContext, before: datetime | None = None) -> bool:
    """Purge deleted files, finished jobs and old index changes; say whether more is left.

    Args:
        context: Whose database.
        before: When files were deleted that go, by default all that are past their retention.
    """
    settings = cast("FileioSettings", context.settings)
    now = datetime.now(UTC)
    with context.database.writing() as connection:
        kept = now - timedelta(days=settings.delete_retention_days)
        purged = _rows(connection, _PURGE, {"before": before or kept})
        done = now - timedelta(days=settings.index.job_retention_days)
        forgotten = _rows(connection, _FORGET, {"before": done})
        trimmed = _trim(connection)
    return max(purged, forgotten, trimmed) >= MOST_ROWS


def _rows(connection: Connection, statement: Any, bound: dict[str, Any]) -> int:
    return connection.execute(statement, bound).rowcount


def _trim(connection: Connection) -> int:
    """Forget old index changes, and note in each project how far."""
    last = connection.execute(_LAST_SEQ).scalar() or 0
    rows = connection.execute(_OLD_CHANGES, {"through": last - CHANGES_KEPT}).all()
    if not rows:
        return 0
    for tenant, project in sorted({(row.apikey_hash, row.project) for row in rows}):
        through = max(r.seq for r in rows if (r.apikey_hash, r.project) == (tenant, project))
        connection.execute(_TRIMMED, {"tenant": tenant, "in_project": project, "through": through})
    connection.execute(_TRIM, {"through": rows[-1].seq})
    return len(rows)
