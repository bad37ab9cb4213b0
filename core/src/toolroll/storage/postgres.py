"""PostgreSQL: the server database, one schema for each pack (extra `toolroll[postgres]`)."""

from __future__ import annotations

import contextlib
import re
import selectors
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Final

from toolroll.errors import InternalError, MissingDependency
from toolroll.locks import KeyedLocks
from toolroll.storage.advisory_locks import PostgresLocks, lock_key, poll

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

__all__ = ["PostgresDialect"]

_CONNECT_SECONDS: Final = 5
_BUSY: Final = frozenset({"55P03", "40001", "40P01"})  # lock not available, serialisation, deadlock
_GONE: Final = ("08", "57P")  # connection exceptions; shutdown, crash, starting up
_TROUBLES: Final = {
    "53100": "its server's disk is full",
    "25006": "its server only lets it be read",
    "42501": "its user lacks a right; let it make the pack's schema, or own one that is there",
    "57014": "its server ended a statement that took too long; raise its statement_timeout",
}
"""By the server's error codes: what an operator has to mend."""
_TOO_LONG: Final = "54000"  # program limit exceeded: a row of an index, nearly always
_REFUSALS: Final = {
    re.compile(pattern): text
    for pattern, text in {
        "authentication failed": "its server refuses the user or password of [storage] url",
        "no password supplied": "its server wants a password, and [storage] url has none",
        '(role|database) ".*" does not exist': (
            "its server has no such user or database as [storage] url names"
        ),
        "permission denied for database": (
            "its server keeps the user of [storage] url out of the database"
        ),
        "no pg_hba.conf entry": (
            "its server's pg_hba.conf keeps out this host with the user and database of "
            "[storage] url"
        ),
        "does not support SSL": "its server has no TLS, which [storage] url asks for",
        r"invalid (connection option|port number|\w+ value)": (
            "[storage] url holds an option or value that the driver does not know"
        ),
    }.items()
}
"""What the driver says of a connection that trying again won't make, and what to mend.

It gives no codes for them; where a server speaks another language than English, it seems away.
"""
_FULL: Final = re.compile("too many (clients|connections)|connection slots are reserved")
"""What the driver says where a server, database or user has as many connections as it may."""


