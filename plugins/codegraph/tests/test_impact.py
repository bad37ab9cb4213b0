"""`toolroll codegraph impact`: what a change of files, or a git diff, may affect."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from toolroll_codegraph.commands import commands
from toolroll_codegraph.queries.changes import Change, Lines, changed_lines, parse_diff

if TYPE_CHECKING:
    from conftest import Project

LEAF = "def leaf():\n    return 1\n\n\ndef other():\n    return 2\n"
CALLER = "from lib.leaf import leaf\n\n\ndef caller():\n    return leaf()\n"
TEST = "from caller import caller\n\n\ndef test_it():\n    assert caller()\n"


def git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(project: Project) -> Project:
    """Three files that call one another, committed and indexed."""
    project.write("lib/leaf.py", LEAF)
    project.write("caller.py", CALLER)
    project.write("tests/test_it.py", TEST)
    git(project.root, "init", "-q")
    git(project.root, "add", ".")
    git(project.root, "commit", "-q", "-m", "first")
    project.index("python")
    return project


def run(project: Project, *words: str) -> Result:
    return CliRunner().invoke(commands, ["impact", *words], obj=project.context)


def impact(project: Project, *words: str) -> Any:
    result = run(project, *words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def changed(found: Any) -> set[str]:
    return {f"{item['file']}::{item['name']}" for item in found["changed"]}


def new_lines(changes: Mapping[str, Change]) -> dict[str, Lines]:
    return {path: change.new for path, change in changes.items()}


def test_a_changed_line_affects_those_that_call_its_function(repository: Project) -> None:
    repository.write("lib/leaf.py", LEAF.replace("return 1", "return 3"))
    found = impact(repository, "--diff", "HEAD")
    assert changed(found) == {"lib/leaf.py::leaf"}
    assert [(item["name"], item["depth"]) for item in found["affected"]] == [
        ("caller", 1),
        ("test_it", 2),
    ]
    assert found["tests"] == ["tests/test_it.py"]
    assert found["stale"] == ["lib/leaf.py"]
    repository.index("python")
    assert impact(repository, "--diff", "HEAD")["stale"] == []


def test_lines_that_moved_since_they_were_indexed_are_those_of_then(repository: Project) -> None:
    """The index still is that of the revision: what is gone now leads to those that called it."""
    lines = LEAF.splitlines(keepends=True)
    repository.write("lib/leaf.py", "# one\n# two\n# three\n# four\n" + "".join(lines[4:]))
    found = impact(repository, "--diff", "HEAD")
    assert changed(found) == {"lib/leaf.py::leaf"}
    assert found["tests"] == ["tests/test_it.py"]
    assert found["stale"] == ["lib/leaf.py"]


def test_what_no_index_can_tell_is_indexed_first(repository: Project) -> None:
    """Neither the text of the revision nor the one now was indexed."""
    repository.write("lib/leaf.py", "def early(): pass\n" * 3 + LEAF)
    repository.index("python")
    edited = LEAF.replace("return 2", "return 4")
    repository.write("lib/leaf.py", edited)
    told = run(repository, "--diff", "HEAD")
    assert told.stderr == "indexing again: lib/leaf.py changed\n"
    assert told.stdout.startswith("changed: 1\n  other  lib/leaf.py:5\n")
    assert impact(repository, "--diff", "HEAD")["stale"] == []


def test_a_first_line_that_is_removed_is_the_modules(repository: Project) -> None:
    repository.write("caller.py", CALLER.partition("\n")[2])
    assert changed(impact(repository, "--diff", "HEAD")) == {"caller.py::<module>"}
    repository.index("python")
    assert changed(impact(repository, "--diff", "HEAD")) == {"caller.py::<module>"}


def test_what_is_added_before_the_first_line_is_no_change_of_a_function(
    repository: Project,
) -> None:
    repository.write("lib/leaf.py", "# of leaves\n" + LEAF)
    assert changed(impact(repository, "--diff", "HEAD")) == {"lib/leaf.py::<module>"}
    git(repository.root, "commit", "-q", "-a", "-m", "second")
    repository.write("lib/leaf.py", LEAF)
    repository.index("python")
    assert changed(impact(repository, "--diff", "HEAD")) == {"lib/leaf.py::<module>"}


@pytest.mark.parametrize("revision", ["HEAD~2..HEAD~1", "HEAD~2...HEAD~1", "HEAD~1^!"])
def test_lines_between_two_revisions_are_looked_up_where_they_are_now(
    repository: Project, revision: str
) -> None:
    """What is indexed may be the text of either revision, or a later one."""
    root = repository.root
    first = LEAF.replace("return 2", "return 3")
    later = "def early():\n    return 0\n\n\n" + first
    for text in (first, later):
        repository.write("lib/leaf.py", text)
        git(root, "commit", "-q", "-a", "-m", "more")
    assert changed(impact(repository, "--diff", revision)) == {"lib/leaf.py::other"}
    repository.index("python")
    assert changed(impact(repository, "--diff", revision)) == {"lib/leaf.py::other"}
    repository.write("lib/leaf.py", "# edited\n" * 3 + later)
    repository.index("python")
    assert changed(impact(repository, "--diff", revision)) == {"lib/leaf.py::other"}
    repository.write("lib/leaf.py", later.partition("def other")[0])
    told = run(repository, "--diff", revision)
    assert told.stderr == "indexing again: lib/leaf.py changed\n"
    assert "leaf  lib" not in told.stdout


def test_a_file_that_was_only_touched_is_as_it_was(repository: Project) -> None:
    (repository.root / "lib" / "leaf.py").touch()
    assert impact(repository, "lib/leaf.py")["stale"] == []


def test_staged_changes_count_too(repository: Project) -> None:
    repository.write("lib/leaf.py", LEAF.replace("return 1", "return 3"))
    git(repository.root, "add", ".")
    assert changed(impact(repository, "--diff", "HEAD")) == {"lib/leaf.py::leaf"}


def test_what_is_staged_may_be_asked_for_alone(repository: Project) -> None:
    repository.write("lib/leaf.py", LEAF.replace("return 1", "return 3"))
    git(repository.root, "add", ".")
    repository.write("lib/leaf.py", "\n" + LEAF.replace("return", "return 3 +"))
    repository.write("new.py", "def new(): pass\n")
    for again in (False, True):
        if again:
            repository.index("python")
        found = impact(repository, "--staged")
        assert changed(found) == {"lib/leaf.py::leaf"}
        assert found["not_indexed"] == []
    git(repository.root, "commit", "-q", "-m", "second")
    assert changed(impact(repository, "--staged")) == set()
    assert changed(impact(repository, "--staged", "--diff", "HEAD^")) == {"lib/leaf.py::leaf"}


def test_new_tests_are_run_before_they_are_indexed(repository: Project) -> None:
    repository.write("tests/test_new.py", TEST)
    repository.write("tests/notes.txt", "")
    found = impact(repository, "--diff", "HEAD")
    assert (found["tests"], found["not_indexed"]) == (["tests/test_new.py"],) * 2
    assert "run: toolroll codegraph index" in run(repository, "--diff", "HEAD").output
    gone = run(repository, "tests/test_none.py")
    assert "tests to run: 0" in gone.output
    assert "toolroll codegraph index" not in gone.output


def test_a_deleted_file_affects_those_that_called_it(repository: Project) -> None:
    (repository.root / "lib" / "leaf.py").unlink()
    found = impact(repository, "--diff", "HEAD")
    assert {"lib/leaf.py::leaf", "lib/leaf.py::other"} <= changed(found)
    assert found["tests"] == ["tests/test_it.py"]
    assert found["stale"] == []
    repository.index("python")
    assert impact(repository, "--diff", "HEAD")["not_indexed"] == ["lib/leaf.py"]


def test_a_renamed_file_is_a_deleted_and_a_new_one(repository: Project) -> None:
    git(repository.root, "mv", "lib/leaf.py", "lib/renamed.py")
    found = impact(repository, "--diff", "HEAD")
    assert "lib/leaf.py::leaf" in changed(found)
    assert found["tests"] == ["tests/test_it.py"]
    assert found["not_indexed"] == ["lib/renamed.py"]


def test_files_that_git_does_not_know_yet_count(repository: Project) -> None:
    repository.write("tests/test_new.py", TEST)
    repository.write("notes.txt", "no code")
    repository.index("python")
    found = impact(repository, "--diff", "HEAD")
    assert found["tests"] == ["tests/test_new.py"]
    assert found["not_indexed"] == []
    assert impact(repository, "--diff", "HEAD..HEAD")["changed"] == []


def test_a_repository_that_git_does_not_track_counts_as_a_whole(repository: Project) -> None:
    repository.write("inner/more.py", "def more(): pass\n")
    git(repository.root / "inner", "init", "-q")
    repository.index("python")
    assert "inner/more.py::more" in changed(impact(repository, "--diff", "HEAD"))


def test_a_file_that_a_link_replaces_counts_as_a_whole(repository: Project) -> None:
    leaf = repository.root / "lib/leaf.py"
    leaf.rename(leaf.with_name("real.py"))
    leaf.symlink_to("real.py")
    found = impact(repository, "--diff", "HEAD")
    assert {"lib/leaf.py::leaf", "lib/leaf.py::other"} <= changed(found)
    assert found["tests"] == ["tests/test_it.py"]


def test_a_merge_commit_is_compared_with_its_parent(repository: Project) -> None:
    root = repository.root
    git(root, "checkout", "-q", "-b", "side")
    repository.write("lib/leaf.py", LEAF.replace("return 2", "return 4"))
    git(root, "commit", "-qam", "side")
    git(root, "checkout", "-q", "-")
    repository.write("caller.py", CALLER + "\n\ndef late():\n    pass\n")
    git(root, "commit", "-qam", "main")
    git(root, "merge", "-q", "--no-edit", "side")
    repository.index("python")
    assert changed(impact(repository, "--diff", "HEAD^")) == {"lib/leaf.py::other"}


@pytest.mark.parametrize("name", ["grüße.py", 'quo"te.py', "tab\there.py", "a b.py", "back\\s.py"])
def test_paths_of_every_kind(repository: Project, name: str) -> None:
    repository.write(name, LEAF)
    git(repository.root, "add", ".")
    git(repository.root, "commit", "-q", "-m", "second")
    repository.write(name, LEAF.replace("return 2", "return 5"))
    assert new_lines(changed_lines(repository.root, "HEAD")) == {name: ((6, 6),)}


def test_the_users_settings_change_nothing(repository: Project) -> None:
    for setting in ("diff.noprefix", "diff.mnemonicPrefix"):
        git(repository.root, "config", setting, "true")
    git(repository.root, "config", "diff.interHunkContext", "9")
    edited = LEAF.replace("return 1", "return 3").replace("return 2", "return 3")
    repository.write("lib/leaf.py", edited)
    found = new_lines(changed_lines(repository.root, "HEAD"))
    assert found == {"lib/leaf.py": ((2, 2), (6, 6))}


def test_lines_that_look_like_headers_are_none() -> None:
    body = b"--- a\n-\n+++ b/y.py\n+@@ -1 +7 @@\n"
    diff = b"--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n" + body + b"@@ -9 +9 @@\n-a\n+b\n"
    assert new_lines(parse_diff(diff)) == {"x.py": ((1, 2), (9, 9))}


def test_ends_of_lines_that_git_has_only_in_the_working_tree_are_no_change(
    repository: Project,
) -> None:
    leaf = repository.root / "lib/leaf.py"
    repository.write(".gitattributes", "*.py eol=crlf\n")
    git(repository.root, "add", ".")
    git(repository.root, "commit", "-q", "-m", "second")
    leaf.write_bytes(LEAF.replace("return 2", "return 4").replace("\n", "\r\n").encode())
    git(repository.root, "commit", "-q", "-a", "-m", "third")
    repository.index("python")
    assert changed(impact(repository, "--diff", "HEAD^..HEAD")) == {"lib/leaf.py::other"}
    leaf.write_bytes(b"# one\r\n" + leaf.read_bytes())
    repository.index("python")
    assert changed(impact(repository, "--diff", "HEAD^..HEAD")) == {"lib/leaf.py::other"}
    git(repository.root, "checkout", "-q", ".")
    repository.index("python")
    leaf.write_bytes(b"".join(leaf.read_bytes().splitlines(keepends=True)[4:]))
    found = impact(repository, "--diff", "HEAD")  # of the text that was indexed
    assert changed(found) == {"lib/leaf.py::leaf"}
    assert found["tests"] == ["tests/test_it.py"]


@pytest.mark.parametrize("name", ["new/leaf.py", "new/this and that.py", 'new/a"b and b"a.py'])
def test_what_git_does_not_compare_counts_as_a_whole(repository: Project, name: str) -> None:
    repository.write(name, LEAF)
    repository.write(".gitattributes", "new/* -diff\n")
    repository.index("python")
    git(repository.root, "add", ".")
    git(repository.root, "commit", "-q", "-m", "second")
    whole = {f"{name}::<module>", f"{name}::leaf", f"{name}::other"}
    assert changed(impact(repository, "--diff", "HEAD^..HEAD")) == whole
    repository.write(name, LEAF.replace("return 1", "return 3"))
    assert changed(impact(repository, "--diff", "HEAD")) == whole
    (repository.root / name).unlink()
    assert changed(impact(repository, "--diff", "HEAD")) == whole


def test_a_directory_means_its_files(repository: Project) -> None:
    assert changed(impact(repository, "lib")) == changed(impact(repository, "lib/leaf.py"))
    repository.write("LIB/other.py", LEAF)
    repository.write("library/other.py", LEAF)
    repository.index("python")
    assert {name.partition("/")[0] for name in changed(impact(repository, "lib"))} == {"lib"}
    assert len(impact(repository, ".")["changed"]) > len(impact(repository, "lib")["changed"])


CLASS = """\
import tool

