"""Reranking by any service that speaks Cohere's `/rerank`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from toolroll.search.errors import RerankError
from toolroll.search.http import Endpoint, ServiceFailed
from toolroll.search.interfaces import Reranked

__all__ = ["CohereReranker"]


class CohereReranker:
    """A `Reranker` over HTTP.

    Args:
        endpoint: The service's `…/rerank`, with its key.
        model: Model name.
    """

    def __init__(self, endpoint: Endpoint, *, model: str = "rerank-v3.5") -> None:
        self._endpoint = endpoint
        self._model = model

    def rerank(
        self, query: str, documents: Sequence[str], *, limit: int | None = None
    ) -> list[Reranked]:
        """Return the documents best first, ties by place; at most `limit` of them."""
        if not documents:
            return []
        count = len(documents) if limit is None else min(limit, len(documents))
        payload: dict[str, Any] = {
            "model": self._model,
            "query": query,
            "documents": list(documents),
            "top_n": count,
        }
        try:
            answer = self._endpoint.post(payload)
        except ServiceFailed as error:
            raise RerankError(f"no reranking: {error}") from error
        try:
            found = {
                int(item["index"]): float(item["relevance_score"]) for item in answer["results"]
            }
        except (KeyError, TypeError, ValueError) as error:
            raise RerankError(
                "the service's answer holds no ranking; see that its endpoint is one for it"
            ) from error
        for index, score in found.items():
            if not 0 <= index < len(documents) or not math.isfinite(score):
                raise RerankError("the service ranked a document that was not sent")
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return [Reranked(index, score) for index, score in ranked[:count]]
