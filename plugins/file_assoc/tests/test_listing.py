"""Listing files: every page of every filter and order, and how the database finds them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, text
from sqlalchemy.dialects import sqlite

from toolroll_file_assoc import counters, listing, timeline
from toolroll_file_assoc.tables import File, Finding

if TYPE_CHECKING:
    from conftest import Project

LANGUAGES = ("", "go", "python")
PATHS = (
    "a.py",
    "a/b.py",
    "a/b/c.py",
    "a_b.py",
    "axb.py",
    "%.py",
    "b.py",
    "B.py",
    "é.py",
    "\U0010ffff.py",
)
SEVERITIES = ("critical", "high", "medium", "low", "info")
STATUSES = ("open", "acknowledged", "unseen_in_latest", "fixed", "false_positive")
SOURCES = ("ruff", "ruff-old", "bandit")


def _file(number: int, path: str, language: str, first: int, updated: int) -> dict[str, Any]:
    zeros = dict.fromkeys(("total_findings", "open_findings", *SEVERITIES), 0)
    texts = {"file_type": "", "metadata": "{}", "content_sha256": "", "scan_sources": ""}
    return {
        "id": f"t-f-{number * 7919 % 1000:03}",
        "path": path,
        "language": language,
        "first_seen": first,
        "updated_at": updated,
        "seen_on_disk": False,
        "associations_count": 0,
        **zeros,
        **texts,
    }


def _finding(number: int, file: str, severity: str, status: str, source: str) -> dict[str, Any]:
    texts = dict.fromkeys(("message", "suggestion", "scan_run_id"), "")
    times = dict.fromkeys(("first_seen", "updated_at", "last_seen_at"), 1)
    return {
        "id": f"t-sf-{number:04}",
        "file_id": file,
        "issue_id": None,
        "scan_source": source,
        "rule_id": f"R{number}",
        "severity": severity,
        "status": status,
        "line_start": None,
        "line_end": None,
        "seen_count": 1,
        "metadata": "{}",
        **texts,
        **times,
    }


@pytest.fixture
def filled(project: Project) -> tuple[Project, list[dict[str, Any]], list[dict[str, Any]]]:
    """Forty files whose times and languages are full of ties, and their findings."""
    files = [
        _file(n, f"{n % 4}/{PATHS[n % 10]}{'x' * (n // 20)}", LANGUAGES[n % 3], n // 10, n % 4)
        for n in range(40)
    ]
    findings = [
        _finding(n, files[n * n % 37]["id"], SEVERITIES[n % 5], STATUSES[n % 7 % 5], SOURCES[n % 3])
        for n in range(120)
    ]
    with project.context.database.begin() as session:
        session.connection().execute(insert(File.__table__), files)
        session.connection().execute(insert(Finding.__table__), findings)
        counters.recount_findings(session, [file["id"] for file in files])
    return project, files, findings


filters = st.fixed_dictionaries(
    {},
    optional={
        "language": st.sampled_from((*LANGUAGES, "Go")),
        "path_prefix": st.sampled_from(("", "1/", "1/a", "2/a/b", "3/%", "0/_", "\U0010ffff", "9")),
        "min_findings": st.integers(0, 5),
        "has_severity": st.sampled_from(SEVERITIES),
        "scan_source": st.sampled_from((*SOURCES, "", "ruf", "uff", "bandit\nruff")),
    },
)


def _expected(
    files: list[dict[str, Any]], findings: list[dict[str, Any]], given: dict[str, Any]
) -> set[str]:
    """What the filters mean, read off reference 1.2 and 1.3."""
    found: set[str] = set()
    for file in files:
        own = [finding for finding in findings if finding["file_id"] == file["id"]]
        alive = [item for item in own if item["status"] not in ("fixed", "false_positive")]
        if (
            given.get("language", file["language"]) == file["language"]
            and file["path"].startswith(given.get("path_prefix", ""))
            and len(alive) >= given.get("min_findings", 0)
            and given.get("has_severity") in {None, *(item["severity"] for item in alive)}
            and given.get("scan_source", "") in {"", *(item["scan_source"] for item in own)}
        ):
            found.add(file["id"])
    return found


@pytest.mark.marathon
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    given=filters,
    sort=st.sampled_from(("updated_at", "first_seen", "path", "language")),
    direction=st.sampled_from(("asc", "desc", "ASC", "DESC", None)),
    size=st.integers(1, 45),
)
def test_pages_hold_every_matching_file_once_and_in_order(
    filled: tuple[Project, list[dict[str, Any]], list[dict[str, Any]]],
    given: dict[str, Any],
    sort: str,
    direction: str | None,
    size: int,
) -> None:
    project, files, findings = filled
    arguments = {**given, "sort": sort, "limit": size}
    if direction is not None:
        arguments["direction"] = direction
    descending = (direction or ("asc" if sort == "path" else "desc")).lower() == "desc"
    matching = _expected(files, findings, given)
    rows = [file for file in files if file["id"] in matching]
    wanted = [
        file["id"]
        for file in sorted(rows, key=lambda file: (file[sort], file["id"]), reverse=descending)
    ]
    seen: list[str] = []
    while True:
        page = project.call("list_files", **arguments, offset=len(seen))
        assert page["total"] == len(wanted)
        seen += [row["id"] for row in page["results"]]
        assert page["has_more"] == (len(seen) < len(wanted))
        if not page["has_more"]:
            break
        assert len(page["results"]) == size
    assert seen == wanted


@pytest.mark.parametrize(
    ("prefix", "end"),
    [
        ("a", "b"),
        ("az", "a{"),
        ("a\U0010ffff", "b"),
        ("\U0010ffff", None),
        ("\ud7ff", "\ue000"),
    ],
)
def test_the_end_of_a_prefix_steps_over_what_no_text_holds(prefix: str, end: str | None) -> None:
    assert listing.after_prefix(prefix) == end


@given(prefix=st.text(min_size=1, max_size=4), rest=st.text(max_size=4), other=st.text(max_size=6))
def test_the_range_of_a_prefix_holds_exactly_the_texts_that_start_with_it(
    prefix: str, rest: str, other: str
) -> None:
    end = listing.after_prefix(prefix)

    def inside(value: str) -> bool:
        return prefix <= value and (end is None or value < end)

    assert inside(prefix + rest)
    assert inside(other) == other.startswith(prefix)


EACH: dict[str, Any] = {
    "language": "go",
    "path_prefix": "src/",
    "min_findings": 2,
    "has_severity": "critical",
    "scan_source": "ruff",
}
SHAPES: list[dict[str, Any]] = [
    {name: EACH[name] for name in names}
    for size in range(len(EACH) + 1)
    for names in itertools.combinations(EACH, size)
]
"""Every combination of filters."""


def _plan(project: Project, statement: Any) -> list[str]:
    """Return the steps of SQLite's plan, each with those of its parts before it."""
    sql = statement.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    with project.context.database.read() as session:
        rows = session.execute(text(f"EXPLAIN QUERY PLAN {sql}".replace(":", "\\:"))).all()
    return [row[3] for row in rows]


