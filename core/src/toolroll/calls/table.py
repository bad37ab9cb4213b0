"""Writes call records into a table, behind the calls, and finds them again (reference 1.7)."""

from __future__ import annotations

import json
import logging
import queue
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from toolroll.audit import CallRecord
from toolroll.errors import ResourceBusy
from toolroll.retention import purge_before

if TYPE_CHECKING:
    from toolroll.storage.database import Database

__all__ = ["MIGRATIONS", "CallFilter", "CallTable"]

log: Final = logging.getLogger("toolroll.calls")

MIGRATIONS: Final = "toolroll.calls.migrations"
MOST_WAITING: Final = 10_000
"""Records that may wait for the database; beyond, the newest are dropped and counted."""
MOST_AT_ONCE: Final = 500
MOST_FOUND: Final = 10_000
_RETRY_SECONDS: Final = 1.0
_PURGE_EVERY: Final = timedelta(hours=1)
_STOP: Final = None


@frozen(kw_only=True)
class CallFilter:
    """Which calls to find; an absent field means every one.

    Attributes:
        tool: Its whole name.
        tenant: The first digits, up to the twelve that are kept.
        outcome: `ok`, `error` or `cancelled`.
        code: An error code.
        since: Calls at or after this moment.
        limit: Most calls, newest first.
    """

    tool: str | None = None
    tenant: str | None = None
    outcome: str | None = None
    code: str | None = None
    since: datetime | None = None
    limit: int = 100


class CallTable:
    """The table of calls in one database.

    A call never waits for it: records go through a queue to one thread that writes them in batches.
    While the database is away or busy they stay there.

    Args:
        database: With the migrations of this package.
        retention_days: Older records are removed.
    """

    def __init__(self, database: Database, *, retention_days: int = 30) -> None:
        self.database = database
        self._retention = timedelta(days=retention_days)
        self._queue: queue.Queue[CallRecord | None] = queue.Queue(MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._ending = threading.Event()
        self._purged = datetime.min.replace(tzinfo=UTC)
        self.dropped = 0

    def write(self, record: CallRecord) -> None:
        """Queue one record; a full queue drops it rather than hold up the call."""
        self._start()
        try:
            self._queue.put_nowait(record)
        except queue.Full:
            self.dropped += 1

    def close(self) -> None:
        """Write what is queued, unless the database is away, and close it."""
        with self._starting:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._ending.set()
            self._queue.put(_STOP)
            thread.join()
        self.database.close()

    def find(self, wanted: CallFilter) -> list[CallRecord]:
        """Return the calls that a filter names, newest first."""
        from sqlalchemy import text

        clauses, values = _where(wanted)
        statement = text(
            "SELECT time, call_id, pack, tool, tenant, duration_ms, outcome, code, arguments "  # noqa: S608  # clauses are ours, values are bound
            f"FROM calls {clauses} ORDER BY time DESC, call_id LIMIT :most"
        )
        values["most"] = min(max(wanted.limit, 0), MOST_FOUND)
        with self.database.read() as session:
            rows = session.execute(statement, values).mappings().all()
        return [CallRecord(**{**row, "arguments": json.loads(row["arguments"])}) for row in rows]

    def _start(self) -> None:
        if self._thread is not None:
            return
        with self._starting:
            if self._thread is None:
                self._ending.clear()
                self._thread = threading.Thread(target=self._run, name="calls", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        going, lost = True, 0
        while going:
            batch = [self._queue.get()]
            while len(batch) < MOST_AT_ONCE and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            going = _STOP not in batch
            records = [record for record in batch if record is not None]
            if lost or not self._kept(records):  # asked once: a host that ends waits no longer
                lost += len(records)
        if lost:
            self.dropped += lost
            log.error(
                "%d call records are not in the table: the database did not take them in time; "
                "audit/ in the data directory has them, if [audit] is enabled",
                lost,
            )

    def _kept(self, records: Sequence[CallRecord]) -> bool:
        """Write records as soon as the database takes them; say no if the host ends before.

        Whatever an operator has to mend first, such as a full disk, is waited for too.
        """
        dropped, told = self.dropped, False
        while True:
            try:
                self._store(records)
            except Exception as error:  # the log of calls must not end because a database did
                if not isinstance(error, ResourceBusy) and not self.database.trouble(error):
                    self.dropped += len(records)
                    log.exception("%d call records were lost", len(records))
                    return True
                if self._ending.is_set():  # nothing was written
                    return False
                if not told:
                    log.warning("call records wait, %d at most: %s", MOST_WAITING, error)
                    told = True
                self._ending.wait(_RETRY_SECONDS)
            else:
                if lost := self.dropped - dropped:
                    log.error(
                        "%d call records are not in the table: too many waited; audit/ in the "
                        "data directory has them, if [audit] is enabled",
                        lost,
                    )
                return True

    def _store(self, records: Sequence[CallRecord]) -> None:
        if not records:
            return
        from sqlalchemy import text

        insert = text(
            "INSERT INTO calls (call_id, time, pack, tool, tenant, duration_ms, outcome, code, "
            "arguments) VALUES (:call_id, :time, :pack, :tool, :tenant, :duration_ms, :outcome, "
            ":code, :arguments)"
        )
        now = datetime.now(UTC)
        with self.database.begin() as session:
            session.execute(insert, [_row(record) for record in records])
            if now - self._purged >= _PURGE_EVERY:
                first = session.execute(text("SELECT min(time) FROM calls")).scalar()
                oldest = None if first is None else datetime.fromisoformat(first)
                before = purge_before(now, self._retention, oldest, _PURGE_EVERY)
                session.execute(
                    text("DELETE FROM calls WHERE time < :before"),
                    {"before": before.isoformat(timespec="microseconds")},
                )
                self._purged = now


def _row(record: CallRecord) -> dict[str, Any]:
    # a NUL can't be stored in a PostgreSQL text; JSON writes it as an escape
    arguments = json.dumps(record.arguments, ensure_ascii=True, separators=(",", ":"))
    return {**record.values(), "arguments": arguments}


def _where(wanted: CallFilter) -> tuple[str, dict[str, Any]]:
    clauses: list[str] = []
    values: dict[str, Any] = {}
    for name in ("tool", "outcome", "code"):
        if (value := getattr(wanted, name)) is not None:
            clauses.append(f"{name} = :{name}")
            values[name] = value
    if wanted.tenant is not None:
        clauses.append("substr(tenant, 1, :digits) = :tenant")
        values |= {"tenant": wanted.tenant[:12], "digits": len(wanted.tenant[:12])}
    if wanted.since is not None:
        clauses.append("time >= :since")
        since = wanted.since.astimezone(UTC)
        values["since"] = since.isoformat(timespec="microseconds")
    return (f"WHERE {' AND '.join(clauses)}" if clauses else ""), values
