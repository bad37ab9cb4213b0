"""Ignore files are read as git reads them, whatever stands in their place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolroll.ignore import ignore_lines, ignore_rules, is_ignore_rule


def test_a_file_is_read_by_lines_even_where_it_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "rules").write_bytes(b"a\n\xff\nb\n")
    assert ignore_lines(tmp_path / "rules") == ["a", "\ufffd", "b"]


def test_links_pipes_directories_and_nothing_hold_no_rules(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("a\n")
    (tmp_path / "link").symlink_to("rules")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", ".", "missing"):
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
