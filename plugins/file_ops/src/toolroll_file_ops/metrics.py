"""The Prometheus series that the document names. Labels never hold a path."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from prometheus_client import Counter, Histogram

__all__ = ["CACHE_HITS", "CACHE_MISSES", "CONTENT_SIZE", "DURATION", "labelled", "timed"]

MOST_NAMED: Final = 100
"""Collections with series of their own: each costs some kilobytes as long as the host lives, and
callers may name as many as they like."""
OTHERS: Final = "(others)"
"""Stands for all further ones; no collection has such a name."""

DURATION: Final = Histogram(
    "file_operation_duration_seconds",
    "Duration of file operations",
    ["operation", "collection"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 60),
)
CACHE_HITS: Final = Counter("file_cache_hits_total", "Number of cache hits", ["cache_type"])
CACHE_MISSES: Final = Counter("file_cache_misses_total", "Number of cache misses", ["cache_type"])
CONTENT_SIZE: Final = Histogram(
    "file_content_size_bytes",
    "Size of retrieved files",
    ["collection"],
    buckets=(1e2, 1e3, 1e4, 1e5, 5e5, 1e6, 5e6),
)


_named: Final = set[str]()


def labelled(collection: str) -> str:
    """Return what the series call a collection."""
    if collection in _named:
        return collection
    if len(_named) >= MOST_NAMED:
        return OTHERS
    _named.add(collection)
    return collection


@contextmanager
def timed(operation: str, collection: str) -> Generator[None]:
    """Observe how long an operation on a collection takes, whether it succeeds or not."""
    with DURATION.labels(operation, labelled(collection)).time():
        yield
