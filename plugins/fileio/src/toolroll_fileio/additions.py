"""The tools beyond the document: pages, grep, what was deleted, projects and the index's state."""

from __future__ import annotations

from datetime import UTC, datetime

import toolroll
from toolroll_fileio import params, results
from toolroll_fileio.failures import failure
from toolroll_fileio.names import Space, check_path, check_project
from toolroll_fileio.serving import UNBOUNDED, Serving, clamped, counted, settings_of

__all__ = ["Additions"]

MOST_MATCHES = 1_000


class Additions(Serving):
    """The pack with the tools that the document doesn't have."""

    @toolroll.tool(max_output=UNBOUNDED, brief=True)
    def file_list_page(self, ctx: toolroll.ToolContext, args: params.ListPage) -> results.EntryPage:
        """List any number of stored files and directories, a page at a time, sorted by path.

        Like file_list, but answers with `next_cursor`; pass it as `cursor` until it is empty.
        """
        from toolroll_fileio.listing import check_listing, list_entries

        path = check_listing(args.project, args.path, args.depth)
        if args.depth == 0:
            raise failure("INVALID_OFFSET", "depth must be at least 1; use file_stat for one path")
        after = check_path(args.cursor, "cursor")
        settings = settings_of(ctx)
        limit = clamped(args, settings.list_limit_default, settings.list_limit_max)
        with self.reading(ctx, args.project) as files:
            entries, more = list_entries(files, path, args.depth, limit, after)
        return results.EntryPage.model_construct(
            entries=entries, next_cursor=entries[-1]["path"] if more and entries else ""
        )

    @toolroll.tool(max_output=UNBOUNDED)
    def file_grep(self, ctx: toolroll.ToolContext, args: params.Grep) -> results.Matches:
        """Find every match of a regular expression in stored files below a path.

        RE2 syntax: no look-around, no back-references. Each match names its file, line and byte
        range, ready for file_read. Runs for a bounded time; go on with `next_cursor`.
        """
        from toolroll_fileio.grepping import Place, compile_pattern, grep

        check_project(args.project)
        check_path(args.path)
        pattern = compile_pattern(args.pattern, ignore_case=args.ignore_case)
        start = Place.parse(args.cursor)
        limit = clamped(args, 100, MOST_MATCHES)
        seconds = settings_of(ctx).grep_timeout_ms / 1000
        with self.reading(ctx, args.project) as files:
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
        settings = settings_of(ctx)
        limit = clamped(args, settings.list_limit_default, settings.list_limit_max)
        with self.reading(ctx, args.project) as files:
            now = datetime.now(UTC)
            return list_deleted(files, args.path, limit, after, now, settings)

    @toolroll.tool(writes=True)
    def file_undelete(self, ctx: toolroll.ToolContext, args: params.Undelete) -> results.Restored:
        """Restore what the latest deletion at or below a path removed, if its place is still free.

        One call takes back one file_delete, or the file that a rename replaced. Answers with the
        number of files; each call goes one deletion further back.
        """
        from toolroll_fileio.restoring import undelete

        with counted("file_undelete"):
            check_project(args.project)
            check_path(args.path)
            with self.changing(ctx, args.project) as change:
                return undelete(change, args.path, settings_of(ctx))

    @toolroll.tool(brief=True)
    def file_list_projects(
        self, ctx: toolroll.ToolContext, args: params.ListProjects
    ) -> results.Projects:
        """List your projects with the number and total size of their files."""
        from toolroll_fileio.projects import list_projects

        after = check_project(args.cursor, "cursor") if args.cursor else ""
        settings = settings_of(ctx)
        limit = clamped(args, settings.list_limit_default, settings.list_limit_max)
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
