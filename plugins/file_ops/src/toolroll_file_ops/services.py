"""The embedder and the reranker that the settings ask for."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import toolroll
from toolroll.search import Embedder, EmbeddingError, Reranker, RerankError
from toolroll.search.embedders import OpenAIEmbedder, WordLlamaEmbedder
from toolroll.search.http import Endpoint
from toolroll.search.interfaces import WordEmbedder
from toolroll.search.reranker import CohereReranker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toolroll_file_ops.opened import Opened
    from toolroll_file_ops.ranking import Found
    from toolroll_file_ops.settings import SearchSettings, ServiceSettings

__all__ = ["embedder_of", "reranked", "reranker_of"]

_log: Final = logging.getLogger(__name__)


def embedder_of(context: toolroll.PackContext, settings: SearchSettings) -> Embedder | None:
    """Return the embedder: word vectors offline, a service, or None to search by words alone.

    What `[backends.embedder]` chooses comes before them.

    Raises:
        InternalError: The key file cannot be read.
    """
    if backend := context.backends.get("embedder"):
        embedder: Embedder = backend()
        return embedder if isinstance(embedder, WordEmbedder) else _Patient(embedder)
    if settings.embedder == "wordllama":
        return WordLlamaEmbedder()
    if settings.embedder == "none":
        return None
    service = settings.embedding
    endpoint = _endpoint(service, "[file_ops.search.embedding]")
    return _Patient(OpenAIEmbedder(endpoint, model=service.model, dimension=service.dimension))


def reranker_of(context: toolroll.PackContext, settings: SearchSettings) -> Reranker | None:
    """Return the reranker, or None where it is off.

    What `[backends.reranker]` chooses comes first.

    Raises:
        InternalError: The key file cannot be read.
    """
    if backend := context.backends.get("reranker"):
        return backend()
    if not settings.rerank.enabled:
        return None
    endpoint = _endpoint(settings.rerank, "[file_ops.search.rerank]")
    return CohereReranker(endpoint, model=settings.rerank.model)


class _Patient:
    """An embedder whose failure costs a query its meaning, but not its answer."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def id(self) -> str:
        return self._inner.id

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._inner.embed(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        try:
            return self._inner.embed_query(text)
        except EmbeddingError as error:
            _log.warning("searched by words alone: %s", error)
            return np.zeros(self.dimension, dtype=np.float32)


def reranked(opened: Opened, query: str, ranked: list[Found]) -> list[Found]:
    """Let the reranker, if there is one, order the best chunks; scores keep their places."""
    reranker, most = opened.engine.reranker, opened.engine.settings.search.rerank.candidates
    if reranker is None or not ranked:
        return ranked
    best = ranked[:most]
    try:
        texts = [hit.text(opened.load(hit.path)[0]) for hit in best]
        order = [item.index for item in reranker.rerank(query, texts)]
    except RerankError as error:
        _log.warning("kept the order of the index: %s", error)
        return ranked
    except (toolroll.ToolError, UnicodeDecodeError):  # a file changed: the search is repeated
        return ranked
    order += [index for index in range(len(best)) if index not in order]
    moved = [best[index]._replace(score=hit.score) for index, hit in zip(order, best, strict=True)]
    return moved + ranked[most:]


def _endpoint(service: ServiceSettings, table: str) -> Endpoint:
    return Endpoint(
        service.endpoint, _key(service.key_file, table), timeout=service.timeout_seconds, attempts=2
    )


def _key(file: str, table: str) -> str:
    if not file:
        return ""
    try:
        return Path(file).expanduser().read_text("utf-8").strip()
    except OSError as error:
        raise toolroll.InternalError(
            f"key_file of {table} in toolroll.toml cannot be read ({type(error).__name__}); "
            "mend the setting and start the host again"
        ) from None
