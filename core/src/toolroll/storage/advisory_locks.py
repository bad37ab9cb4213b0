"""PostgreSQL's advisory locks: named by a number, held by a transaction or a session."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Final

from toolroll.errors import ResourceBusy
from toolroll.locks import KeyedLocks

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["PostgresLocks", "lock_key", "poll"]

_POLL_SECONDS: Final = 0.02


def lock_key(text: str) -> int:
    """Return the signed 64-bit advisory-lock key of a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big", signed=True)


def poll(attempt: Callable[[], bool], timeout: float) -> None:
    """Try until it succeeds; PostgreSQL offers no advisory lock with a timeout of its own."""
    until = time.monotonic() + timeout
    pause = threading.Event()
    while not attempt():
        if time.monotonic() >= until:
            raise ResourceBusy(
                f"another call holds the lock; not free within {timeout:.3g} s; try again"
            )
        pause.wait(_POLL_SECONDS)


class PostgresLocks:
    """Advisory locks of a session, for long jobs; they go with the connection if a host dies.

    Args:
        engine: Returns the engine; called when a lock is first taken.
        errors: Turns errors of the driver into ours, as `Database.errors` does.
    """

    def __init__(
        self,
        engine: Callable[[], Engine],
        errors: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
    ) -> None:
        self._engine = engine
        self._errors = errors
        self._threads = KeyedLocks()  # so that threads that wait don't hold connections

    @contextlib.contextmanager
    def project(self, key: str, timeout: float = 5.0) -> Generator[None]:
        """Hold the lock of `key` against every other host on this server."""
        from sqlalchemy import text

        until = time.monotonic() + timeout
        # apart from the locks of units of work, which a job takes while it holds this one
        number = {"key": lock_key(f"long {key}")}
        with self._threads.project(key, timeout), contextlib.ExitStack() as given_back:
            with self._errors():
                plain = given_back.enter_context(self._engine().connect())
                connection = plain.execution_options(isolation_level="AUTOCOMMIT")
                statement = text("SELECT pg_try_advisory_lock(:key)")
                left = max(until - time.monotonic(), 0.0)
                poll(lambda: bool(connection.execute(statement, number).scalar()), left)
            try:
                yield
            finally:
                with self._errors():
                    connection.execute(text("SELECT pg_advisory_unlock(:key)"), number)