class PostgresDialect:
    """One schema on a PostgreSQL server.

    Args:
        url: `postgresql://user:password@host/database`.
        schema: Named as the pack; made on first use.
        pool_size: Connections at most.
    """

    name = "postgresql"

    def __init__(self, url: str, schema: str, *, pool_size: int = 8) -> None:
        self._url = url
        self._schema = schema
        self._pool_size = pool_size
        self._engine: Engine | None = None
        self._readers: Engine | None = None
        self._threads = KeyedLocks()  # so that threads that wait don't hold connections

    def is_made(self) -> bool:
        """Say yes: only the server knows."""
        return True

    def is_at_hand(self, *, writing: bool) -> bool:
        """Say no: a server is always waited for."""
        return False

    def engine(self) -> Engine:
        """Make the engine: UTC, the pack's schema first on the search path.

        Of its connections those used last are used again, so that a host that could open eight and
        needs one finds its statements prepared and the server's caches warm.
        """
        from sqlalchemy import create_engine, event, make_url

        url = make_url(self._url).set(drivername="postgresql+psycopg")
        given = url.query.get("options", "")  # the operator's, which ours would replace
        options = f"{given} -csearch_path={self._schema},public -ctimezone=UTC"
        try:
            engine = create_engine(
                url,
                pool_size=self._pool_size,
                max_overflow=0,
                hide_parameters=True,  # a log that tells an error may hold no content
                pool_use_lifo=True,
                connect_args={"options": options, "connect_timeout": _CONNECT_SECONDS},
            )
        except ModuleNotFoundError:
            raise MissingDependency(
                "PostgreSQL needs psycopg: pip install 'toolroll[postgres]'"
            ) from None
        event.listen(engine, "checkout", _refuse_closed)
        try:
            self._make_schema(engine)
        finally:
            # The server's process that looks names up while another host makes the schema may
            # never learn of it: no connection of that time is used again.
            engine.dispose()
        self._engine = engine
        self._readers = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        return engine

    def _make_schema(self, engine: Engine) -> None:
        from sqlalchemy import text

        with engine.begin() as connection:
            connection.execute(
                text("SELECT pg_advisory_xact_lock(:key)"), {"key": lock_key("schema")}
            )
            # a user who may not make schemas may not say IF NOT EXISTS either
            known = text("SELECT to_regnamespace(:name) IS NOT NULL")
            if not connection.execute(known, {"name": f'"{self._schema}"'}).scalar():
                connection.execute(text(f'CREATE SCHEMA "{self._schema}"'))

    def needs_migration(self, engine: Engine, fingerprint: int) -> bool:
        """Compare with the comment on the schema, which holds the fingerprint."""
        from sqlalchemy import text

        with engine.connect() as connection:
            note = connection.execute(
                text("SELECT obj_description(to_regnamespace(:schema)::oid, 'pg_namespace')"),
                {"schema": f'"{self._schema}"'},
            ).scalar()
        return note != f"toolroll {fingerprint}"

    def migrated(self, connection: Connection, fingerprint: int) -> None:
        """Write the comment on the schema, in the transaction of the migration."""
        connection.exec_driver_sql(
            f"COMMENT ON SCHEMA \"{self._schema}\" IS 'toolroll {fingerprint}'"
        )

    def migration_lock(self) -> contextlib.AbstractContextManager[None]:
        """Hold an advisory lock named after the schema."""
        engine = self._engine
        assert engine is not None
        return PostgresLocks(lambda: engine).project(f"migrate:{self._schema}", timeout=60.0)

    def reading(self, engine: Engine) -> contextlib.AbstractContextManager[Connection]:
        """Give a connection in one read-only snapshot, as SQLite's readers have it."""
        assert self._readers is not None
        return self._readers.connect()

    @contextlib.contextmanager
    def writing(self, engine: Engine, lock: str | None, timeout: float) -> Generator[Connection]:
        """Begin, and poll for the transaction-scoped advisory lock until `timeout`."""
        from sqlalchemy import text

        until = time.monotonic() + timeout
        held = contextlib.nullcontext() if lock is None else self._threads.project(lock, timeout)
        with held, engine.connect() as connection:  # which rolls back what is not committed
            connection.begin()  # now, so that a session joins this transaction and ends none
            if lock is not None:
                key = {"key": lock_key(f"{self._schema}:{lock}")}
                statement = text("SELECT pg_try_advisory_xact_lock(:key)")
                left = max(until - time.monotonic(), 0.0)
                poll(lambda: bool(connection.execute(statement, key).scalar()), left)
            yield connection
            self._commit(connection)

    def _commit(self, connection: Connection) -> None:
        """Commit; a connection that breaks now leaves it open whether the change is there."""
        from sqlalchemy.exc import DBAPIError

        try:
            connection.commit()
        except DBAPIError as error:
            if self.is_away(error.orig):
                raise InternalError(
                    "the database went away during the commit: look whether the change is there"
                ) from error
            raise

    def is_busy(self, error: Any) -> bool:
        """Say whether another transaction was in the way."""
        return getattr(error, "sqlstate", "") in _BUSY

    def is_away(self, error: Any) -> bool:
        """Say whether the server ends, starts, or can't be reached."""
        from psycopg import OperationalError

        state = getattr(error, "sqlstate", None)
        if state is None:  # the driver's own word: refused, closed, timed out
            return isinstance(error, OperationalError) and not self.trouble(error)
        return state.startswith(_GONE)

    def is_full(self, error: Any) -> bool:
        """Read it in the driver's words: it gives no code for a connection that was not made."""
        return _FULL.search(str(error)) is not None

    def exceeds(self, error: Any) -> str:
        """Say what is too long for the server."""
        if getattr(error, "sqlstate", "") != _TOO_LONG:
            return ""
        return "a name or path is longer than PostgreSQL can index, some 2,600 bytes; shorten it"

    def probe(self, connection: Connection) -> None:
        """Ask whether it is a standby, or set to be read only; a full disk ends it by itself."""
        asked = "SELECT current_setting('transaction_read_only')"
        if connection.exec_driver_sql(asked).scalar_one() == "on":
            raise InternalError(
                "the database server is read only; let [storage] url name the primary"
            )

    def compact(self, engine: Engine) -> None:
        """Leave it to autovacuum."""

    def trouble(self, error: Any) -> str:
        """Say what is wrong with the server, or with what is said of it in the settings."""
        from psycopg import Error

        if not isinstance(error, Error):
            return ""
        if error.sqlstate is not None:
            return _TROUBLES.get(error.sqlstate, "")
        said = str(error)
        return next((text for pattern, text in _REFUSALS.items() if pattern.search(said)), "")


def _refuse_closed(connection: Any, *_: Any) -> None:
    """Have the pool replace a connection whose server went away while nobody used it.

    The server has closed its end then, which can be read; of a living one there is nothing to read.
    To ask it, as the pool's own check does, would cost every call a round trip.

    Raises:
        InvalidatePoolError: It is closed; the pool looks at its other ones anew.
    """
    from sqlalchemy.exc import InvalidatePoolError

    if connection.closed:
        raise InvalidatePoolError
    with selectors.DefaultSelector() as selector:
        selector.register(connection.fileno(), selectors.EVENT_READ)
        if selector.select(0):
            raise InvalidatePoolError
