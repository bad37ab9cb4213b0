"""Ignore files are read as git reads them, whatever stands in their place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolroll.ignore import (
    further_worktrees,
    ignore_lines,
    ignore_rules,
    is_ignore_rule,
    rules_above,
)


def test_a_file_is_read_by_lines_even_where_it_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "rules").write_bytes(b"a\n\xff\nb\n")
    assert ignore_lines(tmp_path / "rules") == ["a", "\ufffd", "b"]


def test_links_pipes_directories_and_nothing_hold_no_rules(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("a\n")
    (tmp_path / "link").symlink_to("rules")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", ".", "missing", "too long to be looked at" * 20):
        assert ignore_lines(tmp_path / name) == []


@pytest.mark.parametrize("line", ["!", "[z-a]", "\\"])
def test_malformed_lines_are_left_out_alone(line: str) -> None:
    assert not is_ignore_rule(line)
    rules = ignore_rules(["a", "# c", line, "!b/a"])
    assert rules is not None
    assert [name for name in ("a", "b/a", "c") if rules.match_file(name)] == ["a"]


@pytest.mark.parametrize("lines", [[], ["", "  ", "# only words"]])
def test_lines_without_rules_are_none(lines: list[str]) -> None:
    assert ignore_rules(lines) is None


def test_a_byte_order_mark_is_no_part_of_a_rule(tmp_path: Path) -> None:
    (tmp_path / "rules").write_bytes(b"\xef\xbb\xbfa\n")
    assert ignore_lines(tmp_path / "rules") == ["a"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return the top of a repository whose rules leave out `dist/`, `*.log` but in `a`, `*.tmp`."""
    top = tmp_path / "top"
    (top / ".git" / "info").mkdir(parents=True)
    (top / "a" / "b").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("*.py\n")  # above the repository
    (top / ".gitignore").write_text("dist/\n*.log\n/a/b/only\n")
    (top / "a" / ".gitignore").write_text("!*.log\n")
    (top / ".git" / "info" / "exclude").write_text("*.tmp\n")
    return top


def outcome(root: Path, path: str) -> bool | None:
    for prefix, rules in rules_above(root, [".gitignore"]):
        verdict = rules.check_file(prefix + path).include
        if verdict is not None:
            return verdict
    return None


def test_rules_above_a_directory_count_up_to_its_repository(repository: Path) -> None:
    root = repository / "a" / "b"
    paths = ("dist/", "x.log", "only", "x.tmp", "x.py", "deep/only")
    assert [outcome(root, path) for path in paths] == [True, False, True, True, None, None]
    assert [outcome(repository, path) for path in ("dist/", "x.tmp")] == [None, True]


def test_a_worktree_has_the_exclude_file_of_its_repository(
    repository: Path, tmp_path: Path
) -> None:
    kept = repository / ".git" / "worktrees" / "tree"
    kept.mkdir(parents=True)
    (kept / "commondir").write_text("../..\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {kept}\n")
    assert outcome(tree, "x.tmp")


@pytest.mark.parametrize("written", ["{0}/inner/.git", "../../../inner/.git", "/old/inner/.git"])
def test_a_repository_knows_its_further_worktrees(repository: Path, written: str) -> None:
    kept = repository / ".git" / "worktrees" / "inner"
    kept.mkdir(parents=True)
    (kept / "commondir").write_text("../..\n")
    (kept / "gitdir").write_text(written.format(repository) + "\n")
    inner = repository / "inner"
    inner.mkdir()
    (inner / ".git").write_text(f"gitdir: {kept}\n")
    assert further_worktrees(repository) == frozenset()  # a bare one
    (repository / ".git" / "index").touch()
    (kept / "index").touch()
    assert further_worktrees(repository / "a") == {inner}
    assert further_worktrees(inner) == frozenset()
    assert further_worktrees(repository.parent) == frozenset()


def test_outside_a_repository_and_where_they_leave_it_out_no_rules_are_above(
    repository: Path,
) -> None:
    assert rules_above(repository.parent, [".gitignore"]) == []
    assert rules_above(repository / "dist" / "inner", [".gitignore"]) == []
