"""Record who calls whom while JavaScript or TypeScript runs: the truth for their suites.

    python record_javascript.py SNIPPETS OUTPUT_DIRECTORY

A call of `__enter()` is put at the start of every function. It reads the stack, whose positions
are mapped back to the functions around them. Native frames (`Array.map`) are skipped, so that a
callback's caller is the function that handed it over; what an event loop calls has no caller.
TypeScript is transpiled when it is loaded (`npm install typescript@5` in the working directory:
later ones can't be called from Node); positions go back through its source maps, and its helpers
are skipped like native code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import tree_sitter_javascript
import tree_sitter_typescript
from record_python import node, read_snippets
from tree_sitter import Language, Node, Parser

_FUNCTIONS = (
    "function_declaration", "generator_function_declaration", "function_expression",
    "arrow_function", "generator_function", "method_definition",
)  # fmt: skip
_CLASSES = ("class", "class_declaration", "abstract_class_declaration")
UNWRITTEN = "-"
"""A constructor that nobody wrote: who made the object calls what that calls."""
HOOK = """
globalThis.__rows = new Set();
globalThis.__enter = function () {
  const before = Error.prepareStackTrace, limit = Error.stackTraceLimit;
  Error.prepareStackTrace = (error, sites) => sites;
  Error.stackTraceLimit = 40;
  const sites = new Error().stack.slice(1);
  Error.prepareStackTrace = before; Error.stackTraceLimit = limit;
  if (!Array.isArray(sites)) return;  // inside of another's prepareStackTrace
  const found = [];
  for (const site of sites) {
    const file = site.getFileName();
    if (!file) continue;
    if (site.isAsync && site.isAsync()) break;
    let at = [file.replace('file://', ''), site.getLineNumber(), site.getColumnNumber()];
    if (globalThis.__written) at = __written(...at);
    if (!at) continue;
    found.push([...at, site.isConstructor()]);
    if (found.length === 5) break;
  }
  if (found.length > 1) globalThis.__rows.add(JSON.stringify(found));
};
"""
_TYPESCRIPT = """
const typescript = require('typescript'), { SourceMap } = require('module');
const maps = new Map();
const compilerOptions = {
  module: typescript.ModuleKind.CommonJS, target: typescript.ScriptTarget.ES2022, sourceMap: true,
  experimentalDecorators: true, esModuleInterop: true, jsx: typescript.JsxEmit.React,
};
for (const suffix of ['.ts', '.tsx']) require.extensions[suffix] = (module, file) => {
  const source = require('fs').readFileSync(file, 'utf8');
  const done = typescript.transpileModule(source, { fileName: file, compilerOptions });
  maps.set(file, new SourceMap(JSON.parse(done.sourceMapText)));
  module._compile(done.outputText, file);
};
globalThis.__written = (file, line, column) => {
  const found = maps.get(file)?.findEntry(line - 1, column - 1);
  if (!found) return [file, line, column];
  if (found.originalLine === undefined) return null;
  return [file, found.originalLine + 1, found.originalColumn + 1];
};
"""
_PRINT = """
process.on('exit', () => console.log('\\n@@' + JSON.stringify([...globalThis.__rows])));
"""


def _language(path: str) -> Language:
    if path.endswith(".tsx"):
        return Language(tree_sitter_typescript.language_tsx())
    if path.endswith(".ts"):
        return Language(tree_sitter_typescript.language_typescript())
    return Language(tree_sitter_javascript.language())


class Instrumented:
    """One file with `__enter()` in every function."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        tree = Parser(_language(path)).parse(source)
        self.functions: list[tuple[int, int, Node]] = []
        self.classes: list[tuple[int, int]] = []
        self.inserts: list[tuple[int, bytes]] = []
        pending = [tree.root_node]
        while pending:
            current = pending.pop()
            pending += current.children
            if current.type in _FUNCTIONS:
                self._function(current)
            elif current.is_named and current.type in _CLASSES:
                self.classes.append((current.start_byte, current.end_byte))
        self.inserts.sort()
        pieces, last = [], 0
        for position, text in self.inserts:
            pieces += [source[last:position], text]
            last = position
        self.text = b"".join([*pieces, source[last:]])
        self.lines = [0]
        for line in self.text.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def _function(self, function: Node) -> None:
        body = function.child_by_field_name("body")
        assert body is not None
        # A computed name is evaluated outside of its method, and decorators are called there.
        given = function.child_by_field_name("parameters")
        start = (function if given is None else given).start_byte
        self.functions.append((start, function.end_byte, function))
        if body.type == "statement_block":
            start = body.start_byte + 1
            for statement in body.named_children:  # "use strict" has to stay in front
                inner = statement.named_children[0] if statement.named_children else statement
                if statement.type == "expression_statement" and inner.type == "string":
                    start = statement.end_byte
                elif statement.type != "comment":
                    break
            self.inserts.append((start, b";__enter();"))
        else:
            self.inserts += [(body.start_byte, b"(__enter(),"), (body.end_byte, b")")]

    def at(self, line: int, column: int) -> str:
        """The id of the function around a position of the instrumented text."""
        found = self.function_at(line, column)
        return f"{self.path}::<module>" if found is None else self.name(found)

    def in_class(self, line: int, column: int) -> bool:
        """Whether a position is in a class but in no function of that."""
        function, position = self.function_at(line, column), self._original(line, column)
        start = -1 if function is None else function.start_byte
        return any(start < first <= position < last for first, last in self.classes)

    def function_at(self, line: int, column: int) -> Node | None:
        """The innermost function around a position of the instrumented text."""
        original = self._original(line, column)
        around = [item for item in self.functions if item[0] <= original < item[1]]
        return max(around, key=lambda item: item[0])[2] if around else None

    def _original(self, line: int, column: int) -> int:
        position = self.lines[line - 1] + column - 1
        shift = 0
        for start, text in self.inserts:
            if start + shift <= position - len(text):
                shift += len(text)
            elif start + shift <= position:
                return start - 1  # a body that is an arrow function begins behind its `=>`
        return position - shift

    def name(self, function: Node) -> str:
        row, column = function.start_point
        return f"{self.path}::L{row + 1}C{column}"


