"""The progress of one call, sent from handlers in a thread and from those in the event loop."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolroll.answers import encodable

if TYPE_CHECKING:
    from toolroll.context import CancelToken

__all__ = ["Reporter", "Sink"]

Sink = Callable[[float, float | None, str | None], Any]
"""An async function that sends one progress notification."""


class Reporter:
    """Sends progress notifications of one call, and none once the caller has gone."""

    def __init__(self, sink: Sink | None, cancel: CancelToken) -> None:
        self._sink = sink
        self._cancel = cancel
        self._loop = asyncio.get_running_loop()
        self._last = -math.inf
        self._sending: set[asyncio.Task[Any]] = set()

    def __call__(self, done: float, total: float | None, message: str | None) -> None:
        """Send a notification, where anybody asked and there is anything to tell.

        MCP wants numbers that grow, and one text that UTF-8 can't hold ends the SDK's connection.
        """
        if self._sink is None or self._cancel.cancelled:
            return  # the caller has gone; an abandoned reader may still be counting
        if not (math.isfinite(done) and done > self._last):
            return
        self._last = done
        total = total if total is not None and math.isfinite(total) else None
        message = None if message is None else encodable(message)
        if not _in_event_loop():
            sent = asyncio.run_coroutine_threadsafe(self._send(done, total, message), self._loop)
            sent.result()
            return
        task = asyncio.ensure_future(self._send(done, total, message))
        self._sending.add(task)  # the loop itself keeps only a weak reference
        task.add_done_callback(self._sending.discard)

    async def _send(self, done: float, total: float | None, message: str | None) -> None:
        if self._sink is not None:
            await self._sink(done, total, message)

    async def settled(self) -> None:
        """Wait until all that was to be sent is: no answer overtakes its progress."""
        if self._sending:
            await asyncio.wait(self._sending)


def _in_event_loop() -> bool:
    """Say whether this thread runs an event loop right now."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
