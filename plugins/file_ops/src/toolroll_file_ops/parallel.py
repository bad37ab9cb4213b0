"""Preparing many files in other processes, while this one embeds and stores."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from attrs import frozen

import toolroll
from toolroll.processes import available_processors, worker_processes
from toolroll_file_ops.checks import Check
from toolroll_file_ops.prepare import Prepared, prepare, read_stable
from toolroll_file_ops.stamps import Stamp

__all__ = ["Gone", "Same", "prepared"]

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


@frozen
class Same:
    """A file that was touched, and holds what it held."""

    path: str
    stamp: Stamp
    sha256: str


def prepared(
    root: toolroll.ProjectRoot,
    paths: Sequence[str],
    check: Check,
    *,
    most_bytes: int,
    chunk_bytes: int,
    known: Mapping[str, str],
) -> Iterator[Prepared | Same | Gone]:
    """Read and prepare files, in their order.

    Args:
        root: The collection's directory.
        paths: Canonical paths in it.
        check: Called often; raises to stop.
        most_bytes: Larger files are not read.
        chunk_bytes: Target size of a chunk.
        known: SHA-256 of what needs no preparing again, by path.
    """
    processes = min(available_processors(), MOST)
    if processes < 2 or len(paths) <= FEW:
        for path in paths:
            check()
            yield _prepared(root, path, most_bytes, chunk_bytes, known.get(path))
        return
    batches = (paths[start : start + BATCH] for start in range(0, len(paths), BATCH))
    waiting: deque[Future[list[Prepared | Same | Gone]]] = deque()
    executor = worker_processes(processes)
    try:
        while True:
            while len(waiting) < AHEAD * processes and (batch := next(batches, None)):
                pairs = [(path, known.get(path)) for path in batch]
                waiting.append(executor.submit(_batch, root.path, pairs, most_bytes, chunk_bytes))
            if not waiting:
                return
            check()
            yield from waiting.popleft().result()
    finally:
        executor.shutdown(cancel_futures=True)


def _batch(
    place: Path, files: Sequence[tuple[str, str | None]], most_bytes: int, chunk_bytes: int
) -> list[Prepared | Same | Gone]:
    root = toolroll.ProjectRoot(place)
    return [_prepared(root, path, most_bytes, chunk_bytes, known) for path, known in files]


def _prepared(
    root: toolroll.ProjectRoot, path: str, most_bytes: int, chunk_bytes: int, known: str | None
) -> Prepared | Same | Gone:
    try:
        data, stamp = read_stable(root, path, most_bytes)
    except (toolroll.NotFound, toolroll.InvalidPath):
        return Gone(path)
    if known and data is not None and hashlib.sha256(data).hexdigest() == known:
        return Same(path, stamp, known)
    return prepare(path, data, stamp, chunk_bytes=chunk_bytes)
