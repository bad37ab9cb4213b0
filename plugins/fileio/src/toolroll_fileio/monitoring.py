"""How the index is doing, read from SQL, so that every process sees the same (manual 18)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from attrs import asdict, frozen
from sqlalchemy import Connection, bindparam, exists, func, literal, select

from toolroll_fileio.jobs import DONE, FAILED, PENDING, PROCESSING
from toolroll_fileio.metrics import QUEUE_DEPTH
from toolroll_fileio.mutation import UPSERT
from toolroll_fileio.results import IndexStatus
from toolroll_fileio.tables import active, chunks, files, gone, jobs, projects

if TYPE_CHECKING:
    import toolroll
    from toolroll_fileio.names import Space
    from toolroll_fileio.settings import FileioSettings

__all__ = ["Measured", "list_chunks", "list_jobs", "measure", "queue_all", "status_of"]

RECENT: Final = 1_000
"""Most rows that are listed, and finished jobs whose lag is looked at."""

_TOTALS: Final = select(
    func.count(),
    func.coalesce(func.sum(projects.c.file_count), 0),
    func.sum(projects.c.total_bytes),
).where(projects.c.file_count > 0)
_BY_STATUS: Final = select(jobs.c.status, func.count()).group_by(jobs.c.status)
_OF_SPACE: Final = (
    select(jobs.c.status, func.count().label("jobs"), func.min(jobs.c.created_at).label("oldest"))
    .where(
        jobs.c.apikey_hash == bindparam("tenant"),
        jobs.c.project == bindparam("project"),
        jobs.c.status.in_((PENDING, PROCESSING, FAILED)),
    )
    .group_by(jobs.c.status)
)
_OLDEST: Final = select(func.min(jobs.c.created_at)).where(jobs.c.status.in_((PENDING, PROCESSING)))
_LAGS: Final = (
    select(jobs.c.created_at, jobs.c.updated_at)
    .where(jobs.c.status == DONE)
    .order_by(jobs.c.id.desc())
    .limit(RECENT)
)


@frozen
class Measured:
    """The state of the pack's database.

    Attributes:
        lag_p95_seconds: From commit to searchable, over the last finished jobs.
        oldest_job_seconds: Age of the oldest job that waits or is worked on.
        within_slo: Whether neither is over `index.slo_p95_seconds`.
    """

    projects: int
    files: int
    bytes: int
    deleted_files: int
    chunks: int
    jobs_pending: int
    jobs_processing: int
    jobs_failed: int
    oldest_job_seconds: float
    lag_p50_seconds: float
    lag_p95_seconds: float
    within_slo: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return asdict(self)


def measure(context: toolroll.PackContext) -> Measured:
    """Read the state, and set the queue's gauge."""
    slo = cast("FileioSettings", context.settings).index.slo_p95_seconds
    with context.database.reading() as connection:
        spaces, count, size = connection.execute(_TOTALS).one()
        status = {row[0]: row[1] for row in connection.execute(_BY_STATUS)}
        oldest = connection.execute(_OLDEST).scalar()
        lags = sorted(
            (row.updated_at - row.created_at).total_seconds() for row in connection.execute(_LAGS)
        )
        deleted = connection.execute(select(func.count()).where(gone)).scalar_one()
        pieces = connection.execute(select(func.count()).select_from(chunks)).scalar_one()
    waiting = status.get(PENDING, 0) + status.get(PROCESSING, 0)
    QUEUE_DEPTH.set(waiting)
    age = (datetime.now(UTC) - oldest).total_seconds() if oldest else 0.0
    late = _share(lags, 0.95)
    return Measured(
        projects=spaces,
        files=int(count),
        bytes=int(size or 0),
        deleted_files=deleted,
        chunks=pieces,
        jobs_pending=status.get(PENDING, 0),
        jobs_processing=status.get(PROCESSING, 0),
        jobs_failed=status.get(FAILED, 0),
        oldest_job_seconds=round(age, 3),
        lag_p50_seconds=_share(lags, 0.5),
        lag_p95_seconds=late,
        within_slo=late <= slo and age <= slo,
    )


def status_of(connection: Connection, space: Space) -> IndexStatus:
    """Return how far the index of one project is behind its files."""
    bound = space.bound
    rows = {row.status: row for row in connection.execute(_OF_SPACE, bound)}
    waiting = [rows[status] for status in (PENDING, PROCESSING) if status in rows]
    lag = 0.0
    if waiting:
        lag = (datetime.now(UTC) - min(row.oldest for row in waiting)).total_seconds()
    return IndexStatus(
        jobs_waiting=sum(row.jobs for row in waiting),
        jobs_failed=rows[FAILED].jobs if FAILED in rows else 0,
        lag_seconds=round(max(lag, 0.0), 3),
    )


def queue_all(connection: Connection, *, with_chunks: bool = False) -> int:
    """Queue every active file of every tenant for the worker, or those that have chunks.

    Returns:
        How many.
    """
    now = datetime.now(UTC)
    names = ["apikey_hash", "project", "file_path", "operation", "file_updated_at"]
    stamps = ["available_at", "created_at", "updated_at"]
    rows = select(
        files.c.apikey_hash,
        files.c.project,
        files.c.path,
        literal(UPSERT),
        files.c.updated_at,
        *[bindparam(name, now, type_=jobs.c.created_at.type) for name in stamps],
    ).where(active)
    if with_chunks:
        of_file = (
            (chunks.c.apikey_hash == files.c.apikey_hash)
            & (chunks.c.project == files.c.project)
            & (chunks.c.file_path == files.c.path)
        )
        rows = rows.where(exists().where(of_file))
    return connection.execute(jobs.insert().from_select([*names, *stamps], rows)).rowcount


def list_jobs(context: toolroll.PackContext, status: str = "") -> list[dict[str, Any]]:
    """Return the newest jobs, newest first, of all tenants; of one status, where it is given."""
    names = ("id", "project", "file_path", "operation", "status", "retry_count", "last_error")
    rows = select(*[jobs.c[name] for name in names]).order_by(jobs.c.id.desc()).limit(RECENT)
    return _listed(context, rows.where(jobs.c.status == status) if status else rows)


def list_chunks(context: toolroll.PackContext) -> list[dict[str, Any]]:
    """Return chunks without their text, by path and place."""
    names = ("id", "project", "file_path", "start_byte", "end_byte", "last_served_at")
    rows = select(*[chunks.c[name] for name in names])
    order = (chunks.c.project, chunks.c.file_path, chunks.c.start_byte, chunks.c.id)
    return _listed(context, rows.order_by(*order).limit(RECENT))


def _listed(context: toolroll.PackContext, statement: Any) -> list[dict[str, Any]]:
    with context.database.reading() as connection:
        rows = connection.execute(statement).mappings().all()
    return [
        {k: v.isoformat() if isinstance(v, datetime) else v for k, v in row.items()} for row in rows
    ]


def _share(ordered: list[float], share: float) -> float:
    """Return the value below which a share of sorted values lies; 0 where there are none."""
    if not ordered:
        return 0.0
    return round(ordered[min(int(len(ordered) * share), len(ordered) - 1)], 3)
