"""Resolving what was told provisionally, while the index goes on answering and being edited."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from toolroll_codegraph.indexing.comparison import Comparison
from toolroll_codegraph.indexing.layout import read_layout
from toolroll_codegraph.indexing.resolution import Packed, Resolver
from toolroll_codegraph.indexing.walk import walk
from toolroll_codegraph.indexing.writing import write_reconciled
from toolroll_codegraph.languages.registry import FAMILIES
from toolroll_codegraph.storage import store

if TYPE_CHECKING:
    from toolroll.storage import Database
    from toolroll_codegraph.storage.store import StoredProject


class OtherLayout(Exception):
    """Configuration files have changed since, or another release stored the index."""


class Reconciliation:
    """Resolves the programs of a project whose last edits are told provisionally."""

    def __init__(
        self,
        database: Database,
        *,
        processes: int,
        lock: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`lock` holds the project against index runs; it is held only to write."""
        self._database = database
        self._processes = processes
        self._lock = lock
        self._resolver: Resolver | None = None
        self._given_up = threading.Event()

    def give_up(self) -> None:
        """Let `run` end soon, from another thread; what is told stays provisional."""
        self._given_up.set()
        if self._resolver is not None:
            self._resolver.kill()

    def run(self, root: Path) -> bool:
        """Resolve the stored facts; False if the project was edited meanwhile.

        The index is afterwards what it would be had it been resolved with the last edit.

        Raises:
            OtherLayout: To resolve what is stored would not do.
        """
        with self._database.read() as session:
            project = store.find_project(session, str(root))
            if project is None or not project.provisional:
                return True
            known = store.load_files(session, project.id)
            listing = walk(root, frozenset(project.languages), include_tests=project.include_tests)
            comparison = Comparison(root, listing.files, project, known)
            if not comparison.same_layout:
                raise OtherLayout
            families: dict[str, Packed] = {name: [] for name in sorted(project.provisional)}
            languages = [name for name, family in FAMILIES.items() if family in families]
            for path, data in store.load_facts(session, project.id, languages=languages):
                families[FAMILIES[known[path].language]].append((path, data))
        layout = read_layout(root, [file.path for file in comparison.configuration])
        stored = {path: file.graph_digest for path, file in known.items()}
        try:
            with Resolver(self._processes) as self._resolver:
                self._resolver.start(families, layout, str(root), stored)
                if self._given_up.is_set():
                    self._resolver.kill()
                resolved = self._resolver.finish()
        except BrokenProcessPool:
            if self._given_up.is_set():
                return False
            raise
        with self._lock(), self._database.begin(lock=str(root)) as session:
            now = store.find_project(session, str(root))
            if now is None or _state(now) != _state(project):
                return False
            write_reconciled(session, now, resolved)
        return True


def _state(project: StoredProject) -> tuple[object, ...]:
    """What is the same as long as nothing was edited, and no other run has resolved it."""
    return (project.id, dict(project.provisional), project.layout, project.languages,
            project.include_tests)  # fmt: skip
