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
from typing import Any, Final

from attrs import define

__all__ = ["Threads"]

PATIENCE_SECONDS: Final = 5.0
"""How long a function that nobody waits for any more may take to end, before its thread counts as
lost, and another one takes its place."""
MOST_LOST: Final = 8
"""Lost threads that are replaced, for each that may run: a thread that never ends costs memory."""


@define(eq=False)
class _Job:
    """A function to run, and who waits for what it returns.

    Attributes:
        is_running: It has begun and not ended.
        is_lost: Its thread has been replaced.
    """

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    context: contextvars.Context
    run: Callable[[], Any]
    is_running: bool = False
    is_lost: bool = False


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
        self._lost = 0

    @property
    def waiting(self) -> int:
        """How many functions wait for a thread."""
        return max(self._open - self._most - self._lost, 0)

    async def run(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return what a function returns in a thread, or the exception that it raised.

        A caller that is called off doesn't wait any longer. What it has begun runs to its end, what
        waits for a thread is not begun. What then goes on for long, perhaps for ever, keeps nobody
        else waiting.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        job = _Job(loop, future, contextvars.copy_context(), lambda: function(*args))
        with self._guard:
            self._open += 1
            one_more = self._claim_one()
        if one_more:
            self._start_one()
        self._jobs.put(job)
        try:
            return await future
        except asyncio.CancelledError:
            if job.is_running:
                loop.call_later(PATIENCE_SECONDS, self._replace, job)
            raise

    def close(self) -> None:
        """End the threads, each after what it runs."""
        with self._guard:
            started, self._started = self._started, 0
        for _ in range(started):
            self._jobs.put(None)

    def _claim_one(self) -> bool:
        """Say whether there is work for one more thread, and count it as started."""
        one_more = self._started < min(self._open, self._most + self._lost)
        self._started += one_more
        return one_more

    def _start_one(self) -> None:
        threading.Thread(target=self._work, name="call", daemon=True).start()

    def _replace(self, job: _Job) -> None:
        """Let another thread take the place of one that is still at what nobody waits for."""
        with self._guard:
            job.is_lost = job.is_running and self._lost < self._most * MOST_LOST
            self._lost += job.is_lost
            one_more = self._claim_one()
        if one_more:
            self._start_one()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.is_running = True
            value = None if job.future.cancelled() else _outcome(job)
            with self._guard:
                job.is_running = False
                self._open -= 1
                self._lost -= job.is_lost
                too_many = self._started > self._most + self._lost
                self._started -= too_many
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it who waited
                job.loop.call_soon_threadsafe(_settle, job.future, value)
            del job, value  # nothing of a call outlives it here
            if too_many:
                return


def _outcome(job: _Job) -> Any:
    try:
        return job.context.run(job.run)
    except BaseException as error:  # a thread that ended would leave its caller waiting
        return error


def _settle(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)
