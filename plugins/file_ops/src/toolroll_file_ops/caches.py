"""Caches that are bounded in entries and bytes, forget by time, and compute each value once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import TTLCache

from toolroll_file_ops.metrics import CACHE_HITS, CACHE_MISSES

__all__ = ["Cache"]

V = TypeVar("V")


class Cache(Generic[V]):
    """One cache. Keys are tuples, so that no two names can run together.

    Args:
        kind: Label of its metrics.
        entries: Most values.
        size: Most bytes, by `weigh`; a value larger than this is not kept.
        seconds: Age at which a value is forgotten.
        weigh: Bytes that a value takes.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        kind: str,
        *,
        entries: int,
        size: int,
        seconds: float,
        weigh: Callable[[V], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kind = kind
        self._entries = entries
        self._size = size
        self._weigh = weigh
        self._values: TTLCache[Hashable, V] = TTLCache(
            maxsize=max(size, 1), ttl=seconds, timer=clock, getsizeof=weigh
        )
        self._lock = threading.Lock()
        self._loading: dict[Hashable, threading.Lock] = {}

    def get(
        self, key: Hashable, load: Callable[[], V], valid: Callable[[V], bool] = lambda value: True
    ) -> tuple[V, bool]:
        """Return the value of a key, and whether it was there; at most one thread loads it.

        Args:
            key: A tuple.
            load: Makes the value; what it raises reaches every caller that waits for it anew.
            valid: Whether a value that is there is still true.
        """
        found = self._lookup(key, valid)
        if found is not None:
            return found, True
        with self._lock:
            loading = self._loading.setdefault(key, threading.Lock())
        with loading:
            found = self._lookup(key, valid)
            if found is not None:
                return found, True
            try:
                value = load()
                self._keep(key, value)
            finally:
                with self._lock:
                    self._loading.pop(key, None)
        CACHE_MISSES.labels(self._kind).inc()
        return value, False

    def peek(self, key: Hashable) -> V | None:
        """Return the value of a key if it is there; counts neither as hit nor as miss."""
        with self._lock:
            return self._values.get(key)

    def drop(self, key: Hashable) -> None:
        """Forget a key."""
        with self._lock:
            self._values.pop(key, None)

    @property
    def bytes(self) -> int:
        """Bytes held now."""
        with self._lock:
            self._values.expire()
            return int(self._values.currsize)

    def __len__(self) -> int:
        with self._lock:
            self._values.expire()
            return len(self._values)

    def _lookup(self, key: Hashable, valid: Callable[[V], bool]) -> V | None:
        with self._lock:
            value = self._values.get(key)
        if value is None:
            return None
        if not valid(value):
            self.drop(key)
            return None
        CACHE_HITS.labels(self._kind).inc()
        return value

    def _keep(self, key: Hashable, value: V) -> None:
        if self._entries < 1 or self._weigh(value) > self._size:
            return
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._entries:
                self._values.popitem()
