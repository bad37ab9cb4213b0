"""SQLite: the embedded database, one file for each pack."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolroll.errors import InternalError
from toolroll.locks import FileLocks
from toolroll.storage.group_commit import GroupCommit

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import Connection, Engine

__all__ = ["BUSY", "SqliteDialect", "log_ahead", "trouble_around"]

BUSY: Final = frozenset(
    {"SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"}
)
"""Names of the driver's errors that mean: another connection held the file for too long."""
_AFRESH: Final = "put a backup in its place, or move it away to begin with an empty one"
_FULL: Final = "its disk is full; make room"
_AROUND: Final = {
    "SQLITE_FULL": _FULL,
    "SQLITE_IOERR_SHMSIZE": _FULL,  # of the file that readers, too, have beside it
    "SQLITE_READONLY": "its file or directory may only be read, and even readers write beside the "
    "file; make both writable, or choose another data directory",
    "SQLITE_CANTOPEN": "its file or directory cannot be opened; make both readable and writable",
    "SQLITE_IOERR": "its disk cannot be read or written; look for a quota or a limit on the size "
    "of files, and in the system's log",
}
"""By the beginnings of the names of the driver's errors: what an operator has to mend around a file
that may well be whole."""
_TROUBLES: Final = _AROUND | {
    "SQLITE_CORRUPT": f"its file is damaged; {_AFRESH}",
    "SQLITE_NOTADB": f"its file is no database, or damaged; {_AFRESH}",
}
"""The same of all that an operator has to mend."""
_POLL_SECONDS: Final = 0.005
_WRITE: Final = "toolroll_write"
"""Key in a connection's info: seconds that the writing transaction which begins next may wait for
other writers."""
_CHECKPOINT_PAGES: Final = 4_000
"""Pages in the log (16 MB) before a commit moves them to the file, which takes two more syncs: with
SQLite's own 1,000, every sixtieth small change of a pack did."""
_LONGEST_LOG: Final = 32 * 1024 * 1024
"""Bytes that the log keeps when it begins anew: a large change leaves no more on the disk."""
_WAITS: Final = "toolroll_waits"
"""Key in a connection's info: the busy timeout it has now, in milliseconds."""


