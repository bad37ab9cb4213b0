"""Threads for handlers: each call has one to itself, so many at once and no more.

Less than half of what `anyio.to_thread` takes for a small call, which passes the event loop twice
more. A handler in a thread of these tells its progress through the event loop that called it.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any

from attrs import frozen

__all__ = ["Threads"]


@frozen
class _Job:
    """A function to run, and who waits for what it returns."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    context: contextvars.Context
    run: Callable[[], Any]


class Threads:
    """Runs functions in threads, which are started when there is work for one more.

    Args:
        most: Threads at most; further functions wait in order.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._started = 0
        self._open = 0

    @property
    def waiting(self) -> int:
        """How many functions wait for a thread."""
        return max(self._open - self._most, 0)

    async def run(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return what a function returns in a thread, or the exception that it raised.

        A caller that is called off doesn't wait any longer. What it has begun runs to its end, what
        waits for a thread is not begun.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        with self._guard:
            self._open += 1
            one_more = self._started < min(self._open, self._most)
            self._started += one_more
        if one_more:
            threading.Thread(target=self._work, name="call", daemon=True).start()
        context = contextvars.copy_context()
        self._jobs.put(_Job(loop, future, context, lambda: function(*args)))
        return await future

    def close(self) -> None:
        """End the threads, each after what it runs."""
        with self._guard:
            started, self._started = self._started, 0
        for _ in range(started):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            value = None if job.future.cancelled() else _outcome(job)
            with self._guard:
                self._open -= 1
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it who waited
                job.loop.call_soon_threadsafe(_settle, job.future, value)
            del job, value  # nothing of a call outlives it here


def _outcome(job: _Job) -> Any:
    try:
        return job.context.run(job.run)
    except BaseException as error:  # a thread that ended would leave its caller waiting
        return error


def _settle(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)
