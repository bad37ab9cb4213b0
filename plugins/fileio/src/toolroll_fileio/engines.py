"""Which embedder and reranker the settings ask for."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import toolroll
from toolroll.context import LOCAL
from toolroll.search import Embedder, Reranker
from toolroll.search.embedders import OpenAIEmbedder, WordLlamaEmbedder
from toolroll.search.http import Endpoint
from toolroll.search.reranker import CohereReranker

if TYPE_CHECKING:
    from toolroll_fileio.settings import EmbeddingSettings, SearchSettings

__all__ = ["embedder_of", "reranker_of"]


def embedder_of(settings: EmbeddingSettings) -> Embedder:
    """Return the embedder: word vectors offline, or a service that needs no key."""
    if settings.engine == "wordllama":
        return _word_vectors()
    endpoint = Endpoint(settings.endpoint, timeout=settings.timeout_ms / 1000, attempts=1)
    return OpenAIEmbedder(endpoint, model=settings.model, dimension=settings.dimension)


@functools.cache
def _word_vectors() -> Embedder:
    """Return the offline model, which is loaded once for all hosts of a process."""
    return WordLlamaEmbedder()


def reranker_of(context: toolroll.ToolContext, settings: SearchSettings) -> Reranker | None:
    """Return the reranker of a call, or None where it is off.

    A key is the caller's own or none at all (manual 15): the one in `local_key_file` belongs to
    whoever runs the host, so that it serves the local tenant only.
    """
    rerank = settings.rerank
    if not rerank.enabled:
        return None
    key = ""
    if rerank.local_key_file and context.principal.tenant == LOCAL.tenant:
        key = _key(Path(rerank.local_key_file))
    endpoint = Endpoint(rerank.endpoint, key, timeout=rerank.timeout_ms / 1000, attempts=1)
    return CohereReranker(endpoint, model=rerank.model)


def _key(file: Path) -> str:
    try:
        return file.expanduser().read_text("utf-8").strip()
    except OSError as error:
        raise toolroll.ToolError(
            f"local_key_file of [fileio.search.rerank] can't be read ({type(error).__name__})",
            code="SEARCH_BACKEND_ERROR",
        ) from None
