"""What is told of an indexed project: calls around a function, and files around a file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import toolroll
from toolroll_codegraph.confidence import WORDS
from toolroll_codegraph.queries.context import Reached, reach, references
from toolroll_codegraph.queries.definitions import members
from toolroll_codegraph.queries.fitting import fit
from toolroll_codegraph.queries.freshness import indexed_files, stale_files
from toolroll_codegraph.queries.names import find_functions
from toolroll_codegraph.queries.overriding import overridden, overriders
from toolroll_codegraph.queries.related import related_files
from toolroll_codegraph.results import (
    MOST_LINES,
    CallRecord,
    Context,
    FunctionContext,
    FunctionRecord,
    ReferenceRecord,
    Related,
    RelatedFile,
)
from toolroll_codegraph.service import is_kind, reading

_MOST_MATCHES: Final = 20
_MOST_MEMBERS: Final = 60
"""Methods of a class: nobody can ask for those that are not listed without their names."""
_MOST_REFERENCES: Final = 20


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
        chosen, *others = found
        inside = members(session, project.id, chosen) if chosen.kind == "class" else []
        matches = [*others[:_MOST_MATCHES], *inside[:_MOST_MEMBERS]]
        above: list[Reached] = []
        below: list[Reached] = []
        handing: list[ReferenceRecord] = []
        truncated = False
        if callers:
            above, cut = reach(session, [chosen.id], callers=True, depth=depth)
            handing = [_reference(*found) for found in references(session, chosen.id)]
            truncated = cut or len(handing) > _MOST_REFERENCES
            handing = handing[:_MOST_REFERENCES]
        if callees:
            below, cut = reach(session, [chosen.id], callers=False, depth=depth)
            truncated = truncated or cut
        nearer = overridden(session, chosen)
        further = overriders(session, chosen, _MOST_MATCHES)
        truncated = truncated or max(len(nearer), len(further)) > _MOST_MATCHES
        function = _record(chosen)
        calling, called = _calls(above, function, chosen.id), _calls(below, function, chosen.id)
        if most is not None:
            reached = len(calling) + len(called)
            calling, called = fit(calling, called, most)
            truncated = truncated or len(calling) + len(called) < reached
        records = [*handing, *(record for _, record in (*calling, *called))]
        listed = {chosen.path, *(record.file for record in records)}
        stale = stale_files(session, project.id, root, listed)
    return Context(
        context=FunctionContext(
            function=function,
            callers=[record for _, record in calling],
            callees=[record for _, record in called],
            references=handing,
            overrides=[_record(row) for row in nearer[:_MOST_MATCHES]],
            overridden_by=[_record(row) for row in further[:_MOST_MATCHES]],
            matches=[_record(row) for row in matches],
            matches_left_out=len(others) + len(inside) - len(matches),
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
    if not is_kind(Path.is_file, root / path):
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


def _reference(row: Any, lines: list[int]) -> ReferenceRecord:
    return ReferenceRecord(
        name=row.qualified_name,
        file=row.path,
        line=row.start_line,
        qualified_name=f"{row.path}::{row.qualified_name}",
        kind=row.kind,
        lines=lines[:MOST_LINES],
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
                confidence=cast("Any", WORDS[item.confidence]),
            ),
        )
        for item in reached
    ]


def _time(nanoseconds: int) -> str:
    return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).isoformat()
