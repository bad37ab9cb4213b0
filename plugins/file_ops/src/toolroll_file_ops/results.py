"""What the tools that read and list return, field by field as the document names them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

__all__ = [
    "CollectionAnswer",
    "CollectionInfo",
    "CollectionList",
    "ContextHint",
    "DirectoryNode",
    "FileChunks",
    "FileContent",
    "FileInfo",
    "FileList",
    "FileMetadata",
    "FileNodeInfo",
    "FileSummary",
    "Indexed",
    "KeyFile",
    "NotIndexed",
    "OrderedChunk",
    "ProjectOutline",
    "ProjectStatistics",
    "StructuralSummary",
    "SummaryMetadata",
    "omitted",
]


def omitted() -> Any:
    """Return a field that is left out of the answer while it is None."""
    return Field(default=None, exclude_if=lambda value: value is None)


class CollectionAnswer(BaseModel):
    """An answer about the files of a collection, all of which were to be looked at."""

    stale: str | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="Why files that are new or changed may be missing; absent where none is",
    )


class FileMetadata(BaseModel):
    """What is known of a file without reading it."""

    file_type: str
    size_kb: float
    size_bytes: int
    chunk_count: int
    last_indexed: str
    language: str | None = omitted()
    encoding: str


class FileContent(BaseModel):
    """Answer of `get_file_content`."""

    file_path: str
    content: str
    metadata: FileMetadata | None = omitted()
    chunks_available: int
    collection: str
    from_cache: bool


class StructuralSummary(BaseModel):
    """How a file is built."""

    outline: str | None = omitted()
    key_sections: list[str]
    key_points: list[str]
    truncated: bool = False


class SummaryMetadata(BaseModel):
    """How a summary was made."""

    chunk_count: int
    file_type: str
    summary_method: Literal["extractive", "structural", "both"]


class FileSummary(BaseModel):
    """Answer of `get_file_summary`."""

    file_path: str
    extractive_summary: str | None = omitted()
    structural_summary: StructuralSummary | None = omitted()
    metadata: SummaryMetadata
    generated_at: str


class FileInfo(BaseModel):
    """One row of a list of files."""

    path: str
    file_type: str
    language: str | None = omitted()
    chunk_count: int
    size_estimate_kb: float
    size_bytes: int
    last_indexed: str
    has_summary: bool


class FileList(CollectionAnswer):
    """Answer of `list_files_in_collection`."""

    collection: str
    files: list[FileInfo]
    total_files: int
    total_chunks: int
    returned: int
    offset: int
    has_more: bool


class ContextHint(BaseModel):
    """The end of the chunk before, and the beginning of the one after."""

    prev_chunk_preview: str | None = omitted()
    next_chunk_preview: str | None = omitted()


class OrderedChunk(BaseModel):
    """One chunk of a file."""

    index: int
    content: str
    line_range: tuple[int, int]
    byte_range: tuple[int, int]
    context_hint: ContextHint | None = omitted()


class FileChunks(BaseModel):
    """Answer of `get_file_chunks_ordered`."""

    file_path: str
    total_chunks: int
    chunks: list[OrderedChunk]
    has_more: bool
    next_start: int | None


class FileNodeInfo(BaseModel):
    """A file in the tree."""

    chunks: int
    size_kb: float
    summary: str | None = omitted()


class DirectoryNode(BaseModel):
    """A directory or file in the tree."""

    name: str
    type: Literal["directory", "file"]
    children: list[DirectoryNode] | None = omitted()
    file_info: FileNodeInfo | None = omitted()
    is_key_file: bool | None = omitted()
    truncated: bool | None = omitted()
    file_count: int | None = omitted()
    directory_count: int | None = omitted()


class KeyFile(BaseModel):
    """A file to look at first."""

    path: str
    reason: str
    chunk_count: int


class ProjectStatistics(BaseModel):
    """Counts over the whole collection, whatever the depth of the tree."""

    total_files: int
    total_directories: int
    file_types: dict[str, int]


class ProjectOutline(CollectionAnswer):
    """Answer of `get_project_outline`."""

    collection: str
    structure: DirectoryNode
    key_files: list[KeyFile]
    statistics: ProjectStatistics


class CollectionInfo(BaseModel):
    """A collection and the state of its index."""

    name: str
    path: str
    files: int
    chunks: int
    bytes: int
    skipped_files: int
    indexed_at: str | None
    complete: bool
    include: list[str]
    exclude: list[str]


class CollectionList(BaseModel):
    """Answer of `list_collections`."""

    collections: list[CollectionInfo]
    total: int


class NotIndexed(BaseModel):
    """A file without content in its collection, and why."""

    path: str
    reason: str


class Indexed(BaseModel):
    """Answer of `index_collection`."""

    collection: str
    added: int
    updated: int
    removed: int
    unchanged: int
    skipped: int
    unmatched_include: list[str] = Field(description="Include globs that no file matches")
    not_indexed: list[NotIndexed]
    total_files: int
    total_chunks: int
    duration_ms: int
