"""Which files belong to a collection, whatever stands in its ignore files."""

from __future__ import annotations

from typing import Any

import pytest

MALFORMED = ("!", "[z-a]", "\\")
"""What pathspec knows no regular expression for."""


@pytest.mark.parametrize("line", MALFORMED)
def test_a_malformed_line_is_left_out_alone(host: Any, line: str) -> None:
    host.write(
        {".gitignore": f"one.py\n{line}\ntwo.py\n", "one.py": "1", "two.py": "2", "three.py": "3"}
    )
    host.index()
    files = host.call("list_files_in_collection", collection="proj")["files"]
    assert [file["path"] for file in files] == [".gitignore", "three.py"]


@pytest.mark.parametrize("line", MALFORMED)
@pytest.mark.parametrize("name", ["include", "exclude"])
def test_a_malformed_glob_is_refused_and_not_kept(host: Any, name: str, line: str) -> None:
    host.write({"one.py": "1"})
    arguments = {"collection": "new", "path": str(host.root)}
    code, answer = host.answer("index_collection", **arguments, **{name: ["*.py", line]})
    assert code == "InvalidParameter"
    assert repr(line) in answer["message"]
    assert host.call("index_collection", **arguments)["total_files"] == 1


def test_a_part_of_a_repository_has_the_rules_above_it(host: Any) -> None:
    host.write(
        {
            ".git/info/exclude": "*.tmp\n",
            ".gitignore": "*.log\n",
            "part/.gitignore": "!kept.log\n",
            **dict.fromkeys(["part/a.py", "part/a.log", "part/kept.log", "part/a.tmp"], "x\n"),
        }
    )
    host.call("index_collection", collection="proj", path="part")
    files = host.call("list_files_in_collection", collection="proj")["files"]
    assert [file["path"] for file in files] == [".gitignore", "a.py", "kept.log"]