class SqliteDialect:
    """One SQLite file in WAL mode, every commit synced to disk.

    Args:
        path: The file; its directory is made on first use.
        locks: Excludes other processes while the file is made or migrated.
        make_parent: Makes that directory, if it is more than that.
        pool_size: Connections kept open.
        busy_timeout: Seconds a reader, or a writer without a timeout of its own, waits.
    """

    name = "sqlite"

    def __init__(
        self,
        path: Path,
        locks: FileLocks,
        *,
        make_parent: Callable[[], object] | None = None,
        pool_size: int = 8,
        busy_timeout: float = 5.0,
    ) -> None:
        self._path = path
        self._locks = locks
        self._make_parent = make_parent
        self._pool_size = pool_size
        self._busy_timeout = busy_timeout
        self._writers = GroupCommit(self._keep)
        self._reopen = False
        """Whether connections were opened while the file could only be read, which they stay."""
        self._inode: int | None = None
        """Of the file that the first connection opened; None before."""
        self._writer: Connection | None = None
        """The connection of the last writer, for the next: getting one from the pool, and giving
        it back, takes as long as three statements."""

    def is_made(self) -> bool:
        """Say whether there is a file."""
        return self._path.exists()

    def is_at_hand(self, *, writing: bool) -> bool:
        """Say whether no writer of this process is at work; readers never wait for one."""
        return not (writing and self._writers.busy)

    def engine(self) -> Engine:
        """Make the engine; the driver's own transaction handling is off, ours is explicit."""
        from sqlalchemy import URL, create_engine, event
        from sqlalchemy.exc import InvalidatePoolError

        from toolroll.storage.prepared import on_driver

        if self._make_parent is not None:
            self._make_parent()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(
            URL.create("sqlite", database=str(self._path)),
            pool_size=self._pool_size,
            max_overflow=-1,
            hide_parameters=True,  # a log that tells an error may hold no content
            pool_use_lifo=True,  # the connection used last has its pages and statements at hand
        )

        def on_connect(connection: sqlite3.Connection, _record: object) -> None:
            connection.isolation_level = None
            log_ahead(connection, self._busy_timeout)
            cursor = connection.cursor()
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute("PRAGMA foreign_keys = ON")
            cursor.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
            cursor.execute(f"PRAGMA journal_size_limit = {_LONGEST_LOG}")
            cursor.close()
            if self._inode is None:
                self._inode = _inode(self._path)

        def on_checkout(_driver: object, _record: object, _proxy: object) -> None:
            if self._reopen:
                self._reopen = False
                raise InvalidatePoolError  # every connection is opened anew, when it is next used

        def on_begin(connection: Connection) -> None:
            wait = connection.info.pop(_WRITE, None)
            timeout = max(int((self._busy_timeout if wait is None else wait) * 1000), 1)
            if connection.info.get(_WAITS) != timeout:  # what the last transaction left behind
                on_driver(connection, f"PRAGMA busy_timeout = {timeout}")
                connection.info[_WAITS] = timeout
            # BEGIN IMMEDIATE: a transaction that reads first and writes later could deadlock
            on_driver(connection, "BEGIN" if wait is None else "BEGIN IMMEDIATE")

        def on_dispose(_engine: Engine) -> None:
            writer, self._writer, self._inode = self._writer, None, None
            if writer is not None:
                writer.detach()
                writer.close()

        event.listen(engine, "connect", on_connect)
        event.listen(engine, "checkout", on_checkout)
        event.listen(engine, "begin", on_begin)
        event.listen(engine, "engine_disposed", on_dispose)
        return engine

    def needs_migration(self, engine: Engine, fingerprint: int) -> bool:
        """Compare with `user_version`, so that an up-to-date file never imports Alembic."""
        with engine.connect() as connection:
            return connection.exec_driver_sql("PRAGMA user_version").scalar_one() != fingerprint

    def migrated(self, connection: Connection, fingerprint: int) -> None:
        """Write `user_version`, in the transaction of the migration."""
        connection.exec_driver_sql(f"PRAGMA user_version = {fingerprint}")

    def migration_lock(self) -> AbstractContextManager[None]:
        """Hold a lock file beside the database."""
        return self._locks.project(f"migrate:{self._path.name}", timeout=60.0)

    def reading(self, engine: Engine) -> AbstractContextManager[Connection]:
        """Give a connection whose first statement opens its snapshot."""
        self._require_file()
        return engine.connect()

    def writing(
        self, engine: Engine, lock: str | None, timeout: float
    ) -> AbstractContextManager[Connection]:
        """Take the write lock of the file at once: it excludes every writer, whatever its key."""

        self._require_file()

        def begin(left: float) -> Connection:
            connection, self._writer = self._writer or engine.connect(), None
            try:
                connection.info[_WRITE] = left
                connection.begin()
            except BaseException:
                connection.close()
                raise
            return connection

        return self._writers.member(begin, timeout)

    def probe(self, connection: Connection) -> None:
        """Write the version that is there: a page of the log, which is synced."""
        version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")

    def compact(self, engine: Engine) -> None:
        """Write the file anew without its free pages, or leave it where that can't be now.

        SQLite fills them again by itself, but never gives them back.
        """
        from sqlalchemy.exc import DBAPIError

        with engine.connect() as pooled, contextlib.suppress(DBAPIError):
            connection = pooled.execution_options(isolation_level="AUTOCOMMIT")
            free = connection.exec_driver_sql("PRAGMA freelist_count").scalar_one()
            if free * _WORTH >= connection.exec_driver_sql("PRAGMA page_count").scalar_one():
                connection.exec_driver_sql("VACUUM")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def _require_file(self) -> None:
        """Refuse to go on in a file that was removed: the system keeps it until we let it go.

        What is written there is acknowledged, and lost when the host ends.
        """
        if self._inode is not None and _inode(self._path) != self._inode:
            raise InternalError("the database file was removed or replaced; start the host again")

    def _keep(self, connection: Connection) -> None:
        self._writer = connection

    def is_away(self, error: Any) -> bool:
        """Say no: a file is there or it is not."""
        return False

    def is_full(self, error: Any) -> bool:
        """Say no: there is no server."""
        return False

    def exceeds(self, error: Any) -> str:
        """Say nothing: packs bound what they store far below what a file takes."""
        return ""

    def is_busy(self, error: Any) -> bool:
        """Say whether another connection held the file for too long."""
        return getattr(error, "sqlite_errorname", "") in BUSY

    def trouble(self, error: Any) -> str:
        """Say what is wrong with the file or its disk.

        Once it can be written again, connections that were opened meanwhile don't know it.
        """
        name = getattr(error, "sqlite_errorname", None) or ""
        self._reopen |= name == "SQLITE_READONLY"
        return _named(_TROUBLES, name)


_WORTH: Final = 4
"""A file is written anew where so large a part of it, at least, is free."""


def trouble_around(name: str) -> str:
    """Say what keeps a file that may well be whole from being used; "" where it is the file.

    Args:
        name: Of the driver's error.
    """
    return _named(_AROUND, name)


def _named(troubles: Mapping[str, str], name: str) -> str:
    return next((text for start, text in troubles.items() if name.startswith(start)), "")


def _inode(path: Path) -> int | None:
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - half the time of Path.stat, for each call
    except OSError:
        return None


def log_ahead(connection: sqlite3.Connection, timeout: float) -> None:
    """Put a file in WAL mode, and let its connection wait up to `timeout` seconds for others.

    Where the mode changes SQLite doesn't wait: two that open a new file at once have each read it,
    and each would wait for the other's end for ever, so one is refused at once. It asks again here.

    Raises:
        sqlite3.OperationalError: Another connection held the file all that time.
    """
    connection.execute(f"PRAGMA busy_timeout = {int(timeout * 1000)}").close()
    until = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
            return
        except Exception as error:
            if getattr(error, "sqlite_errorname", "") not in BUSY or time.monotonic() >= until:
                raise
        time.sleep(_POLL_SECONDS * random.random())  # noqa: S311 - they must not ask in step
