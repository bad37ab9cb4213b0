"""Record who calls whom while Ruby runs: the truth for `suites/ruby`.

    python record_ruby.py SNIPPETS OUTPUT_DIRECTORY

Every method that is called notes the place it is called from (`TracePoint`); the caller is the
method written around that place, so that a block belongs to the method it stands in and what
runs outside of methods to the file. Only methods written with `def` are called.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import tree_sitter_ruby
from record_python import node, read_snippets
from tree_sitter import Language, Parser

_HOOK = """
require 'json'
rows = {}
trace = TracePoint.new(:call) do |point|
  from = caller_locations(2).find { |place| place.path && !place.path.start_with?('<internal') }
  rows[[from.absolute_path || from.path, from.lineno, point.path, point.lineno]] = true if from
end
at_exit { trace.disable; puts; puts JSON.generate(rows.keys) }
trace.enable
load ARGV.first
"""
_HOLDERS = ("class", "module", "singleton_class", "method", "singleton_method")


def nodes_of(files: dict[str, str]) -> dict[str, dict[str, object]]:
    parser = Parser(Language(tree_sitter_ruby.language()))
    found: dict[str, dict[str, object]] = {}
    for path, source in files.items():
        found[f"{path}::<module>"] = node(path, "<module>", "module", 0, source.count("\n") + 1)
        pending = [(parser.parse(source.encode()).root_node, "")]
        while pending:
            current, prefix = pending.pop()
            name = current.child_by_field_name("name")
            if current.type in _HOLDERS and name is not None:
                prefix = f"{prefix}.{name.text.decode()}".lstrip(".")
                line, end = current.start_point[0] + 1, current.end_point[0] + 1
                kind = "function" if "method" in current.type else "class"
                found[f"{path}::L{line}:{prefix}"] = node(path, prefix, kind, line, end)
            pending += [(child, prefix) for child in current.children]
    return found


def record(root: Path, main: str, hook: Path) -> list[tuple[str, int, str, int]]:
    command = ["ruby", str(hook), str(root / main)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        sys.exit(f"{root} failed:\n{done.stderr}")
    base = f"{root}/"
    return [
        (caller.removeprefix(base), first, callee.removeprefix(base), second)
        for caller, first, callee, second in json.loads(done.stdout.splitlines()[-1])
        if caller.startswith(base) and callee.startswith(base)
    ]


def build(snippets: Path, output: Path) -> None:
    cases = []
    hook = output / "hook.rb"
    output.mkdir(parents=True, exist_ok=True)
    hook.write_text(_HOOK)
    for case, files in read_snippets(snippets).items():
        files = {path.replace("main.py", "main.rb"): text for path, text in files.items()}
        root = (output / "src" / case).resolve()
        for path, source in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(source)
        nodes = nodes_of(files)
        functions = {
            (item["file"], item["line"]): name
            for name, item in nodes.items()
            if item["kind"] == "function"
        }

        def around(path: str, line: int, nodes: dict = nodes) -> str:
            inside = [
                (item["line"], name)
                for name, item in nodes.items()
                if item["kind"] == "function"
                and item["file"] == path
                and item["line"] <= line <= item["end_line"]
            ]
            return max(inside)[1] if inside else f"{path}::<module>"

        edges = {
            (around(caller, line), functions[callee, defined])
            for caller, line, callee, defined in record(root, next(iter(files)), hook.resolve())
            if (callee, defined) in functions
        }
        cases.append(
            {
                "id": case, "category": case.partition("/")[0], "files": sorted(files),
                "edges": sorted(list(edge) for edge in edges), "nodes": nodes,
            }
        )  # fmt: skip
    truth = {"suite": output.name, "language": "ruby", "cases": cases}
    (output / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
