"""Watch mode: an indexed project follows its files."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import toolroll
from toolroll.runtime import Runtime
from toolroll_codegraph import service
from toolroll_codegraph.commands import commands
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


def until(watcher: Watcher, watched: Project, count: int) -> list[str]:
    """Step until `leaf` has so many callers, and return them."""
    callers: list[str] = []
    for _ in range(STEPS):
        assert watcher.step(watched.context)
        callers = watched.callers("leaf")
        if len(callers) == count:
            break
    return callers


def test_a_change_is_indexed_without_being_asked(watched: Project) -> None:
    watched.write("a.py", "def leaf(): pass\ndef first(): leaf()\n")
    watched.index("python")
    watcher = Watcher()
    assert watcher.step(watched.context)  # the watch begins
    watched.write("b.py", "from a import leaf\ndef second(): leaf()\n")
    assert until(watcher, watched, 2) == ["a.py::first", "b.py::second"]


def test_what_changed_before_the_watch_began_is_indexed(watched: Project) -> None:
    watched.write("a.py", "def leaf(): pass\ndef first(): leaf()\n")
    watched.index("python")
    watched.write("b.py", "from a import leaf\ndef second(): leaf()\n")
    assert Watcher().step(watched.context)
    assert watched.callers("leaf") == ["a.py::first", "b.py::second"]


def test_a_watch_that_failed_is_begun_again(
    watched: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system could not watch at first, being out of watches, is indexed all the same."""
    watched.write("a.py", "def leaf(): pass\ndef first(): leaf()\n")
    watched.index("python")

    def fails(*_: object, **__: object) -> Iterator[set[object]]:
        raise OSError("OS file watch limit reached")
        yield

    watcher = Watcher()
    with monkeypatch.context() as patched:
        patched.setattr("watchfiles.watch", fails)
        for _ in range(2):
            with pytest.raises(toolroll.ResourceBusy, match=r"limit reached.*max_user_watches"):
                watcher.step(watched.context)
    watched.write("b.py", "from a import leaf\ndef second(): leaf()\n")
    assert until(watcher, watched, 2) == ["a.py::first", "b.py::second"]


def test_a_directory_that_is_moved_is_followed(watched: Project, tmp_path: Path) -> None:
    watched.write("a.py", "def leaf(): pass\ndef first(): leaf()\n")
    watched.write("here/b.py", "from a import leaf\ndef second(): leaf()\n")
    watched.index("python")
    watcher = Watcher()
    watcher.step(watched.context)
    (watched.root / "here").rename(tmp_path / "away")
    assert until(watcher, watched, 1) == ["a.py::first"]
    (tmp_path / "away").rename(watched.root / "there")
    assert until(watcher, watched, 2) == ["a.py::first", "there/b.py::second"]


def test_another_directory_in_the_place_of_the_project(watched: Project, tmp_path: Path) -> None:
    watched.write("a.py", "def leaf(): pass\ndef first(): leaf()\n")
    watched.index("python")
    watcher = Watcher()
    watcher.step(watched.context)
    watched.root.rename(tmp_path / "old")
    watched.write("a.py", "def leaf(): pass\n")
    assert until(watcher, watched, 0) == []
    watched.write("b.py", "from a import leaf\ndef second(): leaf()\n")
    assert until(watcher, watched, 1) == ["b.py::second"]


