"""Preparing many files in other processes, while this one embeds and stores."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

import toolroll
from toolroll.processes import available_processors, worker_processes
from toolroll_file_ops.prepare import Prepared, prepare, read_stable

__all__ = ["Gone", "prepared"]

FEW: Final = 300
"""Up to so many files, starting a process costs more than it saves."""
MOST: Final = 3
"""Processes: what two prepare takes this one as long to embed and store, so it half sleeps on two
processors, and more of them would wait."""
BATCH: Final = 25
AHEAD: Final = 3
"""Batches prepared ahead for each process; more would only fill memory."""


class Gone(str):
    """The path of a file that is not there any more, or lies behind a symlink now."""

    __slots__ = ()


def prepared(
    root: toolroll.ProjectRoot,
    paths: Sequence[str],
    check: Callable[[], None],
    *,
    most_bytes: int,
    chunk_bytes: int,
) -> Iterator[Prepared | Gone]:
    """Read and prepare files, in their order.

    Args:
        root: The collection's directory.
        paths: Canonical paths in it.
        check: Called often; raises to stop.
        most_bytes: Larger files are not read.
        chunk_bytes: Target size of a chunk.
    """
    processes = min(available_processors(), MOST)
    if processes < 2 or len(paths) <= FEW:
        for path in paths:
            check()
            yield _prepared(root, path, most_bytes, chunk_bytes)
        return
    batches = (paths[start : start + BATCH] for start in range(0, len(paths), BATCH))
    waiting: deque[Future[list[Prepared | Gone]]] = deque()
    executor = worker_processes(processes)
    try:
        while True:
            while len(waiting) < AHEAD * processes and (batch := next(batches, None)):
                place = root.path
                waiting.append(executor.submit(_batch, place, batch, most_bytes, chunk_bytes))
            if not waiting:
                return
            check()
            yield from waiting.popleft().result()
    finally:
        executor.shutdown(cancel_futures=True)


def _batch(
    place: Path, paths: Sequence[str], most_bytes: int, chunk_bytes: int
) -> list[Prepared | Gone]:
    root = toolroll.ProjectRoot(place)
    return [_prepared(root, path, most_bytes, chunk_bytes) for path in paths]


def _prepared(
    root: toolroll.ProjectRoot, path: str, most_bytes: int, chunk_bytes: int
) -> Prepared | Gone:
    try:
        data, stamp = read_stable(root, path, most_bytes)
    except (toolroll.NotFound, toolroll.InvalidPath):
        return Gone(path)
    return prepare(path, data, stamp, chunk_bytes=chunk_bytes)
