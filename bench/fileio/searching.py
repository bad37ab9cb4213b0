#!/usr/bin/env python3
"""From commit to searchable at 20 writes a second, and file_search on a 10,000-file project.

    python bench/fileio/searching.py [--files 10000] [--seconds 30] [--postgres]

A write counts as searchable when the worker has brought the lexical index along; searches are not
part of that run, since a search indexes what it waits for. No peer: the reference server has none.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import statistics
import tempfile
import threading
import time
from pathlib import Path

from projects import Bench, timed
from prometheus_client import REGISTRY

from toolroll.context import LOCAL
from toolroll.search import query_tokens
from toolroll_conformance.servers import own_postgres
from toolroll_fileio.names import Space

LETTERS = "bcdfghjklmnpqrtvwz"
VOCABULARY = 20_000
STOP = 100
"""Words too common to be asked for."""


class Writer:
    """Writes texts whose words are as unevenly used as those of a language (Zipf)."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._words = ["".join(self.chance.choices(LETTERS, k=7)) for _ in range(VOCABULARY)]
        self._weights = list(itertools.accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))

    def text(self, words: int) -> str:
        chosen = self._choose(words)
        lines = (chosen[at : at + 12] for at in range(0, words, 12))
        return "\n".join(" ".join(line) for line in lines) + "\n"

    def query(self) -> str:
        common = set(self._words[:STOP])
        return " ".join([word for word in self._choose(40) if word not in common][:4])

    def _choose(self, count: int) -> list[str]:
        return self.chance.choices(self._words, cum_weights=self._weights, k=count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL of its own")
    options = parser.parse_args()
    writer = Writer(7)
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory())
        url = stack.enter_context(own_postgres()).url if options.postgres else ""
        bench = Bench.open(Path(scratch), url)
        contents = {f"/d{i % 100}/f{i}.md": writer.text(100).encode() for i in range(options.files)}
        bench.fill("large", contents, index=True)
        context = bench.runtime.context("fileio")
        started, cpu = time.perf_counter(), time.process_time()
        while bench.engine.indexer.step(context):
            pass
        took, used = time.perf_counter() - started, time.process_time() - cpu
        print(f"indexing {options.files} files: {took:.0f} s, {used:.0f} s of CPU")
        bench.call("file_search", project="large", query="warm up")

        def query() -> None:
            bench.call("file_search", project="large", query=writer.query())

        print(f"file_search, {options.files} files           {timed(query, 100)}")

        def narrow() -> None:
            words = writer.query()
            bench.call("file_search", project="large", query=words, path_prefix="/d7/")

        print(f"file_search with a prefix             {timed(narrow, 100)}")

        bench.runtime.start_workers()
        lags = sorted(freshness(bench, writer.chance, options.rate, options.seconds))
        middle, late = statistics.median(lags), lags[int(len(lags) * 0.95)]
        print(f"{len(lags)} writes, {options.rate:g} a second, from commit to searchable:")
        print(f"    p50 {middle:.2f} s   p95 {late:.2f} s")
        count = REGISTRY.get_sample_value("mcp_files_index_visibility_lag_ms_count")
        print(f"mcp_files_index_visibility_lag_ms_count {count:g}")
        bench.runtime.close()


def freshness(bench: Bench, chance: random.Random, rate: float, seconds: float) -> list[float]:
    """Return for each write how long it took until the lexical index held it."""
    written: dict[str, float] = {}
    lags: list[float] = []
    ended = threading.Event()
    pause = threading.Event()

    def watch() -> None:
        context = bench.runtime.context("fileio")
        shelf = bench.engine.indexer.shelf
        until = time.monotonic() + seconds + 60
        while (written or not ended.is_set()) and time.monotonic() < until:
            index = shelf.of(context, Space(LOCAL.tenant, "fresh"))
            with context.database.reading() as connection:
                for word in list(written):
                    if index.words(connection, query_tokens(word), 1, ""):
                        lags.append(time.perf_counter() - written.pop(word))
            pause.wait(0.05)
        lags.extend(float("inf") for _ in written)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for number in range(int(rate * seconds)):
        begun = time.perf_counter()
        word = "".join(chance.choices(LETTERS, k=14))
        bench.call("file_write", project="fresh", path=f"/f{number}.md", content=f"{word} note")
        written[word] = time.perf_counter()
        pause.wait(max(1 / rate - (time.perf_counter() - begun), 0))
    ended.set()
    watcher.join()
    return lags


if __name__ == "__main__":
    main()
