"""Resolving a whole project: from the packed facts of its files to the rows of its graph."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from toolroll.processes import worker_processes
from toolroll_codegraph.facts import FileFacts
from toolroll_codegraph.indexing.collector import without_collector
from toolroll_codegraph.indexing.parsing import unpack
from toolroll_codegraph.indexing.rows import GraphRows, rows_of
from toolroll_codegraph.resolve.graph import resolve
from toolroll_codegraph.resolve.layout import ProjectLayout

LARGE: Final = 1_500_000
"""Bytes of packed facts whose resolution takes long enough, and memory enough, that it is done in
a process of its own: Python seldom gives memory back, a host lives for long, and it answers no
other call in time while it resolves. So much takes a second or two, starting a process 0.2 s."""

Packed = list[tuple[str, bytes]]


def resolve_packed(
    packed: Packed,
    layout: ProjectLayout,
    project: str,
    stored: Mapping[str, str],
    workers: ProcessPoolExecutor | None,
) -> GraphRows:
    """Resolve packed facts, given by path; those of large projects in a worker process.

    Args:
        packed: Path and packed facts of every file.
        layout: Where the project's modules are.
        project: What tells the project's functions from those of other projects.
        stored: Digests of the rows that are stored, by path: only what differs is given back.
        workers: Worker processes that run already, if any do.
    """
    packed.sort()
    if sum(len(data) for _, data in packed) < LARGE:
        return _resolve(packed, layout, project, stored)
    if workers is not None:
        return workers.submit(_resolve_last, packed, layout, project, stored).result()
    with worker_processes(1) as worker:
        return worker.submit(_resolve_last, packed, layout, project, stored).result()


def _resolve(
    packed: Packed, layout: ProjectLayout, project: str, stored: Mapping[str, str]
) -> GraphRows:
    with without_collector():
        return rows_of(resolve(_unpacked(packed), layout), project, stored)


def _resolve_last(
    packed: Packed, layout: ProjectLayout, project: str, stored: Mapping[str, str]
) -> GraphRows:
    """Resolve in a worker that does nothing else afterwards.

    Its memory goes with the process: a collector that looks it through first takes half a second,
    now or when the process ends.
    """
    gc.disable()
    rows = _resolve(packed, layout, project, stored)
    gc.freeze()
    return rows


def _unpacked(packed: Packed) -> Iterator[tuple[str, FileFacts]]:
    """Facts one by one, each when those before it are numbered already."""
    packed.reverse()
    while packed:
        path, data = packed.pop()
        facts = unpack(data)
        if facts is not None:
            yield path, facts
