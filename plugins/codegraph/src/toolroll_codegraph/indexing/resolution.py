"""Resolving a whole project: from the packed facts of its files to the rows of its graph.

Each family of languages is a program of its own: files of different families import nothing from
each other, so that what one of them says has no part in what another one's calls mean.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import nullcontext
from typing import Final

from toolroll.processes import worker_processes
from toolroll_codegraph.facts import FileFacts, decode_facts
from toolroll_codegraph.indexing.collector import without_collector
from toolroll_codegraph.indexing.rows import GraphRows, rows_of
from toolroll_codegraph.resolve.graph import resolve
from toolroll_codegraph.resolve.layout import ProjectLayout

LARGE: Final = 4_000_000
"""Bytes of packed facts whose resolution takes long enough, and memory enough, that it is done in
a process of its own: Python seldom gives memory back, a host lives for long, and it answers no
other call in time while it resolves. So much takes a second or two, starting a process 0.2 s."""

Packed = list[tuple[str, bytes]]


def resolve_packed(
    families: Mapping[str, Packed],
    layout: ProjectLayout,
    project: str,
    stored: Mapping[str, str],
    workers: ProcessPoolExecutor | None,
    processes: int,
) -> dict[str, GraphRows]:
    """Resolve packed facts, given by family and path; large families in worker processes.

    Args:
        families: Path and packed facts of every file of the families to resolve.
        layout: Where the project's modules are.
        project: What tells the project's functions from those of other projects.
        stored: Digests of the rows that are stored, by path: only what differs is given back.
        workers: Worker processes that run already, if any do.
        processes: How many worker processes there may be.
    """
    sizes = {name: sum(len(data) for _, data in packed) for name, packed in families.items()}
    apart = sorted((name for name in sizes if sizes[name] >= LARGE), key=lambda name: -sizes[name])
    if apart and workers is not None:  # they run: small families have a processor there too
        apart += sizes.keys() - {*apart}
    start = apart and workers is None
    with worker_processes(min(len(apart), processes)) if start else nullcontext(workers) as running:
        pending: dict[str, Future[GraphRows]] = {}
        for name in apart:
            assert running is not None
            task = (families[name], layout, project, _of(families[name], stored))
            pending[name] = running.submit(_resolve_last, *task)
        found = {
            name: _resolve(packed, layout, project, stored)
            for name, packed in families.items()
            if name not in pending
        }
        return found | {name: future.result() for name, future in pending.items()}


def _of(packed: Packed, stored: Mapping[str, str]) -> dict[str, str]:
    return {path: stored[path] for path, _ in packed if path in stored}


def _resolve(
    packed: Packed, layout: ProjectLayout, project: str, stored: Mapping[str, str]
) -> GraphRows:
    packed.sort()
    with without_collector():
        return rows_of(resolve(_unpacked(packed), layout), project, stored)


def _resolve_last(
    packed: Packed, layout: ProjectLayout, project: str, stored: Mapping[str, str]
) -> GraphRows:
    """Resolve in a worker that does nothing else afterwards, but perhaps resolve another family.

    Its memory goes with the process: a collector that looks it through first takes half a second,
    now or when the process ends.
    """
    gc.disable()
    if gc.get_freeze_count():
        gc.unfreeze()
        gc.collect()
    rows = _resolve(packed, layout, project, stored)
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
