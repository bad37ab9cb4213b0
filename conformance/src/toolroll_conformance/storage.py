"""Where the servers under test keep their data: beside the workspace, or on shared servers."""

from __future__ import annotations

import queue
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from toolroll.registry import Source
from toolroll.runtime import Runtime
from toolroll_conformance.servers import database_name, made_database, own_postgres, own_redis
from toolroll_conformance.workspace import NO_TABLES, Tables

__all__ = ["EMBEDDED", "Embedded", "ServerTier", "Storage"]

REDIS_DATABASES: Final = 16
"""As many as Redis has unless it is told otherwise."""


class Storage(Protocol):
    """Gives each workspace storage of its own."""

    def lend(self) -> AbstractContextManager[Tables]:
        """Return the settings that lead a host to it; it is gone when the block ends."""
        ...


class Embedded:
    """SQLite files in the workspace's data directory, and the host's own memory."""

    def lend(self) -> AbstractContextManager[Tables]:
        """Return no settings: this is what a host does by itself."""
        return nullcontext(NO_TABLES)


EMBEDDED: Final = Embedded()


class ServerTier:
    """One PostgreSQL and one Redis for all hosts: a database of each for every workspace.

    Hosts are stateless on it, as they are behind a load balancer.

    Args:
        source: The pack; its tables are made once, in a database that the others are copied from.
        database_url: A PostgreSQL server on which databases may be made; "" starts one.
        redis_url: A Redis server whose numbered databases may be emptied; "" starts one.
    """

    def __init__(self, source: Source, database_url: str = "", redis_url: str = "") -> None:
        self._stack = ExitStack()
        with self._stack:
            self._url = database_url or self._stack.enter_context(own_postgres()).url
            self._redis = redis_url or self._stack.enter_context(own_redis())
            self._numbers: queue.Queue[int] = queue.Queue()
            for number in range(REDIS_DATABASES):
                self._numbers.put(number)
            template = self._stack.enter_context(made_database(self._url))
            _migrate(source, template)
            self._template = database_name(template)
            self._stack = self._stack.pop_all()

    @contextmanager
    def lend(self) -> Generator[Tables]:
        """Make a database and take a Redis database for one workspace."""
        with made_database(self._url, self._template) as url, self._redis_database() as redis_url:
            yield {
                "storage": {"url": url, "redis_url": redis_url},
                "http": {"stateless": True},
            }

    def close(self) -> None:
        """Remove what was made, and end the servers that were started."""
        self._stack.close()

    @contextmanager
    def _redis_database(self) -> Generator[str]:
        from redis import Redis

        number = self._numbers.get()
        try:
            url = f"{self._redis}?db={number}"
            with Redis.from_url(url) as client:  # pyright: ignore[reportUnknownMemberType]
                client.flushdb()  # pyright: ignore[reportUnknownMemberType]
            yield url
        finally:
            self._numbers.put(number)


def _migrate(source: Source, url: str) -> None:
    """Make the pack's tables in the database that the others are copied from."""
    with (
        TemporaryDirectory(prefix="toolroll-") as root,
        Runtime.open(
            roots=[root], overrides={"storage": {"url": url}}, sources=lambda: [source]
        ) as runtime,
    ):
        for name, item in runtime.registry.packs.items():
            if item.pack.migrations:
                runtime.context(name).database.open()
