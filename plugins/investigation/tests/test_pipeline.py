"""The whole run of ptp-mock through the tools: rules, ways, states and store as the reference."""

from __future__ import annotations

import json
import stat
from typing import Any

import pytest

from toolroll.context import LOCAL
from toolroll_investigation.scenario import Scenario
from toolroll_investigation.suites import cases_of, find_suite, knowledge_of
from toolroll_investigation.tables import Job, Launch, Pipeline, Triage, Version

FIRED = {
    "C1": "H2 H6 H8 H9 H15b H12 FALLBACK",
    "C2": "H1 H12 FALLBACK",
    "C3": "H1 H12 FALLBACK",
    "C4": "H2 H7 H9 H15b H12 FALLBACK",
    "C5": "H1 H12 FALLBACK",
    "C6": "H1 H12 FALLBACK",
    "C7": "H1 H12 FALLBACK",
    "C8": "H2 H4 H12 FALLBACK",
    "C9": "H1 H12 FALLBACK",
    "C10": "H2 H7 H9 H15",
    "C11": "H2 H5 H12 FALLBACK",
    "C12": "H2 H7 H9 H15",
}


@pytest.fixture
def driven(host: Any, ptp_mock: Scenario) -> Any:
    """A host whose current suite is ptp-mock, driven to its end by the stub adapter."""
    started = host.answer("start_investigation", scenario="ptp-mock")
    assert started["suite_id"] == 1
    assert [case["case_id"] for case in started["cases"]] == list(FIRED)
    assert {case["first_step"] for case in started["cases"]} == {"F0_RECALL"}
    host.drive(ptp_mock)
    return host


def state(host: Any, number: int) -> dict[str, Any]:
    return json.loads((host.case_files / "1" / str(number) / "state.json").read_text())


def test_every_case_takes_the_way_of_the_reference(driven: Any) -> None:
    for number, (case, fired) in enumerate(FIRED.items(), start=1):
        found = state(driven, number)
        assert (found["case_id"], found["suite_id"]) == (number, 1)
        assert (found["current_step"], found["status"]) == ("DONE", "done")
        assert found["loop_counts"] == {}
        rules = [record["heuristic_id"] for record in found["history"]]
        assert rules == ["INIT", *fired.split()], case


def test_the_store_ends_as_the_reference(driven: Any) -> None:
    with driven.runtime.context("investigation").database.read() as session:
        suite = find_suite(session, LOCAL.tenant)
        knowledge = knowledge_of(session, suite)
        cases = cases_of(session, suite)
        assert [case.status for case in cases] == (
            ["reviewed"] * 9 + ["investigated", "reviewed", "investigated"]
        )
        assert [case.rca_id for case in cases] == [1, 1, 1, 2, 2, 1, 2, 0, 1, 1, 0, 2]
        assert [case.symptom_id for case in cases] == [1, 1, 1, 2, 2, 1, 2, 3, 1, 4, 5, 6]
        assert [s.occurrence_count for s in knowledge.symptoms()] == [5, 3, 1, 1, 1, 1]
        assert [s.component for s in knowledge.symptoms()] == [
            "product", "automation", "infra", "product", "flake", "automation",
        ]  # fmt: skip
        assert [(r.component, r.convergence_score) for r in knowledge.root_causes()] == [
            ("linuxptp-daemon", 0.85),
            ("ptp-test-framework", 0.9),
            ("linuxptp-daemon", 0.8),
            ("ptp-test-framework", 0.85),
        ]
        assert [(k.symptom_id, k.rca_id, k.confidence) for k in knowledge.links()] == [
            (1, 1, 0.85), (2, 2, 0.9), (4, 3, 0.8), (4, 1, 0.88), (6, 4, 0.85), (6, 2, 0.9),
        ]  # fmt: skip
        counts = [session.query(t).count() for t in (Version, Pipeline, Launch, Job, Triage)]
        assert counts == [3, 6, 6, 6, 6]
        assert session.query(Job).all()[-1].name == "[T-TSC]"
        assert session.query(Pipeline).all()[-1].name == "CI 4.22 [T-TSC]"


def test_artifacts_are_kept_by_step_and_only_for_their_owner(driven: Any) -> None:
    directory = driven.case_files / "1" / "1"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(directory.parent.stat().st_mode) == 0o700
    names = sorted(path.name for path in directory.iterdir())
    assert names == [
        "F0_RECALL.json", "F1_TRIAGE.json", "F2_RESOLVE.json", "F3_INVESTIGATE.json",
        "F4_CORRELATE.json", "F5_REVIEW.json", "F6_REPORT.json", "state.json",
    ]  # fmt: skip
    assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o600}
    assert (directory / "F5_REVIEW.json").read_text() == '{\n  "decision": "approve"\n}'


