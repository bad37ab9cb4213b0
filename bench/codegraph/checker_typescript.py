"""What TypeScript's own checker says of a project's calls, beside what ours tells.

    python checker_typescript.py DIRECTORY… [--show 20]

Each DIRECTORY is a package with its sources; `npm install typescript@5` in the working directory,
and the types of its dependencies in some `node_modules` above it. JavaScript is asked too: its
types are in comments. Tests are left out.

Of each call, `new`, element of JSX and read of an accessor for which the checker knows the one
definition in the project, recall is how many pairs of caller and callee are told. A call of a
wrapper stands for what it wraps, and what overrides the definition for that. Of calls through an
interface or an abstract method is counted how many reach a class that has it. Precision is of the
calls told on lines where the checker knows all that is called by that name, in the project or
outside of it.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolroll_codegraph.indexing.layout import read_layout
from toolroll_codegraph.indexing.walk import walk
from toolroll_codegraph.languages.registry import extract, language_of
from toolroll_codegraph.resolve.graph import CallGraph, resolve

_CHECKER: Final = Path(__file__).with_suffix(".mjs")
_LANGUAGES: Final = frozenset(["javascript", "typescript"])
_CLASS: Final = 2
_MODULE: Final = 0


class Counts(NamedTuple):
    """Of one project: how many there are, and how many of these are right."""

    known: tuple[int, int]
    open: tuple[int, int]
    """Through interfaces and abstract methods."""
    judged: tuple[int, int]
    """Of the calls that we tell."""
    missing: list[str]
    extra: list[str]


class Told:
    """Our edges, by line and by pair, and the scopes by where they begin."""

    def __init__(self, graph: CallGraph) -> None:
        self.program = program = graph.program
        self.lines: dict[tuple[str, int], set[int]] = defaultdict(set)
        self.pairs = set(graph.edges)
        for (caller, callee), (_, lines) in graph.edges.items():
            path = program.paths[program.file_of[caller]]
            for line in lines:
                self.lines[path, line].add(callee)
        for (caller, _), (stands_for, _) in graph.standing.items():
            self.pairs.update((caller, function) for function in stands_for)
        self._scopes: dict[tuple[str, int], list[int]] = defaultdict(list)
        for scope in range(program.scopes):
            path = program.paths[program.file_of[scope]]
            self._scopes[path, program.first_line[scope]].append(scope)

    def name(self, scope: int) -> str:
        return self.program.texts[self.program.scope_name[scope]]

    def scopes(self, place: dict[str, Any]) -> set[int]:
        """The functions, or classes, that a definition may be: those of its name, if any is."""
        found = {
            scope
            for line in place["lines"]
            for scope in self._scopes.get((place["file"], line), ())
            if (self.program.kind[scope] == _CLASS) == (place["kind"] == "class")
        }
        return {scope for scope in found if self.name(scope) == place["name"]} or found

    def callers(self, row: dict[str, Any]) -> set[int]:
        if row["caller"] is not None:
            return self.scopes(row["caller"])
        first = self._scopes.get((row["file"], 1), ())
        return {scope for scope in first if self.program.kind[scope] == _MODULE}

    def place(self, scope: int) -> str:
        program = self.program
        path, line = program.paths[program.file_of[scope]], program.first_line[scope]
        return f"{path}:{line} {program.qualified_name(scope)}"


def compare(told: Told, rows: list[dict[str, Any]]) -> Counts:
    seen: set[str] = set()
    numbers: dict[str, tuple[int, int]] = {"known": (0, 0), "open": (0, 0)}
    missing: list[str] = []
    at: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        for line in row["lines"]:
            at[row["file"], line].append(row)
        places = row["targets"] + row["below"]
        row["scopes"] = {scope for place in places for scope in told.scopes(place)}
        key = json.dumps([row["file"], row["caller"], row["targets"] or row["below"]])
        if row["status"] not in numbers or not places or key in seen:
            continue
        seen.add(key)
        on_line = {callee for line in row["lines"] for callee in told.lines[row["file"], line]}
        right = bool(on_line & row["scopes"]) or any(
            (caller, callee) in told.pairs
            for caller in told.callers(row)
            for callee in row["scopes"]
        )
        asked, reached = numbers[row["status"]]
        numbers[row["status"]] = asked + 1, reached + right
        if not right:
            wanted = ", ".join(f"{it['file']}:{it['lines'][0]} {it['name']}" for it in places[:3])
            missing.append(f"{row['file']}:{row['lines'][-1]} {row['name']} -> {wanted}")
    judged, extra = _judge(told, at)
    return Counts(numbers["known"], numbers["open"], (judged, judged - len(extra)), missing, extra)


def _judge(told: Told, at: dict[tuple[str, int], list[dict[str, Any]]]) -> tuple[int, list[str]]:
    judged, extra = 0, list[str]()
    for (path, line), callees in told.lines.items():
        for callee in callees:
            name = told.name(callee)
            rows = [row for row in at[path, line] if name in (row["name"], _made(row))]
            known = rows and all(row["status"] in ("known", "outside") for row in rows)
            if told.program.kind[callee] == _CLASS or not known:
                continue
            judged += 1
            if not any(callee in row["scopes"] for row in rows):
                extra.append(f"{path}:{line} -> {told.place(callee)}")
    return judged, extra


def _made(row: dict[str, Any]) -> str:
    made = row["kind"] in ("new", "element") or row["name"] == "super"
    return "constructor" if made else ""


def measure(directory: Path) -> Counts:
    found = walk(directory, _LANGUAGES, include_tests=False).files
    configuration = [file.path for file in found if file.language == "configuration"]
    paths = [
        file.path
        for file in found
        if file.language != "configuration" and not file.path.endswith(".d.ts")
    ]
    answer = subprocess.run(
        ["node", "--max-old-space-size=6000", str(_CHECKER), str(directory)],
        input=json.dumps(paths), capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows = [json.loads(row) for row in answer.stdout.splitlines()]
    facts = [
        (path, extract(path, language_of(path) or "", (directory / path).read_bytes()))
        for path in paths
    ]
    return compare(Told(resolve(facts, read_layout(directory, configuration))), rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directories", type=Path, nargs="+")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    for directory in options.directories:
        found = measure(directory.resolve())
        known, implemented, judged = map(_share, (found.known, found.open, found.judged))
        print(f"  {directory.name:<24} known {found.known[0]}  R {known}  "
              f"open {found.open[0]}  R {implemented}  "
              f"judged {found.judged[0]}  P {judged}")  # fmt: skip
        random.seed(1)
        for title, lines in (("missing", found.missing), ("extra", found.extra)):
            for line in random.sample(sorted(lines), min(options.show, len(lines))):
                print(f"    {title}: {line}")


def _share(counts: tuple[int, int]) -> str:
    return f"{counts[1] / counts[0]:.3f}" if counts[0] else "-"


if __name__ == "__main__":
    main()