LIMIT = 3


@tool.cached
# twice
@tool.cached
def compute(x): return x * LIMIT


class Service:
    retries = 2
    @staticmethod
    def make(*given): return compute(1)

    @tool.cached(
        4,
    )
    def run(self): return self.make()
"""
USE = "from service import Service\n\n\ndef use():\n    return Service().run()\n"


@pytest.mark.parametrize(
    ("old", "new", "named", "affected", "imported_by"),
    [
        ("@tool.cached\n#", "@tool.other\n#", {"compute"}, {"make", "run", "use"}, []),
        ("@staticmethod", "@classmethod", {"Service.make"}, {"run", "use"}, []),
        ("        4,", "        5,", {"Service.run"}, {"use"}, []),
        ("retries = 2", "retries = 3", {"Service"}, {"use"}, []),
        ("LIMIT = 3", "LIMIT = 4", {"<module>"}, set(), ["use.py"]),
    ],
)
def test_a_line_outside_of_functions_belongs_to_what_is_around_it(
    repository: Project,
    old: str,
    new: str,
    named: set[str],
    affected: set[str],
    imported_by: list[str],
) -> None:
    repository.write("service.py", CLASS)
    repository.write("use.py", USE)
    git(repository.root, "add", ".")
    git(repository.root, "commit", "-q", "-m", "second")
    repository.write("service.py", CLASS.replace(old, new))
    repository.index("python")
    found = impact(repository, "--diff", "HEAD")
    assert {item["name"] for item in found["changed"]} == named
    assert {item["name"].rpartition(".")[2] for item in found["affected"]} == affected
    assert found["imported_by"] == imported_by
    told = run(repository, "--diff", "HEAD").output
    assert ("import what changed outside of functions: 1\n  use.py" in told) == bool(imported_by)


def test_a_changed_submodule_counts_as_a_whole(repository: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "part.py").write_text("\n" + LEAF)
    git(other, "init", "-q")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "first")
    add = ("submodule", "--quiet", "add", str(other), "part")
    git(repository.root, "-c", "protocol.file.allow=always", *add)
    git(repository.root, "commit", "-q", "-m", "second")
    repository.write("part/part.py", LEAF)
    repository.index("python")
    found = impact(repository, "--diff", "HEAD")
    assert {"part/part.py::leaf", "part/part.py::other"} <= changed(found)


@pytest.mark.parametrize("name", ["v1.0+build", "a#b", "é", "HEAD@{0 seconds ago}"])
def test_revisions_of_every_kind(repository: Project, name: str) -> None:
    if "@" not in name:
        git(repository.root, "tag", name)
    repository.write("lib/leaf.py", LEAF.replace("return 1", "return 3"))
    assert changed(impact(repository, "--diff", name)) == {"lib/leaf.py::leaf"}


def test_a_hook_of_a_worktree_may_ask_about_a_directory(
    repository: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git tells its hooks which repository it is, and not where its files begin."""
    monkeypatch.setenv("GIT_DIR", str(repository.root / ".git"))
    repository.write("lib/leaf.py", LEAF.replace("return 1", "return 3"))
    found = changed_lines(repository.root / "lib", "HEAD")
    assert new_lines(found) == {"leaf.py": ((2, 2),)}


