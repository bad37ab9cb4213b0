"""The database: its schema is the models', and damage in one row stays in that row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text
from sqlalchemy.dialects import postgresql

from toolroll_file_assoc import listing, timeline
from toolroll_file_assoc.stored_json import dumps, loads
from toolroll_file_assoc.tables import Base

if TYPE_CHECKING:
    from conftest import Project


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_the_migrations_make_the_models_tables(project: Project) -> None:
    with project.context.database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_the_migrations_make_the_models_indexes(project: Project) -> None:
    statement = text("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOTNULL")
    modelled = create_engine("sqlite://")
    Base.metadata.create_all(modelled)
    with project.context.database.engine.connect() as real, modelled.connect() as wanted:
        assert set(real.execute(statement)) == set(wanted.execute(statement))
    modelled.dispose()


DAMAGED = ["", "{", "[1]", "null", '"text"', "{}x", "[" * 5_000]


@pytest.mark.parametrize("stored", [*DAMAGED, b"\xff\xfe"])
def test_damaged_metadata_breaks_no_answer(project: Project, stored: str | bytes) -> None:
    file = project.file_id("a.py")
    project.file_id("b.py")
    log = {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "t"}},
                "results": [
                    {
                        "ruleId": "R",
                        "message": {"text": "m"},
                        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.py"}}}],
                    }
                ],
            }
        ],
    }
    project.import_log(log)
    with project.context.database.begin() as session:
        for table in ("files", "findings"):
            session.execute(text(f"UPDATE {table} SET metadata = :stored"), {"stored": stored})
    assert [row["metadata"] for row in project.call("list_files")["results"]] == [{}, {}]
    detail = project.call("get_file", file_id=file)
    assert detail["file"]["metadata"] == detail["recent_findings"][0]["metadata"] == {}
    assert project.call("get_file_timeline", file_id=file)["total"] == 1
    assert project.call("register_file", path="a.py", metadata={"k": 1})["metadata"] == {"k": 1}
    assert project.call("get_file_timeline", file_id=file)["total"] == 2


def test_equal_objects_are_stored_as_equal_texts() -> None:
    assert dumps({"b": 1, "a": {"d": 1, "c": 2}}) == dumps({"a": {"c": 2, "d": 1}, "b": 1})
    assert loads(dumps({"s": "\ud800\0"})) == {"s": "\ud800\0"}


def test_every_query_can_be_said_to_postgresql() -> None:
    shape: dict[str, Any] = {"language": "go", "path_prefix": "a", "scan_source": "ruff"}
    filters = listing.Filters(**shape, min_findings=1, has_severity="high")
    statements = [
        listing.count_statement(filters),
        timeline.page_statement("f", limit=1, offset=0),
        timeline.count_statement("f"),
        *(
            listing.page_statement(filters, sort, descending=True, limit=1, offset=0, total=9)
            for sort in ("updated_at", "first_seen", "path", "language")
        ),
    ]
    for statement in statements:
        sql = str(statement.compile(dialect=postgresql.dialect()))
        assert "instr" not in sql
        assert "LIKE" not in sql
        assert "+files" not in sql


def test_the_links_of_a_file_come_newest_first(project: Project) -> None:
    file = project.file_id("a.py")
    issues = [project.issue_id(title) for title in ("One", "Two", "Three")]
    for issue in issues:
        project.call("add_file_association", file_id=file, issue_id=issue, assoc_type="bug_in")
    links = project.call("get_file", file_id=file)["associations"]
    assert [link["issue_id"] for link in links] == issues[::-1]
    with project.context.database.begin() as session:
        session.execute(text("UPDATE links SET created_at = 7"))
    links = project.call("get_file", file_id=file)["associations"]
    assert [link["issue_id"] for link in links] == issues[::-1], "the later id first"


def test_what_happened_at_one_time_is_told_by_type(
    project: Project, sarif: Callable[..., dict[str, Any]]
) -> None:
    file = project.file_id("a.py")
    project.import_log(sarif(("a.py", "R1", 3)))
    issue = project.issue_id()
    project.call("register_file", path="a.py", language="python")
    project.call("add_file_association", file_id=file, issue_id=issue, assoc_type="bug_in")
    with project.context.database.begin() as session:
        session.execute(text("UPDATE links SET created_at = 7"))
        session.execute(text("UPDATE findings SET first_seen = 6, updated_at = 7"))
        session.execute(text("UPDATE events SET created_at = 7"))
    told = project.call("get_file_timeline", file_id=file)["results"]
    assert [entry["type"] for entry in told] == [
        "association_created",
        "file_metadata_update",
        "finding_updated",
        "finding_created",
    ]