@pytest.mark.parametrize("path", ["notes.txt", "site-packages/b.py", "node_modules/b.py"])
def test_a_file_that_is_no_code_of_the_project_wakes_nothing(
    watched: Project, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    watched.write("a.py", "def leaf(): pass\n")
    watched.write(path, "")
    watched.index("python")
    watcher = Watcher()
    watcher.step(watched.context)
    woken: list[object] = []
    monkeypatch.setattr(watcher, "_index", lambda _, project, paths: woken.append(paths))
    watched.write(path, "def other(): pass\n")
    for _ in range(2):
        watcher.step(watched.context)
    assert woken == []
    watched.write("a.py", "def leaf(): pass\ndef other(): pass\n")
    for _ in range(STEPS):
        if woken:
            break
        watcher.step(watched.context)
    assert woken == [["a.py"]]


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


def test_a_file_that_a_configuration_extends_is_followed(watched: Project) -> None:
    watched.write("lib/a.ts", "export function leaf() {}\n")
    watched.write("app.ts", "import { leaf } from '@lib/a'\nexport const first = () => leaf()\n")
    watched.write("tsconfig.json", '{"extends": "./base.json"}')
    watched.write("base.json", "{}")
    watched.index("typescript")
    watcher = Watcher()
    assert watcher.step(watched.context)
    watched.write("base.json", '{"compilerOptions": {"paths": {"@lib/*": ["./lib/*"]}}}')
    assert until(watcher, watched, 1) == ["app.ts::first"]


@pytest.mark.parametrize(
    # What waits for changes takes any signal that it sees for an interrupt.
    ("ending", "codes"),
    [(signal.SIGINT, {0}), (signal.SIGTERM, {0, 143})],
)
def test_one_project_is_watched_on_command(project: Project, ending: int, codes: set[int]) -> None:
    """The command says that it watches, then which files it indexed; an interrupt is no error."""
    project.write("a.py", "def leaf(): pass\n")
    command = [sys.executable, "-m", "toolroll", "codegraph", "--root", str(project.root), "watch"]
    # A shell lets what it starts in the background ignore interrupts, and children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "watching 1 file; Ctrl-C ends it\n"
            project.write("b.py", "from a import leaf\ndef second(): leaf()\n")
            line = process.stdout.readline()
            process.send_signal(ending)
            assert process.wait(timeout=60) in codes
        finally:
            process.kill()
    assert re.fullmatch(r"\d\d:\d\d:\d\d  1 changed, 0 removed in \d+ ms: b\.py\n", line), line


def test_a_watched_project_that_goes_ends_the_command(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("gone/a.py", "def leaf(): pass\n")

    def step(watcher: Watcher, ctx: object) -> bool:
        shutil.rmtree(project.root / "gone")
        monkeypatch.undo()
        return True

    monkeypatch.setattr(Watcher, "step", step)
    arguments = ["watch", str(project.root / "gone")]
    result = CliRunner().invoke(commands, arguments, obj=project.context)
    assert (result.exit_code, result.output) == (
        1, f"Error: no project is at {project.root / 'gone'} any more\n"
    )  # fmt: skip


@pytest.mark.parametrize("ends", ["command", "worker"])
def test_a_project_that_goes_with_its_data_stays_away(
    project: Project, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    root = project.write("a.py", "def leaf(): pass\n").parent
    sources = [item.source for item in project.runtime.registry.packs.values()]

    def wait(watcher: Watcher, paths: list[str]) -> set[str]:
        shutil.rmtree(root)
        return {f"{root}/a.py"}

    monkeypatch.setattr(Watcher, "_wait", wait)
    with Runtime.open(
        roots=[root], overrides={"codegraph": {"watch": True}}, sources=lambda: sources
    ) as runtime:
        ctx = runtime.context("codegraph")
        service.index(ctx, root, ["python"], include_tests=True)
        if ends == "worker":
            watcher = Watcher()
            assert [watcher.step(ctx), watcher.step(ctx)] == [True, False]
        else:
            result = CliRunner().invoke(commands, ["watch"], obj=ctx)
            assert result.output == f"Error: no project is at {root} any more\n"
    assert not root.exists()


def test_what_was_indexed_is_reported_line_by_line(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a.py", "def leaf(): pass\n")
    project.write("b.rb", "def leaf; end\n")
    project.index("python")
    waits: list[set[str] | None] = [None, {f"{project.root}/a.py", f"{project.root}/notes.txt"}]

    def wait(watcher: Watcher, paths: list[str]) -> set[str] | None:
        if not waits:
            raise KeyboardInterrupt
        if len(waits) == 1:
            project.write("a.py", "def leaf(): pass\ndef other(): pass\n")
        return waits.pop(0)

    monkeypatch.setattr(Watcher, "_wait", wait)
    result = CliRunner().invoke(commands, ["watch", "--json"], obj=project.context)
    first, second = map(json.loads, result.output.splitlines())
    assert result.exit_code == 0
    assert (first["paths"], first["stats"]["files_indexed"]) == ([], 1)
    assert (second["paths"], second["stats"]["functions_indexed"]) == (["a.py"], 2)
