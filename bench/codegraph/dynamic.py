"""Recall and precision on a real Python package, against the calls its own test suite makes.

    python dynamic.py DIRECTORY PACKAGE [--tests PATH]… [--peers jedi,pyan3] [--show 20]

DIRECTORY is an unpacked source distribution whose tests pass with pytest, PACKAGE its import name.
Tests inside the package are left out of what is measured.
The tests run in a process of their own under `sys.settrace`. Truth is every call from one function
of the package to another; calls through libraries have no caller here. Recall is exact. A predicted
call counts against precision only if its line ran, and even then a branch not taken may be to
blame: precision is a lower bound. Calls of generator functions count on neither side: they run
when someone else asks for a value.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from accuracy import score, toolroll
from peers import PYTHON, Ends

_GENERATOR = 0x20 | 0x80 | 0x200
_FOLDED = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")
_RECORDER = """
import atexit, json, os, sys, threading
root, base, output, folded, generator = ROOT, BASE, OUTPUT, FOLDED, GENERATOR
edges, lines = set(), set()
def place(frame):
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(root):
            return None
        inline = code.co_name in folded or not code.co_flags & 1 and code.co_name != '<module>'
        if not inline:
            return code.co_filename[len(base):], code.co_firstlineno, code.co_name
        frame = frame.f_back
    return None
def on_line(frame, event, argument):
    if event == 'line':
        lines.add((frame.f_code.co_filename[len(base):], frame.f_lineno))
    return on_line
def on_call(frame, event, argument):
    code = frame.f_code
    if not code.co_filename.startswith(root):
        return None
    resumed = code.co_flags & generator and code.co_code[frame.f_lasti + 1] & 3
    if not resumed and code.co_name not in folded and code.co_flags & 1:
        caller = place(frame.f_back)
        if caller is not None:
            edges.add((caller, place(frame)))
    return on_line
def save():
    sys.settrace(None)
    json.dump([sorted(edges), sorted(lines)], open(output, 'w'))
atexit.register(save)
sys.settrace(on_call)
threading.settrace(on_call)
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""

Place = tuple[str, int, str]


def record(directory: Path, package: Path, tests: list[str]) -> tuple[list, set[tuple[str, int]]]:
    """Run the tests; return the calls between places of the package and the lines that ran."""
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "calls.json"
        script = Path(scratch) / "recorder.py"
        text = _RECORDER
        for name, value in (
            ("ROOT", f"{package}/" if package.is_dir() else str(package)),
            ("BASE", f"{package.parent}/"), ("OUTPUT", str(output)), ("FOLDED", _FOLDED),
            ("GENERATOR", _GENERATOR),
        ):  # fmt: skip
            text = text.replace(name, repr(value), 1)
        script.write_text(text)
        command = [sys.executable, str(script), "-q", "-p", "no:cacheprovider", "-p",
                   "no:randomly", *tests]  # fmt: skip
        done = subprocess.run(
            command, cwd=directory, capture_output=True, text=True, check=False,
            env={"PYTHONPATH": str(package.parent), "PATH": "/usr/bin:/bin", "HOME": scratch},
        )  # fmt: skip
        print("  tests:", (done.stdout.strip().splitlines() or [done.stderr[-300:]])[-1])
        edges, lines = json.loads(output.read_text())
    return edges, {(path, line) for path, line in lines}


def first_lines(package: Path, files: list[str]) -> dict[tuple[str, int], int]:
    """Where code objects begin (at their first decorator) to the line of their `def`."""
    found: dict[tuple[str, int], int] = {}
    for path in files:
        for item in ast.walk(ast.parse((package / path).read_bytes())):
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                start = min([item.lineno, *(one.lineno for one in item.decorator_list)])
                found[path, start] = item.lineno
    return found


def generators(package: Path, files: list[str]) -> set[str]:
    """The ends that are generator functions."""
    found: set[str] = set()
    for path in files:
        pending: list[tuple[ast.AST, str]] = [(ast.parse((package / path).read_bytes()), "")]
        while pending:
            item, owner = pending.pop()
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                owner = f"{path}:{item.lineno}"
            elif isinstance(item, ast.Yield | ast.YieldFrom):
                found.add(owner)
            pending += [(child, owner) for child in ast.iter_child_nodes(item)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("package")
    parser.add_argument("--tests", action="append")
    parser.add_argument("--peers", default="")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    directory = options.directory.resolve()
    package = next(path for path in (directory / options.package, directory / "src" /
                                     options.package, directory / f"{options.package}.py",
                                     directory / "lib" / options.package)
                   if path.exists())  # fmt: skip
    root = package.parent
    places = (directory / "tests", directory / "test", package / "tests", package / "test")
    tests = options.tests or [str(path) for path in places if path.is_dir()][:1]
    if not tests:
        parser.error("no directory of tests was found: tell where they are with --tests")
    if package.is_dir():
        own = {directory / path.partition("::")[0] for path in tests}
        found = [path for path in sorted(package.rglob("*.py")) if own.isdisjoint(path.parents)]
        files = [str(path.relative_to(root)) for path in found]
    else:
        files = [package.name]
    rows, lines = record(directory, package, tests)
    starts = first_lines(root, files)
    inside = set(files)

    def end(place: Place) -> str:
        path, line, name = place
        return f"{path}:{'<module>' if name == '<module>' else starts.get((path, line), line)}"

    truth = {(end(a), end(b)) for a, b in rows if a[0] in inside and b[0] in inside}
    ran = {f"{path}:{line}" for path, line in lines}
    later = generators(root, files)
    truth = {edge for edge in truth if edge[1] not in later}
    tools = [toolroll, *(PYTHON[name] for name in options.peers.split(",") if name)]
    for tool in tools:
        found = {edge: lines for edge, lines in tool(root, files).items() if edge[1] not in later}
        judged = {edge for edge in found if edge in truth or _ran(found, edge, ran)}
        precision, recall, _ = score(
            len(truth & found.keys()), len(judged - truth), len(truth - found.keys())
        )
        print(f"  {options.package:<14} {tool.__name__:<10} calls {len(truth)}  "
              f"P >= {precision:.3f}  R {recall:.3f}")  # fmt: skip
        random.seed(1)
        for title, edges in (("missing", truth - found.keys()), ("extra", judged - truth)):
            for edge in random.sample(sorted(edges), min(options.show, len(edges))):
                print(f"    {title}: {edge[0]} -> {edge[1]}")


def _ran(found: Ends, edge: tuple[str, str], ran: set[str]) -> bool:
    """Whether a line of the call ran; a tool that tells no lines is not judged by it."""
    path = edge[0].rpartition(":")[0]
    return any(f"{path}:{line}" in ran for line in found[edge])


if __name__ == "__main__":
    main()
