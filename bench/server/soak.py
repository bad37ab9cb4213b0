#!/usr/bin/env python3
"""One host with every pack, used for long by many MCP clients of both eras: what grows?

    python bench/server/soak.py [--minutes 30] [--pause 0.2]

The clients write, move, delete and index the same files over and over. Some calls are refused,
called off or left with their session; files change on disk; directories come, are indexed, and go.
What grows all the same is noted once a minute. Rows of calls, finished jobs and deleted files stay
as long as the settings say, investigations for ever.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import growth
import psutil
from attrs import define, field
from cluster import percentile
from driving import text_of
from mcp import Client

from toolroll_conformance.legs.starting import started
from toolroll_conformance.processes.child import ColdLauncher

SETTINGS = """
[http]
session_idle_seconds = 120.0
[audit]
table = true
[codegraph]
watch = true
"""
ERAS = ("legacy", "2026-07-28")
PROJECTS, FILES, MODULES = 20, 30, 30


@define(eq=False)
class Soak:
    """A host that is used, and what was seen of it."""

    root: Path
    url: str
    process: psutil.Process
    log: Path
    until: float
    pause: float
    waits: list[float] = field(factory=list)
    rows: list[dict[str, float]] = field(factory=list)

    @property
    def over(self) -> bool:
        return time.monotonic() > self.until

    async def call(self, client: Client, tool: str, **arguments: Any) -> None:
        begun = time.monotonic()
        with contextlib.suppress(Exception):  # refusals of the protocol are part of the load
            await client.call_tool(tool, arguments)
        self.waits.append(time.monotonic() - begun)
        await asyncio.sleep(self.pause * random.uniform(0.5, 1.5))

    async def use(self, client: Client) -> None:
        """Make one call of a mixed load."""
        project = f"p{random.randrange(PROJECTS)}"
        one, other = (f"/d/{random.randrange(FILES)}.txt" for _ in range(2))
        source = str(self.root / "src")
        text = text_of(random.randrange(1000))
        calls: list[tuple[str, dict[str, Any]]] = [
            ("file_write", {"path": one, "content": text, "mode": "TRUNCATE"}),
            ("file_write", {"path": one, "content": text * 100, "mode": "TRUNCATE"}),
            ("file_rename", {"from_path": one, "to_path": other, "overwrite": True}),
            ("file_delete", {"path": one}),
            ("file_search", {"query": "token bucket"}),
            ("index_collection", {"collection": "src", "path": "src"}),
            ("search_vectors", {"collection": "src", "query": "where is the token"}),
            ("discover", {"query": "how is the bucket made"}),
            ("index_code_graph", {"project_path": source}),
            ("get_function_context", {"project_path": source, "function_name": "f1"}),
            ("register_file", {"path": f"src/m{random.randrange(MODULES)}.py"}),
            ("start_investigation", {"scenario": "ptp-mock"}),
            ("submit_artifact", {"case_id": "C1", "step": "F0_RECALL", "artifact": {}}),
            ("no_such_tool", {}),
            ("get_file", {"wrong": 1}),
        ]
        tool, arguments = random.choice(calls)
        if tool.startswith("file_"):
            arguments["project"] = project
        await self.call(client, tool, **arguments)

    async def stay(self, era: str) -> None:
        async with Client(self.url, mode=era) as client:  # type: ignore[arg-type]
            while not self.over:
                await self.use(client)

    async def come_and_go(self, era: str) -> None:
        """Make short sessions; some calls are called off, and some left with their session."""
        async with Client(self.url, mode=era) as client:  # type: ignore[arg-type]
            await client.list_tools()
            for patience in (60, 0.01, 0.05):
                with anyio.move_on_after(patience):
                    await self.use(client)

    async def change(self) -> None:
        """Edit a file, and index a directory that goes again, with its collection."""
        number = random.randrange(MODULES)
        (self.root / f"src/m{number}.py").write_text(
            f"def f{number}():\n    return {time.time()}\n"
        )
        passing = self.root / f"passing{time.monotonic_ns()}"
        passing.mkdir()
        (passing / "a.py").write_text("def f(): pass\n")
        async with Client(self.url) as client:
            await self.call(client, "index_collection", collection=passing.name, path=passing.name)
            await self.call(client, "index_code_graph", project_path=str(passing))
        shutil.rmtree(passing)
        await asyncio.to_thread(self.command, "file_ops", "remove", passing.name)
        await asyncio.to_thread(self.command, "codegraph", "forget", "--project", str(passing))
        await asyncio.sleep(self.pause * 20)

    def command(self, pack: str, *words: str) -> None:
        command = [sys.executable, "-m", "toolroll", pack, "--root", str(self.root), *words]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)

    async def repeat(self, act: Callable[..., Awaitable[None]], *arguments: str) -> None:
        while not self.over:
            with contextlib.suppress(Exception):  # such as a session that has ended
                await act(*arguments)

    async def look(self) -> None:
        """Note once a minute what the host has and has stored."""
        while not self.over:
            await asyncio.sleep(max(min(60, self.until - time.monotonic()), 0.1))
            waits, self.waits = self.waits, []
            data = self.root / ".toolroll"
            held = await asyncio.to_thread(growth.held, self.process, data, self.log)
            times = {f"p{share} ms": percentile(waits, share / 100) * 1000 for share in (50, 95)}
            self.rows.append(times | held)
            print(f"{len(self.rows)} min, {len(waits)} calls", flush=True)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for era in ERAS:
                tasks.create_task(self.repeat(self.stay, era))
                tasks.create_task(self.repeat(self.come_and_go, era))
            tasks.create_task(self.repeat(self.change))
            tasks.create_task(self.look())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument(
        "--pause", type=float, default=0.2, help="seconds between calls of a client"
    )
    options = parser.parse_args()
    logging.disable()  # the client traces each answer that comes too late for it
    with tempfile.TemporaryDirectory(prefix="toolroll-") as name:
        root = Path(name) / "root"
        (root / "src").mkdir(parents=True)
        for number in range(MODULES):
            text = f"from m{(number + 1) % MODULES} import *\n\n\ndef f{number}():\n    pass\n"
            (root / "src" / f"m{number}.py").write_text(text)
        (root / "toolroll.toml").write_text(SETTINGS)
        words = ["serve", "--http", "127.0.0.1:0"]
        with started(ColdLauncher(), words, cwd=root, logs=root.parent) as host:
            process = psutil.Process(host.process.pid)
            until = time.monotonic() + options.minutes * 60
            soak = Soak(root, host.address(), process, host.log, until, options.pause)
            asyncio.run(soak.run())
            growth.show(soak.rows)
            host.stop()


if __name__ == "__main__":
    main()
