"""Resolving a whole project: from the packed facts of its files to the rows of its graph.

Each family of languages is a program of its own: files of different families import nothing from
each other, so that what one of them says has no part in what another one's calls mean.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Final, Self

from toolroll.processes import WorkerProcesses, worker_processes
from toolroll_codegraph.facts import FileFacts, decode_facts, encode_facts, packed_size
from toolroll_codegraph.indexing.collector import without_collector
from toolroll_codegraph.indexing.parsing import allow_recursion
from toolroll_codegraph.indexing.rows import GraphRows, rows_of
from toolroll_codegraph.languages.registry import FAMILIES, extract
from toolroll_codegraph.resolve.faults import Faults
from toolroll_codegraph.resolve.graph import resolve, rules_of
from toolroll_codegraph.resolve.layout import ProjectLayout

LARGE: Final = 500_000
"""Bytes of packed facts whose resolution takes long enough, and memory enough, that it is done in
a process of its own: Python seldom gives memory back, a host lives for long, and it answers no
other call in time while it resolves. So much takes a second or two, starting a process 0.2 s."""

_MMAP_THRESHOLD: Final = -3
"""`M_MMAP_THRESHOLD` of glibc's `malloc.h`."""
_LARGE_BLOCK: Final = 1 << 17

_CHECK_SECONDS: Final = 0.1
"""How often who waits for a worker looks whether to go on."""

Packed = list[tuple[str, bytes]]


def _go_on() -> None:
    return


class Resolver:
    """Resolves packed facts by family; large families in processes that do nothing else.

    One that has parsed is larger from the beginning, by what parsing left behind.
    """

    def __init__(self, processes: int, *, soon: str = "") -> None:
        """Have at most so many processes, the first of them `soon`, for a family: it starts beside
        the parse."""
        self._processes = processes
        self._workers: WorkerProcesses | None = None
        self._pending: dict[str, Future[GraphRows]] = {}
        self._small: dict[str, tuple[Packed, ProjectLayout, str, dict[str, str]]] = {}
        if soon:
            self.be_ready(soon)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._workers is not None:
            self._workers.__exit__(*raised)

    def kill(self) -> None:
        """Give up: `finish` raises `BrokenProcessPool`, unless all that is left is small."""
        if self._workers is not None:
            self._workers.kill()

    def be_ready(self, family: str) -> None:
        """Have a process start while the family that it is to resolve is still being read."""
        if self._workers is None:
            self._running().submit(_be_ready, family)

    def _running(self) -> WorkerProcesses:
        if self._workers is None:
            self._workers = worker_processes(self._processes)
        return self._workers

    def start(
        self,
        families: dict[str, Packed],
        layout: ProjectLayout,
        project: str,
        stored: Mapping[str, str],
    ) -> None:
        """Begin with the large families, in processes of their own.

        Args:
            families: Path and packed facts of every file of the families to resolve; those that
                are compressed stay so until they are resolved.
            layout: Where the project's modules are.
            project: What tells the project's functions from those of other projects.
            stored: Digests of the rows that are stored, by path: only what differs is given back.
        """
        sizes = {
            name: sum(packed_size(data) for _, data in packed) for name, packed in families.items()
        }
        for name, packed in sorted(families.items(), key=lambda item: -sizes[item[0]]):
            task = (packed, layout, project, _of(packed, stored))
            if sizes[name] >= LARGE:
                self._pending[name] = self._running().submit(_resolve_last, *task)
            else:
                self._small[name] = task

    def finish(self, check: Callable[[], None] = _go_on) -> dict[str, GraphRows]:
        """Resolve the small families, and return the rows of all; `check` raises to stop."""
        found: dict[str, GraphRows] = {}
        for name, task in self._small.items():
            check()
            found[name] = resolve_rows(*task)
        for name in self._pending:
            _rehearse(name)
        while wait(self._pending.values(), _CHECK_SECONDS).not_done:
            check()
        found |= {name: future.result() for name, future in self._pending.items()}
        if self._workers is not None:
            self._workers.shutdown(wait=False)  # so much memory takes a while to give back
        return found


def _be_ready(family: str) -> None:
    """Import what resolves a family, and set memory up before its facts come."""
    _give_back_blocks()
    rules_of(family)


def _give_back_blocks() -> None:
    """Give large blocks of memory back when they are not used any more.

    glibc keeps blocks of up to 32 MB once one of that size was freed, as the facts that came by
    the pipe are, and what is left of tables that outgrew theirs is then 15 MB of holes.
    """
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BLOCK)


def _rehearse(family: str) -> None:
    """Read and resolve empty files here, while a worker resolves all others.

    What that imports takes 0.1 s, for which the first edit that is told at once need not wait then.
    """
    for language, name in FAMILIES.items():
        if name == family:
            facts = encode_facts(extract("", language, b""))
            resolve_rows([("", facts)], ProjectLayout(), "", {})


def _of(packed: Packed, stored: Mapping[str, str]) -> dict[str, str]:
    return {path: stored[path] for path, _ in packed if path in stored}


def resolve_rows(
    packed: Packed, layout: ProjectLayout, project: str, stored: Mapping[str, str], whole: int = 0
) -> GraphRows:
    """Resolve a family here, or a part of one that has at least `whole` scopes; the rows that are
    not stored, of every file where nothing is."""
    allow_recursion()
    packed.sort()
    faults = Faults(contained=True)
    with without_collector():
        graph = resolve(_unpacked(packed), layout, whole, faults)
        return rows_of(graph, project, stored, faults.told())


def _resolve_last(
    packed: Packed, layout: ProjectLayout, project: str, stored: Mapping[str, str]
) -> GraphRows:
    """Resolve in a worker that does nothing else afterwards, but perhaps resolve another family.

    Its memory goes with the process: a collector that looks it through first takes half a second,
    now or when the process ends.
    """
    _give_back_blocks()
    gc.disable()
    if gc.get_freeze_count():
        gc.unfreeze()
        gc.collect()
    rows = resolve_rows(packed, layout, project, stored)
    gc.freeze()
    return rows


def _unpacked(packed: Packed) -> Iterator[tuple[str, FileFacts]]:
    """Facts one by one, each when those before it are numbered already."""
    packed.reverse()
    while packed:
        path, data = packed.pop()
        facts = decode_facts(data)
        if facts is not None:
            yield path, facts
