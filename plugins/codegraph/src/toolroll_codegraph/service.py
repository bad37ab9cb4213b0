"""What the tools and commands do, on one project directory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import toolroll
from toolroll_codegraph.indexing.indexer import Indexer, IndexReport, NoCodeFiles
from toolroll_codegraph.queries.context import Reached, reach
from toolroll_codegraph.queries.fitting import fit
from toolroll_codegraph.queries.freshness import indexed_files, stale_files
from toolroll_codegraph.queries.names import find_functions
from toolroll_codegraph.queries.related import related_files
from toolroll_codegraph.results import (
    MOST_LINES,
    CallRecord,
    Context,
    FunctionContext,
    FunctionRecord,
    Indexed,
    IndexStats,
    Related,
    RelatedFile,
)
from toolroll_codegraph.settings import CodeGraphSettings
from toolroll_codegraph.storage import store
from toolroll_codegraph.storage.store import StoredProject
from toolroll_codegraph.storage.tables import CONFIDENCES

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from toolroll.context import Progress
    from toolroll_codegraph.indexing.reconciling import Reconciliation

NOT_INDEXED = "Code graph not indexed. Run index_code_graph first."
_MOST_MATCHES = 20


def _silent(done: float, total: float | None, message: str | None) -> None:
    return


def project_directory(ctx: toolroll.PackContext, text: str) -> Path:
    """Return the resolved directory of a project inside of the allowed roots.

    Raises:
        ToolError: It is no absolute path, no directory, or outside of the allowed roots.
    """
    missing = toolroll.ToolError("Directory not found", code="directory_not_found")
    if "\0" not in text and Path(text).is_absolute() and not _is(Path.is_dir, Path(text)):
        raise missing
    root = ctx.roots.find(text).path
    if not root.is_dir():
        raise missing
    return root


def _is(kind: Callable[[Path], bool], path: Path) -> bool:
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
) -> Indexed:
    """Index a project; calls for the same project follow one another.

    `provisionally`, an edit of a large project is answered before all of it is resolved: somebody
    is to `reconcile` it then.
    """
    indexer = Indexer(ctx.database, processes=_processes(ctx), log=ctx.log)
    with _locked(ctx, root):
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
    ctx: toolroll.PackContext, project: StoredProject, *, provisionally: bool = False
) -> Indexed:
    """Bring the index of a project up to date, with the languages and tests that it has."""
    return index(
        ctx, Path(project.path), project.languages, include_tests=project.include_tests,
        provisionally=provisionally,
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
def _locked(ctx: toolroll.PackContext, root: Path) -> Generator[None]:
    """Hold a project against index runs.

    Raises:
        ResourceBusy: Another call indexes it, for longer than one waits.
    """
    seconds = _settings(ctx).index_timeout
    with ExitStack() as held:
        try:
            held.enter_context(ctx.locks.project(f"codegraph:{root}", timeout=seconds))
        except toolroll.ResourceBusy:
            raise toolroll.ResourceBusy(
                f"another call is indexing this project, and was for {seconds:g} s; call again"
            ) from None
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


def projects(ctx: toolroll.PackContext) -> list[StoredProject]:
    """Return all indexed projects, by path."""
    if not ctx.database.is_made:
        return []
    with ctx.database.read() as session:
        return store.all_projects(session)


def function_context(
    ctx: toolroll.PackContext,
    root: Path,
    name: str,
    *,
    callers: bool,
    callees: bool,
    depth: int,
    most: int | None = None,
) -> Context:
    """Find a function and what calls it and is called by it.

    `most` bounds how many characters of JSON these take: the nearest are listed.
    """
    if depth < 1:
        raise toolroll.InvalidArguments(f"max_depth must be 1 or more, not {depth}")
    with reading(ctx, root) as (session, project):
        found = find_functions(session, project.id, name)
        if not found:
            raise toolroll.ToolError("Function not found", code="function_not_found")
        chosen = found[0]
        above: list[Reached] = []
        below: list[Reached] = []
        truncated = False
        if callers:
            above, cut = reach(session, [chosen.id], callers=True, depth=depth)
            truncated = truncated or cut
        if callees:
            below, cut = reach(session, [chosen.id], callers=False, depth=depth)
            truncated = truncated or cut
        function = _record(chosen)
        calling, called = _calls(above, function, chosen.id), _calls(below, function, chosen.id)
        if most is not None:
            reached = len(calling) + len(called)
            calling, called = fit(calling, called, most)
            truncated = truncated or len(calling) + len(called) < reached
        listed = {chosen.path, *(record.file for _, record in (*calling, *called))}
        stale = stale_files(session, project.id, root, listed)
    return Context(
        context=FunctionContext(
            function=function,
            callers=[record for _, record in calling],
            callees=[record for _, record in called],
            matches=[_record(row) for row in found[1 : _MOST_MATCHES + 1]],
            truncated=truncated,
            stale=bool(stale),
            stale_files=stale,
            provisional=bool(project.provisional),
            indexed_at=_time(project.indexed_at),
        )
    )


def related(
    ctx: toolroll.PackContext, root: Path, file_path: str, relationship: str, limit: int
) -> Related:
    """Find the files related to a file."""
    if limit < 1:
        raise toolroll.InvalidArguments(f"limit must be 1 or more, not {limit}")
    missing = toolroll.ToolError("File not found", code="file_not_found")
    try:
        path = toolroll.ProjectRoot(root).relative(file_path)
    except toolroll.InvalidPath:
        raise missing from None
    if not _is(Path.is_file, root / path):
        raise missing
    # Of a project that was never indexed no file is in the graph.
    unknown = toolroll.ToolError(
        "File not in code graph. Run index_code_graph first.", code="file_not_indexed"
    )
    with reading(ctx, root, never=unknown) as (session, project):
        if not indexed_files(session, project.id, path):
            raise unknown
        rows = related_files(session, project.id, path, relationship)
        listed = {path, *(other for other, *_ in rows[:limit])}
        stale = stale_files(session, project.id, root, listed)
    return Related(
        related_files=[
            RelatedFile(file_path=other, relationship=cast("Any", kind), strength=strength)
            for other, kind, strength in rows[:limit]
        ],
        truncated=len(rows) > limit,
        stale=bool(stale),
        provisional=bool(project.provisional),
        indexed_at=_time(project.indexed_at),
    )


def _record(row: Any) -> FunctionRecord:
    return FunctionRecord(
        name=row.qualified_name,
        file=row.path,
        start_line=row.start_line,
        end_line=row.end_line,
        is_export=row.is_export,
        qualified_name=f"{row.path}::{row.qualified_name}",
        kind=row.kind,
    )


def _calls(
    reached: Sequence[Reached], start: FunctionRecord, identifier: int
) -> list[tuple[Reached, CallRecord]]:
    names = {identifier: start.qualified_name}
    for item in reached:
        row = item.function
        names[row.id] = f"{row.path}::{row.qualified_name}"
    return [
        (
            item,
            CallRecord(
                name=item.function.qualified_name,
                file=item.function.path,
                line=item.function.start_line,
                qualified_name=names[item.function.id],
                kind=item.function.kind,
                depth=item.depth,
                via=names[item.via],
                call_lines=item.lines[:MOST_LINES],
                confidence=cast("Any", CONFIDENCES[item.confidence]),
            ),
        )
        for item in reached
    ]


def _time(nanoseconds: int) -> str:
    return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).isoformat()
