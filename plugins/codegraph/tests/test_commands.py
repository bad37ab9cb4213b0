"""`toolroll codegraph …` where it says more than the tools do."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

import toolroll
from toolroll.cli.main import cli
from toolroll.runtime import Runtime
from toolroll_codegraph.commands import commands

if TYPE_CHECKING:
    from conftest import Project


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Shelf.ad", "did you mean Shelf.add"),
        ("addd", "did you mean Shelf.add"),
        ("lib/shelf.py::Shelf.ad", "did you mean Shelf.add"),
        ("Shelv", "did you mean Shelf, Shelf.add?"),
        ("shelf.py", "did you mean shelf.py::Shelf.add, shelf.py::remove?"),
        ("shelf.py:3", "no function is on that line of an indexed file"),
        ("zzzz", "no name in this project is like it"),
    ],
)
def test_a_name_nobody_defines_is_answered_by_names_like_it(
    project: Project, asked: str, answer: str
) -> None:
    project.write("shelf.py", "class Shelf:\n    def add(self): pass\n\ndef remove(): pass\n")
    project.index("python")
    result = CliRunner().invoke(commands, ["query", asked], obj=project.context)
    assert result.exit_code == 1
    assert f"Function not found: {asked}; {answer}" in result.output


def test_a_class_without_a_constructor_is_shown_with_its_methods(project: Project) -> None:
    project.write("shelf.py", "class Shelf:\n    def add(self): pass\n    def drop(self): pass\n")
    project.write("more/shelf.py", "class Shelf:\n    pass\n")
    project.index("python")
    result = CliRunner().invoke(commands, ["query", "Shelf"], obj=project.context)
    assert result.output == (
        "Shelf  shelf.py:1\ncalled by: 0\ncalls: 0\n"
        "methods: 2\n  Shelf.add  shelf.py:2\n  Shelf.drop  shelf.py:3\n"
        "also named so: 1\n  Shelf  more/shelf.py:1\n"
    )


def test_callers_are_shown_with_the_lines_of_their_calls(project: Project) -> None:
    project.write("b.py", "from a import f\n\nf()\nf()\n" + "f()\n" * 5)
    project.write("a.py", "def f():\n    g()\ndef g(): pass\n")
    project.index("python")
    result = CliRunner().invoke(commands, ["query", "f"], obj=project.context)
    assert result.output == (
        "f  a.py:1\ncalled by: 1\n  <module>  b.py:1  at 3, 4, 5, 6, 7, …\n"
        "calls: 1\n  g  a.py:3  at 2\n"
    )


def test_a_name_that_may_be_new_is_answered_by_how_to_find_it(project: Project) -> None:
    again = "run: toolroll codegraph index"
    project.write("shelf.py", "def remove(): pass\n")
    project.index("python")

    def asked() -> str:
        return CliRunner().invoke(commands, ["query", "add"], obj=project.context).output

    assert again not in asked()
    project.write("cart.rb", "def add = 1\n")  # no part of this index
    assert again not in asked()
    project.write("new.py", "def add(): pass\n")
    assert again in asked()
    project.index("python")
    (project.root / "shelf.py").unlink()
    result = CliRunner().invoke(commands, ["query", "shelf.py:9:1"], obj=project.context)
    assert "no function is on that line of an indexed file" in result.output
    assert again in result.output


def test_a_directory_elsewhere_is_answered_by_how_to_name_it(
    project: Project, tmp_path: Path
) -> None:
    result = CliRunner().invoke(commands, ["index", str(tmp_path)], obj=project.context)
    assert result.exit_code == 1
    assert f"run: toolroll codegraph --root {tmp_path} index" in result.output


def test_a_directory_that_is_not_there_is_named(project: Project) -> None:
    result = CliRunner().invoke(commands, ["query", "f", "-p", "nosuch"], obj=project.context)
    assert result.output == "Error: Directory not found: nosuch\n"


def test_a_class_without_a_constructor_is_found_where_it_is_called(project: Project) -> None:
    project.write(
        "shelf.py", "class Shelf:\n    def add(self): pass\n\ndef make(): return Shelf()\n"
    )
    project.index("python")
    assert project.callers("Shelf") == ["shelf.py::make"]
    assert project.callers("shelf.py::Shelf") == ["shelf.py::make"]


def test_a_constructor_is_found_by_the_path_of_its_class(project: Project) -> None:
    project.write("a.py", "class A:\n    def __init__(self): pass\n\ndef make(): return A()\n")
    project.index("python")
    assert project.callers("a.py::A") == project.callers("A") == ["a.py::make"]


def test_a_project_whose_directory_is_gone_is_told_with_how_to_forget_it(project: Project) -> None:
    gone = project.root / "gone"
    project.write("gone/a.py", "def f(): pass\n")
    project.call("index_code_graph", project_path=str(gone))
    project.write("b.py", "def g(): pass\n")
    project.index("python")
    shutil.rmtree(gone)
    listed = CliRunner().invoke(commands, ["projects"], obj=project.context).output
    assert [line.partition(" ")[0] for line in listed.splitlines() if "directory gone" in line] == [
        str(gone)
    ]
    told = json.loads(
        CliRunner().invoke(commands, ["projects", "--json"], obj=project.context).output
    )
    assert {item["path"]: item["gone"] for item in told} == {
        str(project.root): False,
        str(gone): True,
    }
    forgotten = CliRunner().invoke(
        commands, ["forget", "--project", str(gone)], obj=project.context
    )
    assert forgotten.output == f"forgotten: {gone}\n"


def test_what_is_stored_of_projects_is_told_and_removed(project: Project) -> None:
    project.write("a.py", "def f(): pass\n")
    project.index("python")
    pack = project.runtime.registry.packs["codegraph"].pack
    (held,) = pack.holdings(project.context)
    assert (held.name, held.directory) == (str(project.root),) * 2
    assert held.size > 100
    assert held.used is not None
    with project.context.locks.project(f"codegraph:{project.root}"):
        other = Runtime.open(
            roots=[project.root],
            data_dir=project.runtime.data_dir,
            overrides={"codegraph": {"index_timeout": 0.01}},
            sources=lambda: [project.runtime.registry.packs["codegraph"].source],
        )
        with other, pytest.raises(toolroll.ResourceBusy, match="indexing this project"):
            pack.release(other.context("codegraph"), held)
    pack.release(project.context, held)
    assert pack.holdings(project.context) == []


def test_of_overloads_the_definition_that_does_the_work_is_shown(project: Project) -> None:
    project.write(
        "a.py",
        "from typing import overload\n"
        "class A:\n"
        "    @overload\n"
        "    def go(self, x: int) -> int: ...\n"
        "    @overload\n"
        "    def go(self, x: str) -> str: ...\n"
        "    def go(self, x): return work(x)\n"
        "def work(x): return x\n"
        "def main(): A().go(1)\n",
    )
    project.index("python")
    context = project.call("get_function_context", function_name="A.go", max_depth=1)["context"]
    assert context["function"]["start_line"] == 7
    assert [item["name"] for item in context["callees"]] == ["work"]
    assert [item["name"] for item in context["callers"]] == ["main"]
    assert [item["start_line"] for item in context["matches"]] == [4, 6]


def test_an_export_of_nothing_says_so(project: Project) -> None:
    project.write("src/a.py", "def f(): g()\ndef g(): pass\n")
    project.index("python")
    run = CliRunner().invoke
    nothing = run(commands, ["export", "--under", "scr"], obj=project.context)
    assert (nothing.exit_code, nothing.output) == (
        1,
        "Error: no indexed file's path starts with scr\n",
    )
    some = run(commands, ["export", "--under", "./src"], obj=project.context)
    assert [node["name"] for node in json.loads(some.output)["nodes"]] == ["<module>", "f", "g"]


def test_a_root_elsewhere_is_named_in_the_command_that_indexes_it(project: Project) -> None:
    result = CliRunner().invoke(commands, ["query", "f"], obj=project.context)
    command = f"toolroll codegraph --root {project.root} index"
    assert result.output == f"Error: not indexed yet; run: {command}\n"


def test_a_directory_without_code_is_told_what_counts(
    tmp_path: Path, shell: Callable[..., Result]
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".gitignore").write_text("a.py\n", "utf-8")
    (tmp_path / "project" / "a.py").write_text("def leaf(): pass\n", "utf-8")
    told = shell(tmp_path / "project", "index").stderr
    assert told.startswith(
        "Error: No code files found; files in other languages, or that git ignores"
    )


def test_what_to_run_next_names_the_data_that_one_asked(
    tmp_path: Path, shell: Callable[..., Result]
) -> None:
    place, data = tmp_path / "project", tmp_path / "data"
    place.mkdir()
    command = f"toolroll codegraph --data-dir {data} index"
    answer = shell(place, "--data-dir", str(data), "query", "f")
    assert answer.stderr == f"Error: not indexed yet; run: {command}\n"


def test_a_directory_whose_name_is_no_text_is_refused(
    tmp_path: Path, shell: Callable[..., Result]
) -> None:
    place = tmp_path / os.fsdecode(b"a\xff")
    try:
        place.mkdir()
    except OSError:
        pytest.skip("this file system takes no such name")
    assert (
        shell(place, "index").stderr == "Error: a root's name is not UTF-8; rename the directory\n"
    )
    assert "not allowed" in shell(tmp_path, "index", place.name).stderr


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run `toolroll codegraph …` as in a shell in a directory."""
    monkeypatch.setenv("HOME", str(tmp_path))

    def run(directory: Path, *words: str) -> Result:
        monkeypatch.chdir(directory)
        return CliRunner().invoke(cli, ["codegraph", *words])

    return run