@pytest.mark.parametrize("sort", ["updated_at", "first_seen", "path", "language"])
@pytest.mark.parametrize("descending", [True, False])
def test_a_page_is_an_ordered_walk_of_a_covering_index(
    project: Project, sort: Any, descending: bool
) -> None:
    walked = re.compile(rf"(SCAN|SEARCH) files USING COVERING INDEX ix_files_by_{sort}( \(.*\))?")
    for shape in SHAPES:
        filters = listing.Filters(**shape)
        statement = listing.page_statement(
            filters, sort, descending=descending, limit=100, offset=500, total=9_000
        )
        walk, page, lookup, *rest = _plan(project, statement)[1:]
        assert walked.fullmatch(walk), shape
        assert page == "SCAN page"
        assert lookup == "SEARCH files USING INDEX sqlite_autoindex_files_1 (id=?)"
        assert rest == ["USE TEMP B-TREE FOR ORDER BY"]  # of the page's own rows, a hundred here


def test_a_total_never_touches_the_table_and_seeks_where_it_can(project: Project) -> None:
    for shape in SHAPES:
        steps = _plan(project, listing.count_statement(listing.Filters(**shape)))
        reads = [step for step in steps if re.match(r"(SCAN|SEARCH) files", step)]
        assert reads
        for step in reads:
            assert " USING COVERING INDEX " in step, shape
            assert step.startswith("SEARCH ") == bool(shape), shape


@pytest.mark.parametrize("kind", [None, "finding", "association", "file_metadata_update"])
def test_a_timeline_is_merged_from_indexes_and_only_equal_times_are_sorted(
    project: Project, kind: Any
) -> None:
    for statement in (
        timeline.page_statement("f", kind, limit=50, offset=100),
        timeline.count_statement("f", kind),
    ):
        steps = _plan(project, statement)
        assert not [step for step in steps if step.startswith("SCAN ") and "CONSTANT" not in step]
        sorts = {step for step in steps if "TEMP B-TREE" in step}
        assert sorts <= {"USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"}


def test_a_page_of_the_largest_size_is_answered(
    project: Project, sarif: Callable[..., dict[str, Any]]
) -> None:
    """The document allows 10,000 rows, far more than the host's own bound of an answer."""
    project.import_log(sarif(*((f"src/{n:04}.py", "R", 1) for n in range(1_500))))
    page = project.call("list_files", limit=10_000)
    assert len(page["results"]) == page["total"] == 1_500
