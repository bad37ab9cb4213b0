"""Threads for handlers: each call has one to itself, so many at once and no more.

Less than half of what `anyio.to_thread` takes for a small call, which passes the event loop twice
more. A handler in a thread of these tells its progress through the event loop that called it.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import queue
import threading
from collections.abc import Callable
from typing import Any, Final

from attrs import define

from toolroll.errors import ResourceBusy

__all__ = ["Threads"]

log: Final = logging.getLogger("toolroll.threads")

PATIENCE_SECONDS: Final = 5.0
"""How long a function that nobody waits for any more may take to end, before its thread counts as
lost, and another one takes its place."""
MOST_LOST: Final = 8
"""Lost threads that are replaced, for each that may run: a thread that never ends costs memory."""


@define(eq=False)
class _Job:
    """A function to run, and who waits for what it returns.

    Attributes:
        name: What the log calls it.
        is_running: It has begun and not ended.
        is_lost: Its thread has been replaced.
        is_stuck: Its thread would have been replaced if there weren't too many lost ones.
    """

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    context: contextvars.Context
    run: Callable[[], Any]
    name: str = "a function"
    is_running: bool = False
    is_lost: bool = False
    is_stuck: bool = False


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
        self._stuck = 0

    @property
    def waiting(self) -> int:
        """How many functions wait for a thread."""
        return max(self._open - self._most - self._lost, 0)

    async def run(
        self,
        function: Callable[..., Any],
        *args: Any,
        name: str = "a function",
        within: float | None = None,
    ) -> Any:
        """Return what a function returns in a thread, or the exception that it raised.

        A caller that is called off doesn't wait any longer. What it has begun runs to its end, what
        waits for a thread is not begun. What then goes on for long, perhaps for ever, keeps nobody
        else waiting. Where too much goes on so, the exception is `ResourceBusy`.

        Args:
            function: What to run.
            args: Its arguments.
            name: What the log calls it.
            within: Seconds that it may take before it counts as one that goes on for ever, although
                its caller waits for it.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        job = _Job(loop, future, contextvars.copy_context(), lambda: function(*args), name)
        with self._guard:
            if self._stuck >= self._most:
                return _held()
            self._open += 1
            one_more = self._claim_one()
        if one_more:
            self._start_one()
        self._jobs.put(job)
        timer = None if within is None else self._watch(job, within)
        try:
            return await future
        except asyncio.CancelledError:
            if job.is_running:
                loop.call_later(PATIENCE_SECONDS, self._replace, job)
            raise
        finally:
            if timer is not None:
                timer.cancel()

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

    def _watch(self, job: _Job, within: float) -> asyncio.TimerHandle:
        return job.loop.call_later(within + PATIENCE_SECONDS, self._overdue, job, within)

    def _overdue(self, job: _Job, within: float) -> None:
        """Replace the thread of what takes too long; what has not begun has its time before it."""
        if job.is_running:
            self._replace(job)
        elif not job.future.done():
            self._watch(job, within)

    def _replace(self, job: _Job) -> None:
        """Let another thread take the place of one that goes on too long."""
        with self._guard:
            if not job.is_running or job.is_lost or job.is_stuck:
                return
            job.is_lost = self._lost < self._most * MOST_LOST
            job.is_stuck = not job.is_lost
            self._lost += job.is_lost
            self._stuck += job.is_stuck
            lost, stuck = self._lost, self._stuck
            one_more = self._claim_one()
        if one_more:
            self._start_one()
        if job.is_lost:
            log.warning("%s does not end; another thread takes over from its own", job.name)
            return
        log.error(
            "%s does not end, as %d others don't; %d of %d threads are left: restart the host",
            job.name,
            lost,
            self._most - stuck,
            self._most,
        )
        if stuck >= self._most:
            self._refuse_waiting()

    def _refuse_waiting(self) -> None:
        """Answer what waits for a thread, as there is none left."""
        with contextlib.suppress(queue.Empty):
            while (job := self._jobs.get_nowait()) is not None:
                with self._guard:
                    self._open -= 1
                _tell(job, _held())
            self._jobs.put(None)  # meant for a thread, to end it

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.is_running = True
            value = None if job.future.cancelled() else _outcome(job)
            with self._guard:
                job.is_running = False
                self._open -= 1
                self._lost -= job.is_lost
                self._stuck -= job.is_stuck
                too_many = self._started > self._most + self._lost
                self._started -= too_many
            _tell(job, value)
            del job, value  # nothing of a call outlives it here
            if too_many:
                return


def _held() -> ResourceBusy:
    return ResourceBusy(
        "every thread is held by a call that does not end; try again when the host was restarted"
    )


def _outcome(job: _Job) -> Any:
    try:
        return job.context.run(job.run)
    except BaseException as error:  # a thread that ended would leave its caller waiting
        return error


def _tell(job: _Job, value: Any) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has ended, and with it who waited
        job.loop.call_soon_threadsafe(_settle, job.future, value)


def _settle(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)
