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
    from toolroll_fileio.settings import EmbeddingSettings, RerankSettings, SearchSettings

__all__ = ["caller_key", "embedder_of", "reranker_of"]


def embedder_of(
    context: toolroll.PackContext, settings: EmbeddingSettings, key: str = ""
) -> Embedder:
    """Return the embedder: word vectors offline, or a service, asked with a caller's key.

    What `[backends.embedder]` chooses comes before them; it takes no caller's key.
    """
    if backend := context.backends.get("embedder"):
        return backend()
    if settings.engine == "wordllama":
        return _word_vectors()
    endpoint = Endpoint(settings.endpoint, key, timeout=settings.timeout_ms / 1000, attempts=1)
    return OpenAIEmbedder(endpoint, model=settings.model, dimension=settings.dimension)


@functools.cache
def _word_vectors() -> Embedder:
    """Return the offline model, which is loaded once for all hosts of a process."""
    return WordLlamaEmbedder()


def reranker_of(context: toolroll.ToolContext, settings: SearchSettings) -> Reranker | None:
    """Return the reranker of a call, or None where it is off; a chosen backend comes first."""
    if backend := context.backends.get("reranker"):
        return backend()
    rerank = settings.rerank
    if not rerank.enabled:
        return None
    key = caller_key(context.principal, rerank)
    endpoint = Endpoint(rerank.endpoint, key, timeout=rerank.timeout_ms / 1000, attempts=1)
    return CohereReranker(endpoint, model=rerank.model)


def caller_key(principal: toolroll.Principal, settings: EmbeddingSettings | RerankSettings) -> str:
    """Return the caller's own key for a service, or "": never one of the platform (manual 15).

    Over HTTP it is what the caller sent in the service's header. The one in `local_key_file`
    belongs to whoever runs the host, so that it serves the local tenant only.

    Raises:
        ToolError: SEARCH_BACKEND_ERROR: the file can't be read.
    """
    if presented := principal.credentials.get(settings.key_header):
        return presented
    if not settings.local_key_file or principal.tenant != LOCAL.tenant:
        return ""
    try:
        return Path(settings.local_key_file).expanduser().read_text("utf-8").strip()
    except OSError as error:
        raise toolroll.ToolError(
            f"a local_key_file of [fileio.search] can't be read ({error.strerror}); "
            "mend the setting, or let the host read the file",
            code="SEARCH_BACKEND_ERROR",
        ) from None
