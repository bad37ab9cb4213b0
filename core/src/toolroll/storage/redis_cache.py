"""A cache in Redis that many hosts share: bounded in entries, bytes and time.

What was used longest ago goes first. Each step is one script, on the server's clock, so that hosts
can neither race nor disagree about what is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from redis import Redis

__all__ = ["RedisCache"]

# The values, when each was used last, when each ends (microseconds), and how many bytes they take.
_PARTS: Final = ("values", "used", "ends", "bytes")
_FIRST: Final = """
local values, used, ends, bytes = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local function forget(name)
  redis.call('DECRBY', bytes, redis.call('HSTRLEN', values, name))
  redis.call('HDEL', values, name)
  redis.call('ZREM', used, name)
  redis.call('ZREM', ends, name)
end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now)) do forget(name) end
"""
_FIND: Final = f"""{_FIRST}
local value = redis.call('HGET', values, ARGV[1])
if value then redis.call('ZADD', used, now, ARGV[1]) end
return value
"""
_HELD: Final = f"""{_FIRST}
local found = {{}}
for i, name in ipairs(ARGV) do found[i] = redis.call('HEXISTS', values, name) end
return found
"""
_DROP: Final = f"""{_FIRST}
forget(ARGV[1])
"""
_PUT: Final = f"""{_FIRST}
local name, entries, size, age = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
forget(name)
redis.call('HSET', values, name, ARGV[2])
redis.call('ZADD', used, now, name)
redis.call('ZADD', ends, now + age, name)
redis.call('INCRBY', bytes, #ARGV[2])
while redis.call('HLEN', values) > entries or tonumber(redis.call('GET', bytes)) > size do
  forget(redis.call('ZRANGE', used, 0, 0)[1])
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, math.ceil(age / 1000)) end
"""


class RedisCache:
    """Values of one kind; with Redis away there are none, and nothing fails.

    Args:
        client: The server.
        name: Part of its keys; caches with one name share their values.
        entries: Most values.
        size: Most bytes of all values; a larger one is not kept.
        seconds: Age at which a value is forgotten.
    """

    def __init__(
        self, client: Redis, name: str, *, entries: int, size: int, seconds: float
    ) -> None:
        self._keys = [f"{{{name}}}:{part}" for part in _PARTS]  # braces: one node of a cluster
        self._bounds = [entries, size, max(int(seconds * 1_000_000), 1)]
        self._find, self._held, self._put, self._drop = (
            client.register_script(text) for text in (_FIND, _HELD, _PUT, _DROP)
        )

    def find(self, key: str) -> bytes | None:
        """Return a value and count it as used."""
        return self._run(self._find, [key])

    def held(self, keys: Sequence[str]) -> list[bool]:
        """Say of each key whether its value is there; counts none as used."""
        found = self._run(self._held, list(keys)) if keys else None
        return [bool(one) for one in found] if found else [False] * len(keys)

    def put(self, key: str, value: bytes) -> None:
        """Keep a value, and forget others until all fit."""
        if self._bounds[0] > 0 and len(value) <= self._bounds[1]:
            self._run(self._put, [key, value, *self._bounds])

    def drop(self, key: str) -> None:
        """Forget a value; no error when there is none."""
        self._run(self._drop, [key])

    def _run(self, script: Any, arguments: list[Any]) -> Any:
        from redis.exceptions import RedisError

        try:
            return script(keys=self._keys, args=arguments)
        except RedisError:  # which the client has told
            return None
