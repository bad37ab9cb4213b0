"""The same graph and answers from PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolroll.runtime import Runtime

if TYPE_CHECKING:
    from conftest import Project

FILES = {
    "a.py": "from b import B\ndef start():\n    B().go()\n",
    "b.py": "class B:\n    def go(self): return self.stop()\n    def stop(self): pass\n",
    "web/c.js": "export function c() { return d(); }\nfunction d() {}\n",
}


@pytest.fixture
def both(
    project: Project, postgres_database: str, tmp_path: Path
) -> Iterator[tuple[Project, Project]]:
    """One project directory, its index once in SQLite and once in PostgreSQL."""
    sources = [item.source for item in project.runtime.registry.packs.values()]
    with Runtime.open(
        roots=[project.root],
        data_dir=tmp_path / "data-postgres",
        overrides={"storage": {"url": postgres_database}},
        sources=lambda: sources,
    ) as runtime:
        assert runtime.context("codegraph").database.dialect == "postgresql"
        yield project, type(project)(project.root, runtime)


def _answers(project: Project) -> list[Any]:
    stats = project.index("python", "javascript")
    stats.pop("duration_ms")
    related = project.call("find_related_code", file_path="b.py")
    related.pop("indexed_at")
    told: list[Any] = [stats, related]
    for name in ("B.go", "stop", "d", "c.js:1"):  # a path by its end is looked for among all
        answer = project.call("get_function_context", function_name=name)
        answer.get("context", {}).pop("indexed_at", None)
        told.append(answer)
    return told


def test_the_answers_are_the_same(both: tuple[Project, Project]) -> None:
    local, server = both
    for path, text in FILES.items():
        local.write(path, text)
    first = _answers(local)
    assert _answers(server) == first
    local.write("a.py", FILES["a.py"] + "def more(): start()\n")
    local.write("b.py", "\n" + FILES["b.py"])  # only moves lines
    (local.root / "web" / "c.js").unlink()
    local.write("e.js", "export default () => 1;\n")
    second = _answers(local)
    assert second != first
    assert _answers(server) == second
