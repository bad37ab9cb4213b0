"""Engines that another distribution brings are used in place of the pack's own."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import toolroll
from toolroll.registry import Source
from toolroll.search import Reranked
from toolroll.search.lexical import WhooshIndex
from toolroll.search.vectors import FaissIndex

FRUIT = ("apple", "banana", "cherry", "fruit")
USED: list[str] = []


class Words(WhooshIndex):
    def __init__(self, settings: Mapping[str, Any], directory: Path) -> None:
        assert settings == {"stemmer": "none"}
        USED.append(f"words in {directory.name}")
        super().__init__(directory)


class Vectors(FaissIndex):
    def __init__(self, settings: Mapping[str, Any], dimension: int) -> None:
        USED.append(f"vectors of {dimension}")
        super().__init__(dimension)


class Fruit:
    """Embeds texts by the fruit they name."""

    id = "fruit-4"
    dimension = 4

    def __init__(self, settings: Mapping[str, Any]) -> None:
        USED.append("fruit")

    def embed(self, texts: Sequence[str]) -> Any:
        rows = np.array(
            [[float(word in text) + 0.01 for word in FRUIT] for text in texts], dtype=np.float32
        )
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Any:
        return self.embed([text])[0]


class Alphabet:
    """Orders texts by their first letters."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        pass

    def rerank(
        self, query: str, documents: Sequence[str], *, limit: int | None = None
    ) -> list[Reranked]:
        USED.append("alphabet")
        order = sorted(range(len(documents)), key=lambda index: documents[index])
        return [Reranked(index, 1 / place) for place, index in enumerate(order, 1)]


@toolroll.hookimpl
def toolroll_backends() -> Any:
    return {
        "embedder": {"acme": Fruit},
        "lexical": {"acme": Words},
        "reranker": {"acme": Alphabet},
        "vectors": {"acme": Vectors},
    }


@pytest.fixture
def acme() -> Source:
    module = types.ModuleType("acme")
    module.toolroll_backends = toolroll_backends  # type: ignore[attr-defined]
    USED.clear()
    return Source("acme", "toolroll-acme", "1.0", lambda: module)


CHOICE = {
    "embedder": {"name": "acme"},
    "lexical": {"name": "acme", "stemmer": "none"},
    "reranker": {"name": "acme"},
    "vectors": {"name": "acme"},
}


def test_every_engine_may_be_another(make_host: Callable[..., Any], acme: Source) -> None:
    host = make_host(beside=[acme], backends=CHOICE, search={})
    host.write({"b.txt": "an apple a day\n", "a.txt": "a banana\n", "c.txt": "no such thing\n"})
    host.index()
    assert host.found("apple")[:1] == ["a.txt"]  # by the alphabet: "a banana", "an apple"
    assert {"words in collection_1", "vectors of 4", "fruit", "alphabet"} <= set(USED)
    assert (host.context.data_dir / "lexical-acme" / "collection_1").is_dir()
    host.write({"d.txt": "zucchini\n"})
    assert "d.txt" in host.found("zucchini")
    (host.root / "d.txt").unlink()
    assert "d.txt" not in host.found("zucchini")
