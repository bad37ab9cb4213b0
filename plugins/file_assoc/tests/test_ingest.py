"""The life of findings from scan to scan, renamed files, and the counters that follow them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

import toolroll
from toolroll_file_assoc import counters, identity
from toolroll_file_assoc.tables import File, Finding

if TYPE_CHECKING:
    from conftest import Project

Sarif = Callable[..., dict[str, Any]]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Set the time in seconds; it stands still in between."""
    at = [1_000_000]
    monkeypatch.setattr(identity, "now", lambda: at[0])

    def set_to(seconds: int) -> None:
        at[0] = seconds * 1_000_000

    return set_to


def _finding(project: Project, **match: Any) -> dict[str, Any]:
    (found,) = [
        item
        for item in project.command("finding", "list")
        if all(item[name] == value for name, value in match.items())
    ]
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("open", "open"),
        ("acknowledged", "acknowledged"),
        ("false_positive", "false_positive"),
        ("fixed", "open"),
    ],
)
def test_seeing_a_finding_again(project: Project, sarif: Sarif, before: str, after: str) -> None:
    project.import_log(sarif(("a.py", "R", 1)))
    finding = _finding(project)
    project.command("finding", "set-status", before, finding["id"])
    counts = project.import_log(sarif(("a.py", "R", 1), level="error"))
    again = _finding(project)
    assert again["id"] == finding["id"]
    assert (again["status"], again["seen_count"], again["severity"]) == (after, 2, "high")
    assert counts["findings_reopened"] == (before == "fixed")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("open", "unseen_in_latest"),
        ("acknowledged", "unseen_in_latest"),
        ("false_positive", "false_positive"),
        ("fixed", "fixed"),
    ],
)
def test_missing_a_finding(project: Project, sarif: Sarif, before: str, after: str) -> None:
    project.import_log(sarif(("a.py", "R", 1), ("a.py", "S", 2)))
    finding = _finding(project, rule_id="S")
    project.command("finding", "set-status", before, finding["id"])
    project.import_log(sarif(("a.py", "R", 1)), "--mark-unseen")
    assert _finding(project, rule_id="S")["status"] == after


def test_the_first_line_is_part_of_a_finding_and_severity_is_not(
    project: Project, sarif: Sarif
) -> None:
    project.import_log(sarif(("a.py", "R", 1), ("a.py", "R", 2), ("a.py", "R", None)))
    counts = project.import_log(sarif(("a.py", "R", 2), ("a.py", "R", None), level="note"))
    assert (counts["findings_created"], counts["findings_updated"]) == (0, 2)


def test_two_results_on_one_line_are_one_finding(project: Project, sarif: Sarif) -> None:
    counts = project.import_log(sarif(("a.py", "R", 1), ("a.py", "R", 1)))
    assert (counts["findings_created"], counts["findings_merged"]) == (1, 1)
    assert _finding(project)["seen_count"] == 1


def test_the_first_run_that_is_named_stays(project: Project, sarif: Sarif) -> None:
    log = sarif(("a.py", "R", 1))
    project.import_log(log)
    for name in ("first", "second"):
        log["runs"][0]["automationDetails"] = {"id": name}
        project.import_log(log)
    assert _finding(project)["scan_run_id"] == "first"


def test_a_scan_sets_the_language_it_gives_and_keeps_one_it_does_not(
    project: Project, sarif: Sarif
) -> None:
    project.call("register_file", path="b.py", language="mine")
    log = sarif(("a.py", "R", 1), ("b.py", "R", 1))
    log["runs"][0]["artifacts"] = [{"location": {"uri": "a.py"}, "sourceLanguage": "Python"}]
    project.import_log(log)
    rows = project.call("list_files", sort="path")["results"]
    assert [row["language"] for row in rows] == ["python", "mine"]


def test_a_scan_moves_updated_at_of_the_files_it_reports_only(
    project: Project, sarif: Sarif, clock: Callable[[int], None]
) -> None:
    clock(1)
    for path in ("a.py", "b.py"):
        project.file_id(path)
    clock(2)
    project.import_log(sarif(("a.py", "R", 1)))
    rows = project.call("list_files", sort="path")["results"]
    assert [row["updated_at"][17:19] for row in rows] == ["02", "01"]
    assert project.call("get_file_timeline", file_id=rows[0]["id"])["total"] == 1


def test_stale_findings_become_fixed_after_their_days(
    project: Project, sarif: Sarif, clock: Callable[[int], None]
) -> None:
    day = 86_400
    clock(day)
    project.import_log(sarif(("a.py", "R", 1), ("a.py", "S", 2)))
    clock(2 * day)
    project.import_log(sarif(("a.py", "R", 1)), "--mark-unseen")
    clock(31 * day - 1)
    assert project.command("finding", "clean-stale") == {"findings_fixed": 0}
    clock(31 * day)
    assert project.command("finding", "clean-stale") == {"findings_fixed": 1}
    assert _finding(project, rule_id="S")["status"] == "fixed"
    assert _finding(project, rule_id="R")["status"] == "open"


