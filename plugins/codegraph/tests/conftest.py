"""A project directory with the pack in it, and small programs resolved in memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from attrs import frozen

import toolroll
import toolroll_codegraph
from toolroll.context import LOCAL
from toolroll.registry import Source
from toolroll.runtime import Runtime
from toolroll_codegraph.facts.columns import UNKNOWN, of_relation
from toolroll_codegraph.indexing.parsing import RECURSION
from toolroll_codegraph.languages.registry import extract, language_of
from toolroll_codegraph.resolve.graph import resolve
from toolroll_codegraph.resolve.layout import ProjectLayout

# What parsing sets for the whole process; hypothesis wants it to be the same before and after.
sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))


def source() -> Source:
    """The pack under test, without looking at what is installed."""
    return Source("codegraph", "toolroll-codegraph", "0", lambda: toolroll_codegraph)


@frozen
class Project:
    """A project with the pack's data."""

    root: Path
    runtime: Runtime

    @property
    def context(self) -> toolroll.PackContext:
        return self.runtime.context("codegraph")

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool on this project and return its payload, which may be an error's."""
        arguments = {"project_path": str(self.root), **arguments}
        answer = anyio.run(self.runtime.caller.call, tool, arguments, LOCAL)
        return json.loads(answer.text)

    def index(self, *languages: str, include_tests: bool = True) -> dict[str, int]:
        answer = self.call(
            "index_code_graph", languages=list(languages or ["python"]), include_tests=include_tests
        )
        assert answer["success"], answer
        return answer["stats"]

    def callers(self, name: str, depth: int = 1) -> list[str]:
        context = self.call("get_function_context", function_name=name, max_depth=depth)["context"]
        return [f"{item['file']}::{item['name']}" for item in context["callers"]]

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    root = tmp_path / "root"
    root.mkdir()
    with Runtime.open(
        roots=[root], data_dir=tmp_path / "data", sources=lambda: [source()]
    ) as runtime:
        assert not runtime.registry.quarantined
        yield Project(root, runtime)


Edges = Callable[..., set[tuple[str, str]]]


@pytest.fixture
def edges() -> Edges:
    """Resolve `{path: source}` and return (caller, callee) pairs; main files lose their path."""

    def run(
        files: Mapping[str, str] | str, *, suffix: str = ".py", layout: ProjectLayout | None = None
    ) -> set[tuple[str, str]]:
        if isinstance(files, str):
            files = {"main" + suffix: files}
        facts = [
            (path, extract(path, language_of(path) or "", text.encode()))
            for path, text in sorted(files.items())
        ]
        for _, known in facts:
            kinds = {row[0] for row in known.relations}
            assert UNKNOWN not in [of_relation(kind, known.language) for kind in kinds], kinds
        graph = resolve(facts, layout)
        program = graph.program

        def name(scope: int) -> str:
            path = program.paths[program.file_of[scope]]
            plain = program.qualified_name(scope)
            return plain if path.startswith("main.") else f"{path}::{plain}"

        return {
            (name(caller), name(callee))
            for caller, callee in graph.edges
            if program.kind[callee] != 2
        }

    return run


Told = Callable[[dict[str, str], str], dict[str, set[str]]]


@pytest.fixture
def told(edges: Edges) -> Told:
    """Resolve `{path: source}` and return what the functions of one file call, without its file."""

    def run(files: dict[str, str], asking: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for caller, callee in edges(files):
            path, _, name = caller.partition("::")
            if path == asking:
                found.setdefault(name, set()).add(callee.partition("::")[2])
        return found

    return run
