"""The fileio pack: what the document's tools are; what they do is in the module of each."""

from __future__ import annotations

from collections.abc import Sequence

import toolroll
from toolroll_fileio import params, results
from toolroll_fileio.additions import Additions
from toolroll_fileio.names import Space, check_project
from toolroll_fileio.serving import UNBOUNDED, clamped, counted, settings_of

__all__ = ["FileIO"]


class FileIO(Additions):
    """Durable, project-scoped files for agents, with search."""

    @toolroll.tool(brief=True)
    def file_stat(self, ctx: toolroll.ToolContext, args: params.Stat) -> results.Stat:
        """Say whether a path exists in your store, and give its type, size and times.

        A path that does not exist is an answer (`exists` false), not an error. Directories exist
        while a file lies below them; their size is 0 and `updated_at` that of the newest file.
        """
        from toolroll_fileio.reading import check_target, stat

        check_target(args.project, args.path)
        with self.reading(ctx, args.project) as files:
            return stat(files, args.path)

    @toolroll.tool(max_output=UNBOUNDED, brief=True)
    def file_read(self, ctx: toolroll.ToolContext, args: params.Read) -> results.Content:
        """Read text from a stored file, all of it or a range of bytes.

        Offset and length count bytes. Behind the end of the file the content is "". A range that
        begins or ends inside a character is moved to the next one, so consecutive ranges join.
        Files may have megabytes: where file_stat tells of more than you can take, read in ranges.
        Byte ranges from file_search and file_grep fit.
        """
        from toolroll_fileio.reading import check_range, check_target, read

        check_target(args.project, args.path, root=False)
        check_range(args.offset, args.length)
        with self.reading(ctx, args.project) as files:
            return read(files, args.path, args.offset, args.length)

    @toolroll.tool(writes=True, destructive=True, brief=True)
    def file_write(self, ctx: toolroll.ToolContext, args: params.Write) -> results.Written:
        """Write text into a stored file; it and its directories are made if missing.

        The default mode APPEND adds at the end. Use TRUNCATE to replace a whole file, OVERWRITE
        with a byte offset to replace part of it. Answers with the bytes of `content`.
        """
        from toolroll_fileio.writing import Write, write

        with counted("file_write"):
            request = Write.checked(
                settings_of(ctx),
                project=args.project,
                path=args.path,
                content=args.content,
                encoding=args.content_encoding,
                offset=args.offset,
                mode=args.mode,
            )
            with self.changing(ctx, args.project) as change:
                return write(change, request, settings_of(ctx))

    def holdings(self, context: toolroll.PackContext) -> Sequence[toolroll.Holding]:
        """Return the projects."""
        from toolroll_fileio.projects import holdings

        return holdings(context)

    def release(self, context: toolroll.PackContext, holding: toolroll.Holding) -> None:
        """Remove a project for good, as where its key was revoked."""
        from toolroll_fileio.removing import remove

        remove(context, holding, self.engine(context))

    @toolroll.tool(writes=True, destructive=True)
    def file_delete(self, ctx: toolroll.ToolContext, args: params.Delete) -> results.Deleted:
        """Delete a stored file, or with `recursive` a directory and everything below it.

        Answers with the number of files. Deleted files can be restored for some days with
        file_undelete.
        """
        from toolroll_fileio.deleting import check_delete, delete

        with counted("file_delete"):
            check_delete(
                args.project, args.path, recursive=args.recursive, settings=settings_of(ctx)
            )
            with self.changing(ctx, args.project) as change:
                return delete(change, args.path, recursive=args.recursive)

    @toolroll.tool(writes=True, destructive=True)
    def file_rename(self, ctx: toolroll.ToolContext, args: params.Rename) -> results.Moved:
        """Rename or move a stored file, or a directory with everything below it.

        `to_path` is the full new path. All or nothing: if anything is in the way, nothing moves.
        A directory may be moved into an existing one if no file collides; only a single file may
        replace another one, with `overwrite`. Answers with the number of files moved.
        """
        from toolroll_fileio.moving import check_rename, rename

        with counted("file_rename"):
            check_rename(args.project, args.from_path, args.to_path)
            if args.from_path == args.to_path:
                return results.Moved(moved_count=0)
            with self.changing(ctx, args.project) as change:
                return rename(change, args.from_path, args.to_path, overwrite=args.overwrite)

    @toolroll.tool(max_output=UNBOUNDED, brief=True)
    def file_list(self, ctx: toolroll.ToolContext, args: params.List) -> results.Entries:
        """List stored files and directories below a path, sorted by path.

        Depth 1 gives the immediate children, more goes deeper, 0 describes the path itself. Where
        `has_more` is true, list a subdirectory, or use file_list_page.
        """
        from toolroll_fileio.listing import check_listing, list_entries

        path = check_listing(args.project, args.path, args.depth)
        settings = settings_of(ctx)
        limit = clamped(args, settings.list_limit_default, settings.list_limit_max)
        with self.reading(ctx, args.project) as files:
            entries, more = list_entries(files, path, args.depth, limit)
        return results.Entries.model_construct(entries=entries, has_more=more)  # checked once sent

    @toolroll.tool(max_output=UNBOUNDED)
    def file_search(self, ctx: toolroll.ToolContext, args: params.Search) -> results.Chunks:
        """Find parts of stored files by meaning and by words, best first.

        Each chunk names its file and byte range, ready for file_read. Use file_grep for an exact
        pattern. `path_prefix` is compared character by character: "/di" admits /dir and /dix.
        """
        from toolroll_fileio.searching import check_query

        self.pace.called()
        check_project(args.project)
        query = check_query(args.query)
        settings = settings_of(ctx).search
        limit = clamped(args, settings.limit_default, settings.limit_max)
        space = Space(ctx.principal.tenant, args.project)
        engine = self.engine(ctx)
        engine.hand_again(ctx, space)
        return engine.searcher.search(ctx, space, query, args.path_prefix, limit)
