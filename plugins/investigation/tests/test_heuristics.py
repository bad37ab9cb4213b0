"""The rule table: every rule at its edges, with the figures of the reference engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolroll_investigation.artifacts import ARTIFACT_TYPES, SelectedRepo, read_artifact
from toolroll_investigation.conditions import Thresholds
from toolroll_investigation.heuristics import HEURISTICS, evaluate
from toolroll_investigation.steps import Step


def decide(step: str, artifact: object, loops: int = 0) -> tuple[str, str]:
    read = None if artifact is None else read_artifact(Step(step), artifact)
    verdict = evaluate(Step(step), read, investigate_loops=loops)
    return verdict.heuristic_id, verdict.next_step.value


def test_rules_stand_in_the_order_in_which_they_are_asked() -> None:
    asked = "H1 H3 H2 H4 H5 H18 H17 H7 H6 H8 H9 H10 H11 H15 H15b H12 H13 H14"
    assert [rule.id for rule in HEURISTICS] == asked.split()


@pytest.mark.parametrize(
    ("match", "confidence", "expected"),
    [
        (True, 1, ("H1", "F5_REVIEW")),
        (True, 0.8, ("H1", "F5_REVIEW")),
        (True, 0.7999, ("H3", "F1_TRIAGE")),
        (True, 0.4, ("H3", "F1_TRIAGE")),
        (True, 0.399999, ("FALLBACK", "F1_TRIAGE")),
        (True, 0, ("FALLBACK", "F1_TRIAGE")),
        (False, 0.95, ("H2", "F1_TRIAGE")),
    ],
)
def test_recall_goes_by_confidence(match: bool, confidence: float, expected: object) -> None:
    assert decide("F0_RECALL", {"match": match, "confidence": confidence}) == expected


@pytest.mark.parametrize(
    ("artifact", "expected"),
    [
        ({"symptom_category": "infra", "candidate_repos": ["a"]}, ("H4", "F5_REVIEW")),
        ({"symptom_category": "flake"}, ("H5", "F5_REVIEW")),
        ({"symptom_category": "Infra", "candidate_repos": []}, ("H6", "F2_RESOLVE")),
        ({"skip_investigation": True, "candidate_repos": ["a"]}, ("H18", "F5_REVIEW")),
        (
            {"clock_skew_suspected": True, "candidate_repos": ["a"]},
            ("H7", "F3_INVESTIGATE"),
        ),
        ({"candidate_repos": ["a", "b"]}, ("H6", "F2_RESOLVE")),
        ({"candidate_repos": None}, ("H6", "F2_RESOLVE")),
    ],
)
def test_triage_goes_by_category_skip_and_candidates(artifact: object, expected: object) -> None:
    assert decide("F1_TRIAGE", artifact) == expected


@pytest.mark.parametrize(
    ("score", "loops", "expected"),
    [
        (0.7, 0, ("H9", "F4_CORRELATE")),
        (0.7, 3, ("H9", "F4_CORRELATE")),
        (0.699999, 1, ("H10", "F2_RESOLVE")),
        (0.699999, 2, ("H11", "F5_REVIEW")),
        (0, 3, ("H11", "F5_REVIEW")),
    ],
)
def test_investigation_loops_until_it_converges(score: float, loops: int, expected: object) -> None:
    assert decide("F3_INVESTIGATE", {"convergence_score": score}, loops) == expected


@pytest.mark.parametrize(
    ("artifact", "expected"),
    [
        ({"is_duplicate": True, "confidence": 0.8}, ("H15", "DONE")),
        ({"is_duplicate": True, "confidence": 0.79}, ("H15b", "F5_REVIEW")),
        ({"is_duplicate": False, "confidence": 0.9}, ("H15b", "F5_REVIEW")),
        (None, ("H15b", "F5_REVIEW")),
    ],
)
def test_only_a_sure_duplicate_ends_a_case(artifact: object, expected: object) -> None:
    assert decide("F4_CORRELATE", artifact) == expected


@pytest.mark.parametrize(
    ("artifact", "expected"),
    [
        ({"decision": "approve", "loop_target": "F1_TRIAGE"}, ("H12", "F6_REPORT")),
        ({"decision": "reassess"}, ("H13", "F2_RESOLVE")),
        ({"decision": "reassess", "loop_target": "F3_INVESTIGATE"}, ("H13", "F3_INVESTIGATE")),
        ({"decision": "overturn"}, ("H14", "F6_REPORT")),
        ({"decision": "APPROVE"}, ("FALLBACK", "F6_REPORT")),
        ({"decision": ""}, ("FALLBACK", "F6_REPORT")),
    ],
)
def test_review_goes_by_decision(artifact: object, expected: object) -> None:
    assert decide("F5_REVIEW", artifact) == expected


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("INIT", "F0_RECALL"),
        ("F1_TRIAGE", "F2_RESOLVE"),
        ("F2_RESOLVE", "F3_INVESTIGATE"),
        ("F3_INVESTIGATE", "F4_CORRELATE"),
        ("F5_REVIEW", "F6_REPORT"),
        ("F6_REPORT", "DONE"),
        ("DONE", "DONE"),
    ],
)
def test_without_an_artifact_a_case_takes_the_usual_way(step: str, expected: str) -> None:
    assert decide(step, None) == ("FALLBACK", expected)


def test_no_recall_result_counts_as_a_miss() -> None:
    assert decide("F0_RECALL", None) == ("H2", "F1_TRIAGE")


def test_an_artifact_of_another_step_counts_as_none() -> None:
    triage = read_artifact(Step.TRIAGE, {"symptom_category": "infra"})
    assert evaluate(Step.RESOLVE, triage).heuristic_id == "FALLBACK"


def test_additions_carry_what_the_rule_saw() -> None:
    triage = read_artifact(Step.TRIAGE, {"candidate_repos": ["a"]})
    assert evaluate(Step.TRIAGE, triage).context_additions == {
        "selected_repos": [SelectedRepo(name="a", reason="only candidate from triage")]
    }


def test_decisions_give_the_numbers_to_two_decimals() -> None:
    close = read_artifact(Step.INVESTIGATE, {"convergence_score": 0.6999})
    decision = evaluate(Step.INVESTIGATE, close, investigate_loops=1).decision
    assert "0.70 is below 0.70" in decision
    assert "1 of 2 retries" in decision


def test_thresholds_are_settings() -> None:
    found = read_artifact(Step.INVESTIGATE, {"convergence_score": 0.6})
    assert evaluate(
        Step.INVESTIGATE, found, thresholds=Thresholds(convergence_sufficient=0.5)
    ).heuristic_id == "H9"  # fmt: skip


def artifacts(step: Step) -> st.SearchStrategy[object]:
    """Any artifact of a step that the types let through."""
    texts = st.sampled_from(["", "infra", "flake", "approve", "reassess", "overturn", "F1_TRIAGE"])
    targets = st.sampled_from(["", "F1_TRIAGE", "F2_RESOLVE", "F3_INVESTIGATE"])
    values = {
        bool: st.booleans(),
        str: texts,
        int: st.integers(-5, 5),
        float: st.floats(-2, 2),
    }
    fields = {
        name: targets if name == "loop_target" else values[field.annotation]
        for name, field in ARTIFACT_TYPES[step].model_fields.items()
        if field.annotation in values
    }
    return st.fixed_dictionaries({}, optional=fields)


@given(st.sampled_from(list(ARTIFACT_TYPES)), st.integers(0, 5), st.data())
def test_every_artifact_leads_somewhere_and_says_why(
    step: Step, loops: int, data: st.DataObject
) -> None:
    artifact = read_artifact(step, data.draw(artifacts(step)))
    verdict = evaluate(step, artifact, investigate_loops=loops)
    assert verdict.next_step in set(Step) - {Step.INIT, Step.RECALL, step}
    assert verdict.decision.endswith(".")
    assert verdict == evaluate(step, artifact, investigate_loops=loops)
