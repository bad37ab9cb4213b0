"""Recall and precision on a real npm package, against the calls its own test suite makes.

    python dynamic_javascript.py DIRECTORY COMMAND… [--show 20] [--peers js_callgraph]

DIRECTORY is an unpacked package with its dependencies in `node_modules`, COMMAND runs its tests
(`node_modules/.bin/mocha test`). They run in a copy whose functions, those of tests aside, have a
call put in that reads the stack, in every process of Node that the command starts. Truth is every
call from one function of the package to another; frames of Node itself count as library code, so
that what an event emitter calls has no caller. Recall is exact. A predicted call counts against
precision only if its caller ran, and even then a branch not taken may be to blame.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from accuracy import score, toolroll
from peers import JAVASCRIPT
from record_javascript import HOOK, Instrumented
from tree_sitter import Node

_SUFFIXES = (".js", ".mjs", ".cjs")
_OUTSIDE = frozenset(
    ["node_modules", "test", "tests", "__tests__", "spec", "example", "examples", "bench",
     "benchmark", "benchmarks", "perf", "docs", "coverage", "fixtures"]
)  # fmt: skip
_SAVE = """
process.on('exit', () => require('fs').writeFileSync(
  process.env.CALLS_DIRECTORY + '/' + process.pid + '.json', JSON.stringify([...__rows])));
"""


def sources(directory: Path) -> list[str]:
    """The package's own files, tests and examples aside."""
    return [
        str(path.relative_to(directory))
        for path in sorted(directory.rglob("*"))
        if path.suffix in _SUFFIXES
        and path.is_file()
        and not _OUTSIDE.intersection(path.relative_to(directory).parts)
        and ".test." not in path.name
        and path.name not in ("test.js", "abstractTest.js", "Gruntfile.js", "gulpfile.js")
    ]


def record(
    directory: Path, files: list[str], command: list[str]
) -> tuple[dict[str, Instrumented], list[list[list[object]]]]:
    """Run the tests on a copy; return the files and (callee, caller) positions in it."""
    with tempfile.TemporaryDirectory() as scratch:
        copy, calls = Path(scratch).resolve() / "package", Path(scratch) / "calls"
        shutil.copytree(directory, copy, symlinks=True)
        calls.mkdir()
        known: dict[str, Instrumented] = {}
        for path in files:
            item = Instrumented(path, (directory / path).read_bytes())
            (copy / path).write_bytes(item.text)
            known[path] = item
        hook = Path(scratch) / "hook.cjs"
        hook.write_text(HOOK + _SAVE)
        environment = os.environ | {
            "NODE_OPTIONS": f"--require {hook}",
            "CALLS_DIRECTORY": str(calls),
        }
        done = subprocess.run(
            command, cwd=copy, capture_output=True, text=True, check=False, env=environment,
            timeout=300,
        )  # fmt: skip
        last = (done.stdout.strip() or done.stderr.strip()).splitlines()[-1:]
        print(f"  tests: exit {done.returncode} {last}")
        rows: list[list[list[object]]] = []
        base = f"{copy}/"
        for found in sorted(calls.iterdir()):
            for row in json.loads(found.read_text()):
                callee, caller = json.loads(row)
                if all(str(place[0]).startswith(base) for place in (callee, caller)):
                    rows.append([[place[0][len(base) :], *place[1:]] for place in (callee, caller)])
        return known, rows


def place(item: Instrumented, line: int, column: int) -> str:
    found = item.function_at(line, column)
    return f"{item.path}:{'<module>' if found is None else line_of(found)}"


def line_of(function: Node) -> int:
    return function.start_point[0] + 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("command", nargs="+")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--peers", default="")
    options = parser.parse_args()
    directory = options.directory.resolve()
    files = sources(directory)
    known, rows = record(directory, files, options.command)
    truth: set[tuple[str, str]] = set()
    ran: set[str] = set()
    for callee, caller in rows:
        if callee[0] in known and caller[0] in known:
            first, second = (place(known[at[0]], at[1], at[2]) for at in (caller, callee))
            truth.add((first, second))
            ran |= {first, second}
    for tool in (*[JAVASCRIPT[name] for name in options.peers.split(",") if name], toolroll):
        found = tool(directory, files).keys()
        judged = {edge for edge in found if edge[0] in ran}
        precision, recall, f1 = score(
            len(truth & found), len(judged - truth), len(truth - found)
        )  # fmt: skip
        print(f"  {directory.name:<24} {tool.__name__:<12} calls {len(truth)}  "
              f"P >= {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}")  # fmt: skip
    random.seed(1)
    for title, edges in (("missing", truth - found), ("extra", judged - truth)):
        for edge in random.sample(sorted(edges), min(options.show, len(edges))):
            print(f"    {title}: {edge[0]} -> {edge[1]}")


if __name__ == "__main__":
    sys.exit(main())
