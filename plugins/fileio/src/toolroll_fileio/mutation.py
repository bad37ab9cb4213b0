"""The unit of work of every mutation: lock, clock, outbox and derived sums in one transaction."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from attrs import frozen
from sqlalchemy import Connection, Executable, Table, bindparam, delete, update
from sqlalchemy.dialects import postgresql, sqlite

from toolroll.storage.prepared import Prepared
from toolroll_fileio.names import Space, Span, parents_of
from toolroll_fileio.store import Files, Usage
from toolroll_fileio.tables import jobs, projects, times

if TYPE_CHECKING:
    import toolroll
    from toolroll_fileio.handover import Sealed
    from toolroll_fileio.settings import FileioSettings

__all__ = ["DELETE", "UPSERT", "Mutation", "mutate"]

UPSERT: Final = "UPSERT"
DELETE: Final = "DELETE"
TICK: Final = timedelta(microseconds=1)

_JOB_FIELDS: Final = (
    "apikey_hash",
    "project",
    "file_path",
    "operation",
    "file_updated_at",
    "available_at",
    "created_at",
    "updated_at",
)
_JOB: Final = Prepared(jobs.insert(), _JOB_FIELDS)
_SEALED_JOB: Final = Prepared(jobs.insert(), (*_JOB_FIELDS, "credential_ref"))
_SPACE_TIMES: Final = (times.c.apikey_hash == bindparam("tenant")) & (
    times.c.project == bindparam("in_project")
)
_FORGET: Final = delete(times).where(_SPACE_TIMES, times.c.path == bindparam("directory"))
_FORGET_BELOW: Final = delete(times).where(
    _SPACE_TIMES, times.c.path >= bindparam("low"), times.c.path < bindparam("high")
)
_SET_TIME: Final = (
    update(times)
    .where(_SPACE_TIMES, times.c.path == bindparam("directory"))
    .values(updated_at=bindparam("newest"))
)


def _upsert(table: Table, *names: str) -> Prepared:
    """Build the INSERT that updates these columns where the key is there."""
    kinds = {"sqlite": sqlite.insert(table), "postgresql": postgresql.insert(table)}
    statements: dict[str, Executable] = {
        dialect: statement.on_conflict_do_update(
            index_elements=list(table.primary_key),
            set_={name: statement.excluded[name] for name in names},
        )
        for dialect, statement in kinds.items()
    }
    return Prepared(statements, [*table.primary_key.columns.keys(), *names])


_SET_TOTALS: Final = _upsert(projects, "file_count", "total_bytes", "updated_at")
_SET_TIMES: Final = _upsert(times, "updated_at")


@frozen(eq=False)
class Mutation:
    """One change of one project, holding its lock.

    Attributes:
        files: The project's files in this transaction.
        before: The project's totals at its start.
        now: The one timestamp of the change, later than every earlier change of the project, so
            that a clock set back can't reorder them.
        sealed: Hands the caller's key to the jobs that need it; None where none does.
    """

    connection: Connection
    space: Space
    files: Files
    before: Usage
    now: datetime
    sealed: Sealed | None = None

    def enqueue(self, operation: str, paths: Sequence[str]) -> None:
        """Write one outbox job for each path."""
        if not paths:
            return
        fields: dict[str, Any] = {
            "apikey_hash": self.space.tenant,
            "project": self.space.project,
            "operation": operation,
            "file_updated_at": self.now,
            "available_at": datetime.now(UTC),  # now, also where `now` is ahead of the clock
            "created_at": self.now,
            "updated_at": self.now,
        }
        rows = [{**fields, "file_path": path} for path in paths]
        job = _JOB
        if self.sealed is not None and operation == UPSERT:
            job = _SEALED_JOB
            for row in rows:
                row["credential_ref"] = self.sealed.reference(row["file_path"])
        job.run(self.connection, *rows)

    def account(self, *, files: int, size: int) -> None:
        """Add to the project's totals and note the time of the change."""
        fields = {
            "file_count": self.before.file_count + files,
            "total_bytes": self.before.total_bytes + size,
            "updated_at": self.now,
        }
        of = {"apikey_hash": self.space.tenant, "project": self.space.project}
        _SET_TOTALS.run(self.connection, {**of, **fields})

    def touch(self, paths: Iterable[str]) -> None:
        """Note that files at these paths were changed now: their directories are as new."""
        above = {parent for path in paths for parent in parents_of(path)}
        fields = {
            "apikey_hash": self.space.tenant,
            "project": self.space.project,
            "updated_at": self.now,
        }
        rows = ({**fields, "path": directory} for directory in sorted(above))
        _SET_TIMES.run(self.connection, *rows)

    def retreat(self, path: str, newest: datetime, *, directory: bool) -> None:
        """Note that a file, or all of a directory, has gone; its newest change was `newest`.

        Only a directory above whose newest change has gone with it is worked out anew.
        """
        bound = {"tenant": self.space.tenant, "in_project": self.space.project}
        if directory:
            span = Span.below(path)
            self.connection.execute(_FORGET, {**bound, "directory": path})
            self.connection.execute(_FORGET_BELOW, {**bound, "low": span.low, "high": span.high})
        above = parents_of(path)
        known = self.files.times_of(above)
        for parent in above:
            if parent not in known or known[parent] > newest:
                break  # what lies further up is at least as new
            left = self.files.newest_in(Span.below(parent))
            if left is None:
                self.connection.execute(_FORGET, {**bound, "directory": parent})
            else:
                self.connection.execute(_SET_TIME, {**bound, "directory": parent, "newest": left})


@contextlib.contextmanager
def mutate(
    context: toolroll.PackContext, space: Space, sealed: Sealed | None = None
) -> Generator[Mutation]:
    """Run one change: it commits whole when the block ends, and then wakes the worker.

    Args:
        context: The pack's.
        space: What is changed.
        sealed: Hands the caller's key to the index jobs.

    Raises:
        ResourceBusy: Another change held the project longer than `lock_timeout_ms`.
    """
    from toolroll_fileio.metrics import LOCK_WAIT

    settings = cast("FileioSettings", context.settings)
    started = time.monotonic()
    with (
        _or_withdrawn(sealed),
        context.database.writing(
            lock=space.lock, timeout=settings.lock_timeout_ms / 1000
        ) as connection,
    ):
        LOCK_WAIT.observe((time.monotonic() - started) * 1000)
        files = Files(connection, space)
        before = files.usage()
        now = datetime.now(UTC)
        if before.updated_at is not None and now <= before.updated_at:
            now = before.updated_at + TICK
        yield Mutation(connection, space, files, before, now, sealed)
    context.wake()


@contextlib.contextmanager
def _or_withdrawn(sealed: Sealed | None) -> Generator[None]:
    """Leave no envelope of a change that wasn't made."""
    try:
        yield
    except BaseException:
        if sealed is not None:
            sealed.withdraw()
        raise
