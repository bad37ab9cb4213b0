"""What the commands print for people, how they refuse, and the demo."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define, field
from click.testing import CliRunner, Result

import toolroll
from toolroll_file_assoc import FileAssoc
from toolroll_file_assoc.commands import commands

if TYPE_CHECKING:
    from conftest import Project


def _run(project: Project, *words: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(commands, words, obj=project.context, input=stdin)


def test_an_import_prints_what_it_did_and_hints_at_what_it_left_out(
    project: Project, sarif: Callable[..., dict[str, Any]]
) -> None:
    log = json.dumps(sarif(("a.py", "R", 1), ("/elsewhere/b.py", "R", 1), level="odd"))
    result = _run(project, "import-sarif", "-", stdin=log.encode())
    assert result.exit_code == 0
    assert "findings created\t1" in result.stdout
    assert "results left out: outside\t1" in result.stdout
    assert "files renamed" not in result.stdout
    assert "warning: ruff: unknown level 'odd' counts as info" in result.stderr
    assert "--scanned-root" in result.stderr


def test_lists_are_tables(project: Project, sarif: Callable[..., dict[str, Any]]) -> None:
    project.import_log(sarif(("a.py", "R", 1)))
    issue = project.issue_id("A title")
    assert f"{issue}\topen\ttask\t2\tA title" in _run(project, "issue", "list").stdout
    assert "a.py\t" in _run(project, "finding", "list").stdout
    assert "findings fixed: 0" in _run(project, "finding", "clean-stale").stdout


def test_a_bad_log_names_file_and_place(project: Project, tmp_path: Path) -> None:
    bad = tmp_path / "bad.sarif"
    bad.write_text('{"version": "2.1.0", "runs": [{"tool": {}}]}', encoding="utf-8")
    result = _run(project, "import-sarif", str(bad))
    assert isinstance(result.exception, toolroll.InvalidArguments)
    assert "bad.sarif: runs[0].tool must have the object 'driver'" in str(result.exception)


def test_complete_needs_mark_unseen(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "log.sarif"
    log.write_text("{}", encoding="utf-8")
    assert _run(project, "import-sarif", str(log), "--complete").exit_code == 2


def test_findings_of_a_path_are_looked_up_by_its_canonical_form(
    project: Project, sarif: Callable[..., dict[str, Any]]
) -> None:
    project.import_log(sarif(("src/a.py", "R", 1), ("src/b.py", "R", 1)))
    assert len(project.command("finding", "list", "--path", "./src/../src/a.py")) == 1
    with pytest.raises(toolroll.InvalidPath):
        project.command("finding", "list", "--path", "../a.py")


def test_prune_leaves_planned_and_linked_files(project: Project) -> None:
    for name in ("gone.py", "linked.py", "stays.py"):
        project.write(name)
    ids = {
        name: project.file_id(name) for name in ("gone.py", "linked.py", "stays.py", "planned.py")
    }
    link = {"file_id": ids["linked.py"], "issue_id": project.issue_id(), "assoc_type": "bug_in"}
    project.call("add_file_association", **link)
    for name in ("gone.py", "linked.py"):
        (project.root / name).unlink()
    dry = _run(project, "prune", "--dry-run").stdout
    assert "would remove\tgone.py" in dry
    assert "kept: linked\tlinked.py" in dry
    assert project.call("list_files")["total"] == 4
    assert "removed\tgone.py" in _run(project, "prune").stdout
    assert project.fails("get_file", file_id=ids["gone.py"]) == "not_found"
    assert project.call("list_files")["total"] == 3


def test_a_planned_file_that_was_written_and_scanned_can_be_pruned(
    project: Project, sarif: Callable[..., dict[str, Any]]
) -> None:
    project.file_id("a.py")
    project.write("a.py")
    project.import_log(sarif(("a.py", "R", 1)))
    (project.root / "a.py").unlink()
    assert len(project.command("prune")["removed"]) == 1
    assert project.command("finding", "list") == []


@define
class RecordedTour:
    """A tour of a project in process, which keeps what it shows."""

    project: Any
    root: Path
    called: set[str] = field(factory=set)
    said: list[str] = field(factory=list)
    tables: dict[str, Sequence[Sequence[object]]] = field(factory=dict)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        self.called.add(tool)
        return self.project.call(tool, **arguments)

    def command(self, *arguments: str) -> str:
        assert arguments[0] == "file_assoc"
        return _run(self.project, *arguments[1:]).stdout

    def say(self, text: str) -> None:
        self.said.append(text)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        assert all(len(row) == len(columns) for row in rows)
        self.tables[title] = rows


SIX = {tool.name for tool in FileAssoc().tools()}


def test_the_demo_scans_with_ruff_and_calls_every_tool(project: Project) -> None:
    pytest.importorskip("ruff")
    project.write("src/a.py", "import os\nimport sys\n")
    tour = RecordedTour(project, project.root)
    before = sorted(project.root.rglob("*"))
    FileAssoc().demo(tour)
    assert tour.called == SIX
    assert any("2 findings in 1 file" in text for text in tour.said)
    assert ("src/a.py", 2, 0, 2, 0, 0) in next(iter(tour.tables.values()))
    assert sorted(project.root.rglob("*")) == before


def test_the_demo_goes_on_without_ruff(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruff", None)
    project.write("src/a.py", "")
    tour = RecordedTour(project, project.root)
    FileAssoc().demo(tour)
    assert tour.called == SIX
    assert "toolroll-file-assoc[demo]" in tour.said[0]
    assert any("Linking src/a.py" in text for text in tour.said)  # which is there
    project.write("README.rst", "")
    FileAssoc().demo(again := RecordedTour(project, project.root))
    assert any("Linking README.rst" in text for text in again.said)


def test_the_demo_of_no_file_says_so(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruff", None)
    with pytest.raises(toolroll.NothingToShow, match="no file here"):
        FileAssoc().demo(RecordedTour(project, project.root))
