"""Where a cache keeps its values: in this host, or in Redis for every host."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from cachetools import TTLCache

if TYPE_CHECKING:
    from toolroll.storage.shared import SharedCache, SharedState

__all__ = ["LocalStore", "SharedStore", "Store", "store_of"]

V = TypeVar("V")


class Store(Protocol[V]):
    """Values by key, bounded in entries, bytes and time. Keys are tuples of plain values."""

    def find(self, key: tuple[Hashable, ...]) -> V | None:
        """Return a value and count it as used."""
        ...

    def held(self, keys: Sequence[tuple[Hashable, ...]]) -> list[bool]:
        """Say of each key whether its value is there."""
        ...

    def keep(self, key: tuple[Hashable, ...], value: V) -> None:
        """Keep a value, unless it is too large; what was used longest ago makes room."""
        ...

    def drop(self, key: tuple[Hashable, ...]) -> None:
        """Forget a value; no error when there is none."""
        ...


class LocalStore(Generic[V]):
    """Values in the memory of one host.

    Args:
        entries: Most values.
        size: Most bytes, by `weigh`; a value larger than this is not kept.
        seconds: Age at which a value is forgotten.
        weigh: Bytes that a value takes.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        *,
        entries: int,
        size: int,
        seconds: float,
        weigh: Callable[[V], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._entries = entries
        self._size = size
        self._weigh = weigh
        self._values: TTLCache[Hashable, V] = TTLCache(
            maxsize=max(size, 1), ttl=seconds, timer=clock, getsizeof=weigh
        )
        self._lock = threading.Lock()

    def find(self, key: tuple[Hashable, ...]) -> V | None:
        """Return a value and count it as used."""
        with self._lock:
            return self._values.get(key)

    def held(self, keys: Sequence[tuple[Hashable, ...]]) -> list[bool]:
        """Say of each key whether its value is there."""
        with self._lock:
            return [key in self._values for key in keys]

    def keep(self, key: tuple[Hashable, ...], value: V) -> None:
        """Keep a value, unless it is too large; what was used longest ago makes room."""
        if self._entries < 1 or self._weigh(value) > self._size:
            return
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._entries:
                self._values.popitem()

    def drop(self, key: tuple[Hashable, ...]) -> None:
        """Forget a value; no error when there is none."""
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


class SharedStore(Generic[V]):
    """Values that every host of a deployment finds, as bytes.

    Args:
        cache: Where they are.
        dump: Makes bytes of a value.
        parse: Makes a value of its bytes.
    """

    def __init__(
        self, cache: SharedCache, *, dump: Callable[[V], bytes], parse: Callable[[bytes], V]
    ) -> None:
        self._cache = cache
        self._dump = dump
        self._parse = parse

    def find(self, key: tuple[Hashable, ...]) -> V | None:
        """Return a value and count it as used."""
        found = self._cache.find(_text(key))
        return None if found is None else self._parse(found)

    def held(self, keys: Sequence[tuple[Hashable, ...]]) -> list[bool]:
        """Say of each key whether its value is there, in one step."""
        return self._cache.held([_text(key) for key in keys])

    def keep(self, key: tuple[Hashable, ...], value: V) -> None:
        """Keep a value, unless it is too large; what was used longest ago makes room."""
        self._cache.put(_text(key), self._dump(value))

    def drop(self, key: tuple[Hashable, ...]) -> None:
        """Forget a value; no error when there is none."""
        self._cache.drop(_text(key))


def store_of(
    shared: SharedState | None,
    name: str,
    *,
    entries: int,
    size: int,
    seconds: float,
    weigh: Callable[[V], int],
    dump: Callable[[V], bytes],
    parse: Callable[[bytes], V],
    clock: Callable[[], float],
) -> Store[V]:
    """Keep values where every host finds them, or in this host where it is alone."""
    if shared:
        kept = shared.cache(name, entries=entries, size=size, seconds=seconds)
        return SharedStore(kept, dump=dump, parse=parse)
    return LocalStore(entries=entries, size=size, seconds=seconds, weigh=weigh, clock=clock)


def _text(key: tuple[Hashable, ...]) -> str:
    return json.dumps(key)