def test_an_empty_scan_marks_nothing_unless_it_covered_everything(
    project: Project, sarif: Sarif
) -> None:
    project.import_log(sarif(("a.py", "R", 1)))
    with pytest.raises(toolroll.InvalidArguments, match="--complete"):
        project.import_log(sarif(), "--mark-unseen")
    assert project.import_log(sarif(), "--mark-unseen", "--complete")["findings_unseen"] == 1


@pytest.mark.parametrize(
    "run",
    [
        {"invocations": [{"executionSuccessful": True}, {"executionSuccessful": False}]},
        {"externalPropertyFileReferences": {"results": [{"location": {"uri": "more.json"}}]}},
    ],
)
def test_what_a_failed_scan_lacks_is_not_unseen(
    project: Project, sarif: Sarif, run: dict[str, Any]
) -> None:
    project.import_log(sarif(("a.py", "R", 1), ("a.py", "S", 2)))
    log = sarif(("a.py", "R", 1))
    log["runs"][0] |= run
    counts = project.import_log(log, "--mark-unseen", "--complete")
    assert (counts["findings_updated"], counts["findings_unseen"]) == (1, 0)
    assert len(counts["warnings"]) == 1


@pytest.mark.parametrize("run", [{}, {"results": None}])
def test_a_log_without_a_list_of_results_makes_nothing_unseen(
    project: Project, sarif: Sarif, run: dict[str, Any]
) -> None:
    project.import_log(sarif(("a.py", "R", 1)))
    log = sarif()
    del log["runs"][0]["results"]
    log["runs"][0] |= {"artifacts": [{"location": {"uri": "a.py"}}], **run}
    counts = project.import_log(log, "--mark-unseen", "--complete")
    assert counts["findings_unseen"] == 0
    assert counts["warnings"] == ["ruff: its log has no list of results: nothing becomes unseen"]


@pytest.mark.parametrize("options", [(), ("--complete",)])
def test_runs_of_one_source_are_unseen_by_none_of_their_kin(
    project: Project, sarif: Sarif, options: tuple[str, ...]
) -> None:
    log = sarif(("a.py", "R", 1), ("a.py", "GONE", 2))
    log["runs"] += sarif(("a.py", "S", 3), ("b.js", "T", 1))["runs"]
    project.import_log(log)
    project.command("finding", "set-status", "acknowledged", _finding(project, rule_id="R")["id"])
    del log["runs"][0]["results"][1]
    counts = project.import_log(log, "--mark-unseen", *options)
    assert (counts["findings_unseen"], counts["findings_reopened"]) == (1, 0)
    status = {item["rule_id"]: item["status"] for item in project.command("finding", "list")}
    assert status == {"R": "acknowledged", "GONE": "unseen_in_latest", "S": "open", "T": "open"}


def test_setting_the_status_of_an_unknown_finding_changes_none(
    project: Project, sarif: Sarif
) -> None:
    project.import_log(sarif(("a.py", "R", 1)))
    with pytest.raises(toolroll.NotFound, match="nope"):
        project.command("finding", "set-status", "fixed", _finding(project)["id"], "nope")
    assert _finding(project)["status"] == "open"


class TestRenames:
    """A file that moved keeps its record; anything less certain becomes a new file."""

    def moved(self, project: Project, log: dict[str, Any], old: str, new: str) -> dict[str, Any]:
        """Rename a file on disk and import a log that reports the new name."""
        target = project.root / new
        target.parent.mkdir(parents=True, exist_ok=True)
        (project.root / old).rename(target)
        return project.import_log(log)

    def test_same_bytes_under_any_name(self, project: Project, sarif: Sarif) -> None:
        project.write("src/old.py", "content\n")
        project.import_log(sarif(("src/old.py", "R", 1)))
        kept = project.file_id("src/old.py")
        counts = self.moved(project, sarif(("lib/other.py", "R", 1)), "src/old.py", "lib/other.py")
        assert (counts["files_renamed"], counts["findings_created"]) == (1, 0)
        assert project.file_id("lib/other.py") == kept

    def test_changed_bytes_with_the_same_findings_and_name(
        self, project: Project, sarif: Sarif
    ) -> None:
        project.write("src/mod.py", "content\n")
        log = sarif(("src/mod.py", "R", 1), ("src/mod.py", "S", 2))
        project.import_log(log)
        kept = project.file_id("src/mod.py")
        project.write("src/mod.py", "other content\n")
        for result in log["runs"][0]["results"]:
            place = result["locations"][0]["physicalLocation"]
            place["artifactLocation"]["uri"] = "lib/mod.py"
            place["region"]["startLine"] += 1
        counts = self.moved(project, log, "src/mod.py", "lib/mod.py")
        assert counts["files_renamed"] == 1
        assert project.file_id("lib/mod.py") == kept

    def test_one_shared_finding_under_another_name_is_no_rename(
        self, project: Project, sarif: Sarif
    ) -> None:
        project.write("old.py", "content\n")
        project.import_log(sarif(("old.py", "R", 1)))
        project.write("old.py", "nothing of it\n")
        log = sarif(("new.py", "R", 1))
        log["runs"][0]["results"][0]["message"]["text"] = "R in old.py"
        assert self.moved(project, log, "old.py", "new.py")["files_renamed"] == 0

    def test_a_copy_is_a_new_file(self, project: Project, sarif: Sarif) -> None:
        project.write("a.py", "content\n")
        project.write("b.py", "content\n")
        project.import_log(sarif(("a.py", "R", 1)))
        counts = project.import_log(sarif(("b.py", "R", 1)))
        assert (counts["files_renamed"], counts["files_created"]) == (0, 1)

    def test_empty_files_are_all_alike_and_tell_nothing(
        self, project: Project, sarif: Sarif
    ) -> None:
        project.write("a/x.py", "")
        project.import_log(sarif(("a/x.py", "R", 1)))
        counts = self.moved(project, sarif(("b/y.py", "S", 1)), "a/x.py", "b/y.py")
        assert counts["files_renamed"] == 0

    def test_a_whole_directory(self, project: Project, sarif: Sarif) -> None:
        names = [f"f{number:03}.py" for number in range(400)]  # more pairs than are all compared
        for name in names:
            project.write(f"old/{name}", f"{name}\n")
        project.import_log(sarif(*((f"old/{name}", "R", 1) for name in names)))
        (project.root / "old").rename(project.root / "new")
        counts = project.import_log(sarif(*((f"new/{name}", "R", 1) for name in names)))
        assert (counts["files_renamed"], counts["files_created"]) == (400, 0)
        assert project.call("list_files", path_prefix="old/")["total"] == 0


