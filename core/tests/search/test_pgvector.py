"""Exact vector search on PostgreSQL against FAISS, which is held to plain numpy."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from textwrap import dedent

import numpy as np
import pytest
from sqlalchemy import Connection, create_engine, make_url

from toolroll.search import SearchError, VectorBatch
from toolroll.search.pgvector import PgVectorIndex
from toolroll.search.vectors import FaissIndex

DIMENSION = 8


def unit(count: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def connection(postgres_database: str) -> Iterator[Connection]:
    engine = create_engine(make_url(postgres_database).set(drivername="postgresql+psycopg"))
    with engine.connect() as opened:
        yield opened
    engine.dispose()


def test_any_history_searches_like_faiss(connection: Connection) -> None:
    random = np.random.default_rng(7)
    here, there = FaissIndex(DIMENSION), PgVectorIndex(connection, "x", DIMENSION)
    half = 2e-3  # what rounding to half floats may cost
    other = PgVectorIndex(connection, "y", DIMENSION)
    other.apply(VectorBatch(1, ids=[1, 900], vectors=unit(2, 5)))
    for seq in range(1, 30):
        ids = sorted({int(i) for i in random.integers(1, 80, size=random.integers(0, 12))})
        gone = [int(i) for i in random.integers(1, 80, size=random.integers(0, 9))]
        batch = VectorBatch(seq, delete=gone, ids=ids, vectors=unit(len(ids), seq) if ids else None)
        for index in (here, there):
            index.apply(batch)
        query = unit(1, 1000 + seq)[0]
        assert (len(here), here.applied_seq()) == (len(there), there.applied_seq())
        for allowed in (None, list(range(1, 30)), []):
            ours = here.search(query, limit=10, allowed=allowed)
            theirs = there.search(query, limit=10, allowed=allowed)
            assert [hit.id for hit in theirs] == [hit.id for hit in ours]
            assert np.allclose([h.score for h in theirs], [h.score for h in ours], atol=half)
        some = [3, 900, 5, 70]
        assert np.allclose(
            there.scores(query, some), here.scores(query, some), atol=half, equal_nan=True
        )
        assert np.allclose(there.vectors(some), here.vectors(some), atol=half)
        groups = [[1, 2], [3], [40, 41, 900]]
        assert np.allclose(there.means(groups), here.means(groups), atol=half, equal_nan=True)
    there.clear()
    assert (len(there), there.applied_seq(), there.search(query)) == (0, 0, [])
    assert len(other) == 2


def test_vectors_of_another_embedder_are_refused(connection: Connection) -> None:
    index = PgVectorIndex(connection, "x", DIMENSION)
    with pytest.raises(SearchError, match="one vector for each id"):
        index.apply(VectorBatch(1, ids=[1, 2], vectors=unit(1, 1)))
    with pytest.raises(SearchError, match="embed anew"):
        index.apply(VectorBatch(1, ids=[1], vectors=np.zeros((1, 3), dtype=np.float32)))
    index.apply(VectorBatch(1, ids=[1], vectors=unit(1, 1)))
    with pytest.raises(SearchError, match="embed anew"):
        PgVectorIndex(connection, "x", 3).apply(VectorBatch(2))


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_kill_leaves_the_last_batch_whole(postgres_database: str, connection: Connection) -> None:
    """Each batch turns every vector one step further: a mixture would show."""
    program = dedent("""
        import sys
        import numpy as np
        from sqlalchemy import create_engine, make_url
        from toolroll.search import VectorBatch
        from toolroll.search.pgvector import PgVectorIndex
        url = make_url(sys.argv[1]).set(drivername="postgresql+psycopg")
        connection = create_engine(url).connect()
        index, seq = PgVectorIndex(connection, "x", 8), 0
        while True:
            seq += 1
            rows = np.tile(np.eye(8, dtype=np.float32)[seq % 8], (40, 1))
            index.apply(VectorBatch(seq, ids=list(range(40)), vectors=rows))
            connection.commit()
            print(seq, flush=True)
    """)
    command = [sys.executable, "-c", program, postgres_database]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(4)]
        process.send_signal(signal.SIGKILL)
        process.wait()
        told += process.stdout.readlines()
    last = max(int(line) for line in told if line.strip().isdigit())
    index = PgVectorIndex(connection, "x", DIMENSION)
    seq = index.applied_seq()
    assert seq in {last, last + 1}  # the one in flight may have been committed unannounced
    hits = index.search(np.eye(DIMENSION, dtype=np.float32)[seq % DIMENSION])
    assert [hit.score for hit in hits] == [1.0] * 40
