"""What the tools take; each class is the schema the document prints for its tool.

The document writes TypeScript `number`, so that is what is advertised; whole numbers and ranges are
checked where the value is used (`numbers`), with an error that names parameter and limit.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

import toolroll

__all__ = [
    "Discover",
    "GetFileChunksOrdered",
    "GetFileContent",
    "GetFileSummary",
    "GetProjectOutline",
    "GetRelatedFiles",
    "IndexCollection",
    "IntelligentSearch",
    "ListCollections",
    "ListFilesInCollection",
    "SearchByFileType",
    "SearchVectors",
]

Collection = Annotated[str, Field(description="Collection name")]
FilePath = Annotated[
    toolroll.ProjectPath, Field(description="Relative file path within collection")
]
Query = Annotated[str, Field(description="What to look for, in words or as a symbol")]
Flag = bool


class GetFileContent(toolroll.Params):
    """Parameters of `get_file_content`."""

    collection: Collection
    file_path: FilePath
    max_size_kb: float = Field(500, description="Maximum file size in KB (default: 500)")
    include_metadata: Flag = Field(True, description="Include file metadata")


class GetFileSummary(toolroll.Params):
    """Parameters of `get_file_summary`."""

    collection: Collection
    file_path: FilePath
    summary_type: Literal["extractive", "structural", "both"] = "both"
    max_sentences: float = Field(5, description="Sentences of the extractive summary, 1 to 50")
    include_outline: Flag = True


class ListFilesInCollection(toolroll.Params):
    """Parameters of `list_files_in_collection`."""

    collection: Collection
    filter_by_type: list[str] = Field([], description='Extensions or languages, e.g. ["rs", "md"]')
    min_chunks: float = Field(0, description="Leave out files with fewer chunks")
    max_results: float = Field(100, description="Files to return at most, 1 to 10000")
    sort_by: Literal["name", "size", "chunks", "recent"] = "name"
    offset: float = Field(0, description="Files to skip, for paging")


class GetFileChunksOrdered(toolroll.Params):
    """Parameters of `get_file_chunks_ordered`."""

    collection: Collection
    file_path: FilePath
    start_chunk: float = Field(0, description="Index of the first chunk")
    limit: float = Field(10, description="Chunks to return, 1 to 50")
    include_context: Flag = Field(False, description="Include previews of both neighbours")


class GetProjectOutline(toolroll.Params):
    """Parameters of `get_project_outline`."""

    collection: Collection
    max_depth: float = Field(5, description="Levels of the tree, 1 to 10")
    include_summaries: Flag = False
    highlight_key_files: Flag = Field(True, description="Mark README, manifests, entry points")


class GetRelatedFiles(toolroll.Params):
    """Parameters of `get_related_files`."""

    collection: Collection
    file_path: FilePath
    limit: float = Field(5, description="Files to return at most, 1 to 100")
    similarity_threshold: float = Field(0.6, description="Least similarity, 0 to 1")
    include_reason: Flag = True
    max_results: float | None = Field(None, description="Another name for limit")


class SearchByFileType(toolroll.Params):
    """Parameters of `search_by_file_type`."""

    collection: Collection
    query: Query
    file_types: list[str] = Field(description='Extensions or languages, e.g. ["yaml", "python"]')
    limit: float = Field(10, description="Files to return at most, 1 to 100")
    return_full_files: Flag = Field(False, description="Include files of up to 1000 KB whole")


class SearchVectors(toolroll.Params):
    """Parameters of `search_vectors`."""

    query: Query
    collection: Collection
    limit: int = Field(10, description="Results to return at most, 1 to 100")
    group_by_file: Flag = Field(False, description="Group results by file")
    include_file_summary: Flag = Field(False, description="Include file summaries")
    max_chunks_per_file: int | None = Field(None, description="Limit chunks per file")
    similarity_threshold: float = Field(0.0, description="Least score, 0 to 1")


class IntelligentSearch(toolroll.Params):
    """Parameters of `intelligent_search`."""

    query: Query
    collections: list[str] = Field([], description="Collections to search; none for all")
    max_results: int = Field(10, description="Results to return at most, 1 to 100")
    domain_expansion: Flag = Field(True, description="Also search for related terms")
    similarity_threshold: float = Field(0.0, description="Least score, 0 to 1")


class Discover(toolroll.Params):
    """Parameters of `discover`."""

    query: Query
    include_collections: list[str] = Field([], description="Name globs; none for all")
    exclude_collections: list[str] = Field(
        ["*-test", "*-backup"], description="Name globs to leave out"
    )
    max_bullets: int = Field(20, description="Sentences to quote at most, 1 to 100")
    broad_k: int = Field(50, description="Chunks to consider, 1 to 500")
    focus_k: int = Field(15, description="Chunks to read closely, 1 to 100")


class IndexCollection(toolroll.Params):
    """Parameters of `index_collection`."""

    collection: Collection
    path: str | None = Field(
        None,
        description="Directory: absolute, or relative to the project root. By default the one that "
        "the collection has; the project root for a new one",
    )
    include: list[str] | None = Field(None, description="Only files that match these globs")
    exclude: list[str] | None = Field(None, description="No files that match these globs")


class ListCollections(toolroll.Params):
    """Parameters of `list_collections`: none."""