def test_a_subdirectory_is_part_of_the_indexed_project_above_it(
    tmp_path: Path, shell: Callable[..., Result]
) -> None:
    inner = tmp_path / "project" / "src"
    inner.mkdir(parents=True)
    (inner / "a.py").write_text("def leaf(): pass\ndef first(): leaf()\n", "utf-8")
    assert shell(inner.parent, "index").exit_code == 0
    found = shell(inner, "query", "leaf")
    assert found.stdout.startswith("leaf  src/a.py:1\ncalled by: 1\n")
    assert found.stderr == f"project: {inner.parent}\n"
    for spelled in ("a.py", "src/a.py"):  # from here, and as the answers name it
        assert shell(inner, "impact", spelled).stdout.startswith("changed: 3\n")
    assert shell(inner, "index").stdout.startswith("1 file, ")
    assert shell(inner, "--root", ".", "query", "leaf").stderr.startswith("Error: not indexed yet")
    assert shell(inner, "index", ".").exit_code == 0  # a project of its own, from now on
    assert shell(inner, "query", "leaf").stdout.startswith("leaf  a.py:1\n")
    assert shell(inner, "forget").stdout == f"forgotten: {inner}\n"
    assert [path.name for path in inner.iterdir()] == ["a.py"]


@pytest.mark.parametrize(
    "words", [("query", "leaf"), ("impact", "a.py"), ("export",), ("projects",), ("forget",)]
)
def test_a_question_where_nothing_is_indexed_writes_nothing(
    tmp_path: Path, shell: Callable[..., Result], words: tuple[str, ...]
) -> None:
    place = tmp_path / "project"
    place.mkdir()
    result = shell(place, *words)
    assert "ndexed" in result.output or words == ("projects",)
    assert not list(place.iterdir())


def test_a_directory_beside_an_indexed_one_is_a_project_of_its_own(
    tmp_path: Path, shell: Callable[..., Result]
) -> None:
    """Their data are together, where the first of them was indexed from."""
    for name in ("one", "two"):
        (tmp_path / "all" / name).mkdir(parents=True)
        (tmp_path / "all" / name / "a.py").write_text("def leaf(): pass\n", "utf-8")
    shell(tmp_path / "all", "index", "one")
    assert shell(tmp_path / "all" / "two", "index").stdout.startswith("1 file, ")
    listed = shell(tmp_path / "all", "projects").stdout
    assert re.findall(r"/(\w+)  ", listed) == ["one", "two"]
