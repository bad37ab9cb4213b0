"""Embedders and the reranker: offline vectors, and services that misbehave."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import numpy as np
import pytest

from toolroll.search import EmbeddingError, RerankError
from toolroll.search.embedders import OpenAIEmbedder, WordLlamaEmbedder
from toolroll.search.http import Endpoint
from toolroll.search.reranker import CohereReranker

KEY = "sk-planted-secret"


def endpoint(answer: Callable[[httpx.Request], httpx.Response], waits: list[float]) -> Endpoint:
    return Endpoint(
        "https://models.test/v1/op",
        KEY,
        transport=httpx.MockTransport(answer),
        wait=waits.append,
    )


def embedder(
    answer: Callable[[httpx.Request], httpx.Response], waits: list[float] | None = None
) -> OpenAIEmbedder:
    return OpenAIEmbedder(endpoint(answer, [] if waits is None else waits), model="m", dimension=3)


def test_embedders_of_a_process_read_the_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    (first,) = WordLlamaEmbedder().embed(["read a file"])
    wordllama = pytest.importorskip("wordllama")
    monkeypatch.setattr(wordllama.WordLlama, "load", lambda *_, **__: pytest.fail("once more"))
    (again,) = WordLlamaEmbedder().embed(["read a file"])
    assert again.tolist() == first.tolist()


def vectors(request: httpx.Request) -> httpx.Response:
    texts = json.loads(request.content)["input"]
    data = [{"index": i, "embedding": [len(text), 1, 0]} for i, text in enumerate(texts)]
    return httpx.Response(200, json={"data": data[::-1]})


def test_offline_vectors_are_alike_for_what_means_alike() -> None:
    model = WordLlamaEmbedder()
    rows = model.embed(["parse the http header", "parseHTTPHeader", "a bowl of soup", ""])
    assert rows.shape == (4, model.dimension)
    assert np.allclose(np.linalg.norm(rows[:3], axis=1), 1, atol=1e-5)
    assert not rows[3].any()
    assert rows[0] @ rows[1] > 0.8 > rows[0] @ rows[2]
    assert np.allclose(model.embed_query("parse the http header"), rows[0])


def test_common_words_are_known_and_misspelt_ones_are_not() -> None:
    asked = ["Several", "delivered", "delimered", "certifiactes", "runnning"]
    assert WordLlamaEmbedder().known_words(asked) == {"Several", "delivered"}


def test_a_service_is_asked_in_batches_and_its_order_restored() -> None:
    sizes: list[int] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == f"Bearer {KEY}"
        sizes.append(len(json.loads(request.content)["input"]))
        return vectors(request)

    rows = embedder(answer).embed(["x" * (i % 7 + 1) for i in range(300)] + [" "])
    assert sizes == [128, 128, 44]
    assert np.allclose(rows[4] / rows[4][1], [5, 1, 0])
    assert not rows[300].any()


def test_a_busy_service_is_asked_again_after_a_pause() -> None:
    waits: list[float] = []
    answers = iter([httpx.Response(429, headers={"retry-after": "7"}), httpx.Response(503)])

    def answer(request: httpx.Request) -> httpx.Response:
        return next(answers, None) or vectors(request)

    assert embedder(answer, waits).embed(["abc"]).shape == (1, 3)
    assert waits[0] == 7
    assert 0.5 < waits[1] < 2


@pytest.mark.parametrize(
    ("answer", "message", "retryable"),
    [
        (lambda _: httpx.Response(401, text=KEY), "status 401", False),
        (lambda _: httpx.Response(500), "status 500", True),
        (lambda _: httpx.Response(200, text="<html>"), "JSON", False),
        (lambda _: httpx.Response(200, json=[1]), "JSON object", False),
        (lambda _: httpx.Response(200, json={"data": []}), "shape", False),
        (
            lambda _: httpx.Response(200, json={"data": [{"index": 0, "embedding": [1, 2]}]}),
            "set the dimension",
            False,
        ),
        (lambda _: httpx.Response(200, json={"nothing": 1}), "no embeddings", False),
    ],
)
def test_a_failing_service_is_a_clear_error_without_the_key(
    answer: Callable[[httpx.Request], httpx.Response], message: str, retryable: bool
) -> None:
    with pytest.raises(EmbeddingError, match=message) as caught:
        embedder(answer).embed(["secret text"])
    assert caught.value.retryable is retryable
    assert KEY not in str(caught.value)
    assert "secret text" not in str(caught.value)


def test_a_lost_connection_may_be_tried_later() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with pytest.raises(EmbeddingError, match="did not answer") as caught:
        embedder(answer).embed(["x"])
    assert caught.value.retryable


def rerank(payload: Any) -> CohereReranker:
    return CohereReranker(endpoint(lambda _: httpx.Response(200, json=payload), []))


def test_a_reranker_orders_what_it_was_sent() -> None:
    results = [{"index": 1, "relevance_score": 0.2}, {"index": 0, "relevance_score": 0.9}]
    found = rerank({"results": results}).rerank("q", ["a", "b"])
    assert [(item.index, item.score) for item in found] == [(0, 0.9), (1, 0.2)]
    assert rerank({}).rerank("q", []) == []


@pytest.mark.parametrize(
    "payload",
    [{}, {"results": [{"index": 5, "relevance_score": 1}]}, {"results": [{"index": 0}]}],
)
def test_a_reranker_that_answers_nonsense_is_an_error(payload: Any) -> None:
    with pytest.raises(RerankError):
        rerank(payload).rerank("q", ["a"])
