"""Redis: what many hosts share for a short time (extra `toolroll[redis]`).

Redis is never the truth: with it away, secrets are refused as busy, caches are empty, and each host
limits rates on its own until it is back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolroll.errors import MissingDependency, RateLimited, ResourceBusy, SettingsError
from toolroll.limits import RateLimiter
from toolroll.storage.redis_cache import RedisCache

if TYPE_CHECKING:
    from redis import Redis

__all__ = ["PackRedis", "RedisRates", "RedisSecrets", "SharedRedis"]

_TIMEOUT_SECONDS: Final = 2.0
_PREFIX: Final = "toolroll"

# One step on the server, on the server's clock: hosts can't race, nor disagree about the time.
_TAKE: Final = """
local now = redis.call('TIME')
now = now[1] + now[2] / 1000000
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'then')
local tokens, before = tonumber(kept[1]) or burst, tonumber(kept[2]) or now
tokens = math.min(burst, tokens + math.max(now - before, 0) * rate)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = (1 - tokens) / rate end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'then', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / rate * 1000) + 1000)
return tostring(wait)
"""


class SharedRedis:
    """One Redis server, connected at first use.

    Args:
        url: `redis://…`, `rediss://…` or `unix://…`.

    Raises:
        MissingDependency: The redis library is not installed.
        SettingsError: The URL is not one of Redis.
    """

    def __init__(self, url: str) -> None:
        try:
            from toolroll.storage.redis_client import PatientRedis
        except ModuleNotFoundError:
            raise MissingDependency(
                "redis_url needs redis: pip install 'toolroll[redis]'"
            ) from None
        try:
            self._client: Redis = PatientRedis.from_url(  # pyright: ignore[reportUnknownMemberType]  # untyped there
                url,
                socket_timeout=_TIMEOUT_SECONDS,
                socket_connect_timeout=_TIMEOUT_SECONDS,
                health_check_interval=30,
            )
        except ValueError as error:
            raise SettingsError(f"[storage] redis_url: {error}") from None

    def secrets(self) -> RedisSecrets:
        """Return the secret cache of this server."""
        return RedisSecrets(self._client)

    def rates(self, per_minute: float) -> RedisRates:
        """Return rate limits that every host on this server shares."""
        return RedisRates(self._client, per_minute)

    def of_pack(self, name: str, version: str) -> PackRedis:
        """Return what one version of a pack may share between hosts."""
        return PackRedis(self._client, name, version)

    def ping(self) -> None:
        """Raise unless the server answers."""
        self._client.ping()  # pyright: ignore[reportUnknownMemberType]  # untyped there

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class PackRedis:
    """What one pack shares on a server, apart from every other pack; a `SharedState`."""

    def __init__(self, client: Redis, pack: str, version: str) -> None:
        self._client = client
        self._prefix = f"{_PREFIX}:{pack}"
        self._version = version

    def cache(self, name: str, *, entries: int, size: int, seconds: float) -> RedisCache:
        """Return a cache that every host uses which runs the same version of the pack.

        While hosts are replaced one by one, each version finds only what it can read.
        """
        key = f"{self._prefix}:cache:{self._version}:{name}"
        return RedisCache(self._client, key, entries=entries, size=size, seconds=seconds)

    def rates(self, name: str, per_minute: float, burst: float) -> RedisRates:
        """Return token buckets that every host takes from."""
        return RedisRates(
            self._client, per_minute, burst=burst, prefix=f"{self._prefix}:rate:{name}"
        )


class RedisSecrets:
    """Short-lived secrets that every host can read; Redis forgets them at their time.

    The values must be encrypted already (`toolroll.storage.credentials`): Redis may write to disk.
    """

    def __init__(self, client: Redis) -> None:
        self._client = client

    def put(self, key: str, value: bytes, ttl: float) -> None:
        """Store `value` under `key` for `ttl` seconds, replacing what was there."""
        _answer(lambda: self._client.set(key, value, px=max(int(ttl * 1000), 1)))

    def get(self, key: str) -> bytes | None:
        """Return the value, or None when it is absent or has expired."""
        return _answer(lambda: self._client.get(key))

    def delete(self, key: str) -> None:
        """Forget the value; no error when there is none."""
        _answer(lambda: self._client.delete(key))


class RedisRates:
    """A token bucket for each key, shared by every host.

    Args:
        client: The server.
        per_minute: Tokens that a bucket regains in a minute; 0 is no limit.
        burst: Size of a bucket; by default `per_minute`.
        prefix: Stands before keys; buckets with one prefix are shared.
    """

    def __init__(
        self,
        client: Redis,
        per_minute: float,
        *,
        burst: float | None = None,
        prefix: str = f"{_PREFIX}:rate",
    ) -> None:
        self._rate = per_minute / 60.0
        self._burst = per_minute if burst is None else burst
        self._prefix = prefix
        self._take = client.register_script(_TAKE)
        self._alone = RateLimiter(per_minute, burst=burst)

    def take(self, key: str) -> None:
        """Take one token.

        Raises:
            RateLimited: The bucket is empty; the message says when a token is back.
        """
        if self._rate <= 0:
            return
        from redis.exceptions import RedisError

        try:
            wait = float(self._take(keys=[f"{self._prefix}:{key}"], args=[self._rate, self._burst]))
        except RedisError:  # which the client has told
            self._alone.take(key)
            return
        if wait > 0:
            raise RateLimited(
                f"rate limit reached; try again in {wait:.1f} s",
                details={"retry_after_seconds": round(wait, 3)},
            )


def _answer(ask: Any) -> Any:
    """Return Redis' answer; a caller may try again when there is none."""
    from redis.exceptions import RedisError

    try:
        return ask()
    except RedisError as error:
        raise ResourceBusy("the secret cache is away; try again") from error
