"""The outbox as its worker sees it: claim with a lease, finish, try again, give up.

A job only says that a path has changed. What is done about it depends on the path's state when it
is done, so that jobs may be repeated, merged, and taken in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen
from sqlalchemy import Connection, bindparam, func, select, update

from toolroll_fileio.names import Space
from toolroll_fileio.tables import jobs

if TYPE_CHECKING:
    import toolroll
    from toolroll_fileio.settings import IndexSettings

__all__ = [
    "Job",
    "claim",
    "depth",
    "finish",
    "finish_queued",
    "give_back",
    "give_keys",
    "in_hand",
    "reclaim",
    "without_key",
]

PENDING: Final = "pending"
PROCESSING: Final = "processing"
DONE: Final = "done"
FAILED: Final = "failed"

_COLUMNS: Final = (
    jobs.c.id,
    jobs.c.apikey_hash,
    jobs.c.project,
    jobs.c.file_path,
    jobs.c.retry_count,
    jobs.c.created_at,
    jobs.c.credential_ref,
)
_OF_SPACE: Final = (jobs.c.apikey_hash == bindparam("tenant")) & (
    jobs.c.project == bindparam("in_project")
)
_DUE: Final = (
    select(*_COLUMNS).where(
        jobs.c.status == PROCESSING,
        (jobs.c.lease_until <= bindparam("now")) | (jobs.c.lease_until > bindparam("no_lease")),
    ),  # its worker died
    select(*_COLUMNS).where(jobs.c.status == PENDING, jobs.c.available_at <= bindparam("now")),
    select(*_COLUMNS).where(jobs.c.status == PENDING, jobs.c.available_at > bindparam("no_pause")),
)
"""Jobs that can be claimed, each query along an index: finished jobs are many, and never read.

