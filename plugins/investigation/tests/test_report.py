"""The report: early, complete, without truth; as Markdown and as a page that loads nothing."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest

from toolroll.context import LOCAL
from toolroll_investigation.access import open_investigations
from toolroll_investigation.investigations import Investigations
from toolroll_investigation.mermaid import draw_way
from toolroll_investigation.rendering import render_html
from toolroll_investigation.report import Visit
from toolroll_investigation.steps import Step
from toolroll_investigation.suites import SuiteError


def investigations(host: Any) -> Investigations:
    return open_investigations(host.runtime.context("investigation"), LOCAL.tenant)


@pytest.fixture
def finished(host: Any, ptp_mock: Any) -> Any:
    """A host whose ptp-mock is finished."""
    host.answer("start_investigation", scenario="ptp-mock")
    host.drive(ptp_mock)
    return host


@pytest.fixture
def real(make_host: Any) -> Any:
    """A host with two real failures, one of them explained."""
    host = make_host(scenario_dirs=["."])
    cases = [
        {"id": "C1", "job": "unit", "test_name": "a <b> | c", "error_message": "e"},
        {"id": "C2", "job": "unit", "test_name": "d"},
    ]
    (host.root / "real.json").write_text(json.dumps({"name": "real", "cases": cases}))
    host.answer("start_investigation", scenario="real")
    host.submit("C1", "F0_RECALL", {})
    triage = {"candidate_repos": ["r"], "data_quality_notes": "no core dump"}
    host.submit("C1", "F1_TRIAGE", triage)
    found = {"convergence_score": 0.75, "rca_message": "<script>alert(1)</script>"}
    host.submit("C1", "F3_INVESTIGATE", {**found, "defect_type": "pb001"})
    host.submit("C1", "F4_CORRELATE", {})
    host.submit("C1", "F5_REVIEW", {"decision": "approve"})
    host.submit("C1", "F6_REPORT", {})
    return host


def test_a_finished_exam_passes_with_its_figures(finished: Any) -> None:
    report = finished.answer("get_report")
    assert "**RESULT: PASS (20/20 metrics within threshold)**" in report
    assert "| M15 | Component Identification | 0.91 | ≥0.70 | ✓ | 10/11 |" in report
    assert "| M17 | Loop Efficiency | 1.00 | 0.5–2.0 | ✓ | actual=0 expected=0 |" in report
    assert "| M18 | Total Prompt Tokens | 47000.00 | ≤60000 | ✓ |" in report
    rows = {line.split(" | ")[0]: line for line in report.splitlines()}
    c8 = rows["| C8"]
    assert "| System Issue (si001) | ✓ | ✗ | Recall → Triage → Review → Report | ✓ |" in c8
    c11 = rows["| C11"]
    assert "| No Defect (nd001) | ✗ | ✗ |" in c11
    assert report.count("```mermaid") == 6
    assert "### C2, C3, C5, C6, C7, C9" in report


def test_an_early_report_counts_what_is_finished_and_is_no_pass(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    empty = host.answer("get_report")
    assert "RESULT: INCOMPLETE, not a pass." in empty
    assert "12 of 12 cases are missing" in empty
    host.submit("C8", "F0_RECALL", {})
    host.submit("C8", "F1_TRIAGE", {"symptom_category": "infra"})
    host.submit("C8", "F5_REVIEW", {"decision": "approve"})
    host.submit("C8", "F6_REPORT", {})
    host.submit("C1", "F0_RECALL", {})
    early = host.answer("get_report")
    assert "1 of 12 cases finished" in early
    assert "11 of 12 cases are missing: C1, C2," in early
    assert "PASS" not in early
    assert "| M2 | Symptom Category Accuracy | 1.00 | ≥0.75 | ✓ | 1/1 |" in early
    assert "| at F1_TRIAGE |" in early


def test_without_truth_findings_take_the_place_of_metrics(real: Any) -> None:
    report = real.answer("get_report")
    assert "The scenario has no ground truth" in report
    assert "## Metrics" not in report
    assert "**RESULT: INCOMPLETE.** 1 of 2 cases are missing: C2." in report
    assert "### 1. Product Bug (pb001) in a component not named" in report
    assert "| Explains | C1 (1 of 1) |" in report
    assert "- C1: no core dump" in report
    assert "- Root cause #1 cites no evidence: what shows it?" in report
    assert "a &lt;b> \\| c" in report


def test_what_a_reviewer_answered_stands_in_the_report(real: Any) -> None:
    real.submit("C2", "F0_RECALL", {})
    triage = {"symptom_category": "infra", "defect_type_hypothesis": "pb001"}
    real.submit("C2", "F1_TRIAGE", {**triage, "skip_investigation": True})
    override = {"defect_type": "si001", "rca_message": "The database was down."}
    real.submit("C2", "F5_REVIEW", {"decision": "overturn", "human_override": override})
    real.submit("C2", "F6_REPORT", {})
    report = real.answer("get_report")
    assert "| C2 | d | infra | System Issue (si001) | The database was down. |" in report
    assert "Product Bug (pb001)" not in report.rpartition("| C2 |")[2].splitlines()[0]
    assert "The database was down." in render_html(investigations(real).report())


def test_evidence_is_that_of_the_finding_and_not_of_earlier_tries(real: Any) -> None:
    real.submit("C2", "F0_RECALL", {})
    real.submit("C2", "F1_TRIAGE", {"candidate_repos": ["a"]})
    guess = {"convergence_score": 0.2, "rca_message": "A guess.", "evidence_refs": ["a:guess.py"]}
    real.submit("C2", "F3_INVESTIGATE", guess)
    real.submit("C2", "F2_RESOLVE", {})
    found = {"convergence_score": 0.9, "rca_message": "It.", "evidence_refs": ["a:found.py"]}
    real.submit("C2", "F3_INVESTIGATE", found)
    real.submit("C2", "F4_CORRELATE", {})
    real.submit("C2", "F5_REVIEW", {"decision": "approve"})
    real.submit("C2", "F6_REPORT", {})
    report = real.answer("get_report")
    assert "- `a:found.py`" in report
    assert "guess.py" not in report


def test_a_low_confidence_is_an_open_question(make_host: Any, ptp_mock: Any) -> None:
    host = make_host(thresholds={"max_investigate_loops": 0})
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {})
    host.submit("C1", "F1_TRIAGE", {"candidate_repos": ["a"]})
    host.submit("C1", "F3_INVESTIGATE", {"convergence_score": 0.3, "defect_type": "ti001"})
    host.submit("C1", "F5_REVIEW", {"decision": "approve"})
    host.submit("C1", "F6_REPORT", {})
    report = host.answer("get_report")
    assert "C1 went to review with its retries used up" in report
    assert "Root cause #1 has a confidence of 0.30 only" in report
    assert "Root cause #1 is still to be investigated" in report


def test_several_runs_are_one_report(finished: Any, ptp_mock: Any) -> None:
    finished.answer("start_investigation", scenario="ptp-mock")
    finished.drive(ptp_mock)
    both = investigations(finished).report_runs([1, 2])
    assert (both.runs, both.verdict) == (2, "PASS")
    assert both.metrics[18].detail == "mean of 2 runs"
    assert both.metrics[19].detail == "stddev=0.000 over 2 runs"


def test_runs_of_different_scenarios_are_not_mixed(finished: Any) -> None:
    finished.answer("start_investigation", scenario="daemon-mock")
    with pytest.raises(SuiteError, match="not of one scenario"):
        investigations(finished).report_runs([1, 2])
    finished.answer("start_investigation", scenario="ptp-mock")
    with pytest.raises(SuiteError, match="not finished"):
        investigations(finished).report_runs([1, 3])


class Page(HTMLParser):
    """Notes which elements a page has and what it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href")]


def test_the_page_holds_everything_and_loads_nothing(finished: Any) -> None:
    text = render_html(investigations(finished).report())
    page = Page(text)
    assert page.loads == []
    assert "svg" in page.elements
    assert "script" not in page.elements
    assert text.count('class="pass"') == 20
    assert "default-src 'none'" in text


def test_text_of_failures_is_text_on_the_page(real: Any) -> None:
    text = render_html(investigations(real).report())
    assert "&lt;script&gt;" in text
    assert "script" not in Page(text).elements
    assert 'class="cause"' in text


def test_a_loop_is_drawn_once_for_each_step_with_numbered_edges() -> None:
    way = [
        Visit(Step.INVESTIGATE, "H10", "", Step.RESOLVE),
        Visit(Step.RESOLVE, "H8", "", Step.INVESTIGATE),
        Visit(Step.INVESTIGATE, "H9", "", Step.CORRELATE),
    ]
    assert draw_way(way).splitlines() == [
        "flowchart LR",
        '  F3["F3 Investigate"]',
        '  F2["F2 Resolve"]',
        '  F3 -->|"1 · H10"| F2',
        '  F2 -->|"2 · H8"| F3',
    ]
