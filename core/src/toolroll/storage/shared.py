"""What the hosts of one deployment share for a short time, as packs see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from toolroll.limits import RateLimits

__all__ = ["SharedCache", "SharedState"]


class SharedCache(Protocol):
    """A cache of bytes that every host finds the same values in."""

    def find(self, key: str) -> bytes | None:
        """Return a value and count it as used."""
        ...

    def held(self, keys: Sequence[str]) -> list[bool]:
        """Say of each key whether its value is there; counts none as used."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Keep a value, unless it is too large for the cache."""
        ...

    def drop(self, key: str) -> None:
        """Forget a value; no error when there is none."""
        ...


class SharedState(Protocol):
    """Makes what a pack shares between hosts; a host that is alone has none."""

    def cache(self, name: str, *, entries: int, size: int, seconds: float) -> SharedCache:
        """Return a cache of the pack, bounded in entries, bytes and time."""
        ...

    def rates(self, name: str, per_minute: float, burst: float) -> RateLimits:
        """Return token buckets of the pack; each holds `burst` tokens at most."""
        ...
