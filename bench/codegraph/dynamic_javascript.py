"""Recall and precision on a real npm package, against the calls its own test suite makes.

    python dynamic_javascript.py DIRECTORY COMMAND… [--show 20] [--peers js_callgraph]

DIRECTORY is an unpacked package with its dependencies in `node_modules`, COMMAND runs its tests
(`node_modules/.bin/mocha test`). They run in a copy whose functions, those of tests aside, have a
call put in that reads the stack, in every process of Node that the command starts. Truth is every
call from one function of the package to another; frames of Node itself count as library code, so
that what an event emitter calls has no caller, and what a constructor that nobody wrote calls is
called by who makes the object. Recall is exact. A predicted call counts against
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
from record_javascript import HOOK, UNWRITTEN, Instrumented

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


def record(directory: Path, files: list[str], command: list[str]) -> set[tuple[str, str]]:
    """Run the tests on a copy; return who called whom."""
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
        found: set[tuple[str, str]] = set()
        base = f"{copy}/"
        for file in sorted(calls.iterdir()):
            for row in json.loads(file.read_text()):
                callee, *callers = (_place(known, base, at) for at in json.loads(row))
                caller = next((place for place in callers if place != UNWRITTEN), "")
                if callee and caller:
                    found.add((caller, callee))
        return found


def _place(known: dict[str, Instrumented], base: str, at: list) -> str:
    path, line, column, constructs = at
    item = known.get(path[len(base) :]) if path.startswith(base) else None
    if item is None:
        return ""
    if constructs and item.in_class(line, column):
        return UNWRITTEN
    function = item.function_at(line, column)
    return f"{item.path}:{'<module>' if function is None else function.start_point[0] + 1}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("command", nargs="+")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--peers", default="")
    options = parser.parse_args()
    directory = options.directory.resolve()
    files = sources(directory)
    truth = record(directory, files, options.command)
    ran = {end for edge in truth for end in edge}
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
