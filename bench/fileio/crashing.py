#!/usr/bin/env python3
"""Kill a mutating process with SIGKILL again and again, and look for what was lost.

    python bench/fileio/crashing.py [--runs 300]

After each kill every acknowledged change is there, none is half applied, totals are what the files
say, and once the jobs are done the index equals one made from the files.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from projects import Bench
from sqlalchemy import text

CALLERS = 4
"""Threads that change files at once: they share commits, and so what a kill can take."""

WORKER = """
import random, sys, threading
sys.path.insert(0, {here!r})
from pathlib import Path
from projects import Bench
bench = Bench.open(Path({root!r}))

def tell(*words):
    sys.stdout.write(" ".join(words) + "\\n")  # in one piece
    sys.stdout.flush()

def work(caller):
    chance = random.Random({seed} * 100 + caller)
    for number in range(100_000):
        path = f"/{seed}/{{caller}}/{{chance.randrange(6)}}/{{chance.randrange(6)}}"
        kind = chance.randrange(6)
        try:
            if kind < 3:
                bench.call("file_write", project="p", path=path, content=f"w{{number}} ")
                tell("write", path, f"w{{number}}")
            elif kind == 3:
                target = f"/{seed}/{{caller}}/moved/{{number}}"
                bench.call("file_rename", project="p", from_path=path, to_path=target)
                tell("move", path, target)
            elif kind == 4:
                bench.call("file_delete", project="p", path=path)
                tell("delete", path, "-")
            else:
                bench.engine.indexer.run(bench.runtime.context("fileio"))
        except SystemExit:
            continue  # nothing there to move or delete

print("ready", flush=True)
callers = [threading.Thread(target=work, args=(caller,)) for caller in range({callers})]
for thread in callers:
    thread.start()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    options = parser.parse_args()
    chance = random.Random(11)
    acknowledged = 0
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        state: dict[str, list[str]] = {}
        for run in range(options.runs):
            lines = killed(root, run, chance.uniform(0.0, 0.5))
            acknowledged += len(lines)
            replay(state, lines)
            check(root, state, run)
        print(f"{options.runs} kills, {acknowledged} acknowledged changes, nothing lost")


def killed(root: Path, seed: int, seconds: float) -> list[list[str]]:
    """Let a process work for a while, kill it, and return what it acknowledged."""
    here = str(Path(__file__).parent)
    code = WORKER.format(here=here, root=str(root), seed=seed, callers=CALLERS)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines: list[str] = []
    first = process.stdout.readline()
    assert first == "ready\n", first
    reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()))
    reader.start()
    reader.join(seconds)
    process.kill()
    process.wait()
    reader.join()
    process.stdout.close()
    return [line.split() for line in lines if line.endswith("\n")]


def replay(state: dict[str, list[str]], lines: list[list[str]]) -> None:
    for kind, path, value in lines:
        if kind == "write":
            state.setdefault(path, []).append(value)
        elif kind == "move":
            state[value] = state.pop(path)
        else:
            state.pop(path)


def check(root: Path, state: dict[str, list[str]], run: int) -> None:
    """Compare with what was acknowledged; of each caller one more may be committed unheard."""
    bench = Bench.open(root)
    context = bench.runtime.context("fileio")

    def rows(sql: str) -> list[tuple[object, ...]]:
        with context.database.read() as session:
            return [tuple(row) for row in session.connection().execute(text(sql))]

    files = "SELECT path, content FROM mcp_files WHERE deleted = 0 ORDER BY path"
    stored = {str(path): bytes(data).decode().split() for path, data in rows(files)}  # type: ignore[arg-type]
    changed = {p for p in state.keys() | stored.keys() if state.get(p) != stored.get(p)}
    gone = changed - stored.keys()
    for caller in range(CALLERS):
        mine = {path for path in changed if path.split("/")[2] == str(caller)}
        assert len(mine) <= 2, (run, mine)  # a move changes two
        assert len(mine & gone) <= 1, (run, mine)
    for path in changed & stored.keys() & state.keys():
        assert stored[path][:-1] == state[path], (run, path)
    state.clear()
    state.update(stored)
    totals = rows("SELECT count(*), coalesce(sum(size), 0) FROM mcp_files WHERE deleted = 0")
    kept = rows("SELECT file_count, total_bytes FROM mcp_file_projects")
    assert kept in ([], totals), (run, totals, kept)
    expired = text("UPDATE mcp_file_index_jobs SET lease_until = created_at")
    with context.database.begin() as session:
        session.connection().execute(expired)
    while bench.engine.indexer.run(context):
        pass
    assert rows("SELECT count(*) FROM mcp_file_index_jobs WHERE status != 'done'") == [(0,)], run
    pieces = "SELECT file_path, chunk_content FROM mcp_file_chunks ORDER BY 1, chunk_index"
    indexed: dict[str, str] = {}
    for path, part in rows(pieces):
        indexed[str(path)] = indexed.get(str(path), "") + str(part)
    assert {path: part.split() for path, part in indexed.items()} == stored, run
    bench.runtime.close()


if __name__ == "__main__":
    main()
