"""Precision and recall on our truth sets, for the pack and for peers that are installed.

python accuracy.py [--suite python|javascript|typescript|ruby] [--part snippets] [--by-case]
                   [--peers jedi,pyan3,code2flow,mcp_common,js_callgraph,unique_names]

TypeScript wants `npm install typescript@5` in the working directory.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from peers import JAVASCRIPT, PYTHON, RUBY, Ends, Tool  # noqa: E402

SUITES = ("python", "javascript", "typescript", "ruby")


def end(item: dict[str, object]) -> str:
    return f"{item['file']}:{'<module>' if item['kind'] == 'module' else item['line']}"


def toolroll(root: Path, files: list[str]) -> Ends:
    from toolroll_codegraph.languages.registry import extract, language_of
    from toolroll_codegraph.resolve.graph import resolve

    facts = [
        (path, extract(path, language_of(path) or "", (root / path).read_bytes())) for path in files
    ]
    graph = resolve(facts)
    program = graph.program

    def name(scope: int) -> str:
        line = "<module>" if program.kind[scope] == 0 else program.first_line[scope]
        return f"{program.paths[program.file_of[scope]]}:{line}"

    found: Ends = {}
    for (caller, callee), (_, lines) in graph.edges.items():
        if program.kind[callee] != 2:
            found.setdefault((name(caller), name(callee)), set()).update(lines)
    return found


def score(right: int, extra: int, missing: int) -> tuple[float, float, float]:
    """(precision, recall, F1)."""
    precision = right / (right + extra) if right + extra else 1.0
    recall = right / (right + missing) if right + missing else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall or 1)


class NoTruth(Exception):
    """The programs of a suite could not be run: what runs them is not installed."""


def truth_of(suite: str, part: str, scratch: Path) -> list[dict]:
    """The programs of a suite, or of one part of it, and where they lie."""
    import json

    found: list[dict] = []
    recorder = "javascript" if suite == "typescript" else suite
    for snippets in sorted((HERE / "suites" / suite).glob(f"{part or '*'}.txt")):
        output = scratch / suite / snippets.stem
        command = [sys.executable, str(HERE / f"record_{recorder}.py"), str(snippets), str(output)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoTruth(done.stderr.strip())
        for case in json.loads((output / "truth.json").read_text())["cases"]:
            found.append({**case, "root": output / "src" / case["id"]})
    return found


def measure(tool: Tool, cases: list[dict], *, by_case: bool) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for case in cases:
        nodes = case["nodes"]
        truth = {(end(nodes[a]), end(nodes[b])) for a, b in case["edges"]}
        # A property's accessors are one node: each of their lines stands for it.
        lines = {
            f"{item['file']}:{line}": end(item)
            for item in nodes.values()
            for line in item.get("lines", ())
        } | {end(item): end(item) for item in nodes.values() if item["kind"] != "class"}
        try:
            found = set(tool(case["root"].resolve(), case["files"]))
        except Exception as error:
            print(f"  {tool.__name__} failed on {case['id']}: {error!r}"[:120], file=sys.stderr)
            found = set()
        found = {
            (lines[caller], lines[callee])
            for caller, callee in found
            if caller in lines and callee in lines
        }
        for key in (case["category"], "total"):
            row = counts[key]
            row[0] += len(found & truth)
            row[1] += len(found - truth)
            row[2] += len(truth - found)
        if by_case and found != truth:
            print(case["id"], "extra", sorted(found - truth), "missing", sorted(truth - found))
    return counts


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--suite", choices=SUITES, action="append")
    parser.add_argument("--part", default="", help="a file of the suite, without its suffix")
    parser.add_argument("--peers", default="")
    parser.add_argument("--by-case", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for suite in options.suite or SUITES:
            try:
                cases = truth_of(suite, options.part, Path(scratch))
            except NoTruth as error:
                if options.suite:
                    sys.exit(f"{suite}: {error}")
                print(
                    f"{suite}: not measured, its programs don't run here: --suite {suite} says why"
                )
                continue
            tools: list[Tool] = [toolroll]
            known = {"python": PYTHON, "javascript": JAVASCRIPT, "ruby": RUBY}.get(suite, {})
            tools += [known[name] for name in options.peers.split(",") if name in known]
            for tool in tools:
                counts = measure(tool, cases, by_case=options.by_case)
                print(f"{suite}: {tool.__name__}, {len(cases)} cases")
                for key, (right, extra, missing) in sorted(
                    counts.items(), key=lambda item: (item[0] == "total", item[0])
                ):
                    precision, recall, f1 = score(right, extra, missing)
                    print(f"  {key:<14} P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}")


if __name__ == "__main__":
    main()
