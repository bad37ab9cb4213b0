"""Re-indexing projects when their files change."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from toolroll_codegraph.languages.registry import language_of
from toolroll_codegraph.settings import CodeGraphSettings

if TYPE_CHECKING:
    from watchfiles import Change

    import toolroll

_WAIT_MS = 1000
_IGNORE_FILES = frozenset((".gitignore", "package.json", "tsconfig.json"))


class Watcher:
    """One step waits a second for changes in any indexed project and indexes what changed."""

    def __init__(self) -> None:
        self._paths: tuple[str, ...] = ()
        self._changes: Generator[set[tuple[Change, str]]] | None = None

    def step(self, ctx: toolroll.PackContext) -> bool:
        """Wait for changes; True means to be called again at once."""
        if not cast("CodeGraphSettings", ctx.settings).watch:
            return False
        from toolroll_codegraph.storage import store

        with ctx.database.read() as session:
            projects = [item for item in store.all_projects(session) if Path(item.path).is_dir()]
        if not projects:
            return False
        changed = self._wait(tuple(project.path for project in projects))
        for project in projects:
            inside = [path for path in changed or () if path.startswith(project.path + "/")]
            if changed is None or any(_matters(path) for path in inside):
                self._index(ctx, project)
        return True

    def _wait(self, paths: tuple[str, ...]) -> set[str] | None:
        """Return what changed; None when the watch has only begun, and nobody can know."""
        from watchfiles import watch

        changes = self._changes if paths == self._paths else None
        begins = changes is None
        if changes is None:
            if self._changes is not None:
                self._changes.close()
            self._paths = paths
            changes = self._changes = watch(
                *paths, rust_timeout=_WAIT_MS, yield_on_timeout=True, raise_interrupt=False
            )
        none: set[tuple[Change, str]] = set()
        found = next(changes, none)
        return None if begins else {path for _, path in found}

    def _index(self, ctx: toolroll.PackContext, project: object) -> None:
        import toolroll
        from toolroll_codegraph import service
        from toolroll_codegraph.storage.store import StoredProject

        stored = cast("StoredProject", project)
        try:
            answer = service.index(
                ctx, Path(stored.path), stored.languages, include_tests=stored.include_tests
            )
        except toolroll.ToolError as error:
            ctx.log.warning("watched project %s was not indexed: %s", stored.path, error)
        else:
            stats = answer.stats
            ctx.log.info("indexed %s: %d files changed", stored.path, stats.files_changed)


def _matters(path: str) -> bool:
    name = path.rpartition("/")[2]
    return language_of(name) is not None or name in _IGNORE_FILES
