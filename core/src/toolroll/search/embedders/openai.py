"""Embeddings from any service that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolroll.search.errors import EmbeddingError
from toolroll.search.http import Endpoint, ServiceFailed
from toolroll.search.unit_length import unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["OpenAIEmbedder"]

BATCH_TEXTS: Final = 128
BATCH_CHARACTERS: Final = 200_000
"""Limits of one request; services allow about 300,000 tokens in it."""


class OpenAIEmbedder:
    """An `Embedder` over HTTP.

    Args:
        endpoint: The service's `…/embeddings`, with its key.
        model: Model name, part of the embedder's id.
        dimension: Length of the vectors; every answer is checked against it.
        send_dimension: Also ask the service for that dimension (models with shortened vectors).
    """

    def __init__(
        self, endpoint: Endpoint, *, model: str, dimension: int, send_dimension: bool = False
    ) -> None:
        self._endpoint = endpoint
        self._model = model
        self._dimension = dimension
        self._send_dimension = send_dimension

    @property
    def id(self) -> str:
        """Model and dimension."""
        return f"openai-{self._model}-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of unit length for each text, in batches.

        Raises:
            EmbeddingError: The service failed, or answered with another shape.
        """
        import numpy as np

        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for batch in _batches(texts):
            rows[batch] = self._ask([texts[i] for i in batch])
        return unit_rows(rows)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one query."""
        return self.embed([text])[0]

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        payload: dict[str, Any] = {
            "model": self._model,
            "input": list(texts),
            "encoding_format": "float",
        }
        if self._send_dimension:
            payload["dimensions"] = self._dimension
        try:
            answer = self._endpoint.post(payload)
        except ServiceFailed as error:
            raise EmbeddingError(f"no embeddings: {error}", retryable=error.retryable) from error
        try:
            data = sorted(answer["data"], key=lambda item: item["index"])
            vectors = np.array([item["embedding"] for item in data], dtype=np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise EmbeddingError(
                "the service's answer holds no embeddings; see that its endpoint is one for them"
            ) from error
        if vectors.shape != (len(texts), self._dimension):
            raise EmbeddingError(
                f"the service answered with vectors of shape {vectors.shape}, expected "
                f"({len(texts)}, {self._dimension}): set the dimension of model {self._model!r}"
            )
        if not np.isfinite(vectors).all():
            raise EmbeddingError("the service's answer holds a number that is not finite")
        return vectors


def _batches(texts: Sequence[str]) -> list[list[int]]:
    """Group the texts in order; empty ones are left out, since services refuse them."""
    batches: list[list[int]] = []
    size = BATCH_CHARACTERS
    for i, text in enumerate(texts):
        if not text.strip():
            continue
        if size + len(text) > BATCH_CHARACTERS or len(batches[-1]) == BATCH_TEXTS:
            batches.append([])
            size = 0
        batches[-1].append(i)
        size += len(text)
    return batches
