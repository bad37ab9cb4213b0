"""Exact vector search against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolroll.search import SearchError, VectorBatch
from toolroll.search.vectors import FaissIndex, decode_vectors, encode_vectors

DIMENSION = 8
IDS = st.lists(st.integers(1, 60), max_size=10)


def unit(count: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(1, 60), max_size=12), st.lists(st.integers(1, 60), max_size=9)
        ),
        max_size=6,
    ),
    st.sampled_from([None, 2, 30]),
)
def test_any_history_searches_like_brute_force(
    history: list[tuple[list[int], list[int]]], allow: int | None
) -> None:
    index, model = FaissIndex(DIMENSION), dict[int, np.ndarray]()
    for seq, (adds, deletes) in enumerate(history, 1):
        new = list(dict.fromkeys(adds))
        vectors = unit(len(new), seed=seq).astype(np.float16).astype(np.float32)  # as it holds them
        index.apply(VectorBatch(seq, delete=deletes, ids=new, vectors=vectors if new else None))
        for id in deletes:
            model.pop(id, None)
        model.update(zip(new, vectors, strict=True))
    query = unit(1, seed=99)[0]
    allowed = None if allow is None else list(range(1, allow + 1))
    expected = sorted(
        ((-float(v @ query), id) for id, v in model.items() if allowed is None or id in allowed)
    )
    hits = index.search(query, limit=10, allowed=allowed)
    assert [hit.id for hit in hits] == [id for _, id in expected[:10]]
    assert index.applied_seq() == len(history)
    assert len(index) == len(model)
    scores = index.scores(query, [1, 2, 3, 77])
    for id, score in zip([1, 2, 3, 77], scores, strict=True):
        assert (
            np.isnan(score) if id not in model else np.isclose(score, model[id] @ query, atol=1e-6)
        )


def test_vectors_of_another_embedder_are_refused() -> None:
    index = FaissIndex(DIMENSION)
    with pytest.raises(SearchError, match="dimensions"):
        index.apply(VectorBatch(1, ids=[1], vectors=np.zeros((1, 3), dtype=np.float32)))
    with pytest.raises(SearchError, match="one vector for each id"):
        index.apply(VectorBatch(1, ids=[1, 2], vectors=unit(1)))
    with pytest.raises(SearchError, match="embed anew"):
        decode_vectors([b"\0" * 6], DIMENSION)


def test_stored_vectors_come_back_of_unit_length() -> None:
    rows = unit(20)
    back = decode_vectors(encode_vectors(rows), DIMENSION)
    assert np.allclose(np.linalg.norm(back, axis=1), 1, atol=1e-6)
    assert np.allclose(back, rows, atol=2e-3)
    assert (decode_vectors(encode_vectors(np.zeros((1, 8), np.float32)), 8) == 0).all()
