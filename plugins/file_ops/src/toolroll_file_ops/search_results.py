"""What the tools that search return, field by field as the document names them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from toolroll_file_ops.results import CollectionAnswer, omitted

__all__ = [
    "ChunkMatch",
    "Discovery",
    "FileContext",
    "FileSearchResult",
    "FileTypeResults",
    "GroupedHit",
    "IntelligentHit",
    "IntelligentResults",
    "RelatedFile",
    "RelatedFiles",
    "SearchHit",
    "SearchResults",
    "SourceFile",
]


class RelatedFile(BaseModel):
    """A file that has to do with the source file."""

    path: str
    similarity_score: float
    reason: str | None = omitted()
    shared_concepts: list[str]


class RelatedFiles(CollectionAnswer):
    """Answer of `get_related_files`."""

    source_file: str
    related_files: list[RelatedFile]


class ChunkMatch(BaseModel):
    """A chunk that matches."""

    chunk_index: int
    content: str
    score: float
    line_range: tuple[int, int]


class FileSearchResult(BaseModel):
    """A file that matches."""

    file_path: str
    file_type: str
    relevance_score: float
    matching_chunks: list[ChunkMatch]
    full_content: str | None = omitted()
    full_content_omitted: str | None = omitted()


class FileTypeResults(CollectionAnswer):
    """Answer of `search_by_file_type`."""

    query: str
    file_types: list[str]
    results: list[FileSearchResult]
    total_matches: int


class SearchHit(BaseModel):
    """A chunk found by `search_vectors`."""

    id: str
    score: float
    payload: dict[str, Any]
    file_summary: str | None = omitted()


class GroupedHit(BaseModel):
    """A file found by `search_vectors` with `group_by_file`."""

    file_path: str
    file_type: str
    score: float
    best_chunk_index: int
    chunks: list[ChunkMatch]
    total_chunks: int
    file_summary: str | None = omitted()


class SearchResults(CollectionAnswer):
    """Answer of `search_vectors`: chunks, or files when grouped."""

    results: list[SearchHit | GroupedHit]
    total: int


class FileContext(BaseModel):
    """The file around a chunk."""

    file_path: str
    chunk_index: int
    total_chunks: int
    file_summary: str | None = omitted()
    can_fetch_full: bool
    line_range: tuple[int, int]
    freshness: Literal["fresh"]


class IntelligentHit(BaseModel):
    """A chunk found by `intelligent_search`."""

    content: str
    score: float
    collection: str
    doc_id: str
    metadata: dict[str, Any]
    score_breakdown: dict[str, float]
    file_context: FileContext


class IntelligentResults(CollectionAnswer):
    """Answer of `intelligent_search`."""

    results: list[IntelligentHit]
    metadata: dict[str, int]


class SourceFile(BaseModel):
    """A file that an answer draws on."""

    path: str
    collection: str
    relevant_chunks: list[int]
    relevance_score: float
    has_full_file_available: bool
    file_summary: str | None = omitted()


class Discovery(CollectionAnswer):
    """Answer of `discover`."""

    answer_prompt: str
    sections: int
    bullets: int
    chunks: int
    metrics: dict[str, int]
    source_files: list[SourceFile]
