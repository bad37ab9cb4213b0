#!/usr/bin/env python3
"""How long PostgreSQL searches one space take: vectors by pgvector, words by tsvector and BM25.

python bench/server/engines.py [--vectors 1000 10000 50000] [--documents 1000 10000 30000]
                               [--hnsw 50000]

With --hnsw: a space among so many vectors in all, exactly and by an HNSW index over the table.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections.abc import Callable
from functools import partial

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


def hnsw(connection: Connection, total: int) -> None:
    """Compare exact search of a space with HNSW, at 1 %, 10 % and half of all vectors."""
    chance = np.random.default_rng(3)
    # around 200 centres, as texts gather around topics
    centres = chance.normal(size=(200, DIMENSION))
    first = 0
    for share in (0.01, 0.1, 0.5):
        count = int(total * share)
        add(connection, f"share {share}", first, around(chance, centres, count))
        first += count
    add(connection, "others", first, around(chance, centres, total - first))
    for statement in (
        f"ALTER TABLE search_vectors ALTER COLUMN embedding TYPE halfvec({DIMENSION})",
        "CREATE INDEX ix_hnsw ON search_vectors USING hnsw (embedding halfvec_ip_ops)",
        "ANALYZE search_vectors",
    ):
        started = time.perf_counter()
        connection.exec_driver_sql(statement)
        print(f"{time.perf_counter() - started:6.1f} s  {statement}")
    connection.commit()
    for share in (0.01, 0.1, 0.5):
        name = f"share {share}"
        index = PgVectorIndex(connection, name, DIMENSION)
        queries = around(chance, centres, SEARCHES)
        times, exact = measured(index.search, queries)
        show(f"{name}, exact", times)
        for scan in ("off", "strict_order"):
            connection.exec_driver_sql(f"SET hnsw.iterative_scan = {scan}")
            connection.exec_driver_sql("SET hnsw.ef_search = 100")
            connection.commit()
            times, found = measured(partial(nearest, connection, name), queries)
            show(f"{name}, HNSW, iterative_scan {scan}", times)
            pairs = zip(exact, found, strict=True)
            hits = sum(len({hit.id for hit in right[:30]} & set(got)) for right, got in pairs)
            print(f"{'':40} {hits / (30 * len(exact)):.2f} of the hits")


def measured(
    search: Callable[[np.ndarray], list], queries: np.ndarray
) -> tuple[list[float], list[list]]:
    """Return how long each query took, and what was found."""
    times, found = [], []
    for query in queries:
        started = time.perf_counter()
        found.append(search(query))
        times.append(time.perf_counter() - started)
    return times, found


def around(chance: np.random.Generator, centres: np.ndarray, count: int) -> np.ndarray:
    rows = centres[chance.integers(len(centres), size=count)]
    rows = (rows + chance.normal(size=rows.shape)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def add(connection: Connection, space: str, first: int, rows: np.ndarray) -> None:
    index = PgVectorIndex(connection, space, DIMENSION)
    for at in range(0, len(rows), 2_000):
        some = rows[at : at + 2_000]
        ids = list(range(first + at, first + at + len(some)))
        index.apply(VectorBatch(first + at + 1, ids=ids, vectors=some))
    connection.commit()


def nearest(connection: Connection, space: str, query: np.ndarray) -> list[int]:
    """Return what the HNSW index gives for a space; the planner is kept from everything else."""
    connection.exec_driver_sql("SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off")
    literal = "[" + ",".join(f"{number:.6g}" for number in query.tolist()) + "]"
    rows = connection.exec_driver_sql(
        "SELECT id FROM search_vectors WHERE space = %s"
        " ORDER BY embedding <#> CAST(%s AS halfvec) LIMIT 30",
        (space, literal),
    )
    found = [row.id for row in rows]
    connection.rollback()
    return found


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
    parser.add_argument("--vectors", type=int, nargs="*", default=[1_000, 10_000, 50_000])
    parser.add_argument("--documents", type=int, nargs="*", default=[1_000, 10_000, 30_000])
    parser.add_argument("--hnsw", type=int, default=0, help="vectors of all spaces together")
    options = parser.parse_args()
    with own_postgres() as postgres, postgres.database() as url:
        engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
        with engine.connect() as connection:
            vectors(connection, options.vectors)
            documents(connection, options.documents)
            if options.hnsw:
                hnsw(connection, options.hnsw)
        engine.dispose()


if __name__ == "__main__":
    main()
