"""Measure `file_ops` on a large directory: cold index, nothing changed, one edit, every tool.

    python bench/file_ops/large.py DIRECTORY [--queries 200]

The directory is copied, so that it can be edited. Queries are three to six words taken from the
files, drawn with a fixed seed. Times are taken through the host's call pipeline, in process and on
one event loop as a server has it: wall, and CPU of this process, which says more on a machine that
others use too.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from toolroll.context import LOCAL
from toolroll.runtime import Runtime

NAME = "bench"


def quantiles(seconds: list[float]) -> str:
    """Return p50 and p95 in milliseconds."""
    ordered = sorted(seconds)
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return f"p50 {middle * 1000:6.1f} p95 {late * 1000:6.1f} ms"


def drawn(texts: list[str], count: int) -> list[str]:
    """Draw queries of three to six words from the texts."""
    choose = random.Random(0)
    queries: list[str] = []
    while len(queries) < count:
        words = re.findall(r"[A-Za-z]{3,}", choose.choice(texts))
        if len(words) > 10:
            at = choose.randrange(len(words) - 6)
            queries.append(" ".join(words[at : at + choose.randint(3, 6)]))
    return queries


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place, "project")
        shutil.copytree(options.directory, root, symlinks=True)
        with (
            Runtime.open(roots=[root], data_dir=Path(place, "data")) as runtime,
            start_blocking_portal() as loop,
        ):
            measure(runtime, loop, root, options.queries)


def measure(runtime: Runtime, loop: BlockingPortal, root: Path, count: int) -> None:
    """Run every measurement and print a line for each."""

    def call(tool: str, arguments: Mapping[str, Any]) -> Any:
        answer = loop.call(runtime.caller.call, tool, arguments, LOCAL)
        if answer.is_error:
            raise SystemExit(f"{tool}: {answer.text}")
        return json.loads(answer.text)

    def timed(label: str, tool: str, calls: list[dict[str, Any]]) -> None:
        seconds: list[float] = []
        busy: list[float] = []
        for arguments in calls:
            started, spent = time.perf_counter(), time.process_time()
            call(tool, {"collection": NAME, **arguments})
            seconds.append(time.perf_counter() - started)
            busy.append(time.process_time() - spent)
        print(f"{label:28s} {quantiles(seconds)}   CPU {quantiles(busy)}", flush=True)

    def clocked(work: Callable[[], Any]) -> tuple[float, float, Any]:
        wall, cpu = time.perf_counter(), time.process_time()
        value = work()
        return time.perf_counter() - wall, time.process_time() - cpu, value

    index = {"collection": NAME, "path": "."}
    call("list_collections", {})
    wall, cpu, done = clocked(lambda: call("index_collection", index))
    chunks = done["total_chunks"]
    print(f"{done['total_files']} files, {chunks} chunks")
    rates = f"{chunks / wall:.0f} chunks/s wall, {chunks / cpu:.0f} CPU"
    print(f"cold index                   {wall:.2f} s, {rates}")
    wall, _, _ = clocked(lambda: call("index_collection", index))
    print(f"nothing changed              {wall * 1000:.0f} ms")

    every = {"collection": NAME, "max_results": 10_000}
    rows = call("list_files_in_collection", every)["files"]
    readable = [row["path"] for row in rows if 0 < row["size_bytes"] <= 500 * 1024]
    chosen = random.Random(1).sample(readable, min(100, len(readable)))
    queries = drawn([(root / path).read_text() for path in chosen], count)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call("search_vectors", {"collection": NAME, "query": "first"})
    timed("search_vectors", "search_vectors", [{"query": query} for query in queries])
    typed = [{"query": query, "file_types": ["py", "md"]} for query in queries[:50]]
    timed("search_by_file_type", "search_by_file_type", typed)
    files = [{"file_path": path} for path in chosen]
    timed("get_file_content, miss", "get_file_content", files)
    timed("get_file_content, hit", "get_file_content", files[-50:])
    timed("get_file_summary", "get_file_summary", files[:50])
    timed("get_file_chunks_ordered", "get_file_chunks_ordered", files)
    timed("list_files_in_collection", "list_files_in_collection", [{} for _ in range(20)])
    timed("get_project_outline", "get_project_outline", [{"max_depth": 3} for _ in range(5)])
    timed("get_related_files", "get_related_files", files[:30])
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    print(f"memory grown since indexing  {grown / 1024:.0f} MiB")

    seconds: list[float] = []
    for number in range(10):
        path = root / chosen[number]
        word = f"zyxmarker{number}"
        with path.open("a") as file:
            file.write(f"\n# {word}\n")
        started = time.perf_counter()
        while True:
            hits = call("search_vectors", {"collection": NAME, "query": word})["results"]
            if any(word in hit["payload"]["content"] for hit in hits):
                break
        seconds.append(time.perf_counter() - started)
    print(f"{'edit until searchable':28s} {quantiles(seconds)}")


if __name__ == "__main__":
    main()
