"""Call graphs of other tools, as the ends of their calls. Each is used where it is installed.

jedi, pyan3, code2flow, mcp-common: from PyPI; the last for Python 3.13 or newer, `--no-deps` does.
js-callgraph: `npm install @persper/js-callgraph` in the working directory.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

Ends = dict[tuple[str, str], set[int]]
"""(caller, callee), each `path:line` or `path:<module>`, with the lines of the calls, if told."""
Tool = Callable[[Path, list[str]], Ends]


def jedi(root: Path, files: list[str]) -> Ends:
    """Infer the callee of every call, at its last name."""
    import jedi as library

    found: Ends = {}
    project = library.Project(root)
    for path in files:
        source = (root / path).read_text()
        script = library.Script(source, path=root / path, project=project)

        def walk(node: ast.AST, owner: str, path: str = path, script=script) -> None:
            for child in ast.iter_child_nodes(node):
                inside = owner
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                    inside = f"{path}:{child.lineno}"
                if isinstance(child, ast.Call):
                    name = child.func
                    line, column = name.end_lineno or 0, (name.end_col_offset or 1) - 1
                    try:
                        known = script.infer(line, column)
                    except Exception:
                        known = []
                    for item in known:
                        if item.type == "class":
                            names = item.defined_names()
                            known += [inner for inner in names if inner.name == "__init__"]
                        elif item.module_path and item.type == "function" and item.line:
                            where = Path(item.module_path)
                            if where.is_relative_to(root):
                                callee = f"{where.relative_to(root)}:{item.line}"
                                found.setdefault((owner, callee), set()).add(child.lineno)
                walk(child, inside)

        walk(ast.parse(source), f"{path}:<module>")
    return found


def pyan3(root: Path, files: list[str]) -> Ends:
    """Its uses of functions: not only calls."""
    from pyan.analyzer import CallGraphVisitor

    visitor = CallGraphVisitor([str(root / path) for path in files], root=str(root))
    found: Ends = {}

    def name(node) -> str | None:
        if not node.filename or node.ast_node is None:
            return None
        path = Path(node.filename).resolve().relative_to(root)
        line = getattr(node.ast_node, "lineno", None)
        return f"{path}:{line or '<module>'}"

    for caller, callees in visitor.uses_edges.items():
        for callee in callees:
            ends = name(caller), name(callee)
            if ends[0] and ends[1] and not ends[1].endswith("<module>"):
                found[ends[0], ends[1]] = set()
    return found


def code2flow(root: Path, files: list[str]) -> Ends:
    """Its JSON graph; a file is known there by its name alone."""
    from code2flow.engine import code2flow as run

    stems = {Path(path).stem: path for path in files}
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "graph.json"
        sources = [str(root / path) for path in files]
        run(sources, str(output), language="py", skip_parse_errors=True, no_trimming=True, level=50)
        graph = json.loads(output.read_text())["graph"]

    def end(node: dict[str, str]) -> str:
        path = stems[node["name"].partition("::")[0]]
        line = node["label"].partition(":")[0]
        return f"{path}:{'<module>' if '(global)' in node['name'] else line}"

    names = {key: end(node) for key, node in graph["nodes"].items()}
    return {(names[edge["source"]], names[edge["target"]]): set() for edge in graph["edges"]}


def mcp_common(root: Path, files: list[str]) -> Ends:
    """The reference of the tools' contract: a call is the first function of that name."""
    import asyncio

    package = importlib.util.find_spec("mcp_common")
    if package is None or package.origin is None:
        sys.exit("mcp-common is not installed")
    # Its package imports a whole server; the analyzer needs the standard library alone.
    path = Path(package.origin).parent / "code_graph" / "analyzer.py"
    spec = importlib.util.spec_from_file_location("mcp_common_analyzer", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["mcp_common_analyzer"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    analyzer = module.CodeGraphAnalyzer(root)
    asyncio.run(analyzer.analyze_repository(str(root)))
    functions = [node for node in analyzer.nodes.values() if type(node).__name__ == "FunctionNode"]
    first: dict[str, str] = {}
    ends: dict[str, str] = {}
    for node in functions:
        place = Path(node.file_id)
        place = place.relative_to(root) if place.is_absolute() else place
        ends[node.id] = f"{place}:{node.start_line}"
        first.setdefault(node.name, ends[node.id])
    return {
        (ends[node.id], first[name]): set()
        for node in functions
        for name in node.calls
        if name in first
    }


def js_callgraph(root: Path, files: list[str]) -> Ends:
    """Field-based analysis (ACG); what it calls the source of an edge is the place of the call."""
    from record_javascript import Instrumented

    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "graph.json"
        command = ["node", "node_modules/.bin/js-callgraph", "--cg", "--output", str(output)]
        command += [str(root / path) for path in files]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        edges = json.loads(output.read_text())
    functions = {path: Instrumented(path, (root / path).read_bytes()).functions for path in files}
    found: Ends = {}
    for edge in edges:
        source, target = edge["source"], edge["target"]
        if not (target.get("file") and Path(target["file"]).is_relative_to(root)):
            continue
        path = str(Path(source["file"]).relative_to(root))
        at = source["range"]["start"]
        around = [item for item in functions[path] if item[0] <= at < item[1]]
        owner = "<module>"
        if around:
            owner = max(around, key=lambda item: item[0])[2].start_point[0] + 1
        callee = f"{Path(target['file']).relative_to(root)}:{target['start']['row']}"
        found.setdefault((f"{path}:{owner}", callee), set()).add(source["start"]["row"])
    return found


def unique_names(root: Path, files: list[str]) -> Ends:
    """Ruby's simple peer: a call means the only method of that name, `A.new` what A initializes."""
    import tree_sitter_ruby
    from tree_sitter import Language, Node, Parser

    parser = Parser(Language(tree_sitter_ruby.language()))
    defined: dict[str, list[str]] = {}
    calls: list[tuple[str, str, int]] = []

    def name_of(node: Node, field: str = "name") -> str:
        item = node.child_by_field_name(field)
        return item.text.decode() if item is not None and item.text is not None else ""

    for path in files:
        tree = parser.parse((root / path).read_bytes())
        pending: list[tuple[Node, str, str, set[str]]] = [
            (tree.root_node, f"{path}:<module>", "", set())
        ]
        while pending:
            node, owner, holder, known = pending.pop()
            line, name = node.start_point[0] + 1, ""
            if node.type in ("class", "module"):
                holder = name_of(node).rpartition("::")[2]
            elif node.type in ("method", "singleton_method"):
                owner, name = f"{path}:{line}", name_of(node)
                key = f"{holder}.new" if name == "initialize" else name
                defined.setdefault(key, []).append(owner)
                inner = [item for item in _below(node) if item.type in _BINDERS]
                known = {
                    part.text.decode()
                    for item in inner
                    for part in (item, *item.named_children[: _BINDERS[item.type]])
                    if part.type == "identifier"
                }
                name = ""
            elif node.type == "call":
                name = name_of(node, "method")
                if name == "new":
                    name = f"{name_of(node, 'receiver').rpartition('::')[2]}.new"
            elif node.type == "identifier" and node.parent is not None:
                part = node.parent
                bare = part.type not in ("call", "method", "singleton_method", "alias", *_BINDERS)
                name = node.text.decode() if bare else ""
                if part.type == "assignment" and part.child_by_field_name("right") == node:
                    name = node.text.decode()
                name = "" if name in known else name
            if name:
                calls.append((owner, name, line))
            pending += [(child, owner, holder, known) for child in node.children]
    found: Ends = {}
    for owner, name, line in calls:
        if len(defined.get(name, ())) == 1:
            found.setdefault((owner, defined[name][0]), set()).add(line)
    return found


_BINDERS = {
    "assignment": 1, "left_assignment_list": 99, "method_parameters": 99, "block_parameters": 99,
    "optional_parameter": 1, "keyword_parameter": 1, "splat_parameter": 1, "block_parameter": 1,
    "hash_splat_parameter": 1, "operator_assignment": 1, "exception_variable": 1,
}  # fmt: skip


def _below(node):
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending += current.children


PYTHON: dict[str, Tool] = {
    "jedi": jedi, "pyan3": pyan3, "code2flow": code2flow, "mcp_common": mcp_common,
}  # fmt: skip
JAVASCRIPT: dict[str, Tool] = {"js_callgraph": js_callgraph}
RUBY: dict[str, Tool] = {"unique_names": unique_names}
