"""Locks that outlive a transaction and hold across processes.

A unit of work takes its project lock through `Database.begin(lock=…)`; a long job (indexing a
project, say) takes it here, because no transaction may stay open that long.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

from toolroll.data_dir import make_inside, unwritable
from toolroll.errors import ResourceBusy

__all__ = ["FileLocks", "KeyedLocks", "LockManager", "held"]

_POLL_SECONDS: Final = 0.02
_CHECK_SECONDS: Final = 0.5
"""How often who waits for long looks whether to go on."""


class LockManager(Protocol):
    """Mutual exclusion by key, across threads and processes."""

    def project(self, key: str, timeout: float = 5.0) -> AbstractContextManager[None]:
        """Hold the lock of `key`.

        Args:
            key: Any text; equal texts exclude each other.
            timeout: Seconds to wait; 0 tries once.

        Raises:
            ResourceBusy: Somebody else held it all that time.
        """
        ...


@contextlib.contextmanager
def held(
    locks: LockManager, key: str, timeout: float, *, check: Callable[[], None], busy: str
) -> Generator[None]:
    """Hold a lock that may be waited for long.

    Args:
        locks: Whose lock.
        key: Of the lock.
        timeout: Seconds to wait.
        check: Called while waiting; raises to wait no longer.
        busy: What to say where somebody else held it all that time.

    Raises:
        ResourceBusy: Somebody did.
    """
    until = time.monotonic() + timeout
    with contextlib.ExitStack() as stack:
        while True:
            check()
            left = until - time.monotonic()
            try:
                stack.enter_context(locks.project(key, min(left, _CHECK_SECONDS)))
                break
            except ResourceBusy as error:
                if error.__cause__ is not None:  # nobody holds it: the database is away, say
                    raise
                if left <= _CHECK_SECONDS:
                    raise ResourceBusy(busy) from None
        yield


class KeyedLocks:
    """In-process locks made on demand and dropped when nobody holds or awaits them."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}

    @contextlib.contextmanager
    def project(self, key: str, timeout: float = 5.0) -> Generator[None]:
        """Hold the lock of `key` against other threads of this process."""
        with self._guard:
            lock, users = self._locks.get(key, (threading.Lock(), 0))
            self._locks[key] = (lock, users + 1)
        try:
            if not lock.acquire(timeout=max(timeout, 0)):
                raise _busy(timeout)
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._guard:
                lock, users = self._locks[key]
                if users == 1:
                    del self._locks[key]
                else:
                    self._locks[key] = (lock, users - 1)


class FileLocks:
    """Locks for the processes of one machine: a keyed lock here, a lock file for the others.

    Args:
        directory: Where the lock files lie; made on first use. The files stay, empty: removing one
            while another process waits on it would split the lock in two.
        make_parent: Makes the directory that this one lies in. Without it, and once that has been
            removed, it is not made again: data that somebody removes stay away.
    """

    def __init__(self, directory: Path, make_parent: Callable[[], object] | None = None) -> None:
        self._directory = directory
        self._make_parent = make_parent
        self._threads = KeyedLocks()

    @contextlib.contextmanager
    def project(self, key: str, timeout: float = 5.0) -> Generator[None]:
        """Hold the lock of `key` against other threads and processes."""
        from filelock import FileLock, Timeout

        until = time.monotonic() + timeout
        with self._threads.project(key, timeout):
            if self._make_parent is not None:
                self._make_parent()
            make_inside(self._directory)
            name = hashlib.sha256(key.encode()).hexdigest()[:32]
            file = self._directory / f"{name}.lock"
            lock = FileLock(file, mode=0o600, poll_interval=_POLL_SECONDS)
            try:
                lock.acquire(timeout=max(until - time.monotonic(), 0))
            except Timeout:
                raise _busy(timeout) from None
            except OSError as error:
                raise unwritable(error) from error
            try:
                yield
            finally:
                lock.release()


def _busy(timeout: float) -> ResourceBusy:
    return ResourceBusy(f"another call holds the lock; not free within {timeout:g} s; try again")
