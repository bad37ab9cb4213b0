"""Engines that another distribution brings are used in place of the pack's own."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import toolroll
from toolroll.registry import Source
from toolroll.search import Reranked
from toolroll.search.embedders import WordLlamaEmbedder
from toolroll.search.lexical import WhooshIndex
from toolroll.search.vectors import FaissIndex


class Words(WordLlamaEmbedder):
    @property
    def id(self) -> str:
        return "acme"


class Backwards:
    """Orders texts from the last to the first."""

    def rerank(self, query: str, documents: list[str], *, limit: int | None = None) -> Any:
        order = sorted(range(len(documents)), key=lambda index: documents[index], reverse=True)
        return [Reranked(index, 1 / place) for place, index in enumerate(order, 1)]


def test_every_engine_may_be_another(make_host: Callable[..., Any]) -> None:
    made: list[tuple[Any, ...]] = []

    @toolroll.hookimpl
    def toolroll_backends() -> Any:
        def making(kind: str, make: Callable[..., Any]) -> dict[str, Any]:
            return {"acme": lambda settings, *place: made.append((kind, *place)) or make(*place)}

        return {
            "embedder": making("embedder", Words),
            "lexical": making("lexical", WhooshIndex),
            "reranker": making("reranker", Backwards),
            "vectors": making("vectors", FaissIndex),
        }

    module = types.ModuleType("acme")
    module.toolroll_backends = toolroll_backends  # type: ignore[attr-defined]
    host = make_host(
        beside=[Source("acme", "toolroll-acme", "1.0", lambda: module)],
        backends={kind: {"name": "acme"} for kind in toolroll_backends()},
    )
    host.write("/first.txt", "an apple tree\n")
    host.write("/last.txt", "the apple pie\n")
    host.index()
    assert host.found("apple") == ["/last.txt", "/first.txt"]
    assert {kind for kind, *_ in made} == {"embedder", "lexical", "reranker", "vectors"}
    assert ("vectors", Words().dimension) in made
    [directory] = {place[0] for kind, *place in made if kind == "lexical"}
    assert directory.name == "lexical-acme"
    assert host.rows("SELECT DISTINCT model FROM mcp_file_chunk_embeddings") == [("acme",)]
    host.call("file_delete", path="/last.txt")
    assert host.found("pie") == []
