"""Limits on calls: a token bucket for each tenant, a bound on what runs and waits."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, Protocol

from toolroll.errors import RateLimited, ResourceBusy

__all__ = ["Admission", "RateLimiter", "RateLimits"]

MOST_TENANTS: Final = 10_000
"""Buckets kept at most; the longest unused goes first."""


class RateLimits(Protocol):
    """Says who may call now."""

    def take(self, key: str) -> None:
        """Take one token of a key's bucket; RateLimited when it is empty."""
        ...


class RateLimiter:
    """A token bucket for each key: `burst` calls at once, then `per_minute`.

    Args:
        per_minute: Tokens that a bucket regains in a minute; 0 is no limit.
        burst: Size of a bucket; by default `per_minute`.
        clock: Seconds, monotonic.
    """

    def __init__(
        self,
        per_minute: float,
        *,
        burst: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate = per_minute / 60.0
        self._burst = float(per_minute if burst is None else burst)
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> None:
        """Take one token.

        Raises:
            RateLimited: The bucket is empty; the message says when a token is back.
        """
        if self._rate <= 0:
            return
        with self._lock:
            now = self._clock()
            tokens, then = self._buckets.pop(key, (self._burst, now))
            tokens = min(self._burst, tokens + (now - then) * self._rate)
            allowed = tokens >= 1
            self._buckets[key] = (tokens - 1 if allowed else tokens, now)
            if len(self._buckets) > MOST_TENANTS:
                self._buckets.popitem(last=False)
        if not allowed:
            wait = (1 - tokens) / self._rate
            raise RateLimited(
                f"rate limit reached; try again in {wait:.1f} s",
                details={"retry_after_seconds": round(wait, 3)},
            )


class Admission(AbstractContextManager["Admission"]):
    """Bounds how many calls run or wait at once; entered once for each call."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = 0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def inside(self) -> int:
        """How many calls run or wait."""
        return self._inside

    def __enter__(self) -> Admission:
        with self._changed:
            if self._closed:
                raise ResourceBusy("the host is shutting down; try again when it is back")
            if self._inside >= self._most:
                raise ResourceBusy(f"{self._most} calls are running or waiting; try again soon")
            self._inside += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def close(self, timeout: float) -> bool:
        """Admit nothing more and wait for the rest to leave; False if some still run."""
        with self._changed:
            self._closed = True
            return self._changed.wait_for(lambda: self._inside == 0, timeout)
