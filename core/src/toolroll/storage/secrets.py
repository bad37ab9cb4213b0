"""Short-lived secrets: interface, and the embedded implementation in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

__all__ = ["MemorySecrets", "SecretCache"]


class SecretCache(Protocol):
    """Holds small secrets for a short time, and never writes them to disk."""

    def put(self, key: str, value: bytes, ttl: float) -> None:
        """Store `value` under `key` for `ttl` seconds, replacing what was there."""
        ...

    def get(self, key: str) -> bytes | None:
        """Return the value, or None when it is absent or has expired."""
        ...

    def delete(self, key: str) -> None:
        """Forget the value; no error when there is none."""
        ...


class MemorySecrets:
    """Secrets of one process, in its memory only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._values: dict[str, tuple[float, bytes]] = {}

    def put(self, key: str, value: bytes, ttl: float) -> None:
        """Store `value` under `key` for `ttl` seconds, replacing what was there."""
        now = self._clock()
        with self._lock:
            self._values = {k: v for k, v in self._values.items() if v[0] > now}
            self._values[key] = (now + ttl, value)

    def get(self, key: str) -> bytes | None:
        """Return the value, or None when it is absent or has expired."""
        with self._lock:
            expires, value = self._values.get(key, (0.0, b""))
            return value if expires > self._clock() else None

    def delete(self, key: str) -> None:
        """Forget the value; no error when there is none."""
        with self._lock:
            self._values.pop(key, None)
