"""Resolving what was told provisionally, while the index goes on answering and being edited."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.indexing.comparison import Comparison
from toolroll_codegraph.indexing.layout import read_layout
from toolroll_codegraph.indexing.resolution import Packed, Resolver
from toolroll_codegraph.indexing.walk import walk
from toolroll_codegraph.indexing.writing import write_reconciled
from toolroll_codegraph.languages.registry import FAMILIES
from toolroll_codegraph.storage import store

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from toolroll.storage import Database
    from toolroll_codegraph.storage.store import StoredProject

LOOK: Final = 1.0
"""Seconds between two looks whether the project was edited."""


class OtherLayout(Exception):
    """Configuration files have changed since, or another release stored the index."""


class _Edited(Exception):
    """The project was edited; what is being resolved is not what it is now."""


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
        """Resolve the stored facts; False, and soon, if the project is edited meanwhile.

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
                resolved = self._resolver.finish(self._unless_edited(root, project))
        except _Edited:
            return False
        except BrokenProcessPool:
            if self._given_up.is_set():
                return False
            raise
        with self._lock(), self._database.begin(lock=str(root)) as session:
            now = _same(session, root, project)
            if now is None:
                return False
            write_reconciled(session, now, resolved)
        return True

    def _unless_edited(self, root: Path, project: StoredProject) -> Callable[[], None]:
        """Return what raises `_Edited` when the work has come to be for nothing."""
        looked = time.monotonic()

        def look() -> None:
            nonlocal looked
            if time.monotonic() - looked < LOOK:
                return
            looked = time.monotonic()
            with self._database.read() as session:
                if _same(session, root, project) is None:
                    raise _Edited

        return look


def _same(session: Session, root: Path, project: StoredProject) -> StoredProject | None:
    """The project as it is stored now, unless it was edited since."""
    now = store.find_project(session, str(root))
    return now if now is not None and _state(now) == _state(project) else None


def _state(project: StoredProject) -> tuple[object, ...]:
    """What is the same as long as nothing was edited, and no other run has resolved it."""
    return (project.id, dict(project.provisional), project.layout, project.languages,
            project.include_tests)  # fmt: skip
