"""The pack: six tools, thin over the modules that do the work.

Those import sqlalchemy, so that they are imported on first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final, cast

import toolroll
from toolroll_file_assoc.params import (
    AddFileAssociation,
    GetFile,
    GetFileTimeline,
    GetIssueFiles,
    ListFiles,
    RegisterFile,
)
from toolroll_file_assoc.results import (
    FileDetail,
    FilePage,
    FileRecord,
    IssueFile,
    Linked,
    Timeline,
)
from toolroll_file_assoc.settings import FileAssocSettings

if TYPE_CHECKING:
    import click

    from toolroll.storage import Database

__all__ = ["WRITE_LOCK", "FileAssoc"]

WRITE_LOCK: Final = "file_assoc"
"""Held by every writer: a path is looked up and inserted in one unit of work."""
MAX_OUTPUT: Final = 64_000_000
"""Characters; the document bounds these answers by rows, up to 10,000 of them."""


class FileAssoc(toolroll.Pack):
    """Which files exist, what scanners found in them, and which issues they belong to."""

    name = "file_assoc"
    title = "File associations"
    instructions = (
        "Keeps track of project files, the findings that scanners reported in them, and the issues "
        "they are linked to. Start with list_files to find files by path, severity or scanner; "
        "register_file adds a file before any scan has seen it."
    )
    envelope = toolroll.Envelope.ERROR_CODE
    errors: ClassVar[Mapping[str, str]] = {
        "not_found": "there is no such file or issue",
        "validation_error": "an argument is missing, malformed or not one of the allowed values",
        "invalid_path": "the path is absolute, malformed or leads outside the project",
    }
    codes: ClassVar[Mapping[type[toolroll.ToolError], str]] = {
        toolroll.InvalidArguments: "validation_error",
        toolroll.NotFound: "not_found",
        toolroll.InvalidPath: "invalid_path",
    }
    settings = FileAssocSettings
    migrations = "toolroll_file_assoc.migrations"
    capabilities = frozenset({"database", "project_root"})

    def commands(self) -> click.Group:
        """Return the group behind `toolroll file_assoc …`."""
        from toolroll_file_assoc.commands import commands

        return commands

    def demo(self, tour: toolroll.Tour) -> None:
        """Scan the repository with ruff and tell what the six tools say about it."""
        from toolroll_file_assoc.demo import demo

        demo(tour)

    @toolroll.tool(max_output=MAX_OUTPUT)
    def list_files(self, ctx: toolroll.ToolContext, args: ListFiles) -> FilePage:
        """List tracked files with their finding counts, filtered, sorted and paged.

        Use it to find files worth attention: has_severity and min_findings count open findings,
        scan_source any finding of that scanner. path_prefix is an exact, case-sensitive prefix of
        the project-relative path. Filters combine with AND. Sorted by updated_at descending unless
        told otherwise; path sorts ascending. Page with offset while has_more is true. A file takes
        about 300 characters, and more with its metadata: where that is too much, lower the limit.
        """
        from toolroll_file_assoc.listing import Filters, list_files

        filters = Filters(
            language=args.language,
            path_prefix=args.path_prefix,
            min_findings=args.min_findings,
            has_severity=args.has_severity,
            scan_source=args.scan_source,
        )
        direction = args.direction or ("asc" if args.sort == "path" else "desc")
        with _records(ctx).read() as session:
            results, total = list_files(
                session,
                filters,
                sort=args.sort,
                descending=direction.lower() == "desc",
                limit=args.limit,
                offset=args.offset,
            )
        return FilePage(
            results=results,
            total=total,
            limit=args.limit,
            offset=args.offset,
            has_more=args.offset + args.limit < total,
        )

    @toolroll.tool(max_output=MAX_OUTPUT)
    def get_file(self, ctx: toolroll.ToolContext, args: GetFile) -> FileDetail:
        """Get one file by id: its record, linked issues, ten latest findings and finding counts.

        Use it after list_files or register_file gave you the id. For everything that happened to
        the file, use get_file_timeline. What findings say stands in it whole, up to 10,000
        characters each: for the counts alone ask list_files, with the path as path_prefix.
        """
        from toolroll_file_assoc.detail import detail

        with _records(ctx).read() as session:
            return detail(session, args.file_id)

    @toolroll.tool(max_output=MAX_OUTPUT)
    def get_file_timeline(self, ctx: toolroll.ToolContext, args: GetFileTimeline) -> Timeline:
        """Get what happened to a file, newest first: findings, links and changes of its record.

        event_type narrows it to one kind. Page with offset while has_more is true; where messages
        or metadata, which stand in it whole, make a page too large, lower the limit. Registering a
        file is no event, so that a fresh file has an empty timeline.
        """
        from toolroll_file_assoc.timeline import timeline

        with _records(ctx).read() as session:
            results, total = timeline(
                session,
                args.file_id,
                limit=args.limit,
                offset=args.offset,
                event_type=args.event_type,
            )
        return Timeline(
            results=results,
            total=total,
            limit=args.limit,
            offset=args.offset,
            has_more=args.offset + args.limit < total,
        )

    @toolroll.tool(max_output=MAX_OUTPUT)
    def get_issue_files(self, ctx: toolroll.ToolContext, args: GetIssueFiles) -> list[IssueFile]:
        """List the files linked to an issue, newest link first, with the kind of each link.

        A file linked in two ways appears twice. An issue without files gives an empty list. All
        links come at once, about 200 characters each.
        """
        from toolroll_file_assoc import links

        with _records(ctx).read() as session:
            return links.of_issue(session, args.issue_id)

    @toolroll.tool(writes=True, idempotent=True)
    def add_file_association(self, ctx: toolroll.ToolContext, args: AddFileAssociation) -> Linked:
        """Link a file to an issue, saying how they relate.

        bug_in: the bug is in this file; task_for: the task will change it; scan_finding: a finding
        in it led to the issue; mentioned_in: the issue names it. Safe to repeat. The file must be
        registered (register_file) and the issue must exist.
        """
        from toolroll_file_assoc import links

        with _records(ctx).begin(lock=WRITE_LOCK) as session:
            links.link(session, args.file_id, args.issue_id, args.assoc_type)
        return Linked()

    @toolroll.tool(writes=True, idempotent=True)
    def register_file(self, ctx: toolroll.ToolContext, args: RegisterFile) -> FileRecord:
        """Register a file by its project-relative path, or update its record, and get its id.

        Use it to link or annotate a file before any scan has seen it; it need not exist yet.
        Different spellings of one path give the same record. Empty or absent fields keep what is
        stored; metadata replaces the stored metadata whole, and {} clears it.
        """
        from toolroll_file_assoc import files
        from toolroll_file_assoc.disk import Disk

        path = ctx.root.canonical(args.path)
        with _records(ctx).begin(lock=WRITE_LOCK) as session:
            file = files.register(
                session,
                path,
                prefix=cast("FileAssocSettings", ctx.settings).id_prefix,
                seen_on_disk=Disk(ctx.root).exists(path),
                language=args.language,
                file_type=args.file_type,
                metadata=args.metadata,
            )
            return files.record(file)


def _records(ctx: toolroll.ToolContext) -> Database:
    """Return the database, whose records are of the project.

    Raises:
        PermissionDenied: The key is limited to directories without the project's.
    """
    _root = ctx.root
    return ctx.database
