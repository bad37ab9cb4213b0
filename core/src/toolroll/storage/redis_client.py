"""A Redis client for a server that may be away: it waits for one that hangs once, and tells of it.

A server that refuses connections costs nothing. One that hangs, as behind a network that drops what
is sent, would cost each command the whole timeout, and a call has several.
"""

from __future__ import annotations

import logging
import time
from typing import Any, Final

import redis
from redis.exceptions import NoScriptError, RedisError
from redis.exceptions import TimeoutError as NoAnswer

__all__ = ["PatientRedis"]

log: Final = logging.getLogger("toolroll.redis")

_PAUSE_SECONDS: Final = 5.0
"""After a command without an answer, how long others fail at once."""
_QUIET_SECONDS: Final = 60.0
"""How long nothing more is told of a server that is away: each call would have several lines."""


class PatientRedis(redis.Redis):
    """Commands fail at once for a while after one had no answer; then a single one tries again."""

    _until = 0.0
    _told = float("-inf")

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Ask the server.

        Raises:
            RedisError: It is away, did not answer a moment ago, or refused the command.
        """
        now = time.monotonic()
        if now < self._until:
            raise NoAnswer("it did not answer a moment ago")
        if self._until:  # the others go on without, meanwhile
            self._until = now + _PAUSE_SECONDS
        try:
            answer = super().execute_command(*args, **options)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # untyped there
        except RedisError as error:
            no_answer = isinstance(error, NoAnswer)
            self._until = time.monotonic() + _PAUSE_SECONDS if no_answer else 0.0
            if not isinstance(error, NoScriptError):  # as after its restart: it is sent then
                self._tell(error)
            raise
        self._until = 0.0
        return answer  # pyright: ignore[reportUnknownVariableType]  # untyped there

    def _tell(self, error: RedisError) -> None:
        now = time.monotonic()
        if now >= self._told + _QUIET_SECONDS:
            self._told = now
            log.warning(
                "Redis is away; until it is back, or [storage] redis_url mended, each host limits "
                "rates alone, and caches nothing for others: %s",
                error,
            )
