"""Index one directory and ask the same queries, with Toolroll and with its peers.

    python bench/file_ops/peers.py DIRECTORY [--queries 60]

Peers: bm25s (words of whole files, in memory); code-index-mcp (its deep index and its search, over
stdio, through `uvx`); semble (through `uv run`, with a local model: see semble_side.py). The sides
run one after the other. CPU is that of this process and the children that have ended. A peer that
does not start or fails is named with its reason, and the others run all the same.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import bm25s
from anyio.from_thread import start_blocking_portal
from large import drawn
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from semble_peer import asked_semble

from toolroll.context import LOCAL
from toolroll.runtime import Runtime

START_SECONDS = 120
"""What a peer may take until it answers; its package may have to be fetched first."""


def cpu() -> float:
    """Return the CPU seconds of this process and the children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, kinds))


def shown(name: str, wall: float, spent: float | None, seconds: list[float]) -> None:
    """Print one side."""
    ordered = sorted(seconds)
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    busy = "" if spent is None else f" ({spent:.1f} s CPU)"
    print(
        f"{name:16s} index {wall:6.1f} s{busy}   query p50 {middle * 1000:7.1f} ms   "
        f"p95 {late * 1000:7.1f} ms",
        flush=True,
    )


def timed(ask: Callable[[str], object], queries: list[str]) -> list[float]:
    """Return the seconds of each query."""
    seconds: list[float] = []
    for query in queries:
        started = time.perf_counter()
        ask(query)
        seconds.append(time.perf_counter() - started)
    return seconds


def ours(root: Path, queries: list[str]) -> None:
    """Run Toolroll through its call pipeline, in process."""
    with (
        tempfile.TemporaryDirectory() as data,
        Runtime.open(roots=[root], data_dir=Path(data)) as runtime,
        start_blocking_portal() as loop,
    ):

        def call(tool: str, arguments: dict[str, object]) -> object:
            return loop.call(runtime.caller.call, tool, arguments, LOCAL)

        call("list_collections", {})
        started, spent = time.perf_counter(), cpu()
        call("index_collection", {"collection": "bench", "path": "."})
        wall, spent = time.perf_counter() - started, cpu() - spent
        call("search_vectors", {"collection": "bench", "query": "first"})
        asked = timed(
            lambda query: call("search_vectors", {"collection": "bench", "query": query}), queries
        )
        shown("toolroll", wall, spent, asked)


def memory_bm25(texts: list[str], queries: list[str]) -> None:
    """Run bm25s over whole files: no chunks, no freshness, nothing kept on disk."""
    started, spent = time.perf_counter(), cpu()
    index = bm25s.BM25()
    words = re.compile(r"\w+")
    index.index([words.findall(text.lower()) for text in texts], show_progress=False)
    wall, spent = time.perf_counter() - started, cpu() - spent

    def ask(query: str) -> object:
        known = [word for word in words.findall(query.lower()) if word in index.vocab_dict]
        return known and index.retrieve([known], k=10, show_progress=False)

    shown("bm25s", wall, spent, timed(ask, queries))


async def code_index(root: Path, queries: list[str]) -> None:
    """Run code-index-mcp's deep index and search over stdio."""
    parameters = StdioServerParameters(
        command="uvx", args=["--quiet", "code-index-mcp"], env=dict(os.environ)
    )
    with Path(os.devnull).open("w") as nowhere:
        async with (
            stdio_client(parameters, errlog=nowhere) as streams,
            ClientSession(*streams) as session,
        ):
            with anyio.fail_after(START_SECONDS):
                await session.initialize()
            started = time.perf_counter()
            await answered(session, "set_project_path", {"path": str(root)})
            await answered(session, "build_deep_index", {})
            wall = time.perf_counter() - started
            seconds: list[float] = []
            for query in queries:
                started = time.perf_counter()
                await answered(session, "search_code_advanced", {"pattern": query})
                seconds.append(time.perf_counter() - started)
    shown("code-index-mcp", wall, None, seconds)


async def answered(session: ClientSession, tool: str, arguments: dict[str, object]) -> None:
    """Call a tool and see to it that it did what was asked."""
    answer = await session.call_tool(tool, arguments)
    if answer.model_dump(by_alias=True).get("isError"):
        raise RuntimeError(f"{tool} failed")


def semble(root: Path, queries: list[str]) -> None:
    """Run semble in an environment of its own."""
    done = asked_semble(root, queries)
    shown("semble", done["wall"], done["cpu"], done["seconds"])


def attempt(name: str, side: Callable[[], None]) -> None:
    """Run one peer; say why when it can't."""
    try:
        side()
    except Exception as error:  # whatever it is, the other sides are still worth running
        cause: BaseException = error
        while isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        print(f"{name:16s} did not run: {type(cause).__name__}: {str(cause)[:200]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("--queries", type=int, default=60)
    options = parser.parse_args()
    root = options.directory.resolve()
    texts: list[str] = []
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        try:
            texts.append(path.read_text("utf-8"))
        except UnicodeDecodeError:
            continue
    queries = drawn(texts, options.queries)
    ours(root, queries)
    attempt("bm25s", lambda: memory_bm25(texts, queries))
    attempt("code-index-mcp", lambda: asyncio.run(code_index(root, queries)))
    attempt("semble", lambda: semble(root, queries))


if __name__ == "__main__":
    main()
