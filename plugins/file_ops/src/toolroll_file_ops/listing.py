"""The files of a collection: filtered, sorted, paged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from attrs import frozen

from toolroll.search.languages import extensions_named
from toolroll_file_ops.catalogue import catalogue_of
from toolroll_file_ops.content import size_kb
from toolroll_file_ops.failures import invalid_parameter
from toolroll_file_ops.results import FileInfo, FileList
from toolroll_file_ops.summarize import have_summaries

if TYPE_CHECKING:
    from toolroll_file_ops.opened import Opened

__all__ = ["ListOptions", "extensions", "list_files", "plain_types"]

SortKey = Literal["name", "size", "chunks", "recent"]


@frozen
class ListOptions:
    """What to list."""

    types: frozenset[str]
    min_chunks: int
    most: int
    sort_by: SortKey
    offset: int


def plain_types(names: list[str], parameter: str) -> list[str]:
    """Return file types in lower case without their dot, each once, in the order they came in.

    "" stands for files without an extension.

    Raises:
        ToolError: InvalidParameter for a text that cannot be an extension.
    """
    found: list[str] = []
    for name in names:
        plain = name.strip().removeprefix("*").removeprefix(".").lower()
        nothing = not plain and bool(name.strip())  # "*" would be every file, not those without one
        if nothing or len(plain) > 32 or any(sign in plain for sign in "/\\*?") or ".." in plain:
            raise invalid_parameter(parameter, f"{name[:40]!r} is no extension such as 'toml'")
        if plain != plain.strip() or not plain.isprintable():
            raise invalid_parameter(parameter, "holds a text that is no extension")
        found.append(plain)
    return list(dict.fromkeys(found))


def extensions(types: list[str]) -> frozenset[str]:
    """Return the extensions that plain types stand for: a language's name for all of its own."""
    return frozenset(
        extension for name in types for extension in extensions_named(name.rpartition(".")[2])
    )


def list_files(opened: Opened, options: ListOptions) -> FileList:
    """Return the answer of `list_files_in_collection`; totals count every file that passes."""
    seq = opened.refresh()
    key = (opened.place.id, seq, options)
    answer, _ = opened.engine.lists.get(key, lambda: _list(opened, options))
    # Summaries come and go without the files changing: that one field is filled in anew.
    rows = catalogue_of(opened).files
    ids = {info.path: rows[info.path].id for info in answer.files if info.path in rows}
    summarised = dict(zip(ids, have_summaries(opened, list(ids.values())), strict=True))
    files = [
        info.model_copy(update={"has_summary": summarised.get(info.path, False)})
        for info in answer.files
    ]
    return answer.model_copy(update={"files": files})


def _list(opened: Opened, options: ListOptions) -> FileList:
    rows = [
        row
        for row in catalogue_of(opened).files.values()
        if (not options.types or row.file_type in options.types)
        and row.chunk_count >= options.min_chunks
    ]
    match options.sort_by:
        case "name":
            pass  # they come by path
        case "size":
            rows.sort(key=lambda row: -row.size)
        case "chunks":
            rows.sort(key=lambda row: -row.chunk_count)
        case "recent":
            rows.sort(key=lambda row: row.indexed_at, reverse=True)
    page = rows[options.offset : options.offset + options.most]
    return FileList(
        collection=opened.name,
        files=[
            FileInfo(
                path=row.path,
                file_type=row.file_type,
                language=row.language,
                chunk_count=row.chunk_count,
                size_estimate_kb=size_kb(row.size),
                size_bytes=row.size,
                last_indexed=row.indexed_at,
                has_summary=False,
            )
            for row in page
        ],
        total_files=len(rows),
        total_chunks=sum(row.chunk_count for row in rows),
        returned=len(page),
        offset=options.offset,
        has_more=options.offset + len(page) < len(rows),
    )