scans = st.lists(
    st.tuples(
        st.lists(
            st.tuples(
                st.sampled_from(("a.py", "b.py", "c.py")),
                st.sampled_from(("R", "S", "T")),
                st.sampled_from((None, 1, 2)),
            ),
            max_size=6,
        ),
        st.sampled_from(("ruff", "bandit")),
        st.sampled_from(("error", "warning", "note")),
        st.sampled_from(((), ("--mark-unseen", "--complete"))),
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.marathon
@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=scans)
def test_counters_always_say_what_the_rows_say(
    project: Project, sarif: Sarif, steps: list[Any]
) -> None:
    for findings, source, level, options in steps:
        project.import_log(sarif(*findings, source=source, level=level), *options)
    with project.context.database.read() as session:
        for file in session.scalars(select(File)):
            rows = session.scalars(select(Finding).where(Finding.file_id == file.id)).all()
            alive = [row for row in rows if row.status not in counters.TERMINAL]
            assert file.total_findings == len(rows)
            assert file.open_findings == len(alive)
            for severity in counters.SEVERITIES:
                assert getattr(file, severity) == sum(row.severity == severity for row in alive)
            assert file.scan_sources.split("\n")[1:-1] == sorted({row.scan_source for row in rows})
        assert session.scalar(select(func.count()).select_from(File)) is not None


def test_a_clock_that_is_set_back_reorders_nothing(
    project: Project, sarif: Sarif, clock: Callable[[int], None]
) -> None:
    clock(100)
    project.import_log(sarif(("a.py", "R", 1)))
    file, issue, finding = project.file_id("a.py"), project.issue_id(), _finding(project)["id"]
    clock(90)
    project.command("finding", "set-status", "fixed", finding)
    clock(80)
    project.call("add_file_association", file_id=file, issue_id=issue, assoc_type="bug_in")
    clock(70)
    project.call("register_file", path="a.py", language="python")
    clock(60)
    other = project.file_id("b.py")
    project.call("add_file_association", file_id=other, issue_id=issue, assoc_type="bug_in")
    clock(50)
    second = project.issue_id("Second")
    project.call("add_file_association", file_id=file, issue_id=second, assoc_type="task_for")
    told = project.call("get_file_timeline", file_id=file)["results"]
    assert [entry["type"] for entry in told] == [
        "association_created",
        "file_metadata_update",
        "association_created",
        "finding_updated",
        "finding_created",
    ]
    assert [row["path"] for row in project.call("list_files")["results"]] == ["b.py", "a.py"]
    assert [row["file_path"] for row in project.call("get_issue_files", issue_id=issue)] == [
        "b.py",
        "a.py",
    ]
    assert [row["id"] for row in project.command("issue", "list")] == [second, issue]


def test_a_clock_that_was_far_ahead_dates_nothing_else(
    project: Project, clock: Callable[[int], None]
) -> None:
    day, wrong = 86_400, 10_000 * 86_400
    clock(wrong)
    project.file_id("early.py")
    clock(2 * day)
    project.file_id("b.py")
    clock(day)
    project.file_id("a.py")
    told = {row["path"]: row["updated_at"] for row in project.call("list_files")["results"]}
    assert told["early.py"] == identity.iso(wrong * 1_000_000)
    assert told["b.py"] == identity.iso(2 * day * 1_000_000)
    assert told["a.py"] == identity.iso(day * 1_000_000)
