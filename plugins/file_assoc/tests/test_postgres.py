"""The same answers from PostgreSQL: text order, prefix ranges, upserts, counters and timelines."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolroll.runtime import Runtime

if TYPE_CHECKING:
    from conftest import Project


@pytest.fixture
def both(
    project: Project, postgres_database: str, tmp_path: Path
) -> Iterator[tuple[Project, Project]]:
    """One project directory, its data once in SQLite and once in PostgreSQL."""
    kind = type(project)
    sources = [item.source for item in project.runtime.registry.packs.values()]
    with Runtime.open(
        roots=[project.root],
        data_dir=tmp_path / "data-postgres",
        overrides={"storage": {"url": postgres_database}},
        sources=lambda: sources,
    ) as runtime:
        assert runtime.context("file_assoc").database.dialect == "postgresql"
        yield project, kind(project.root, tmp_path / "data-postgres", runtime)


def _plain(value: Any, ids: dict[str, str]) -> Any:
    """Return an answer without what differs from run to run: times, and ids as first seen."""
    match value:
        case dict():
            return {
                key: _plain(item, ids)
                for key, item in value.items()
                if not key.endswith(("_at", "first_seen", "timestamp"))
            }
        case list():
            return [_plain(item, ids) for item in value]
        case str() if value.startswith("toolroll-"):
            return ids.setdefault(value, f"id {len(ids)}")
        case _:
            return value


def _story(project: Project, sarif: Callable[..., dict[str, Any]]) -> list[Any]:
    """Do a bit of everything and return every answer."""
    first = [
        (f"src/{name}.py", f"R{line}", line) for name in ("b", "B", "ä", "_") for line in (1, 2)
    ]
    told: list[Any] = [
        project.import_log(sarif(*first, ("src/b.py", "R0", None))),
        project.import_log(sarif(*first[:3], source="Semgrep OSS", level="error")),
        project.import_log(sarif(*first[1:]), "--mark-unseen"),
    ]
    file = project.file_id("src/b.py")
    project.call("register_file", path="src/b.py", language="python", metadata={"nul": "a\0b"})
    issue = project.issue_id()
    for kind in ("bug_in", "bug_in", "task_for"):
        project.call("add_file_association", file_id=file, issue_id=issue, assoc_type=kind)
    told += [project.command("unlink", file, issue, "--type", "bug_in")]
    found = project.command("finding", "list", "--path", "src/b.py")
    told += [project.command("finding", "set-status", "fixed", found[0]["id"])]
    for filters in (
        {},
        {"language": "python"},
        {"path_prefix": "src/_"},
        {"path_prefix": "src/b"},
        {"min_findings": 2, "has_severity": "high"},
        {"scan_source": "semgrep-oss"},
        {"scan_source": "semgrep"},
        {"offset": 10**30, "min_findings": 10**30},
        {"offset": 10**30},
    ):
        told.append(project.call("list_files", sort="path", **filters))
        told.append(project.call("list_files", sort="path", limit=1, direction="desc", **filters))
    told += [project.call("get_issue_files", issue_id=issue)]
    told += [project.call("get_file", file_id=file)["summary"]]
    timeline = project.call("get_file_timeline", file_id=file)
    told += [sorted(entry["type"] for entry in timeline["results"]), timeline["total"]]
    told += [project.fails("get_file", file_id="nope"), project.command("prune", "--dry-run")]
    return told


def test_both_databases_tell_the_same_story(
    both: tuple[Project, Project], sarif: Callable[..., dict[str, Any]]
) -> None:
    here, there = (_plain(_story(project, sarif), {}) for project in both)
    assert there == here


def test_a_path_that_is_too_long_for_an_index_is_told_so(both: tuple[Project, Project]) -> None:
    _, project = both
    path = "/".join(secrets.token_hex(100) for _ in range(19))
    assert project.fails("register_file", path=path) == "validation_error"
    assert project.call("list_files")["total"] == 0


def test_a_postgresql_timeline_pages_without_loss(
    both: tuple[Project, Project], sarif: Callable[..., dict[str, Any]]
) -> None:
    _, project = both
    project.import_log(sarif(*(("paged.py", f"R{n}", n) for n in range(1, 12))))
    file = project.file_id("paged.py")
    whole = [entry["id"] for entry in project.call("get_file_timeline", file_id=file)["results"]]
    pages = [
        project.call("get_file_timeline", file_id=file, limit=3, offset=offset)["results"]
        for offset in range(0, 12, 3)
    ]
    assert [entry["id"] for page in pages for entry in page] == whole
    assert len(set(whole)) == 11
