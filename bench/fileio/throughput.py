#!/usr/bin/env python3
"""Durable writes, reads and lists per second, beside npm's reference file-system server.

    python bench/fileio/throughput.py [--seconds 3] [--rounds 3] [--only toolroll]

Three servers run over stdio behind the same MCP client, in turns, so that neighbours' load hits
all. Ours syncs each write to disk, locks, counts quotas and indexes what is written, mostly when
nobody calls: that part is measured after the writes. npm's calls writeFile. The third is the MCP
library alone, which answers our tools with constants: nothing on it can be faster. All list 100
files with their sizes. Needs node and npm; the peer is put into a temporary directory. The time of
a bare fsync is printed, since no durable write can be faster.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
from mcp import Client, StdioServerParameters

PEER = "@modelcontextprotocol/server-filesystem"
BODY = ("The quick brown fox jumps over the lazy dog. " * 100)[:4096]
LISTED = 100

Call = Callable[[int], Awaitable[Any]]


class Toolroll:
    """Our server: calls by name of the measured operation."""

    name = "toolroll"

    def __init__(self, root: Path) -> None:
        self.command = [sys.executable, "-m", "toolroll", "serve", "--root", str(root)]

    def calls(self, client: Client) -> dict[str, Call]:
        def call(tool: str, **arguments: Any) -> Awaitable[Any]:
            return client.call_tool(tool, {"project": "bench", **arguments})

        return {
            "write": lambda i: call("file_write", path=f"/w/{i}.txt", content=BODY),
            "read": lambda i: call("file_read", path=f"/l/{i % LISTED}.txt"),
            "list": lambda i: call("file_list", path="/l"),
            "prepare": lambda i: call("file_write", path=f"/l/{i}.txt", content=BODY),
        }


class Peer:
    """The reference server."""

    name = "server-filesystem"

    def __init__(self, root: Path, modules: Path) -> None:
        self.root = root
        entry = modules / "node_modules" / PEER / "dist" / "index.js"
        self.command = ["node", str(entry), str(root)]
        for name in ("w", "l"):
            (root / name).mkdir()

    def calls(self, client: Client) -> dict[str, Call]:
        def call(tool: str, path: str, **arguments: Any) -> Awaitable[Any]:
            return client.call_tool(tool, {"path": str(self.root / path), **arguments})

        return {
            "write": lambda i: call("write_file", f"w/{i}.txt", content=BODY),
            "read": lambda i: call("read_text_file", f"l/{i % LISTED}.txt"),
            "list": lambda i: call("list_directory_with_sizes", "l"),
            "prepare": lambda i: call("write_file", f"l/{i}.txt", content=BODY),
        }


class Library(Toolroll):
    """The MCP library alone, which answers the same calls."""

    name = "mcp library"

    def __init__(self, root: Path) -> None:
        self.command = [sys.executable, str(Path(__file__).with_name("bare_server.py"))]


async def measure(server: Toolroll | Peer, seconds: float) -> dict[str, float]:
    """Return calls per second by operation and number of callers, and CPU per write."""
    parameters = StdioServerParameters(command=server.command[0], args=server.command[1:])
    found: dict[str, float] = {}
    async with Client(parameters) as client:
        calls = server.calls(client)
        process = next(
            child
            for child in psutil.Process().children(recursive=True)
            if server.command[1] in child.cmdline()
        )
        for i in range(LISTED):
            await ok(calls["prepare"](i))
        await idle(process)
        numbers = itertools.count()
        writes = 0
        for name, callers in itertools.product(("read", "list", "write"), (1, 16)):
            cpu = sum(process.cpu_times()[:2])
            count, took = await rate(calls[name], numbers, callers, seconds)
            found[f"{name} x{callers} per s"] = count / took
            used = sum(process.cpu_times()[:2]) - cpu
            found[f"{name} x{callers} server CPU ms"] = used * 1000 / count
            writes += count if name == "write" else 0
        found["after a write, server CPU ms"] = await idle(process) * 1000 / writes
    return found


async def idle(process: psutil.Process) -> float:
    """Wait until a server has nothing left to do; return the processor time that it took."""
    began = before = sum(process.cpu_times()[:2])
    while True:
        await asyncio.sleep(1.5)
        now = sum(process.cpu_times()[:2])
        if now - before < 0.05:
            return now - began
        before = now


async def rate(call: Call, numbers: Any, callers: int, seconds: float) -> tuple[int, float]:
    started = time.perf_counter()
    done = 0

    async def caller() -> None:
        nonlocal done
        while time.perf_counter() - started < seconds:
            await ok(call(next(numbers)))
            done += 1

    await asyncio.gather(*(caller() for _ in range(callers)))
    return done, time.perf_counter() - started


async def ok(call: Awaitable[Any]) -> None:
    answer = await call
    if answer.is_error:
        raise SystemExit(f"a call failed: {answer.content}")


KINDS = (Toolroll.name, Peer.name, Library.name)


def fsync_ms() -> float:
    """Return what the disk takes to make 4 KiB durable."""
    times: list[float] = []
    with tempfile.NamedTemporaryFile() as file:
        for _ in range(100):
            file.write(BODY.encode())
            started = time.perf_counter()
            file.flush()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as scratch:
        modules = Path(scratch) / "npm"
        if options.only in (None, Peer.name):
            subprocess.run(
                ["npm", "install", "--silent", "--no-audit", "--prefix", str(modules), PEER],
                check=True,
            )
        for number in range(options.rounds):
            for kind in KINDS:
                if options.only not in (None, kind):
                    continue
                root = Path(scratch) / f"{kind.replace(' ', '-')}-{number}"
                root.mkdir()
                servers = {
                    Toolroll.name: lambda at=root: Toolroll(at),
                    Peer.name: lambda at=root: Peer(at, modules),
                    Library.name: lambda at=root: Library(at),
                }
                server = servers[kind]()
                for name, value in asyncio.run(measure(server, options.seconds)).items():
                    rows[name][kind].append(value)
    medians = {
        name: {kind: round(statistics.median(values), 2) for kind, values in row.items()}
        for name, row in rows.items()
    }
    if options.json:
        print(json.dumps(medians, indent=2))
        return
    print(f"a 4 KiB append with fsync takes {fsync_ms():.2f} ms (median)")
    print(f"{'':30}" + "".join(f"{kind:>20}" for kind in KINDS) + f"{'ratio':>8}")
    for name, row in medians.items():
        ours, theirs = row.get(Toolroll.name, 0.0), row.get(Peer.name, 0.0)
        ratio = f"{ours / theirs:.2f}" if theirs and ours else ""
        print(f"{name:30}" + "".join(f"{row.get(kind, 0):20.1f}" for kind in KINDS) + f"{ratio:>8}")


if __name__ == "__main__":
    main()
