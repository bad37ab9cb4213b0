"""What is done with indexed projects: they are found, indexed and read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import toolroll
from toolroll.locks import held
from toolroll_codegraph.indexing.indexer import Indexer, IndexReport, NoCodeFiles
from toolroll_codegraph.results import Indexed, IndexStats
from toolroll_codegraph.settings import CodeGraphSettings
from toolroll_codegraph.storage import store
from toolroll_codegraph.storage.store import StoredProject

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from toolroll.context import Progress
    from toolroll_codegraph.indexing.reconciling import Reconciliation

NOT_INDEXED = "Code graph not indexed. Run index_code_graph first."


def stop_at_the_end(cancelled: bool) -> None:
    """Raise if the host ends, which nobody who waits for it lets take as long as an index does.

    Raises:
        ResourceBusy: It ends.
    """
    if cancelled:
        raise toolroll.ResourceBusy("the host ends; nothing was changed, index again")


def _go_on() -> None:
    return


def _silent(done: float, total: float | None, message: str | None) -> None:
    return


def project_directory(ctx: toolroll.PackContext, text: str) -> Path:
    """Return the resolved directory of a project inside of the allowed roots.

    Raises:
        ToolError: It is no absolute path, no directory, or outside of the allowed roots.
    """
    missing = toolroll.ToolError("Directory not found", code="directory_not_found")
    if "\0" not in text and Path(text).is_absolute() and not is_kind(Path.is_dir, Path(text)):
        raise missing
    root = ctx.roots.find(text).path
    if not root.is_dir():
        raise missing
    return root


def is_kind(kind: Callable[[Path], bool], path: Path) -> bool:
    """Ask a path what it is; what the system can't look up, say for a name too long, is nothing."""
    try:
        return kind(path)
    except OSError:
        return False


def index(
    ctx: toolroll.PackContext,
    root: Path,
    languages: Sequence[str],
    *,
    include_tests: bool,
    provisionally: bool = False,
    progress: Progress | None = None,
    check: Callable[[], None] = _go_on,
) -> Indexed:
    """Index a project; calls for the same project follow one another.

    `check` is called every moment, and raises to stop: then nothing was changed.

    `provisionally`, an edit of a large project is answered before all of it is resolved: somebody
    is to `reconcile` it then.
    """
    indexer = Indexer(ctx.database, processes=_processes(ctx), log=ctx.log, check=check)
    with _locked(ctx, root, check):
        try:
            report: IndexReport = indexer.index(
                root, languages, include_tests=include_tests,
                provisionally=provisionally and _settings(ctx).provisional,
                progress=progress or _silent,
            )  # fmt: skip
        except NoCodeFiles as error:
            raise toolroll.ToolError(error.message, code="no_code_files") from None
    from attrs import asdict

    stats = asdict(report)
    return Indexed(provisional=stats.pop("provisional"), stats=IndexStats(**stats))


def index_again(
    ctx: toolroll.PackContext,
    project: StoredProject,
    *,
    provisionally: bool = False,
    check: Callable[[], None] = _go_on,
) -> Indexed:
    """Bring the index of a project up to date, with the languages and tests that it has."""
    return index(
        ctx, Path(project.path), project.languages, include_tests=project.include_tests,
        provisionally=provisionally, check=check,
    )  # fmt: skip


def reconciliation(ctx: toolroll.PackContext, root: Path) -> Reconciliation:
    """Return what `reconcile` runs; it can be given up from another thread."""
    from toolroll_codegraph.indexing.reconciling import Reconciliation

    return Reconciliation(ctx.database, processes=_processes(ctx), lock=lambda: _locked(ctx, root))


def reconcile(ctx: toolroll.PackContext, root: Path, reconciliation: Reconciliation) -> bool:
    """Resolve what is told provisionally of a project, while it may be read and indexed.

    False where it was edited meanwhile, or another host is at it: it stays provisional.
    """
    from toolroll_codegraph.indexing.reconciling import OtherLayout

    try:
        with ctx.locks.project(f"codegraph-reconciling:{root}", timeout=0):
            done = reconciliation.run(root)
    except toolroll.ResourceBusy:
        return False
    except OtherLayout:
        for project in projects(ctx):
            if project.path == str(root):
                index_again(ctx, project)
        return True
    if done:
        ctx.log.info("resolved the last edits of %s", root)
    return done


def provisional_projects(ctx: toolroll.PackContext) -> list[StoredProject]:
    """Return the projects of which something is told provisionally."""
    if not ctx.database.is_made:
        return []
    with ctx.database.read() as session:
        return store.provisional_projects(session)


def _settings(ctx: toolroll.PackContext) -> CodeGraphSettings:
    return cast("CodeGraphSettings", ctx.settings)


def _processes(ctx: toolroll.PackContext) -> int:
    from toolroll_codegraph.indexing.parsing import available_processes

    return _settings(ctx).processes or available_processes()


@contextmanager
def _locked(
    ctx: toolroll.PackContext, root: Path, check: Callable[[], None] = _go_on
) -> Generator[None]:
    """Hold a project against index runs.

    Raises:
        ResourceBusy: Another call indexes it, for longer than one waits.
    """
    seconds = _settings(ctx).index_timeout
    busy = f"another call is indexing this project, and was for {seconds:g} s; call again"
    with held(ctx.locks, f"codegraph:{root}", seconds, check=check, busy=busy):
        yield


@contextmanager
def reading(
    ctx: toolroll.PackContext, root: Path, *, never: toolroll.ToolError | None = None
) -> Generator[tuple[Session, StoredProject]]:
    """Read the index of a project; where nothing was ever indexed, nothing is made.

    Raises:
        ToolError: It was never indexed; which error, may be given.
    """
    if ctx.database.is_made:
        with ctx.database.read() as session:
            project = store.find_project(session, str(root))
            if project is not None:
                yield session, project
                return
    raise never or toolroll.ToolError(NOT_INDEXED, code="not_indexed")


def holdings(ctx: toolroll.PackContext) -> list[toolroll.Holding]:
    """Return what is stored of each project."""
    found = projects(ctx)
    if not found:
        return []
    with ctx.database.read() as session:
        sizes = store.sizes(session)
    return [
        toolroll.Holding(
            name=project.path, directory=project.path, size=sizes.get(project.id, 0),
            used=datetime.fromtimestamp(project.indexed_at / 1e9, UTC),
        )
        for project in found
    ]  # fmt: skip


def forget(ctx: toolroll.PackContext, path: str) -> bool:
    """Remove a project from the index, and say whether it was there; its files are not touched.

    Raises:
        ResourceBusy: A call indexes it, for longer than one waits.
    """
    if not ctx.database.is_made:
        return False
    with _locked(ctx, Path(path)), ctx.database.begin(lock=path) as session:
        return store.remove_project(session, path)


def projects(ctx: toolroll.PackContext) -> list[StoredProject]:
    """Return all indexed projects, by path."""
    if not ctx.database.is_made:
        return []
    with ctx.database.read() as session:
        return store.all_projects(session)
