"""What a caller may hand in: nothing that is wrong changes anything, and each error helps."""

from __future__ import annotations

import json
from typing import Any

import pytest

BAD_CASE_IDS = [
    "../C1", "/etc/passwd", "C1/../C2", "..", ".", "", "C1\\..", "C1\x00", "C:1", "1:", ":C1",
    "1:2:C1", "C1 ", "x" * 65, "-C1",
]  # fmt: skip


@pytest.fixture
def started(host: Any) -> Any:
    """A host with ptp-mock started."""
    host.answer("start_investigation", scenario="ptp-mock")
    return host


@pytest.mark.parametrize("case_id", BAD_CASE_IDS)
def test_ids_that_could_be_paths_are_refused(started: Any, case_id: str) -> None:
    before = sorted(started.data.rglob("*"))
    calls = [
        ("get_prompt", {"step": "F0_RECALL"}),
        ("submit_artifact", {"step": "F0_RECALL", "artifact": {}}),
        ("get_status", {}),
    ]
    for tool, arguments in calls:
        refused = started.refusal(tool, case_id=case_id, **arguments)
        assert refused["code"] == "invalid_case_id"
    assert sorted(started.data.rglob("*")) == before


@pytest.mark.parametrize("step", ["", "F0", "../F0_RECALL", "DONE", "INIT", "F9", "f0_recall"])
def test_unknown_steps_are_refused(started: Any, step: str) -> None:
    refused = started.refusal("get_prompt", case_id="C1", step=step)
    assert refused["code"] == "unknown_step"
    assert "F0_RECALL" in refused["message"]


def test_an_unknown_case_is_refused(started: Any) -> None:
    assert started.refusal("get_status", case_id="C13")["code"] == "unknown_case"
    assert started.refusal("get_status", case_id="7:C1")["code"] == "unknown_suite"


def test_an_artifact_for_another_step_changes_nothing(started: Any) -> None:
    refused = started.refusal(
        "submit_artifact", case_id="C1", step="F1_TRIAGE", artifact={"symptom_category": "infra"}
    )
    assert (refused["code"], refused["details"]) == ("wrong_step", {"current_step": "F0_RECALL"})
    assert started.answer("get_status", case_id="C1")["cases"][0]["steps_completed"] == 0
    assert not (started.case_files / "1" / "1").exists()
    assert started.refusal("get_prompt", case_id="C1", step="F1_TRIAGE")["code"] == "wrong_step"


def test_the_same_artifact_twice_is_an_error(started: Any) -> None:
    started.submit("C1", "F0_RECALL", {})
    refused = started.refusal("submit_artifact", case_id="C1", step="F0_RECALL", artifact={})
    assert refused["code"] == "wrong_step"


def test_a_wrong_artifact_is_answered_with_what_the_step_takes(started: Any) -> None:
    refused = started.refusal(
        "submit_artifact", case_id="C1", step="F0_RECALL", artifact={"match": "yes"}
    )
    assert refused["code"] == "invalid_artifact"
    assert refused["details"]["problems"] == ["match: input should be a valid boolean"]
    assert refused["details"]["schema"]["properties"]["match"]["type"] == "boolean"
    assert started.answer("get_status", case_id="C1")["cases"][0]["steps_completed"] == 0


@pytest.mark.parametrize("artifact", [[], 1, True, "", "{", "[]", '"text"'])
def test_an_artifact_that_is_no_object_is_refused(started: Any, artifact: Any) -> None:
    refused = started.refusal("submit_artifact", case_id="C1", step="F0_RECALL", artifact=artifact)
    assert refused["code"] == "invalid_arguments"
    assert refused["message"].startswith("artifact ")


def test_fenced_json_is_taken(started: Any) -> None:
    fenced = '```json\n{"match": true, "confidence": 0.5}\n```'
    assert started.submit("C1", "F0_RECALL", fenced)["heuristic_id"] == "H3"


def test_a_megabyte_and_one_byte_is_refused(started: Any) -> None:
    started.submit("C8", "F0_RECALL", {})
    started.submit("C8", "F1_TRIAGE", {"symptom_category": "infra"})
    started.submit("C8", "F5_REVIEW", {"decision": "approve"})
    room = 1024 * 1024 - len('{"summary":""}')
    call = {"case_id": "C8", "step": "F6_REPORT"}
    refused = started.refusal("submit_artifact", **call, artifact={"summary": "x" * (room + 1)})
    assert refused["code"] == "artifact_too_large"
    assert started.answer("submit_artifact", **call, artifact={"summary": "x" * room})["is_done"]


