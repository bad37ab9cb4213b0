"""The fileio pack: what its tools are; what they do is in the module of each.

Modules that need sqlalchemy are imported by the handlers, so that listing packs stays cheap.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, cast
from weakref import WeakKeyDictionary

import toolroll
from toolroll_fileio import params, results
from toolroll_fileio.failures import CODES, ERRORS, failure, refusal
from toolroll_fileio.names import Space, check_path, check_project
from toolroll_fileio.pacing import Pace
from toolroll_fileio.settings import EmbeddingSettings, FileioSettings, RerankSettings

if TYPE_CHECKING:
    import click

    from toolroll.storage import Database
    from toolroll_fileio.engine import Engine
    from toolroll_fileio.mutation import Mutation
    from toolroll_fileio.store import Files

__all__ = ["FileIO"]

UNBOUNDED = 2**31
"""Output bound of tools that the pack's settings limit: `file_read` may give a whole file."""
MOST_MATCHES = 1_000
CLEANING_SECONDS = 600.0


class FileIO(toolroll.Pack):
    """Durable, project-scoped files for agents, with search."""

    name = "fileio"
    title = "Project files"
    instructions = (
        "Durable text files of your own, kept in named projects and shared by every session with "
        "the same key. They are not the files of the repository. Use them for notes, plans, "
        "results and memory; find things again with file_search and file_grep."
    )
    envelope = toolroll.Envelope.CODED
    errors: ClassVar[Mapping[str, str]] = ERRORS
    codes: ClassVar[Mapping[type[toolroll.ToolError], str]] = CODES
    settings = FileioSettings
    migrations = "toolroll_fileio.migrations"
    capabilities = frozenset({"database", "tenants", "workers"})
    credential_headers = (EmbeddingSettings.key_header, RerankSettings.key_header)

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._pace = Pace()
        self._engines: WeakKeyDictionary[Database, Engine] = WeakKeyDictionary()

    def refuse(self, tool: str, problems: Sequence[toolroll.Problem]) -> toolroll.ToolError:
        """Choose the code by the first parameter at fault."""
        return refusal(problems)

    def all_errors(self) -> dict[str, str]:
        """Return the document's codes alone: the host's errors appear under them."""
        return dict(self.errors)

    def commands(self) -> click.Group:
        """Return `toolroll fileio …`."""
        from toolroll_fileio.commands import fileio

        return fileio

    def remarks(self, context: toolroll.PackContext) -> Sequence[str]:
        """Say what searches by meaning, where that depends on the database server."""
        if context.database.dialect == "sqlite":
            return ()
        from toolroll_fileio.server_vectors import remark

        return (remark(context),)

    def workers(self) -> Sequence[toolroll.Worker]:
        """Return the indexer and the cleaner."""
        return (
            toolroll.Worker("fileio-index", self._index, idle=2.0),
            toolroll.Worker("fileio-cleaning", self._clean, idle=CLEANING_SECONDS, hears=False),
        )

    def engine(self, ctx: toolroll.PackContext) -> Engine:
        """Return what indexes and searches for a host, made at first use."""
        from toolroll_fileio.engine import Engine

        with self._making:
            if ctx.database not in self._engines:
                self._engines[ctx.database] = Engine.of(ctx, self._pace)
            return self._engines[ctx.database]

    def _index(self, ctx: toolroll.PackContext) -> bool:
        engine = self.engine(ctx)
        engine.warm(ctx)
        self._pace.wait()
        return engine.indexer.step(ctx)

    def _clean(self, ctx: toolroll.PackContext) -> bool:
        from toolroll_fileio.cleaning import clean

        return clean(ctx)

    @contextlib.contextmanager
    def _reading(self, ctx: toolroll.ToolContext, project: str) -> Generator[Files]:
        from toolroll_fileio.store import Files

        self._pace.called()
        with ctx.database.reading() as connection:
            yield Files(connection, Space(ctx.principal.tenant, project))

    @contextlib.contextmanager
    def _changing(self, ctx: toolroll.ToolContext, project: str) -> Generator[Mutation]:
        from toolroll_fileio.mutation import mutate

        self._pace.called()
        space = Space(ctx.principal.tenant, project)
        asks_service = _settings(ctx).search.embedding.engine == "openai"
        # only then: making the engine imports what searches
        sealed = self.engine(ctx).sealed(ctx, space) if asks_service else None
        with mutate(ctx, space, sealed) as change:
            yield change

    def demo(self, tour: toolroll.Tour) -> None:
        """Write, list, search, move, delete and restore files."""
        from toolroll_fileio.showing import show

        show(tour)

    @toolroll.tool(brief=True)
    def file_stat(self, ctx: toolroll.ToolContext, args: params.Stat) -> results.Stat:
        """Say whether a path exists, and give its type, size and times.

        A path that does not exist is an answer (`exists` false), not an error. Directories exist
        while a file lies below them; their size is 0 and `updated_at` that of the newest file.
        """
        from toolroll_fileio.reading import check_target, stat

        check_target(args.project, args.path)
        with self._reading(ctx, args.project) as files:
            return stat(files, args.path)

    @toolroll.tool(max_output=UNBOUNDED, brief=True)
    def file_read(self, ctx: toolroll.ToolContext, args: params.Read) -> results.Content:
        """Read text from a file, all of it or a range of bytes.

        Offset and length count bytes. Behind the end of the file the content is "". A range that
        begins or ends inside a character is moved to the next one, so consecutive ranges join.
        Byte ranges from file_search and file_grep fit.
        """
        from toolroll_fileio.reading import check_range, check_target, read

        check_target(args.project, args.path, root=False)
        check_range(args.offset, args.length)
        with self._reading(ctx, args.project) as files:
            return read(files, args.path, args.offset, args.length)

    @toolroll.tool(writes=True, destructive=True, brief=True)
    def file_write(self, ctx: toolroll.ToolContext, args: params.Write) -> results.Written:
        """Write text into a file; the file and its directories are made if missing.

        The default mode APPEND adds at the end. Use TRUNCATE to replace a whole file, OVERWRITE
        with a byte offset to replace part of it. Answers with the bytes of `content`.
        """
        from toolroll_fileio.writing import Write, write

        with _counted("file_write"):
            request = Write.checked(
                _settings(ctx),
                project=args.project,
                path=args.path,
                content=args.content,
                encoding=args.content_encoding,
                offset=args.offset,
                mode=args.mode,
            )
            with self._changing(ctx, args.project) as change:
                return write(change, request, _settings(ctx))

    @toolroll.tool(writes=True, destructive=True)
    def file_delete(self, ctx: toolroll.ToolContext, args: params.Delete) -> results.Deleted:
        """Delete a file, or with `recursive` a directory and everything below it.

        Answers with the number of files. Deleted files can be restored for some days with
        file_undelete.
        """
        from toolroll_fileio.deleting import check_delete, delete

        with _counted("file_delete"):
            check_delete(args.project, args.path, recursive=args.recursive, settings=_settings(ctx))
            with self._changing(ctx, args.project) as change:
                return delete(change, args.path, recursive=args.recursive)

    @toolroll.tool(writes=True, destructive=True)
    def file_rename(self, ctx: toolroll.ToolContext, args: params.Rename) -> results.Moved:
        """Rename or move a file, or a directory with everything below it.

        `to_path` is the full new path. All or nothing: if anything is in the way, nothing moves.
        A directory may be moved into an existing one if no file collides; only a single file may
        replace another one, with `overwrite`. Answers with the number of files moved.
        """
        from toolroll_fileio.moving import check_rename, rename

        with _counted("file_rename"):
            check_rename(args.project, args.from_path, args.to_path)
            if args.from_path == args.to_path:
                return results.Moved(moved_count=0)
            with self._changing(ctx, args.project) as change:
                return rename(change, args.from_path, args.to_path, overwrite=args.overwrite)

    @toolroll.tool(max_output=UNBOUNDED, brief=True)
    def file_list(self, ctx: toolroll.ToolContext, args: params.List) -> results.Entries:
        """List files and directories below a path, sorted by path.

        Depth 1 gives the immediate children, more goes deeper, 0 describes the path itself. Where
        `has_more` is true, list a subdirectory, or use file_list_page.
        """
        from toolroll_fileio.listing import check_listing, list_entries

        path = check_listing(args.project, args.path, args.depth)
        settings = _settings(ctx)
        given = args.limit if "limit" in args.model_fields_set else 0
        limit = _limit(given, settings.list_limit_default, settings.list_limit_max)
        with self._reading(ctx, args.project) as files:
            entries, more = list_entries(files, path, args.depth, limit)
        return results.Entries.model_construct(entries=entries, has_more=more)  # checked once sent

    @toolroll.tool(max_output=UNBOUNDED)
    def file_search(self, ctx: toolroll.ToolContext, args: params.Search) -> results.Chunks:
        """Find parts of files by meaning and by words, best first.

        Each chunk names its file and byte range, ready for file_read. Use file_grep for an exact
        pattern. `path_prefix` is compared character by character: "/di" admits /dir and /dix.
        """
        from toolroll_fileio.searching import check_query

        self._pace.called()
        check_project(args.project)
        query = check_query(args.query)
        settings = _settings(ctx).search
        given = args.limit if "limit" in args.model_fields_set else 0
        limit = _limit(given, settings.limit_default, settings.limit_max)
        space = Space(ctx.principal.tenant, args.project)
        engine = self.engine(ctx)
        engine.hand_again(ctx, space)
        return engine.searcher.search(ctx, space, query, args.path_prefix, limit)

    @toolroll.tool(max_output=UNBOUNDED, brief=True)
    def file_list_page(self, ctx: toolroll.ToolContext, args: params.ListPage) -> results.EntryPage:
        """List any number of files and directories, a page at a time, sorted by path.

        Like file_list, but answers with `next_cursor`; pass it as `cursor` until it is empty.
        """
        from toolroll_fileio.listing import check_listing, list_entries

        path = check_listing(args.project, args.path, args.depth)
        if args.depth == 0:
            raise failure("INVALID_OFFSET", "depth must be at least 1; use file_stat for one path")
        after = check_path(args.cursor, "cursor")
        settings = _settings(ctx)
        limit = _limit(args.limit, settings.list_limit_default, settings.list_limit_max)
        with self._reading(ctx, args.project) as files:
            entries, more = list_entries(files, path, args.depth, limit, after)
        return results.EntryPage.model_construct(
            entries=entries, next_cursor=entries[-1]["path"] if more and entries else ""
        )

    @toolroll.tool(max_output=UNBOUNDED)
    def file_grep(self, ctx: toolroll.ToolContext, args: params.Grep) -> results.Matches:
        """Find every match of a regular expression in the files below a path.

        RE2 syntax: no look-around, no back-references. Each match names its file, line and byte
        range, ready for file_read. Runs for a bounded time; go on with `next_cursor`.
        """
        from toolroll_fileio.grepping import Place, compile_pattern, grep

        check_project(args.project)
        check_path(args.path)
        pattern = compile_pattern(args.pattern, ignore_case=args.ignore_case)
        start = Place.parse(args.cursor)
        limit = _limit(args.limit, 100, MOST_MATCHES)
        seconds = _settings(ctx).grep_timeout_ms / 1000
        with self._reading(ctx, args.project) as files:
            return grep(files, pattern, args.path, limit, start, seconds, ctx.check)

    @toolroll.tool(max_output=UNBOUNDED)
    def file_list_deleted(
        self, ctx: toolroll.ToolContext, args: params.ListDeleted
    ) -> results.DeletedFiles:
        """List deleted files at or below a path that file_undelete can still restore."""
        from toolroll_fileio.restoring import list_deleted

        check_project(args.project)
        check_path(args.path)
        after = check_path(args.cursor, "cursor")
        settings = _settings(ctx)
        limit = _limit(args.limit, settings.list_limit_default, settings.list_limit_max)
        with self._reading(ctx, args.project) as files:
            now = datetime.now(UTC)
            return list_deleted(files, args.path, limit, after, now, settings)

    @toolroll.tool(writes=True)
    def file_undelete(self, ctx: toolroll.ToolContext, args: params.Undelete) -> results.Restored:
        """Restore what the latest deletion at or below a path removed, if its place is still free.

        One call takes back one file_delete, or the file that a rename replaced. Answers with the
        number of files; each call goes one deletion further back.
        """
        from toolroll_fileio.restoring import undelete

        with _counted("file_undelete"):
            check_project(args.project)
            check_path(args.path)
            with self._changing(ctx, args.project) as change:
                return undelete(change, args.path, _settings(ctx))

    @toolroll.tool(brief=True)
    def file_list_projects(
        self, ctx: toolroll.ToolContext, args: params.ListProjects
    ) -> results.Projects:
        """List your projects with the number and total size of their files."""
        from toolroll_fileio.projects import list_projects

        after = check_project(args.cursor) if args.cursor else ""
        settings = _settings(ctx)
        limit = _limit(args.limit, settings.list_limit_default, settings.list_limit_max)
        with ctx.database.reading() as connection:
            return list_projects(connection, ctx.principal.tenant, limit, after)

    @toolroll.tool(brief=True)
    def file_index_status(
        self, ctx: toolroll.ToolContext, args: params.IndexStatus
    ) -> results.IndexStatus:
        """Say how many changes of a project cannot be found by file_search yet, and for how long.

        Nothing waits when all that was written is searchable. Failed jobs were given up: writing
        the file again queues it anew.
        """
        from toolroll_fileio.monitoring import status_of

        space = Space(ctx.principal.tenant, check_project(args.project))
        with ctx.database.reading() as connection:
            return status_of(connection, space)


def _settings(ctx: toolroll.PackContext) -> FileioSettings:
    return cast("FileioSettings", ctx.settings)


def _limit(given: int, default: int, most: int) -> int:
    """Return a limit as the document wants it: the default if not positive, else clamped."""
    return min(given if given > 0 else default, most)


@contextlib.contextmanager
def _counted(tool: str) -> Generator[None]:
    """Count a mutation by its outcome, "ok" or an error code."""
    from toolroll_fileio.metrics import MUTATIONS

    status = "SEARCH_BACKEND_ERROR"
    try:
        yield
        status = "ok"
    except toolroll.ToolError as error:
        status = error.code or CODES[type(error)]
        raise
    finally:
        MUTATIONS.labels(tool, status).inc()