A time further ahead than any lease or pause reaches was written before the clock was set back.
"""
_OLDEST: Final = [due.order_by(jobs.c.available_at, jobs.c.id) for due in _DUE]
_NEWEST: Final = [due.where(_OF_SPACE).order_by(jobs.c.id.desc()) for due in _DUE]
_TAKE: Final = (
    update(jobs)
    .where(jobs.c.id.in_(bindparam("ids", expanding=True)))
    .values(status=PROCESSING, lease_until=bindparam("until"), updated_at=bindparam("now"))
)
_LEASED: Final = select(jobs.c.id).where(jobs.c.status == PROCESSING).limit(1)
_RECLAIM: Final = (
    update(jobs).where(jobs.c.status == PROCESSING).values(status=PENDING, lease_until=None)
)
_FINISH: Final = (
    update(jobs)
    .where(jobs.c.id.in_(bindparam("ids", expanding=True)))
    .values(
        status=DONE,
        lease_until=None,
        last_error="",
        credential_ref=None,
        updated_at=bindparam("now"),
    )
)
_QUEUED: Final = (
    _OF_SPACE
    & (jobs.c.status == PENDING)
    & jobs.c.file_path.in_(bindparam("paths", expanding=True))
)
_FINISH_QUEUED: Final = (
    update(jobs)
    .where(_QUEUED)
    .values(status=DONE, last_error="", credential_ref=None, updated_at=bindparam("now"))
)
_QUEUED_REFERENCES: Final = select(jobs.c.credential_ref).where(
    _QUEUED, jobs.c.credential_ref.is_not(None)
)
_RETRY: Final = (
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"))
    .values(
        status=bindparam("new_status"),
        retry_count=bindparam("retries"),
        available_at=bindparam("due"),
        lease_until=None,
        last_error=bindparam("cause"),
        updated_at=bindparam("now"),
    )
)
_WITHOUT_KEY: Final = (
    select(jobs.c.id, jobs.c.file_path)
    .where(
        _OF_SPACE,
        jobs.c.status.in_((PENDING, FAILED)),
        jobs.c.last_error == bindparam("cause"),
    )
    .order_by(jobs.c.id.desc())
    .limit(bindparam("most"))
)
_GIVE_KEY: Final = (
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"), jobs.c.status.in_((PENDING, FAILED)))
    .values(
        status=PENDING,
        retry_count=0,
        available_at=bindparam("now"),
        credential_ref=bindparam("reference"),
        updated_at=bindparam("now"),
    )
)
_DEPTH: Final = select(func.count()).where(jobs.c.status.in_((PENDING, PROCESSING)))
_WAITING: Final = (
    select(jobs.c.id)
    .where(
        _OF_SPACE,
        jobs.c.status.in_((PENDING, PROCESSING)),
        (jobs.c.status == PROCESSING) | (jobs.c.available_at <= bindparam("now")),
    )
    .limit(1)
)


@frozen
class Job:
    """A claimed job.

    Attributes:
        credential_ref: Names the envelope of its caller's key, if one was handed over.
    """

    id: int
    space: Space
    path: str
    retries: int
    created_at: datetime
    credential_ref: str | None


def claim(
    context: toolroll.PackContext,
    settings: IndexSettings,
    now: datetime,
    newest_of: Space | None = None,
) -> list[Job]:
    """Take due jobs and lease them: the oldest of all, or the newest of one space.

    A worker that dies leaves its jobs leased; they are due again when the lease has run out.
    """
    queues = _NEWEST if newest_of else _OLDEST
    pause = _pause(settings, settings.retry_max + 1)
    bound: dict[str, object] = {
        "now": now,
        # twice what is right here, since the clock of another host may be a little ahead
        "no_lease": now + 2 * timedelta(seconds=settings.lease_seconds),
        "no_pause": now + 2 * pause,
    }
    if newest_of:
        bound.update(tenant=newest_of.tenant, in_project=newest_of.project)
    with context.database.reading() as connection:  # an idle worker takes no write lock
        if all(connection.execute(queue.limit(1), bound).first() is None for queue in queues):
            return []
    found: list[Job] = []
    with context.database.writing() as connection:
        for queue in queues:
            chosen = queue.limit(settings.batch_size - len(found))
            found += [
                Job(row.id, Space(row.apikey_hash, row.project), row.file_path, *row[4:])
                for row in connection.execute(chosen.with_for_update(skip_locked=True), bound)
            ]
        if found:
            until = now + timedelta(seconds=settings.lease_seconds)
            ids = [job.id for job in found]
            connection.execute(_TAKE, {"ids": ids, "until": until, "now": now})
    return found


def reclaim(context: toolroll.PackContext) -> None:
    """Queue again what is leased, as a host does that starts where another may have been killed.

    A lease would keep the last writes before a kill from searches for longer than they may wait. If
    its worker lives after all, both do the same work, and the second changes nothing.
    """
    with context.database.reading() as connection:
        if connection.execute(_LEASED).first() is None:
            return
    with context.database.writing() as connection:
        connection.execute(_RECLAIM)


def finish(connection: Connection, done: Sequence[Job], now: datetime) -> None:
    """Mark jobs as done, in the transaction that did what they ask."""
    if done:
        connection.execute(_FINISH, {"ids": [job.id for job in done], "now": now})


def finish_queued(
    connection: Connection, space: Space, paths: Iterable[str], now: datetime
) -> None:
    """Mark what is still queued for these paths as done: their latest state has been indexed.

    Belongs into the transaction that indexed it, under the lock of the space.
    """
    bound = {"tenant": space.tenant, "in_project": space.project, "now": now}
    if chosen := sorted(paths):
        connection.execute(_FINISH_QUEUED, {**bound, "paths": chosen})


def queued_references(connection: Connection, space: Space, paths: Iterable[str]) -> list[str]:
    """Return the references of the envelopes of what is still queued for these paths."""
    bound = {"tenant": space.tenant, "in_project": space.project, "paths": sorted(paths)}
    return list(connection.execute(_QUEUED_REFERENCES, bound).scalars())


def without_key(connection: Connection, space: Space, cause: str, most: int) -> list[Any]:
    """Return id and path of the newest jobs of a space that failed for want of a key."""
    bound = {"tenant": space.tenant, "in_project": space.project, "cause": cause, "most": most}
    return list(connection.execute(_WITHOUT_KEY, bound))


def give_keys(connection: Connection, references: Mapping[int, str], now: datetime) -> None:
    """Have jobs tried again with new envelopes, by their references."""
    rows = [{"job_id": job, "reference": name, "now": now} for job, name in references.items()]
    if rows:
        connection.execute(_GIVE_KEY, rows)


def give_back(
    connection: Connection,
    failed: Iterable[Job],
    settings: IndexSettings,
    now: datetime,
    cause: str,
    *,
    tried: bool = True,
) -> None:
    """Let jobs be tried again after a growing pause, or mark them as failed after the last try.

    Args:
        connection: In a writing transaction.
        failed: The jobs.
        settings: How often and when.
        now: The time.
        cause: A name for what went wrong, without any content.
        tried: Whether this counts as a try; a lock that wasn't free doesn't.
    """
    for job in failed:
        retries = job.retries + tried
        pause = _pause(settings, max(retries, 1))
        connection.execute(
            _RETRY,
            {
                "job_id": job.id,
                "new_status": FAILED if retries > settings.retry_max else PENDING,
                "retries": min(retries, settings.retry_max),
                "due": now + pause,
                "cause": cause[:128],
                "now": now,
            },
        )


def _pause(settings: IndexSettings, retries: int) -> timedelta:
    """Return how long a job waits after so many tries."""
    return timedelta(milliseconds=settings.retry_backoff_ms * retries)


def depth(connection: Connection) -> int:
    """Return how many jobs wait or are worked on."""
    return connection.execute(_DEPTH).scalar_one()


def in_hand(connection: Connection, space: Space, now: datetime) -> bool:
    """Say whether any job of a space is worked on or due."""
    bound = {"tenant": space.tenant, "in_project": space.project, "now": now}
    return connection.execute(_WAITING, bound).first() is not None
