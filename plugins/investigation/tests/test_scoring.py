"""Fingerprints, matching and metrics, with figures of the reference engine."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve

from toolroll_investigation.aggregate import aggregate
from toolroll_investigation.fingerprint import fingerprint
from toolroll_investigation.matching import correlate, count_evidence, count_keywords
from toolroll_investigation.metrics import METRICS, Measured, measure
from toolroll_investigation.outcome import CaseResult
from toolroll_investigation.scenario import Scenario


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("", "", ""), "08e34c07b581a8a5"),
        (("test", "err", "cat"), "39c04a09f7aa44aa"),
        (("a|b", "c", "d"), "44a78238a79b085f"),
        (("a", "b|c", "d"), "44a78238a79b085f"),
        (("ünïcode — test", "línea\nnueva\t✓", "infra"), "bda4c89fdda003ea"),
    ],
)
def test_fingerprints(parts: tuple[str, str, str], expected: str) -> None:
    assert fingerprint(*parts) == expected


@pytest.mark.parametrize(
    ("actual", "expected", "found"),
    [
        (["a/b/c.go:1"], ["x:y/c.go:1"], 1),
        (["c.go"], ["x/c.go"], 1),
        ([""], ["anything"], 1),
        ([], ["a"], 0),
        (["a"], [], 0),
        (["repo:c.go:fn2"], ["repo:pkg/c.go:fn"], 1),
        (["OCPBUGS-1"], ["OCPBUGS-12"], 1),
        (["dup", "dup"], ["dup"], 1),
        (["x"], ["a/"], 0),
        (["abc."], [""], 1),
    ],
)
def test_evidence_counts_once_for_each_expected_reference(
    actual: list[str], expected: list[str], found: int
) -> None:
    assert count_evidence(actual, expected) == found


def test_keywords_count_whatever_their_case() -> None:
    assert count_keywords("Holdover TIMEOUT after 60s", ["holdover", "timeout", "60", "300"]) == 3


@pytest.mark.parametrize(
    ("scores", "correct", "expected"),
    [
        ([], [], 0),
        ([1], [1], 0),
        ([1, 1], [1, 1], 1),
        ([1, 1], [1, 0], 0),
        ([0.5, 0.9], [1, 1], 1),
        ([0.5, 0.9], [0, 0], 0),
        ([0.85, 0.85, 0.85], [1, 0, 1], 0),  # a mean that rounding moves is no variance
        ([0.9, 0.5, 0.7], [0, 1, 1], -0.8660254037844386),
    ],
)
def test_correlation(scores: list[float], correct: list[float], expected: float) -> None:
    assert correlate(scores, correct) == pytest.approx(expected, abs=1e-12)


def values(metrics: Sequence[Measured]) -> dict[str, float]:
    return {metric.id: metric.value for metric in metrics}


def test_weights_of_the_overall_accuracy_sum_to_one() -> None:
    assert sum(metric.weight for metric in METRICS) == pytest.approx(1.0)


def test_no_results_fail_the_metrics_that_expect_some(ptp_mock: Scenario) -> None:
    measured = measure(ptp_mock, [])
    assert {metric.id for metric in measured if not metric.passed} == {"M4", "M8", "M11"}
    assert values(measured)["M19"] == pytest.approx(1.0)


def test_results_of_unknown_cases_count_nothing(ptp_mock: Scenario) -> None:
    assert values(measure(ptp_mock, [CaseResult("C99")])) == values(measure(ptp_mock, []))


def test_a_threshold_of_no_keywords_is_met(ptp_mock: Scenario) -> None:
    causes = tuple(c.model_copy(update={"keyword_threshold": 0}) for c in ptp_mock.rcas)
    scenario = ptp_mock.model_copy(update={"rcas": causes})
    result = CaseResult("C1", actual_rca_message="nothing that matters")
    assert values(measure(scenario, [result]))["M14"] == 1.0


def test_the_first_case_of_a_cause_is_what_the_others_are_compared_with(
    ptp_mock: Scenario,
) -> None:
    results = [
        CaseResult("C1", actual_rca_id=7),
        CaseResult("C2", actual_rca_id=7),
        CaseResult("C3", actual_rca_id=8),
        CaseResult("C6", actual_rca_id=0),
    ]
    metric = next(m for m in measure(ptp_mock, results) if m.id == "M5")
    assert (metric.value, metric.detail) == (pytest.approx(1 / 3), "1/3")


def test_repeated_choices_push_selection_recall_over_one(ptp_mock: Scenario) -> None:
    chosen = ["linuxptp-daemon-operator"] * 2
    result = CaseResult("C1", actual_selected_repos=chosen)
    assert values(measure(ptp_mock, [result]))["M10"] == 2.0


def test_a_red_herring_is_held_against_the_case(ptp_mock: Scenario) -> None:
    result = CaseResult("C11", actual_selected_repos=["sriov-network-operator"])
    metric = next(m for m in measure(ptp_mock, [result]) if m.id == "M11")
    assert (metric.value, metric.detail) == (0.0, "1 cases with Resolve, 1 selected red herring")


@pytest.mark.parametrize(
    ("expected", "actual", "value", "passed"),
    [(0, 0, 1.0, True), (0, 1, 2.0, True), (0, 2, 3.0, False), (2, 1, 0.5, True)],
)
def test_loop_efficiency_has_a_range(
    ptp_mock: Scenario, expected: int, actual: int, value: float, passed: bool
) -> None:
    case = ptp_mock.cases[0].model_copy(update={"expected_loops": expected})
    scenario = ptp_mock.model_copy(update={"cases": (case,)})
    metric = next(
        m for m in measure(scenario, [CaseResult("C1", actual_loops=actual)]) if m.id == "M17"
    )
    assert (metric.value, metric.passed) == (value, passed)


def test_estimated_tokens_never_fail_and_measured_ones_do(ptp_mock: Scenario) -> None:
    long = CaseResult("C1", actual_path=["F0"] * 61)
    estimated = measure(ptp_mock, [long])[17]
    assert (estimated.value, estimated.passed) == (61_000, True)
    assert estimated.detail == "~61000 tokens (61 steps, estimated)"
    measured = measure(ptp_mock, [evolve(long, prompt_tokens_total=60_001)])[17]
    assert (measured.passed, measured.detail) == (False, "60001 tokens (measured)")


def test_several_runs_are_judged_on_their_means(ptp_mock: Scenario) -> None:
    right = measure(ptp_mock, [CaseResult("C1", actual_defect_type="pb001")])
    wrong = measure(ptp_mock, [CaseResult("C1", actual_defect_type="ab001")])
    both = {metric.id: metric for metric in aggregate([right, wrong])}
    assert both["M1"].value == 0.5
    assert not both["M1"].passed
    assert both["M1"].detail == "1/1"
    assert both["M19"].detail == "mean of 2 runs"
    spread = abs(values(right)["M19"] - values(wrong)["M19"]) / 2**0.5
    assert both["M20"].value == pytest.approx(spread)
    assert both["M20"].detail == f"stddev={spread:.3f} over 2 runs"


def test_the_token_budget_holds_for_several_runs_even_when_estimated(ptp_mock: Scenario) -> None:
    run = measure(ptp_mock, [CaseResult("C1", actual_path=["F0"] * 61)])
    assert run[17].passed
    assert not aggregate([run, run])[17].passed


def test_no_run_cannot_be_aggregated() -> None:
    with pytest.raises(ValueError, match="no run"):
        aggregate([])
