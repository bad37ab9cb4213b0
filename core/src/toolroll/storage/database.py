"""The SQL database of one pack: one interface, SQLite or PostgreSQL behind it.

SQL is the only truth (design 5). A unit of work commits or rolls back whole; each call has its own
session. The database is opened and migrated at first use; sqlalchemy is imported only then.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import threading
from collections.abc import Generator
from typing import TYPE_CHECKING, Final

from toolroll.errors import InternalError, InvalidArguments, ResourceBusy, StorageError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.orm import Session

    from toolroll.storage.dialect import Dialect

__all__ = ["Database"]

log: Final = logging.getLogger("toolroll.storage")
AWAY: Final = "the database server is away; try again"
FULL: Final = (
    "the database server takes no more connections; try again, raise its max_connections or lower "
    "[storage] pool_size"
)
BUSY: Final = "the database is busy with other writers; try again"
_REFUSED: Final = "the database refused the statement"

_importing: Final = threading.Lock()
"""Held while sqlalchemy is first imported: its modules import one another, and a second thread that
imports one of them meanwhile may find another half made."""


class Database:
    """The database of one pack.

    Args:
        dialect: The server behind it.
        migrations: Name of the package that holds Alembic `versions/`; "" for no schema.
        busy_timeout: Seconds a writer waits for other writers when no `timeout` is given.
    """

    def __init__(
        self, dialect: Dialect, *, migrations: str = "", busy_timeout: float = 5.0
    ) -> None:
        self._dialect = dialect
        self._migrations = migrations
        self._busy_timeout = busy_timeout
        self._opening = threading.Lock()
        self._engine: Engine | None = None

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._dialect.name

    @property
    def is_made(self) -> bool:
        """Whether something may have been stored; where nothing was, opening it makes it."""
        return self._dialect.is_made()

    def is_at_hand(self, *, writing: bool) -> bool:
        """Say whether it is open, and nothing but a disk and other processes would be waited for.

        Args:
            writing: To change something, rather than read.
        """
        return self._engine is not None and self._dialect.is_at_hand(writing=writing)

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine, opened and migrated.

        Raises:
            ResourceBusy: The server is away or locked, for now.
            InternalError: It cannot be opened, for a reason that callers may read.
            StorageError: As `open`.
        """
        if self._engine is None:
            try:
                self.open()
            except StorageError as error:
                cause = getattr(error.__cause__, "orig", None)
                if self._dialect.is_away(cause):
                    raise ResourceBusy(FULL if self._dialect.is_full(cause) else AWAY) from error
                if self._dialect.is_busy(cause):
                    raise ResourceBusy(BUSY) from error
                if error.told:
                    raise InternalError(error.told) from error
                raise
        assert self._engine is not None
        return self._engine

    def open(self) -> None:
        """Open and migrate the database now rather than at first use.

        Raises:
            StorageError: It cannot be opened, or was written by a newer version.
        """
        if self._engine is not None:
            return
        with self._opening:
            if self._engine is not None:
                return
            self.prepare()
            from sqlalchemy.exc import SQLAlchemyError

            with contextlib.ExitStack() as undo:
                try:
                    engine = self._dialect.engine()
                    undo.callback(engine.dispose)
                    if self._migrations:
                        from toolroll.storage.migrations import upgrade

                        upgrade(self._dialect, engine, self._migrations)
                except (SQLAlchemyError, OSError) as error:
                    orig = getattr(error, "orig", None)
                    trouble = self._dialect.trouble(orig)
                    cause = f"{trouble or orig or error}".partition("\n")[0]
                    raise StorageError(
                        f"cannot open the {self.dialect} database: {cause}",
                        told=f"the database cannot be opened: {trouble}" if trouble else "",
                    ) from error
                undo.pop_all()
            self._engine = engine

    def prepare(self) -> None:
        """Import sqlalchemy, if the pack has tables: a handler imports them next."""
        if self._migrations and self._engine is None:
            with _importing:
                importlib.import_module("sqlalchemy.orm")
                importlib.import_module(f"sqlalchemy.dialects.{self.dialect}")

    def trouble(self, error: BaseException) -> str:
        """Say what an operator has to mend where a unit of work ended with this error; else ""."""
        cause = error.__cause__
        if isinstance(cause, StorageError):  # it was not even opened
            cause = cause.__cause__
        return self._dialect.trouble(getattr(cause, "orig", None))

    def ping(self) -> None:
        """Ask the server for an answer.

        Raises:
            StorageError, InternalError, ResourceBusy: There is none.
        """
        from sqlalchemy import text

        with self.read() as session:
            session.execute(text("SELECT 1"))

    def probe(self) -> None:
        """Commit a change that changes nothing; somebody else who is writing shows as much.

        Raises:
            InternalError, StorageError: Nothing can be written.
        """
        with contextlib.suppress(ResourceBusy), self.writing(timeout=0) as connection:
            self._dialect.probe(connection)

    def compact(self) -> None:
        """Give back what removed rows took, where that is much and nobody else is writing."""
        if self._engine is not None:
            self._dialect.compact(self._engine)

    def close(self) -> None:
        """Close every connection; the next use opens the database again."""
        with self._opening:
            if self._engine is not None:
                self._engine.dispose()
                self._engine = None

    @contextlib.contextmanager
    def read(self) -> Generator[Session]:
        """Read in one snapshot; nothing is written.

        Raises:
            ResourceBusy: The database was locked for too long.
        """
        from sqlalchemy.orm import Session

        with self.reading() as connection, Session(connection, expire_on_commit=False) as session:
            yield session

    @contextlib.contextmanager
    def begin(self, *, lock: str | None = None, timeout: float | None = None) -> Generator[Session]:
        """Run one unit of work: it commits when the block ends, and rolls back if it raises.

        Args:
            lock: A project key; units of work with equal keys follow one another, in this process
                and every other on the same database.
            timeout: Seconds to wait for the lock and for other writers.

        Raises:
            ResourceBusy: The lock or the database was not free in time; nothing was written.
        """
        from sqlalchemy.orm import Session

        with (
            self.writing(lock=lock, timeout=timeout) as connection,
            Session(connection, expire_on_commit=False) as session,
        ):
            yield session
            session.commit()

    @contextlib.contextmanager
    def reading(self) -> Generator[Connection]:
        """Read like `read`, in statements of SQLAlchemy Core: without the price of a session."""
        with self.errors(), self._dialect.reading(self.engine) as connection:
            yield connection

    @contextlib.contextmanager
    def writing(
        self, *, lock: str | None = None, timeout: float | None = None
    ) -> Generator[Connection]:
        """Run one unit of work like `begin`, in statements of SQLAlchemy Core."""
        wait = self._busy_timeout if timeout is None else timeout
        with self.errors(), self._dialect.writing(self.engine, lock, wait) as connection:
            yield connection

    @contextlib.contextmanager
    def errors(self) -> Generator[None]:
        """Turn driver errors into errors of ours: what callers can retry, and what is a defect."""
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError
        from sqlalchemy.exc import TimeoutError as PoolTimeout

        try:
            yield
        except UnicodeEncodeError as error:  # what a command got as bytes, of which tools have none
            raise InvalidArguments("a text holds what is not UTF-8; mend it") from error
        except ResourceBusy as error:  # of a commit for several, too, which has its cause
            if trouble := self.trouble(error):
                raise InternalError(f"{_REFUSED}: {trouble}") from error.__cause__
            raise
        except PoolTimeout as error:
            raise ResourceBusy("every database connection is in use; try again") from error
        except DBAPIError as error:
            if self._dialect.is_away(error.orig):
                full = self._dialect.is_full(error.orig)
                raise ResourceBusy(FULL if full else AWAY) from error
            if self._dialect.is_busy(error.orig):
                raise ResourceBusy(BUSY) from error
            if exceeded := self._dialect.exceeds(error.orig):
                raise InvalidArguments(exceeded) from error
            trouble = self._dialect.trouble(error.orig)
            said = f": {trouble}" if trouble else ""
            if not trouble:  # a defect, of which callers learn nothing; values are on later lines
                log.error(
                    "the database refused a statement: %s", f"{error.orig}".partition("\n")[0]
                )
            raise InternalError(f"{_REFUSED}{said}") from error
        except SQLAlchemyError as error:
            raise InternalError("the database layer failed") from error