def test_a_project_without_a_repository(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.root.parent))
    project.write("a.py", "")
    project.index("python")
    assert "not a git repository" in run(project, "--diff", "HEAD").output.lower()


def test_what_is_not_in_the_index_is_said(repository: Project) -> None:
    result = run(repository, "nosuch.py", "lib/leaf.py")
    assert result.exit_code == 0
    assert "not in the index: nosuch.py" in result.output


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ((), "name the changed files, --diff REVISION, or --staged"),
        (("../outside.py",), "escapes project directory"),
        (("--diff", "nosuchrevision"), "bad revision 'nosuchrevision'"),
        (("--diff", "--output=x"), "not a git revision: '--output=x'"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    repository: Project, words: tuple[str, ...], answer: str
) -> None:
    result = run(repository, *words)
    assert result.exit_code != 0
    assert answer in result.output


def test_a_project_that_was_never_indexed(project: Project) -> None:
    result = run(project, "a.py")
    assert result.exit_code == 1
    assert "not indexed yet; run: toolroll codegraph" in result.output
    place = project.write("a b/c.py", "").parent
    result = run(project, "a.py", "--project", str(place))
    assert f"run: toolroll codegraph index '{place}'" in result.output


def test_tests_are_affected_by_what_is_run_around_them(project: Project) -> None:
    project.write("make.py", "def make(): pass\n")
    project.write("drop.py", "def drop(): pass\n")
    project.write(
        "tests/base.py",
        "from unittest import TestCase\nfrom make import make\n"
        "class Base(TestCase):\n    def setUp(self): make()\n    def test_base(self): pass\n"
        "    def help(self): pass\n",
    )
    project.write(
        "tests/test_a.py",
        "from base import Base\nfrom drop import drop\n"
        "def setup_module(module): drop()\n"
        "class A(Base):\n    def test_a(self): pass\n"
        "class B(A):\n    def setUp(self): super().setUp()\n    async def test_b(self): pass\n"
        "class C:\n    def test_c(self): pass\n",
    )
    project.write("tests/test_d.py", "def test_d(): pass\n")
    project.index("python")
    found = impact(project, "make.py")
    assert {item["name"]: item["depth"] for item in found["affected"]} == {
        "Base.setUp": 1, "Base.test_base": 2, "A.test_a": 2, "B.setUp": 2, "B.test_b": 2,
    }  # fmt: skip
    assert found["tests"] == ["tests/base.py", "tests/test_a.py"]
    found = impact(project, "drop.py")
    assert {item["name"]: item["depth"] for item in found["affected"]} == {
        "setup_module": 1, "A.test_a": 2, "B.test_b": 2, "C.test_c": 2,
    }  # fmt: skip
