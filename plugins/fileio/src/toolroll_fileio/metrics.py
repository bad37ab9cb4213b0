"""Prometheus series of manual 18.1, in the default registry; a host with /metrics shows them."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

__all__ = [
    "JOB_LATENCY",
    "LOCK_WAIT",
    "MUTATIONS",
    "QUEUE_DEPTH",
    "RERANK_FAILURES",
    "SEARCH_LATENCY",
    "VISIBILITY_LAG",
]

_MILLISECONDS: Final = (1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)

MUTATIONS: Final = Counter(
    "mcp_files_mutation", "Mutations by tool and outcome", ["tool", "status"]
)
LOCK_WAIT: Final = Histogram(
    "mcp_files_lock_wait_ms", "Wait for the project lock, in milliseconds", buckets=_MILLISECONDS
)
QUEUE_DEPTH: Final = Gauge("mcp_files_index_queue_depth", "Index jobs that wait or are worked on")
JOB_LATENCY: Final = Histogram(
    "mcp_files_index_job_latency_ms",
    "From the claim of an index job to its end, in milliseconds",
    buckets=_MILLISECONDS,
)
SEARCH_LATENCY: Final = Histogram(
    "mcp_files_search_latency_ms", "Duration of file_search, in milliseconds", buckets=_MILLISECONDS
)
RERANK_FAILURES: Final = Counter(
    "mcp_files_search_rerank_fail", "Searches whose reranker failed or timed out"
)
VISIBILITY_LAG: Final = Histogram(
    "mcp_files_index_visibility_lag_ms",
    "From the commit of a change to its being searchable, in milliseconds",
    buckets=_MILLISECONDS,
)