@pytest.mark.parametrize(
    "artifact",
    [
        {"match": True, "confidence": 0.9, "prior_rca_id": 99},
        {"match": True, "confidence": 0.1, "symptom_id": 98},
        {"match": True, "prior_rca_id": -1},
        {"match": True, "prior_rca_id": 2**62},
    ],
)
def test_links_to_what_does_not_exist_are_refused(started: Any, artifact: Any) -> None:
    refused = started.refusal("submit_artifact", case_id="C1", step="F0_RECALL", artifact=artifact)
    assert refused["code"] == "unknown_link"
    assert refused["details"]["field"] in artifact
    assert started.answer("get_status", case_id="C1")["cases"][0]["steps_completed"] == 0


def test_links_that_would_not_be_made_are_not_looked_at(started: Any) -> None:
    artifact = {"match": False, "prior_rca_id": 99, "symptom_id": 98}
    assert started.submit("C1", "F0_RECALL", artifact)["heuristic_id"] == "H2"


def test_an_unknown_decision_never_publishes(started: Any) -> None:
    started.submit("C8", "F0_RECALL", {})
    started.submit("C8", "F1_TRIAGE", {"symptom_category": "infra"})
    refused = started.refusal(
        "submit_artifact", case_id="C8", step="F5_REVIEW", artifact={"decision": "aprove"}
    )
    assert refused["code"] == "invalid_artifact"
    assert started.answer("get_status", case_id="C8")["cases"][0]["current_step"] == "F5_REVIEW"


def test_keys_that_the_step_does_not_know_are_told(started: Any) -> None:
    """A key that is misspelt would else count as left out, and nobody would see why."""
    decided = started.submit("C1", "F0_RECALL", {"isMatch": True, "score\x00" * 20: 0.9})
    assert decided["heuristic_id"] == "H2"
    assert " Ignored: isMatch, score\ufffd" in decided["decision"]
    assert decided["decision"].endswith(
        "; F0_RECALL knows match, prior_rca_id, symptom_id, confidence, reasoning, is_regression."
    )
    triage = {"symptom_category": "infra"} | dict.fromkeys("abcdefgh", 1)
    decided = started.submit("C1", "F1_TRIAGE", triage)
    assert "Ignored: a, b, c, d, e and 3 more;" in decided["decision"]
    assert "Ignored" not in started.submit("C1", "F5_REVIEW", {"decision": "approve"})["decision"]
    assert "Ignored" not in started.submit("C1", "F6_REPORT", {"anything": 1})["decision"]


def test_repositories_that_nobody_knows_are_told(started: Any) -> None:
    """The case goes on as the rules say; but a model that made a name up has to hear of it."""
    started.submit("C1", "F0_RECALL", {})
    triage = {"candidate_repos": ["nowhere", "cluster-infra-config", "elsewhere\x00", "nowhere"]}
    decided = started.submit("C1", "F1_TRIAGE", triage)
    assert decided["next_step"] == "F2_RESOLVE"
    assert (
        " Not among the repositories: nowhere, elsewhere\ufffd; there are " in decided["decision"]
    )
    selected = [{"name": name} for name in ("linuxptp-daemon-operator", "nowhere")]
    decided = started.submit("C1", "F2_RESOLVE", {"selected_repos": selected})
    assert " Not among the repositories: nowhere; there are linuxptp" in decided["decision"]
    state = json.loads((started.case_files / "1" / "1" / "state.json").read_text())
    assert "Not among" not in state["history"][-1]["outcome"]
    started.submit("C2", "F0_RECALL", {})
    decided = started.submit("C2", "F1_TRIAGE", {"candidate_repos": ["cluster-infra-config"]})
    assert "Not among" not in decided["decision"]


def test_hostile_text_passes_through_every_step(started: Any) -> None:
    nasty = "```\n# ignore all\n| a | b |\n\u202eabc\x00<script>{{ 7*7 }}{% raw %}"
    started.submit("C1", "F0_RECALL", {"reasoning": nasty})
    started.submit("C1", "F1_TRIAGE", {"symptom_category": nasty, "data_quality_notes": nasty})
    started.submit("C1", "F2_RESOLVE", {"selected_repos": [{"name": nasty, "reason": nasty}]})
    started.submit(
        "C1", "F3_INVESTIGATE",
        {"rca_message": nasty, "convergence_score": 0.9, "evidence_refs": [nasty]},
    )  # fmt: skip
    started.submit("C1", "F4_CORRELATE", {"reasoning": nasty})
    prompt = started.answer("get_prompt", case_id="C1", step="F5_REVIEW")
    assert "{{ 7*7 }}" in prompt
    started.submit("C1", "F5_REVIEW", {"decision": "approve"})
    started.submit("C1", "F6_REPORT", {nasty: nasty})
    report = started.answer("get_report")
    markup = [line for line in report.splitlines() if "<script>" in line]
    assert markup
    assert all(line.startswith("- `") for line in markup)  # inline code, where it is only text
    assert "\n# ignore all" not in report
