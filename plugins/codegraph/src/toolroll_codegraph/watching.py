"""Re-indexing projects when their files change."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from toolroll_codegraph.indexing.walk import PERHAPS_PACKAGES, SKIPPED_DIRECTORIES
from toolroll_codegraph.languages.registry import language_of
from toolroll_codegraph.settings import CodeGraphSettings

if TYPE_CHECKING:
    from watchfiles import Change

    import toolroll
    from toolroll_codegraph.reconciling import Reconciler
    from toolroll_codegraph.results import Indexed
    from toolroll_codegraph.storage.store import StoredProject

_NOBODYS = SKIPPED_DIRECTORIES - PERHAPS_PACKAGES
_WAIT_MS = 1000
_CONFIGURATION = frozenset((".gitignore", "package.json", "tsconfig.json", "jsconfig.json"))


Report = Callable[["Indexed", Sequence[str]], None]
"""Told of each run, and of the changed paths that led to it; none when the watch begins."""


class Watcher:
    """One step waits a second for changes in indexed projects and indexes what changed."""

    def __init__(
        self,
        root: Path | None = None,
        report: Report | None = None,
        reconciler: Reconciler | None = None,
    ) -> None:
        """Watch every indexed project, if the settings say so; or one, whatever they say.

        With somebody who reconciles it, what changed is told provisionally at first.
        """
        self._root = root
        self._reconciler = reconciler
        self._report = report
        self._watched: dict[str, int] = {}
        self._changes: Generator[set[tuple[Change, str]]] | None = None
        self._ended = threading.Event()

    def end(self) -> None:
        """Give up what a step waits for or indexes: the next host does it."""
        self._ended.set()

    def step(self, ctx: toolroll.PackContext) -> bool:
        """Wait for changes; True means to be called again at once."""
        if self._root is None and not cast("CodeGraphSettings", ctx.settings).watch:
            return False
        from toolroll_codegraph import service

        projects = [
            project
            for project in service.projects(ctx)
            if _is_there(project) and self._root in (None, Path(project.path))
        ]
        if not projects:
            return False
        changed = self._wait([project.path for project in projects])
        for project in filter(_is_there, projects):
            paths = [] if changed is None else self._concerning(ctx, project, changed)
            if changed is None or paths:
                self._index(ctx, project, paths)
        return True

    def _concerning(
        self, ctx: toolroll.PackContext, project: StoredProject, changed: set[str]
    ) -> list[str]:
        """Return those of changed paths that may change what is indexed of a project, sorted.

        A directory that is moved is told of by its own name alone, for which files inside it stand.
        """
        from toolroll_codegraph.queries.freshness import indexed_files

        start = project.path.rstrip("/") + "/"
        inside = sorted(path.removeprefix(start) for path in changed if path.startswith(start))
        inside = [path for path in inside if _NOBODYS.isdisjoint(path.split("/"))]
        read = {path for path, *_ in json.loads(project.layout)[1:]}
        found = [
            path for path in inside
            if path in read or _is_code(path) or Path(start, path).is_dir()
        ]  # fmt: skip
        gone = {path for path in inside if not Path(start, path).exists()}
        if found or not gone:
            return found
        with ctx.database.read() as session:
            files = indexed_files(session, project.id, "")
        parents = {str(parent) for file in files for parent in Path(file.path).parents}
        return sorted(gone & parents)

    def _wait(self, paths: list[str]) -> set[str] | None:
        """Return what changed; None when the watch has only begun, and nobody can know.

        Raises:
            ResourceBusy: The system does not tell of changes, as when it is out of watches.
        """
        from watchfiles import watch

        import toolroll

        # The kernel watches a directory, not its path: another one may stand there by now.
        watched = {path: inode for path in paths if (inode := _inode(path)) is not None}
        changes = self._changes if watched == self._watched else None
        begins = changes is None
        if changes is None:
            if self._changes is not None:
                self._changes.close()
            self._watched = watched
            changes = self._changes = watch(
                *watched, rust_timeout=_WAIT_MS, yield_on_timeout=True,
                raise_interrupt=self._root is not None,  # a host has other ways to end
                stop_event=self._ended,
            )  # fmt: skip
        try:
            found = next(changes)
        except (OSError, StopIteration) as error:
            if self._ended.is_set():
                return set()
            self._watched, self._changes = {}, None  # what has failed tells of nothing any more
            raise toolroll.ResourceBusy(
                f"the system does not tell of changes ({str(error) or 'it ended'}); if it is out "
                "of watches, raise fs.inotify.max_user_watches or max_user_instances"
            ) from error
        return None if begins else {path for _, path in found}

    def _index(
        self, ctx: toolroll.PackContext, project: StoredProject, paths: Sequence[str]
    ) -> None:
        import toolroll
        from toolroll_codegraph import service

        try:
            provisionally = self._reconciler is not None and self._reconciler.works
            answer = service.index_again(
                ctx, project, provisionally=provisionally,
                check=lambda: service.stop_at_the_end(self._ended.is_set()),
            )  # fmt: skip
        except toolroll.ToolError as error:
            if self._ended.is_set():
                raise
            ctx.log.warning("watched project %s was not indexed: %s", project.path, error)
        else:
            stats = answer.stats
            ctx.log.info("indexed %s: %d files changed", project.path, stats.files_changed)
            if self._report is not None:
                self._report(answer, paths)


def _is_there(project: StoredProject) -> bool:
    return Path(project.path).is_dir()


def _is_code(path: str) -> bool:
    name = path.rpartition("/")[2]
    perhaps_script = "." not in name  # or a directory
    return perhaps_script or language_of(name) is not None or name in _CONFIGURATION


def _inode(path: str) -> int | None:
    try:
        return Path(path).stat().st_ino
    except OSError:
        return None
