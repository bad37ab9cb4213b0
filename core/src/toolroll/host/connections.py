"""Connections of the HTTP host that bring no request: closed in time, told of if too many."""

from __future__ import annotations

import asyncio
import errno
import logging
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["TimedProtocol", "tell_of_full"]

log: Final = logging.getLogger("toolroll.http")

_FULL: Final = (errno.EMFILE, errno.ENFILE)
_QUIET_SECONDS: Final = 60.0


class TimedProtocol(H11Protocol):
    """Closes a connection on which nobody has sent a whole head for as long as one may be idle.

    uvicorn waits for ever for the first, and for any that has begun: whoever reaches the port,
    without a key, could hold every file that the process may open.
    """

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop()
        self._waiting = self.loop.call_later(self.timeout_keep_alive, self._close_unasked)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _close_unasked(self) -> None:
        cycle: Any = self.cycle  # None until the first request
        if cycle is None or cycle.response_complete:
            self.transport.close()


def tell_of_full(loop: asyncio.AbstractEventLoop) -> None:
    """Tell once a minute that no more files can be opened: asyncio logs thousands of tracebacks."""
    told = -_QUIET_SECONDS

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal told
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in _FULL:
            loop.default_exception_handler(context)
        elif loop.time() >= told + _QUIET_SECONDS:
            told = loop.time()
            log.error("new connections wait: %s; raise the limit ('ulimit -n')", error.strerror)

    loop.set_exception_handler(handle)
