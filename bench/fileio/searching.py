#!/usr/bin/env python3
"""From commit to searchable at 20 writes a second, and file_search on a 10,000-file project.

    python bench/fileio/searching.py [--files 10000] [--seconds 30]

A write counts as searchable when the worker has brought the lexical index along; searches are not
part of that run, since a search indexes what it waits for. No peer: the reference server has none.
"""

from __future__ import annotations

import argparse
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
from toolroll_fileio.names import Space

WORDS = [
    "river",
    "heron",
    "stone",
    "bridge",
    "letter",
    "window",
    "garden",
    "engine",
    "paper",
    "market",
    "number",
    "signal",
    "harbour",
    "winter",
    "teacher",
    "planet",
    "silver",
    "copper",
    "meadow",
    "orchard",
    "circuit",
    "pressure",
    "account",
    "invoice",
    "password",
    "session",
    "request",
    "answer",
    "column",
    "index",
    "vector",
    "query",
    "result",
    "buffer",
    "socket",
    "thread",
    "kernel",
    "packet",
    "module",
]


def text(chance: random.Random, words: int) -> str:
    return "\n".join(
        " ".join(chance.choices(WORDS, k=12)) + f" {chance.randrange(10**6)}."
        for _ in range(words // 12)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--rate", type=float, default=20.0)
    options = parser.parse_args()
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench.open(Path(scratch))
        contents = {
            f"/d{i % 100}/f{i}.md": text(chance, 100).encode() for i in range(options.files)
        }
        bench.fill("large", contents, index=True)
        context = bench.runtime.context("fileio")
        started, cpu = time.perf_counter(), time.process_time()
        while bench.engine.indexer.step(context):
            pass
        took, used = time.perf_counter() - started, time.process_time() - cpu
        print(f"indexing {options.files} files: {took:.0f} s, {used:.0f} s of CPU")
        bench.call("file_search", project="large", query="warm up")

        def query() -> None:
            words = " ".join(chance.sample(WORDS, 4))
            bench.call("file_search", project="large", query=words)

        print(f"file_search, {options.files} files           {timed(query, 100)}")

        def narrow() -> None:
            words = " ".join(chance.sample(WORDS, 4))
            bench.call("file_search", project="large", query=words, path_prefix="/d7/")

        print(f"file_search with a prefix             {timed(narrow, 100)}")

        bench.runtime.start_workers()
        lags = sorted(freshness(bench, chance, options.rate, options.seconds))
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
            for word in list(written):
                if index.words(query_tokens(word), 1, ""):
                    lags.append(time.perf_counter() - written.pop(word))
            pause.wait(0.05)
        lags.extend(float("inf") for _ in written)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for number in range(int(rate * seconds)):
        begun = time.perf_counter()
        word = "".join(chance.choices("bcdfghjklmnpqrtvwz", k=14))
        bench.call("file_write", project="fresh", path=f"/f{number}.md", content=f"{word} note")
        written[word] = time.perf_counter()
        pause.wait(max(1 / rate - (time.perf_counter() - begun), 0))
    ended.set()
    watcher.join()
    return lags


if __name__ == "__main__":
    main()
