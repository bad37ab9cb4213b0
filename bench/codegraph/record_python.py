"""Record who calls whom while Python code runs: the truth for `suites/python`.

    python record_python.py SNIPPETS OUTPUT_DIRECTORY

Every snippet is run under `sys.setprofile`. Recall against the recorded edges is exact, precision
a lower bound, because code that does not run records nothing; the snippets run all of theirs.

The profiler sees a generator or coroutine when it is resumed, be that by a library's event loop;
who called the function is who made it. So each call in the source hands what it gave to `Makers`,
and only what the language itself made (`__iter__` of a loop) is called by who resumes it. What a
generator expression calls, the function calls that it is written in.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import json
import runpy
import subprocess
import sys
import threading
import types
from pathlib import Path

_FOLDED = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")
_FOR_OTHERS = frozenset(
    [
        "singledispatch.<locals>.wrapper",
        "singledispatchmethod.__get__.<locals>._method",
        "cached_property.__get__",
        "_GeneratorContextManager.__enter__",
        "_AsyncGeneratorContextManager.__aenter__",
        "_BaseExitStack.enter_context",
        "AsyncExitStack.enter_async_context",
        "ContextDecorator.__call__.<locals>.inner",
        "AsyncContextDecorator.__call__.<locals>.inner",
        "ABCMeta.__new__",
        "nlargest",
        "nsmallest",
    ]
)
"""What the standard library writes in Python and calls at once what it was handed: a decorated
function is called by who calls, reads or enters it, a hook of a class by who makes that."""


def read_snippets(path: Path) -> dict[str, dict[str, str]]:
    """Read `=== category/name [main file]` and `--- file` sections."""
    cases: dict[str, dict[str, str]] = {}
    files: dict[str, str] = {}
    name = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("=== "):
            case, _, main = line[4:].partition(" ")
            name = main or f"main{path.suffix if path.suffix != '.txt' else '.py'}"
            files = cases[case] = {name: ""}
        elif line.startswith("--- "):
            name = line[4:]
            files[name] = ""
        else:
            files[name] += line + "\n"
    return cases


def nodes_of(files: dict[str, str]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for path, source in files.items():
        last = source.count("\n") + 1
        found[f"{path}::<module>"] = node(path, "<module>", "module", 0, last)
        lambdas: dict[str, int] = {}

        def visit(tree: ast.AST, prefix: str, path: str = path) -> None:
            for child in ast.iter_child_nodes(tree):
                name, kind = "", ""
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                    name, kind = child.name, "function"
                elif isinstance(child, ast.ClassDef):
                    name, kind = child.name, "class"
                elif isinstance(child, ast.Lambda):
                    lambdas[prefix] = lambdas.get(prefix, 0) + 1  # noqa: B023
                    name, kind = f"<lambda{lambdas[prefix]}>", "lambda"  # noqa: B023
                if name:
                    qual = f"{prefix}.{name}" if prefix else name
                    item = node(path, qual, kind, child.lineno, child.end_lineno)
                    known = found.setdefault(f"{path}::{qual}", item)
                    if known is not item:  # a property and its setter
                        lines = known.setdefault("lines", [known["line"]])
                        assert isinstance(lines, list)
                        lines.append(child.lineno)
                    visit(child, qual)
                else:
                    visit(child, prefix)

        visit(ast.parse(source), "")
    return found


def node(path: str, qual: str, kind: str, line: int, end: int | None) -> dict[str, object]:
    return {"file": path, "qual": qual, "kind": kind, "line": line, "end_line": end}


def is_part(frame) -> bool:
    """Whether a frame's calls are those of who runs it: class bodies, comprehensions, text that is
    executed, as the `__init__` that `dataclass` writes is, and what only hands on."""
    code = frame.f_code
    if code.co_qualname in _FOR_OTHERS or code.co_filename == copy.__file__:
        return True
    if code.co_name in _FOLDED or code.co_filename == "<string>":
        return True
    # A class body runs unoptimised, as a module does, but under the class's name.
    return not code.co_flags & inspect.CO_OPTIMIZED and code.co_name != "<module>"


class Makers(ast.NodeTransformer):
    """Has every call of the files below a directory tell what generators and coroutines it made."""

    def __init__(self, root: Path, tell) -> None:
        self.root, self.tell, self.made = str(root), tell, {}
        self.around: dict[types.CodeType, types.CodeType] = {}
        """Generator expression → what it is written in, whoever takes its values."""
        self.compile = builtins.compile
        builtins.compile = self.compiled
        builtins.__made__ = self.note

    def compiled(self, source, filename, mode, flags=0, *args, **options):
        if mode == "exec" and str(filename).startswith(self.root) and not flags:
            source = ast.fix_missing_locations(self.visit(ast.parse(source)))
            code = self.compile(source, filename, mode, dont_inherit=True)
            self.look_into(code, code)
            return code
        return self.compile(source, filename, mode, flags, *args, **options)

    def look_into(self, code: types.CodeType, around: types.CodeType) -> None:
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                if inner.co_name == "<genexpr>":
                    self.around[inner] = around
                runs = inner.co_flags & inspect.CO_OPTIMIZED and inner.co_name not in _FOLDED
                self.look_into(inner, inner if runs else around)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.copy_location(ast.Name("__made__", ast.Load()), node)
        return ast.copy_location(ast.Call(name, [node], []), node)

    def note(self, value):
        kind = type(value)
        if kind is types.GeneratorType:
            made = value.gi_frame
        elif kind is types.CoroutineType:
            made = value.cr_frame
        elif kind is types.AsyncGeneratorType:
            made = value.ag_frame
        else:
            return value
        if made is not None and id(made) not in self.made:
            self.made[id(made)] = made
            self.tell(made, sys._getframe(1))
        return value


def record(root: Path, main: str) -> list[tuple[str, int, str, int]]:
    """Run a file; return (caller file, first line, callee file, first line) pairs."""
    found: set[tuple[str, int, str, int]] = set()

    def place(frame) -> tuple[str, int] | None:
        code = None
        while frame is not None and code is None:
            code = makers.around.get(frame.f_code)
            if code is None and not is_part(frame):
                code = frame.f_code
            frame = frame.f_back
        if code is None:
            return None
        path = Path(code.co_filename)
        if not path.is_relative_to(root):
            return None
        line = 0 if code.co_name == "<module>" else code.co_firstlineno
        return str(path.relative_to(root)), -line if code.co_name == "<lambda>" else line

    def profile(frame, event, argument):
        if event != "call" or is_part(frame):
            return
        if id(frame) not in makers.made:
            tell(frame, frame.f_back)

    def tell(called, by):
        callee, caller = place(called), place(by)
        if callee and caller and callee[1] and called.f_code.co_name not in _FOLDED:
            found.add((*caller, *callee))

    makers = Makers(root, tell)
    sys.path.insert(0, str(root))
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        runpy.run_path(str(root / main), run_name="__main__")
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sorted(found)


def build(snippets: Path, output: Path) -> None:
    cases = []
    for case, files in read_snippets(snippets).items():
        root = output / "src" / case
        for path, source in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(source, encoding="utf-8")
        nodes = nodes_of(files)
        by_line = {}
        for name, item in nodes.items():
            if item["kind"] != "class" or (item["file"], item["line"]) not in by_line:
                for line in item.get("lines", [item["line"]]):
                    by_line[item["file"], -line if item["kind"] == "lambda" else line] = name
        for item in list(nodes.values()):  # decorated functions start at their decorator
            source = files[item["file"]].splitlines()
            for start in item.get("lines", [item["line"]]):
                if item["kind"] == "lambda":
                    break
                line = start - 1 if start else 0
                while line > 0 and source[line - 1].strip().startswith("@"):
                    by_line.setdefault((item["file"], line), by_line[item["file"], start])
                    line -= 1
        command = [sys.executable, __file__, "--run", str(root), next(iter(files))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            sys.exit(f"{case} failed:\n{done.stderr}")
        rows = json.loads(done.stdout.splitlines()[-1])
        edges = sorted(
            [by_line[a, b], by_line[c, d]]
            for a, b, c, d in rows
            if nodes[by_line[c, d]]["kind"] != "class"
        )
        classes = [item for item in edges if nodes[item[0]]["kind"] == "class"]
        assert not classes, (case, classes)
        cases.append(
            {
                "id": case, "category": case.partition("/")[0], "files": sorted(files),
                "edges": edges, "nodes": nodes,
            }
        )  # fmt: skip
    truth = {"suite": output.name, "language": "python", "cases": cases}
    (output / "truth.json").write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        print()
        print(json.dumps(record(Path(sys.argv[2]).resolve(), sys.argv[3])))
    else:
        build(Path(sys.argv[1]), Path(sys.argv[2]))
