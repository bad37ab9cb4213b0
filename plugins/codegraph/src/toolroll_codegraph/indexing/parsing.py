"""Parsing many files in several processes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from toolroll.processes import available_processors
from toolroll_codegraph.facts import encode_facts
from toolroll_codegraph.indexing.collector import without_collector
from toolroll_codegraph.indexing.digests import content_digest
from toolroll_codegraph.indexing.lines import line_marks
from toolroll_codegraph.indexing.source import LARGEST, Unsuitable, to_utf8
from toolroll_codegraph.languages.grammar import NotInTime
from toolroll_codegraph.languages.registry import extract

MANY: Final = 3_000_000
"""Bytes of source that take a second to parse: below, starting processes takes longer."""
_BATCH_BYTES: Final = 150_000
"""Of source, 50 ms of work: in larger ones a process waits for the other at the end."""
RECURSION: Final = 6000
"""Deeper nesting than this is left out; CPython's own limit is far below what files hold."""


def allow_recursion() -> None:
    """Let this process go so deep, for good: another thread may be as deep when this one ends."""
    if sys.getrecursionlimit() < RECURSION:
        sys.setrecursionlimit(RECURSION)


class Parsed(NamedTuple):
    """What became of one file; no attrs class, to import which a worker takes 30 ms."""

    path: str
    digest: str
    """Of the bytes on disk; empty when they could not be read."""
    facts: bytes
    """Packed; empty when the file was left out."""
    parse_errors: int
    reason: str
    """Why the file was left out."""


def parse_file(root: str, path: str, language: str, known_digest: str = "") -> Parsed:
    """Read and parse one file; with its digest unchanged it is not parsed."""
    try:
        with Path(root, path).open("rb") as file:
            data = file.read(LARGEST + 1)  # a larger file is left out, whatever else it holds
    except OSError as error:
        return Parsed(path, "", b"", 0, f"unreadable: {error.strerror}")
    digest = content_digest(data)
    if digest == known_digest:
        return Parsed(path, digest, b"", 0, "")
    try:
        source = to_utf8(path, data)
    except Unsuitable as error:
        return Parsed(path, digest, b"", 0, str(error))
    allow_recursion()
    try:
        facts = extract(path, language, source)
        facts.lines = line_marks(source)
    except NotInTime:
        return Parsed(path, digest, b"", 0, "too many syntax errors")
    except Exception as error:  # one odd file must not keep all others out of the index
        return Parsed(path, digest, b"", 0, f"not understood: {type(error).__name__}")
    return Parsed(path, digest, encode_facts(facts), facts.parse_errors, "")


Job = tuple[str, str, str]
"""(path, language, known digest)."""


def _parse_batch(root: str, jobs: Sequence[Job]) -> list[Parsed]:
    with without_collector():
        return [parse_file(root, *job) for job in jobs]


def parse_files(
    root: Path,
    jobs: Sequence[tuple[str, str, str, int]],
    *,
    workers: ProcessPoolExecutor | None,
    progress: Callable[[int], None],
) -> Iterator[Parsed]:
    """Parse files, given as (path, language, known digest, size), in no particular order.

    Without workers they are parsed here.
    """
    tasks = [(str(root), batch) for batch in _batches(jobs)]
    done = 0
    for results in map(_parse_task, tasks) if workers is None else workers.map(_parse_task, tasks):
        done += len(results)
        yield from results
        progress(done)


def _parse_task(task: tuple[str, list[Job]]) -> list[Parsed]:
    return _parse_batch(*task)


def _batches(jobs: Sequence[tuple[str, str, str, int]]) -> list[list[Job]]:
    """Batches of about equal bytes, the large files first so that no process ends alone."""
    batches: list[list[Job]] = []
    size = _BATCH_BYTES
    for path, language, digest, length in sorted(jobs, key=lambda job: (-job[3], job[0])):
        if size >= _BATCH_BYTES:
            batches.append([])
            size = 0
        batches[-1].append((path, language, digest))
        size += length
    return batches


def available_processes() -> int:
    """Processors this process may use, at most four: more cost memory and gain little."""
    return min(available_processors(), 4)
