"""The one job loop: a worker's step, run again and again by a supervised thread.

A pack says what one step is (`Worker`); the `Supervisor` runs it, wakes it early when the pack says
there is work, backs off after a failure, and drains it at shutdown.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from attrs import frozen

from toolroll.errors import ResourceBusy, ToolrollError

if TYPE_CHECKING:
    from toolroll.context import PackContext

__all__ = ["Supervisor", "Worker"]

FIRST_BACKOFF: Final = 0.5
"""Seconds to wait after the first failure in a row; doubles with each further one."""
LONGEST_BACKOFF: Final = 60.0
"""Seconds to wait at most after failures."""


@frozen
class Worker:
    """A background loop of a pack.

    Attributes:
        name: Names the thread and its log lines.
        step: Does one bounded piece of work; True means that more is waiting. It must be safe to
            stop the process between any two steps, and inside one by kill -9.
        idle: Seconds to wait after a step that found nothing.
        hears: `PackContext.wake` ends that wait; false for a step that no change makes due.
        end: Called when the host ends, so that a step of seconds gives up what can be done again.
    """

    name: str
    step: Callable[[PackContext], bool]
    idle: float = 1.0
    hears: bool = True
    end: Callable[[], None] | None = None


class Supervisor:
    """Runs the workers of one pack, each in a thread of its own.

    Attributes:
        failing: What the last step of each worker raised, by the worker's name; of those that did.
    """

    def __init__(self, workers: Sequence[Worker], context: PackContext) -> None:
        self._workers = workers
        self._context = context
        self.failing: dict[str, str] = {}
        self._stop = threading.Event()
        self._stepping = threading.Condition()
        self._begun = [0] * len(workers)
        self._idle = [0] * len(workers)
        """By worker: the last of its steps that began, and the last that left nothing to do."""
        self._wakes = [threading.Event() for _ in workers]
        self._heard = [
            wake for worker, wake in zip(workers, self._wakes, strict=True) if worker.hears
        ]
        self._threads = [
            threading.Thread(
                target=self._run, args=(number, worker), name=f"worker-{worker.name}", daemon=True
            )
            for number, worker in enumerate(workers)
        ]

    def start(self) -> None:
        """Start every worker."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Let every worker that hears look for work now."""
        for event in self._heard:
            event.set()

    def rest(self, timeout: float) -> bool:
        """Let every worker that hears do what there is to do now, and wait for that.

        Returns:
            Whether each has begun a step since that left nothing to do, or failed.
        """
        with self._stepping:
            since = list(self._begun)
            self.wake()
            return self._stepping.wait_for(
                lambda: all(
                    idle > begun or not worker.hears
                    for worker, idle, begun in zip(self._workers, self._idle, since, strict=True)
                ),
                timeout,
            )

    def stop(self, timeout: float = 10.0) -> bool:
        """Let each worker finish its step and end; False if one was still at it after `timeout`."""
        self._stop.set()
        for worker in self._workers:
            if worker.end is not None:
                worker.end()
        for event in self._wakes:
            event.set()
        for thread in self._threads:
            thread.join(timeout)
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self, number: int, worker: Worker) -> None:
        wake = self._wakes[number]
        log = logging.getLogger(f"toolroll.worker.{worker.name}")
        backoff = FIRST_BACKOFF
        while not self._stop.is_set():
            wake.clear()
            with self._stepping:
                self._begun[number] += 1
            try:
                more = worker.step(self._context)
            except BaseException as error:  # the boundary to a pack: tried again, for ever
                if self._stop.is_set() and isinstance(error, ResourceBusy):
                    return  # it was asked to give up
                what = f"{type(error).__name__}: {error}"
                is_new = self.failing.get(worker.name) != what  # else a log would fill a disk
                self.failing[worker.name] = what
                log.error(
                    "worker %s failed (%s); next try in %.1f s",
                    worker.name,
                    error,
                    backoff,
                    # what says all on one line, such as that the disk is full, needs no more
                    exc_info=is_new and not self._is_told(error),
                )
                self._has_nothing(number)
                self._stop.wait(backoff)
                backoff = min(backoff * 2, LONGEST_BACKOFF)
                continue
            backoff = FIRST_BACKOFF
            self.failing.pop(worker.name, None)
            if not more:
                self._has_nothing(number)
                if not self._stop.is_set():
                    wake.wait(worker.idle)

    def _is_told(self, error: BaseException) -> bool:
        """Say whether an error is raised on purpose, and its text says what to mend."""
        if isinstance(error, ResourceBusy):
            return True
        return isinstance(error, ToolrollError) and (
            error.__cause__ is None or bool(self._context.database.trouble(error))
        )

    def _has_nothing(self, number: int) -> None:
        """Note that a worker's step left nothing to do."""
        with self._stepping:
            self._idle[number] = self._begun[number]
            self._stepping.notify_all()
