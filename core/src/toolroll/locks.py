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
from typing import Protocol

from toolroll.data_dir import GONE
from toolroll.errors import InternalError, ResourceBusy

__all__ = ["FileLocks", "KeyedLocks", "LockManager"]


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
            self._make_directory()
            name = hashlib.sha256(key.encode()).hexdigest()[:32]
            lock = FileLock(self._directory / f"{name}.lock", poll_interval=0.02)
            try:
                lock.acquire(timeout=max(until - time.monotonic(), 0))
            except Timeout:
                raise _busy(timeout) from None
            except OSError as error:
                raise _unwritable(error) from error
            try:
                yield
            finally:
                lock.release()

    def _make_directory(self) -> None:
        if self._make_parent is not None:
            self._make_parent()
        try:
            self._directory.mkdir(exist_ok=True)
        except FileNotFoundError:
            raise InternalError(GONE) from None
        except OSError as error:
            raise _unwritable(error) from error


def _unwritable(error: OSError) -> InternalError:
    return InternalError(
        f"the locks in the data directory cannot be written ({error.strerror}); make it writable, "
        "or choose another"
    )


def _busy(timeout: float) -> ResourceBusy:
    return ResourceBusy(f"another call holds the lock; not free within {timeout:g} s; try again")
