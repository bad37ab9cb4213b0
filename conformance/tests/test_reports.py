"""Results, known failures, and the reports made of them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as XML

import pytest

from toolroll_conformance import generation
from toolroll_conformance.check import Check, Skipped, Status, perform
from toolroll_conformance.inspection import Finding, RuleBroken
from toolroll_conformance.junit import junit_xml
from toolroll_conformance.known_failures import KnownFailures, KnownFailuresError
from toolroll_conformance.plan import plan
from toolroll_conformance.run import run_checks
from toolroll_conformance.session import Session
from toolroll_conformance.target import Target
from toolroll_zoo.shelf import Shelf


def passes() -> None:
    """Hold."""


def fails() -> None:
    """Don't hold."""
    raise RuleBroken([Finding("output-schema", "bad \x00 text"), Finding("case", "also")])


def skips() -> None:
    """Lack something."""
    raise Skipped(["kill", "tenants"])


CHECKS = [
    Check("case", "it passes", passes, "good", leg="stdio", era="2026-07-28", source="table 1"),
    Check("case", "it fails", fails, "bad", leg="stdio", era="2026-07-28"),
    Check("case", "it is skipped", skips, "skip", leg="memory"),
]


def test_ids_name_way_in_rule_and_subject() -> None:
    ids = [check.id for check in CHECKS]
    assert ids == ["stdio/2026-07-28/case/good", "stdio/2026-07-28/case/bad", "memory/case/skip"]


def test_a_report_counts_each_way_and_each_reason() -> None:
    told: list[str] = []
    report = run_checks("p", CHECKS, jobs=3, tell=lambda result: told.append(result.id))
    assert told == [check.id for check in CHECKS]
    data = json.loads(report.dumps())
    assert data["ok"] is False
    assert data["counts"] == {"passed": 1, "failed": 1, "skipped": 1, "known_failure": 0}
    assert data["ways_in"]["memory"]["skipped"] == 1
    assert data["skips"] == {"needs kill, tenants": 1}
    assert [check["rules"] for check in data["checks"]] == [[], ["case", "output-schema"], []]
    assert data["checks"][0]["source"] == "table 1"


def test_what_checks_need_is_prepared_before_any_runs() -> None:
    done: list[str] = []
    checks = [
        Check("case", "t", lambda: done.append("run"), str(n), prepare=lambda: done.append("ready"))
        for n in range(3)
    ]
    assert run_checks("p", checks, jobs=2).ok
    assert done == ["ready"] * 3 + ["run"] * 3


def test_every_rule_that_sends_generated_arguments_prepares_them() -> None:
    with Session.of_pack(Target.of(Shelf()), ["memory"], examples=5) as session:
        checks = plan(session)
        for check in checks:
            check.prepare()
        made = generation._generated_once.cache_info().misses
        run_checks("shelf", [check for check in checks if check.rule in GENERATED])
    assert generation._generated_once.cache_info().misses == made


GENERATED = {
    "hostile-text",
    "invalid-arguments",
    "path-escape",
    "unknown-argument",
    "valid-arguments",
}


def test_every_rule_says_where_it_is_promised_to_those_who_have_no_other_document() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    with Session.of_pack(Target.of(Shelf()), examples=1) as session:
        checks = plan(session)
    for check in checks:
        if check.rule != "case":
            assert f"`{check.rule}`" in readme
            assert check.source.startswith(("MCP, ", "README of toolroll-conformance", "contract."))


def test_nothing_checked_is_no_success() -> None:
    assert not run_checks("p", []).ok


def test_junit_is_xml_whatever_the_findings_hold() -> None:
    root = XML.fromstring(junit_xml(run_checks("p", CHECKS)))
    suites = {suite.get("name"): suite for suite in root}
    assert set(suites) == {"p memory", "p stdio 2026-07-28"}
    stdio = suites["p stdio 2026-07-28"]
    assert (stdio.get("tests"), stdio.get("failures")) == ("2", "1")
    failure = stdio.find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == "case,output-schema"
    assert suites["p memory"].find("testcase/skipped") is not None


def test_a_known_failure_is_no_failure_until_it_passes() -> None:
    known = KnownFailures({"*/case/*": "issue 5"})
    results = run_checks("p", CHECKS, known=known).results
    assert [result.status for result in results] == [
        Status.FAILED,
        Status.KNOWN_FAILURE,
        Status.SKIPPED,
    ]
    assert "passed, but is listed as a known failure (issue 5)" in results[0].detail


def test_a_defect_of_the_suite_itself_is_raised() -> None:
    def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        perform(Check("case", "t", broken))


@pytest.mark.parametrize("text", ["- a", "a: ''", "a: 5", "1: x", "{"])
def test_a_list_of_known_failures_needs_ids_and_reasons(tmp_path: Path, text: str) -> None:
    file = tmp_path / "known_failures.yaml"
    file.write_text(text)
    with pytest.raises(KnownFailuresError, match=r"known_failures\.yaml"):
        KnownFailures.load(file)


def test_a_list_of_known_failures_says_what_it_matches(tmp_path: Path) -> None:
    file = tmp_path / "known_failures.yaml"
    file.write_text('"http/*/case/a": one\nstdio/x: two\n')
    known = KnownFailures.load(file)
    assert known.reason("http/2026-07-28/case/a") == "one"
    assert known.reason("http/2026-07-28/case/b") is None
    assert known.unused(["http/2026-07-28/case/a"]) == ["stdio/x"]
    file.write_text("")
    assert KnownFailures.load(file).reasons == {}