def test_a_done_case_says_so_and_has_no_next_step(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C8", "F0_RECALL", {})
    host.submit("C8", "F1_TRIAGE", {"symptom_category": "infra"})
    review = host.submit("C8", "F5_REVIEW", {"decision": "approve"})
    assert (review["next_step"], review["is_done"]) == ("F6_REPORT", False)
    done = host.submit("C8", "F6_REPORT", {"summary": "x"})
    assert "next_step" not in done
    assert done["is_done"] is True
    refused = host.refusal("submit_artifact", case_id="C8", step="F6_REPORT", artifact={})
    assert refused["code"] == "case_done"


def test_status_lists_every_case_and_counts_steps(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C4", "F0_RECALL", {})
    cases = host.answer("get_status")["cases"]
    assert [case["case_id"] for case in cases] == list(FIRED)
    assert cases[3] == {
        "case_id": "C4",
        "current_step": "F1_TRIAGE",
        "steps_completed": 1,
        "is_done": False,
    }
    assert host.answer("get_status", case_id="C4")["cases"] == [cases[3]]


def test_low_convergence_loops_twice_and_then_goes_to_review(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {})
    step = host.submit("C1", "F1_TRIAGE", {"candidate_repos": ["a", "b"]})["next_step"]
    way = [step]
    while step != "F5_REVIEW":
        artifact = {"convergence_score": 0.5} if step == "F3_INVESTIGATE" else {}
        step = host.submit("C1", step, artifact)["next_step"]
        way.append(step)
    assert way == ["F2_RESOLVE", "F3_INVESTIGATE"] * 3 + ["F5_REVIEW"]
    assert state(host, 1)["loop_counts"] == {"investigate": 2}
    # An exhausted counter stays exhausted after a reassessment.
    host.submit("C1", "F5_REVIEW", {"decision": "reassess", "loop_target": "F3_INVESTIGATE"})
    again = host.submit("C1", "F3_INVESTIGATE", {"convergence_score": 0.1})
    assert again["heuristic_id"] == "H11"
    assert state(host, 1)["loop_counts"] == {"investigate": 2, "reassess": 1}


def test_each_visit_records_a_root_cause_and_an_overturn_corrects_the_last(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {})
    host.submit("C1", "F1_TRIAGE", {"candidate_repos": ["a"]})
    host.submit("C1", "F3_INVESTIGATE", {"convergence_score": 0.1, "rca_message": "first"})
    host.submit("C1", "F2_RESOLVE", {})
    host.submit("C1", "F3_INVESTIGATE", {"convergence_score": 0.9, "rca_message": "é" * 60})
    host.submit("C1", "F4_CORRELATE", {})
    override = {"defect_type": "ab001", "rca_message": "It was the test."}
    host.submit("C1", "F5_REVIEW", {"decision": "overturn", "human_override": override})
    with host.runtime.context("investigation").database.read() as session:
        suite = find_suite(session, LOCAL.tenant)
        first, second = knowledge_of(session, suite).root_causes()
        assert (first.title, first.description) == ("first", "first")
        assert second.title == "é" * 40 + "..."
        assert (second.description, second.defect_type) == ("It was the test.", "ab001")
        case = cases_of(session, suite)[0]
        assert (case.rca_id, case.status) == (2, "reviewed")


def test_links_that_are_not_given_are_not_numbered(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    recalled = host.submit("C1", "F0_RECALL", {"match": True, "confidence": 0.9})
    assert recalled["decision"].endswith("the known failure goes straight to review.")
    host.submit("C2", "F0_RECALL", {})
    host.submit("C2", "F1_TRIAGE", {"candidate_repos": ["a"]})
    host.submit("C2", "F3_INVESTIGATE", {"convergence_score": 0.9})
    ended = host.submit("C2", "F4_CORRELATE", {"is_duplicate": True, "confidence": 0.9})
    assert (ended["heuristic_id"], ended["is_done"]) == ("H15", True)
    assert ended["decision"].endswith("the case needs no report of its own.")
    assert "C2 was called a duplicate; of which root cause?" in host.answer("get_report")


def test_a_case_stops_at_the_step_limit(make_host: Any) -> None:
    host = make_host(max_steps=3)
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {})
    host.submit("C1", "F1_TRIAGE", {})
    last = host.submit("C1", "F2_RESOLVE", {})
    assert last["next_step"] == "F3_INVESTIGATE"
    assert "step 3 of 3: the case stops here, before F3_INVESTIGATE" in last["decision"]
    refused = host.refusal("submit_artifact", case_id="C1", step="F3_INVESTIGATE", artifact={})
    assert refused["code"] == "step_limit"
    assert "stopped at F3_INVESTIGATE" in host.answer("get_report")


def test_a_stopped_case_goes_on_when_the_limit_is_raised(make_host: Any) -> None:
    short = make_host(max_steps=1)
    short.answer("start_investigation", scenario="ptp-mock")
    short.submit("C8", "F0_RECALL", {})
    assert "1 of 12 cases finished" in short.answer("get_report")
    short.runtime.close()
    longer = make_host(max_steps=20)
    longer.submit("C8", "F1_TRIAGE", {"symptom_category": "infra"})
    assert "0 of 12 cases finished" in longer.answer("get_report")
    longer.submit("C8", "F5_REVIEW", {"decision": "approve"})
    longer.submit("C8", "F6_REPORT", {})
    assert "1 of 12 cases finished" in longer.answer("get_report")


def test_thresholds_come_from_the_settings(make_host: Any) -> None:
    host = make_host(thresholds={"recall_hit": 0.5})
    host.answer("start_investigation", scenario="ptp-mock")
    assert host.submit("C1", "F0_RECALL", {"match": True, "confidence": 0.5})[
        "heuristic_id"
    ] == "H1"  # fmt: skip


def test_tokens_are_measured_when_the_settings_say_so(make_host: Any, ptp_mock: Scenario) -> None:
    host = make_host(measure_tokens=True)
    host.answer("start_investigation", scenario="ptp-mock")
    size = len(host.answer("get_prompt", case_id="C1", step="F0_RECALL").encode())
    host.answer("get_prompt", case_id="C1", step="F0_RECALL")  # asking twice counts once
    host.drive(ptp_mock)
    assert f"{size // 4} tokens (measured)" in host.answer("get_report")
