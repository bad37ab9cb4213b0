"""Worker processes for work that one process would take too long for."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Final

__all__ = ["WorkerProcesses", "available_processors", "worker_processes"]


def available_processors() -> int:
    """Return how many processors this process may use, which may be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class WorkerProcesses(ProcessPoolExecutor):
    """An executor whose work can be given up."""

    def __exit__(self, *raised: object) -> None:
        """Wait for the work, unless it is for nothing."""
        if any(raised):
            self.kill()
        self.shutdown(cancel_futures=any(raised))

    def kill(self) -> None:
        """End the workers now: what they are at ends with `BrokenProcessPool`."""
        for process in list((self._processes or {}).values()):
            process.kill()


def worker_processes(most: int) -> WorkerProcesses:
    """Return an executor of at most so many processes, to be shut down by the caller.

    What is submitted has to be importable: workers are spawned and not forked, since the host has
    threads, and a forked child of a threaded process may hang. A worker that dies ends the calls
    that wait with `BrokenProcessPool` instead of being replaced for ever. Workers leave an
    interrupt from the terminal, and the SIGTERM that MCP clients send to a host and all that it has
    started, to their parent, and end when the parent is killed.
    """
    return WorkerProcesses(most, mp_context=_Context(), initializer=_follow_the_parent)


_FOR_THE_PARENT: Final = {signal.SIGINT, signal.SIGTERM}
"""What ends a whole group of processes; the parent ends its workers when it is done."""
_starting: Final = threading.Lock()


class _Worker(SpawnProcess):
    """A process that doesn't import the parent's main module, as spawned ones do.

    None of its work is there, and a script that opens a `Runtime` at its top level would run again
    in each worker.
    """

    def start(self) -> None:
        with _starting:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                with _signals_held():
                    super().start()
            finally:
                sys.modules["__main__"] = main

    def terminate(self) -> None:
        """End it by the one signal that it doesn't leave to its parent."""
        self.kill()


class _Context(SpawnContext):
    Process = _Worker


@contextmanager
def _signals_held() -> Generator[None]:
    """Start a process that gets none of `_FOR_THE_PARENT` before it has said that it ignores them.

    It inherits what this thread holds back; a signal of our own comes when the block ends.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _FOR_THE_PARENT)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _follow_the_parent() -> None:
    """Begin a worker's life.

    Without this a worker whose parent was killed would wait for work for ever, since it holds both
    ends of its queue.
    """
    for number in _FOR_THE_PARENT:
        signal.signal(number, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
