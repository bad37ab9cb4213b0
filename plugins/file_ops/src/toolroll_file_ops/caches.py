"""Caches that compute each value once, and count hits and misses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from toolroll_file_ops.cache_stores import Store
from toolroll_file_ops.metrics import CACHE_HITS, CACHE_MISSES

__all__ = ["Cache"]

V = TypeVar("V")


class Cache(Generic[V]):
    """One cache. Keys are tuples, so that no two names can run together.

    Args:
        kind: Label of its metrics.
        store: Where its values are, within which bounds.
    """

    def __init__(self, kind: str, store: Store[V]) -> None:
        self._kind = kind
        self._store = store
        self._lock = threading.Lock()
        self._loading: dict[Hashable, threading.Lock] = {}

    def get(
        self,
        key: tuple[Hashable, ...],
        load: Callable[[], V],
        valid: Callable[[V], bool] = lambda value: True,
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
                self._store.keep(key, value)
            finally:
                with self._lock:
                    self._loading.pop(key, None)
        CACHE_MISSES.labels(self._kind).inc()
        return value, False

    def held(self, keys: Sequence[tuple[Hashable, ...]]) -> list[bool]:
        """Say of each key whether its value is there; counts neither as hit nor as miss."""
        return self._store.held(keys)

    def _lookup(self, key: tuple[Hashable, ...], valid: Callable[[V], bool]) -> V | None:
        value = self._store.find(key)
        if value is None:
            return None
        if not valid(value):
            self._store.drop(key)
            return None
        CACHE_HITS.labels(self._kind).inc()
        return value
