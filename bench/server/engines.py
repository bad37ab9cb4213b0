#!/usr/bin/env python3
"""How long PostgreSQL searches one space take: vectors by pgvector, words by tsvector and BM25.

python bench/server/engines.py [--vectors 1000 10000 50000] [--documents 1000 10000 30000]
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections.abc import Callable

import numpy as np
from sqlalchemy import Connection, create_engine, make_url

from toolroll.search import LexicalBatch, LexicalDocument, VectorBatch
from toolroll.search.lexical.postgres import PostgresIndex
from toolroll.search.pgvector import PgVectorIndex
from toolroll_conformance.servers import own_postgres

DIMENSION = 256
VOCABULARY = 20_000
TOKENS = 150
SEARCHES = 15


def vectors(connection: Connection, sizes: list[int]) -> None:
    chance, done = np.random.default_rng(1), 0
    index = PgVectorIndex(connection, "space", DIMENSION)
    for size in sizes:
        while done < size:
            rows = chance.normal(size=(min(2_000, size - done), DIMENSION)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            ids = list(range(done, done + len(rows)))
            done += len(rows)
            index.apply(VectorBatch(done, ids=ids, vectors=rows))
        connection.commit()
        show(
            f"{size} vectors",
            [timed(lambda query=rows[0]: index.search(query)) for _ in range(SEARCHES)],
        )


def documents(connection: Connection, sizes: list[int]) -> None:
    chance, done = random.Random(2), 0
    words = [f"w{number}" for number in range(VOCABULARY)]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))  # Zipf
    index = PostgresIndex(connection, "space")
    for size in sizes:
        before, started = done, time.perf_counter()
        while done < size:
            batch = [
                LexicalDocument(
                    done + number + 1,
                    f"d{(done + number) // 50}/f{done + number}.py",
                    " ".join(chance.choices(words, cum_weights=weights, k=TOKENS)),
                )
                for number in range(min(500, size - done))
            ]
            done += len(batch)
            index.apply(LexicalBatch(done, add=batch))
        connection.commit()
        rate = (size - before) / (time.perf_counter() - started)
        queries = [chance.choices(words, cum_weights=weights, k=3) for _ in range(SEARCHES)]
        times = [timed(lambda terms=terms: index.search(terms)) for terms in queries]
        show(f"{size} documents ({rate:.0f}/s added)", times)


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def show(name: str, times: list[float]) -> None:
    ordered = [seconds * 1000 for seconds in sorted(times)]
    print(
        f"{name:36} best {ordered[0]:.1f}, median {ordered[len(ordered) // 2]:.1f}, "
        f"worst {ordered[-1]:.1f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vectors", type=int, nargs="+", default=[1_000, 10_000, 50_000])
    parser.add_argument("--documents", type=int, nargs="+", default=[1_000, 10_000, 30_000])
    options = parser.parse_args()
    with own_postgres() as postgres, postgres.database() as url:
        engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
        with engine.connect() as connection:
            vectors(connection, options.vectors)
            documents(connection, options.documents)
        engine.dispose()


if __name__ == "__main__":
    main()
