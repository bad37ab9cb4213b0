"""Arguments that nobody means are refused as what they are, never as a defect inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Project

LONG = "n" * 300
"""Longer than a file name may be."""


@pytest.mark.parametrize(
    "name",
    [
        "a.py:²",
        "a.py:" + "9" * 30,
        "a.py:0",
        ":1",
        "::",
        "a.py::",
        "#",
        "%",
        "_",
        LONG,
        "",
    ],
)
def test_names_that_name_nothing(project: Project, name: str) -> None:
    project.write("a.py", "def f(): pass\n")
    project.index("python")
    answer = project.call("get_function_context", function_name=name)
    assert answer == {"success": False, "error": "Function not found"}


@pytest.mark.parametrize("path", [LONG, f"{LONG}/a.py", "a.py/b.py", "", "."])
def test_paths_that_name_no_file(project: Project, path: str) -> None:
    project.write("a.py", "def f(): pass\n")
    project.index("python")
    answer = project.call("find_related_code", file_path=path)
    assert answer == {"success": False, "error": "File not found"}


@pytest.mark.parametrize("path", [f"/{LONG}", "/" + "n/" * 3_000, "/nowhere"])
def test_directories_that_cannot_be(project: Project, path: str) -> None:
    answer = project.call("index_code_graph", project_path=path)
    assert answer == {"success": False, "error": "Directory not found"}


def test_a_file_that_was_left_out_is_not_in_the_graph(project: Project) -> None:
    project.write("a.js", "function f() {}\n")
    project.write("b.min.js", "function g() {}\n")
    project.index("javascript")
    answer = project.call("find_related_code", file_path="b.min.js")
    assert answer["error"] == "File not in code graph. Run index_code_graph first."
