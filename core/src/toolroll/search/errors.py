"""What search engines raise.

SearchError
├── EngineMissing    a library of the extra `toolroll[search]` is not installed
├── IndexBusy        the index cannot be used for now; try again or go on without
├── IndexBroken      the index cannot be read or is of another version: rebuild it from SQL
├── EmbeddingError   the embedder gave no usable vectors (`retryable` says if later may help)
└── RerankError      the reranker gave no usable answer: keep the fused order
"""

from __future__ import annotations

__all__ = [
    "EmbeddingError",
    "EngineMissing",
    "IndexBroken",
    "IndexBusy",
    "RerankError",
    "SearchError",
]


class SearchError(Exception):
    """A search engine could not do its work; the message says why and what to do next."""


class EngineMissing(SearchError):
    """A library that an engine is built on is not installed."""

    def __init__(self, engine: str, library: str) -> None:
        super().__init__(f"{engine} needs {library}: pip install 'toolroll[search]'")


class IndexBusy(SearchError):
    """The index cannot be used for now: another process writes it, or the disk is full."""


class IndexBroken(SearchError):
    """The stored index cannot be used: damaged, or written with another tokeniser or schema."""


class EmbeddingError(SearchError):
    """The embedder gave no usable vectors.

    Args:
        message: What failed; never holds the key or the text.
        retryable: Whether the same request may succeed later.
    """

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class RerankError(SearchError):
    """The reranker gave no usable answer."""
