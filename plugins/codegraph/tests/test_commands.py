"""`toolroll codegraph …` where it says more than the tools do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from toolroll_codegraph.commands import commands

if TYPE_CHECKING:
    from conftest import Project


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Shelf.ad", "did you mean Shelf.add"),
        ("addd", "did you mean Shelf.add"),
        ("lib/shelf.py::Shelf.ad", "did you mean Shelf.add"),
        ("Shelf", "did you mean Shelf.add"),
        ("Shelv", "did you mean Shelf.add"),
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


def test_a_directory_elsewhere_is_answered_by_how_to_name_it(
    project: Project, tmp_path: Path
) -> None:
    result = CliRunner().invoke(commands, ["index", str(tmp_path)], obj=project.context)
    assert result.exit_code == 1
    assert f"run: toolroll codegraph --root {tmp_path} index" in result.output


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