def run(root: Path, files: dict[str, str], main: str) -> tuple[dict[str, object], list[list[str]]]:
    known = {path: Instrumented(path, source.encode()) for path, source in files.items()}
    for path, item in known.items():
        (root / "run" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "run" / path).write_bytes(item.text)
    hook = root / "hook.cjs"
    typed = main.endswith((".ts", ".tsx"))
    hook.write_text(HOOK + (_TYPESCRIPT if typed else "") + _PRINT)
    command = ["node", "--require", str(hook.resolve()), str((root / "run" / main).resolve())]
    modules = str(Path("node_modules").resolve())
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"NODE_PATH": modules},
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{root} failed:\n{done.stderr}")
    rows = [json.loads(row) for row in json.loads(done.stdout.rpartition("@@")[2])]
    base = str((root / "run").resolve()) + "/"
    edges = set()
    for callee, *callers in rows:
        ends = [_place(known, base, place) for place in (callee, *callers)]
        if ends[0]:
            caller = next((end for end in ends[1:] if end != UNWRITTEN), "")
            edges |= {(caller, ends[0])} if caller else set()
    nodes = {f"{path}::<module>": node(path, "<module>", "module", 0, 0) for path in files}
    for path, item in known.items():
        for _, _, function in item.functions:
            line = function.start_point[0] + 1
            name = item.name(function)
            kind = "lambda" if function.type == "arrow_function" else "function"
            nodes[name] = node(path, name.partition("::")[2], kind, line,
                               function.end_point[0] + 1)  # fmt: skip
    return nodes, sorted(list(edge) for edge in edges)


def _place(known: dict[str, Instrumented], base: str, place: list) -> str:
    path, line, column, constructs = place
    if not path.startswith(base):
        return ""
    item = known[path[len(base) :]]
    return UNWRITTEN if constructs and item.in_class(line, column) else item.at(line, column)


def build(snippets: Path, output: Path) -> None:
    cases = []
    main = "main.ts" if snippets.parent.name == "typescript" else "main.js"
    for case, files in read_snippets(snippets).items():
        files = {path.replace("main.py", main): text for path, text in files.items()}
        root = output / "src" / case
        for path, source in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(source)
        scratch = output / "scratch" / case
        nodes, edges = run(scratch, files, next(iter(files)))
        cases.append(
            {
                "id": case, "category": case.partition("/")[0], "files": sorted(files),
                "edges": edges, "nodes": nodes,
            }
        )  # fmt: skip
    truth = {"suite": output.name, "language": "javascript", "cases": cases}
    (output / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
