"""The table `[file_ops]` of `toolroll.toml`."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from pydantic import Field, field_validator

import toolroll

__all__ = [
    "CacheSettings",
    "CollectionSettings",
    "EmbeddingSettings",
    "FileOpsSettings",
    "RerankSettings",
    "SearchSettings",
    "ServiceSettings",
]


class CollectionSettings(toolroll.Settings):
    """A collection that the host keeps indexed and watches, `[[file_ops.collections]]`."""

    name: str = Field(min_length=1, max_length=128)
    path: str = "."
    """Absolute, or relative to the project root; inside an allowed root."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class CacheSettings(toolroll.Settings):
    """Sizes of the caches, `[file_ops.cache]`; the defaults are the document's."""

    content_files: int = Field(default=100, ge=0)
    content_bytes: int = Field(default=100_000_000, ge=0)
    content_seconds: float = Field(default=600, gt=0)
    summary_entries: int = Field(default=500, ge=0)
    summary_bytes: int = Field(default=10_000_000, ge=0)
    summary_seconds: float = Field(default=1800, gt=0)
    list_entries: int = Field(default=50, ge=0)
    list_bytes: int = Field(default=5_000_000, ge=0)
    list_seconds: float = Field(default=300, gt=0)
    outline_entries: int = Field(default=50, ge=0)
    outline_bytes: int = Field(default=5_000_000, ge=0)
    outline_seconds: float = Field(default=600, gt=0)


class ServiceSettings(toolroll.Settings):
    """A model service over HTTP."""

    endpoint: str = Field(pattern="^https?://[^/]")
    """The full address of the operation."""
    model: str = Field(min_length=1)
    key_file: str = ""
    """A file that holds the service's key; empty where it needs none."""
    timeout_seconds: float = Field(default=30, gt=0)


class EmbeddingSettings(ServiceSettings):
    """The service behind `embedder = "openai"`, `[file_ops.search.embedding]`."""

    endpoint: str = Field(default="http://localhost:11434/v1/embeddings", pattern="^https?://[^/]")
    model: str = Field(default="text-embedding-3-small", min_length=1)
    dimension: int = Field(default=1536, ge=1, le=8192)


class RerankSettings(ServiceSettings):
    """A Cohere-compatible service that orders the best chunks, `[file_ops.search.rerank]`."""

    enabled: bool = False
    """Send queries and chunks to `endpoint`; off, so that no text leaves unasked."""
    endpoint: str = Field(default="https://api.cohere.com/v2/rerank", pattern="^https?://[^/]")
    model: str = Field(default="rerank-v3.5", min_length=1)
    candidates: int = Field(default=30, ge=1, le=200)


class SearchSettings(toolroll.Settings):
    """How to search, and the numbers of `toolroll.search.RankingSettings`: `[file_ops.search]`."""

    lexical_engine: Literal["fts5", "whoosh"] = "fts5"
    """What finds words where the database is SQLite; PostgreSQL has its own."""
    embedder: Literal["wordllama", "openai", "none"] = "wordllama"
    embedding: EmbeddingSettings = EmbeddingSettings()
    rerank: RerankSettings = RerankSettings()
    candidates: int = Field(default=100, ge=10, le=2000)
    semantic_weight: float = Field(default=0.45, ge=0, le=1)
    symbol_semantic_weight: float = Field(default=0.3, ge=0, le=1)
    feedback_weight: float = Field(default=0.3, ge=0)
    feedback_chunks: int = Field(default=3, ge=1)
    coherence: float = Field(default=0.2, ge=0)
    coherence_chunks: int = Field(default=100, ge=1)
    file_meaning: float = Field(default=0.8, ge=0)
    file_name: float = Field(default=0.6, ge=0)
    name_meaning: float = Field(default=0.3, ge=0)
    file_path: float = Field(default=5.0, ge=0)
    symbol_words: float = Field(default=0.3, ge=0)
    definition_symbol: float = Field(default=3.0, ge=0)
    definition_prose: float = Field(default=1.5, ge=0)
    definition_file: float = Field(default=1.5, ge=0)
    side_path: float = Field(default=0.6, ge=0, le=1)
    declaration: float = Field(default=0.8, ge=0, le=1)
    gathering: float = Field(default=0.9, ge=0, le=1)
    documentation: float = Field(default=0.6, ge=0, le=1)
    style: float = Field(default=0.7, ge=0, le=1)


class FileOpsSettings(toolroll.Settings):
    """Settings of the pack; every default is safe."""

    collections: tuple[CollectionSettings, ...] = ()
    watch: bool = True
    """Whether the host watches the declared collections for changes."""
    chunk_bytes: int = Field(default=1500, ge=64, le=100_000)
    max_file_bytes: int = Field(default=10_000_000, ge=1)
    """Larger files are left out of the index."""
    max_files: int = Field(default=50_000, ge=1)
    """More files in one collection are refused: most likely the wrong directory."""
    max_total_bytes: int = Field(default=2_000_000_000, ge=1)
    rate_limit_per_second: float = Field(default=0, ge=0)
    """Calls for each operation and collection; 0 for no limit."""
    cache: CacheSettings = CacheSettings()
    search: SearchSettings = SearchSettings()

    @field_validator("collections")
    @classmethod
    def _named_once(cls, value: tuple[CollectionSettings, ...]) -> tuple[CollectionSettings, ...]:
        names = Counter(item.name for item in value)
        if twice := sorted(name for name, times in names.items() if times > 1):
            raise ValueError(f"declares {twice[0]!r} more than once; give each a name of its own")
        return value
