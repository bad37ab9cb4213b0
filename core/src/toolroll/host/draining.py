"""Going without losing an answer: what happens between SIGTERM and the end of an HTTP host.

The SDK's event streams end the moment uvicorn is told to stop, answers under way included. So it is
told last: `/readyz` says 503 at once, and connections end with the answer that they wait for, so
that a balancer that asks nothing keeps none. Then nobody is listened to any more, which the
balancer sees before it has sent anything, no further call is admitted, and once every answer is out
the server stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Final

import uvicorn

from toolroll.host.connections import tell_of_full

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from toolroll.host.probes import Readiness
    from toolroll.runtime import Runtime
    from toolroll.settings import HttpSettings

__all__ = ["AnswerCount", "DrainingServer"]

_SUBSCRIPTION: Final = (b"mcp-method", b"subscriptions/listen")
"""The header of a request that never has a complete answer."""
_TICK_SECONDS: Final = 1.0
"""How often a host wakes that has nothing to do: the `Date` header counts seconds."""
_RENEWING: Final = 0
"""A count of ticks at which uvicorn renews that header."""
_ARRIVING_SECONDS: Final = 0.25
"""How long the requests of connections that were made last may take to come."""
_LAST: Final = (b"connection", b"close")
"""The header of an answer after which its connection is closed."""


class AnswerCount:
    """Counts the POST requests that have no complete answer yet; wraps an ASGI application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open = 0
        self._changed = threading.Condition()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] != "http"
            or scope["method"] != "POST"
            or _SUBSCRIPTION in scope["headers"]
        ):
            await self._app(scope, receive, send)
            return
        self._add(1)
        try:
            await self._app(scope, receive, send)
        finally:
            self._add(-1)

    def wait(self, timeout: float) -> bool:
        """Wait until there is none; False if one was still open after `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open == 0, timeout)

    def _add(self, change: int) -> None:
        with self._changed:
            self._open += change
            self._changed.notify_all()


class DrainingServer(uvicorn.Server):
    """A uvicorn server that drains on the first signal and stops at once on the second.

    Args:
        config: Of uvicorn; its application is an `AnswerCount`.
        answers: That application.
        runtime: Whose calls to wait for.
        settings: How long.
        readiness: What `/readyz` says.
        greeting: A line for stderr, once the server listens.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        answers: AnswerCount,
        runtime: Runtime,
        settings: HttpSettings,
        readiness: Readiness,
        greeting: str,
    ) -> None:
        super().__init__(config)
        self.servers = []  # a signal may come before anybody listens
        self._greeting = greeting
        self._answers = answers
        self._runtime = runtime
        self._settings = settings
        self._readiness = readiness
        self._hurry = threading.Event()
        self._ending = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so to whoever started the host."""
        self._loop = asyncio.get_running_loop()
        tell_of_full(self._loop)
        await super().startup(sockets)
        if self.started:
            print(self._greeting, file=sys.stderr, flush=True)

    async def main_loop(self) -> None:
        """Wait until the server has to stop: uvicorn would look ten times a second."""
        while not await self.on_tick(_RENEWING):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _TICK_SECONDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain, or stop if that has begun."""
        if self._readiness.draining:
            self._hurry.set()
            self._end(sig, frame)
            return
        self._readiness.draining = True
        threading.Thread(target=self._drain, args=(sig, frame), name="drain", daemon=True).start()

    def _drain(self, sig: int, frame: FrameType | None) -> None:
        self.config.encoded_headers.append(_LAST)
        if not self._hurry.wait(self._settings.drain_delay_seconds):
            self._on_loop(self._accept_waiting)
            self._hurry.wait(_ARRIVING_SECONDS)
            self._on_loop(self._close_idle)
            self._runtime.caller.finish(self._settings.drain_seconds)
            self._answers.wait(self._settings.drain_seconds)
        self._end(sig, frame)

    def _accept_waiting(self) -> None:
        """Listen until the connections that are already made have been accepted."""
        asyncio.get_running_loop().call_soon(self._stop_listening)

    def _stop_listening(self) -> None:
        for server in self.servers:
            server.close()

    def _close_idle(self) -> None:
        """Close the connections on which nobody waits for an answer."""
        for connection in list(self.server_state.connections):
            connection.shutdown()

    def _end(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._on_loop(self._ending.set)

    def _on_loop(self, do: Callable[[], None]) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # closed: a second signal has ended it
                self._loop.call_soon_threadsafe(do)
