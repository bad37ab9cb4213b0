"""`search_vectors` and `search_by_file_type`: one ranking, shown as chunks or as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolroll.search import EVERYTHING, Scope
from toolroll_file_ops.content import Loaded
from toolroll_file_ops.listing import extensions
from toolroll_file_ops.ranking import Found
from toolroll_file_ops.search_results import (
    ChunkMatch,
    FileSearchResult,
    FileTypeResults,
    GroupedHit,
    SearchHit,
    SearchResults,
)
from toolroll_file_ops.searching import capped, grouped, search_verified
from toolroll_file_ops.summarize import short_summary

if TYPE_CHECKING:
    from toolroll_file_ops.opened import Opened

__all__ = ["by_file_type", "search_chunks", "search_files"]

CHUNKS_SHOWN: Final = 3
"""Chunks shown of each file, where the caller does not say."""
FULL_FILE_KB: Final = 1000
"""Files above this are not returned whole inside a search (the document's default limit)."""
FULL_TOTAL: Final = 5_000_000
"""Bytes of whole files in one answer; what comes behind is left out, and says so."""


def search_chunks(
    opened: Opened,
    query: str,
    limit: int,
    *,
    per_file: int | None,
    threshold: float,
    summaries: bool,
) -> SearchResults:
    """Return the best chunks, at most `per_file` of each file."""

    def pick(ranked: list[Found]) -> list[Found]:
        return capped(_above(ranked, threshold), per_file)[:limit]

    pairs = search_verified(opened, query, pick, files=-(-limit // per_file) if per_file else 1)
    results: list[SearchHit | GroupedHit] = [
        SearchHit(
            id=f"{hit.path}#{hit.position}",
            score=hit.score,
            payload=_payload(hit, loaded),
            file_summary=short_summary(opened, loaded) if summaries else None,
        )
        for hit, loaded in pairs
    ]
    return SearchResults(results=results, total=len(results))


def search_files(
    opened: Opened,
    query: str,
    limit: int,
    *,
    per_file: int | None,
    threshold: float,
    summaries: bool,
) -> SearchResults:
    """Return the best files, each with its best chunks."""
    rows = [
        GroupedHit(
            file_path=loaded.path,
            file_type=loaded.file_type,
            score=matches[0].score,
            best_chunk_index=matches[0].chunk_index,
            chunks=matches,
            total_chunks=loaded.chunk_count,
            file_summary=short_summary(opened, loaded) if summaries else None,
        )
        for loaded, matches in _files(opened, query, limit, per_file, threshold, EVERYTHING)
    ]
    return SearchResults(results=list(rows), total=len(rows))


def by_file_type(
    opened: Opened, query: str, types: list[str], limit: int, *, whole: bool
) -> FileTypeResults:
    """Return the best files of some types, named as asked; the filter applies before ranking."""
    scope = Scope(extensions=extensions(types))
    budget = FULL_TOTAL
    results: list[FileSearchResult] = []
    for loaded, matches in _files(opened, query, limit, None, 0.0, scope):
        content = omitted = None
        if whole:
            if len(loaded.data) > FULL_FILE_KB * 1024:
                omitted = "FileTooLarge"
            elif len(loaded.data) > budget:
                omitted = "AnswerTooLarge"
            else:
                content = loaded.text
                budget -= len(loaded.data)
        results.append(
            FileSearchResult(
                file_path=loaded.path,
                file_type=loaded.file_type,
                relevance_score=matches[0].score,
                matching_chunks=matches,
                full_content=content,
                full_content_omitted=omitted,
            )
        )
    return FileTypeResults(
        query=query, file_types=types, results=results, total_matches=len(results)
    )


def match_of(hit: Found, loaded: Loaded) -> ChunkMatch:
    """Return a chunk as answers show it."""
    return ChunkMatch(
        chunk_index=hit.position,
        content=hit.text(loaded),
        score=hit.score,
        line_range=hit.lines,
    )


def _files(
    opened: Opened,
    query: str,
    limit: int,
    per_file: int | None,
    threshold: float,
    scope: Scope,
) -> list[tuple[Loaded, list[ChunkMatch]]]:
    def pick(ranked: list[Found]) -> list[Found]:
        groups = grouped(_above(ranked, threshold))[:limit]
        return [hit for group in groups for hit in group.chunks[: per_file or CHUNKS_SHOWN]]

    pairs = search_verified(opened, query, pick, scope=scope, files=limit)
    files: dict[str, tuple[Loaded, list[ChunkMatch]]] = {}
    for hit, loaded in pairs:
        files.setdefault(hit.path, (loaded, []))[1].append(match_of(hit, loaded))
    return list(files.values())


def _above(ranked: list[Found], threshold: float) -> list[Found]:
    return [hit for hit in ranked if hit.score >= threshold]


def _payload(hit: Found, loaded: Loaded) -> dict[str, Any]:
    return {
        "content": hit.text(loaded),
        "file_path": hit.path,
        "chunk_index": hit.position,
        "line_range": list(hit.lines),
        "metadata": {
            "file_path": hit.path,
            "chunk_index": hit.position,
            "file_extension": hit.file_type,
            "chunk_size": hit.end - hit.start,
            "total_chunks": hit.chunk_count,
        },
    }
