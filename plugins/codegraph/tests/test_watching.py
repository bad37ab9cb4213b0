"""Watch mode: an indexed project follows its files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from toolroll.runtime import Runtime
from toolroll_codegraph.watching import Watcher

if TYPE_CHECKING:
    from conftest import Project

STEPS = 120
"""Each waits at most a second for the kernel to report a change."""


@pytest.fixture
def watched(project: Project, tmp_path: Path) -> Iterator[Project]:
    """The project in a runtime that watches."""
    sources = [item.source for item in project.runtime.registry.packs.values()]
    with Runtime.open(
        roots=[project.root],
        data_dir=tmp_path / "data-watched",
        overrides={"codegraph": {"watch": True}},
        sources=lambda: sources,
    ) as runtime:
        yield type(project)(project.root, runtime)


def test_a_change_is_indexed_without_being_asked(watched: Project) -> None:
    watched.write("a.py", "def leaf(): pass\ndef first(): leaf()\n")
    watched.index("python")
    watcher = Watcher()
    assert watcher.step(watched.context)  # the watch begins
    watched.write("b.py", "from a import leaf\ndef second(): leaf()\n")
    callers: list[str] = []
    for _ in range(STEPS):
        assert watcher.step(watched.context)
        callers = watched.callers("leaf")
        if len(callers) == 2:
            break
    assert callers == ["a.py::first", "b.py::second"]


def test_what_changed_before_the_watch_began_is_indexed(watched: Project) -> None:
    watched.write("a.py", "def leaf(): pass\ndef first(): leaf()\n")
    watched.index("python")
    watched.write("b.py", "from a import leaf\ndef second(): leaf()\n")
    assert Watcher().step(watched.context)
    assert watched.callers("leaf") == ["a.py::first", "b.py::second"]


def test_a_file_that_is_no_code_wakes_nothing(watched: Project) -> None:
    watched.write("a.py", "def leaf(): pass\n")
    watched.index("python")
    watcher = Watcher()
    watcher.step(watched.context)
    before = watched.call("get_function_context", function_name="leaf")["context"]["indexed_at"]
    watched.write("notes.txt", "nothing")
    watcher.step(watched.context)
    after = watched.call("get_function_context", function_name="leaf")["context"]["indexed_at"]
    assert after == before


def test_nothing_is_watched_unless_asked_for(project: Project) -> None:
    project.write("a.py", "def leaf(): pass\n")
    project.index("python")
    assert not Watcher().step(project.context)


def test_nothing_is_watched_before_anything_is_indexed(watched: Project) -> None:
    assert not Watcher().step(watched.context)


def test_a_project_that_lost_its_code_keeps_its_index(watched: Project) -> None:
    file = watched.write("a.py", "def leaf(): pass\n")
    watched.index("python")
    watcher = Watcher()
    watcher.step(watched.context)
    file.unlink()
    for _ in range(3):
        watcher.step(watched.context)
    answer = watched.call("get_function_context", function_name="leaf")
    assert answer["success"]
    assert answer["context"]["stale"]
