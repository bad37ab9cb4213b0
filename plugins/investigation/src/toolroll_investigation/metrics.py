"""The twenty metrics: what each one measures, what passes, and how much it weighs in M19."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Final, Literal

from attrs import frozen

from toolroll_investigation.matching import (
    correlate,
    count_evidence,
    count_keywords,
    divide,
)
from toolroll_investigation.outcome import CaseResult, names_component, names_defect
from toolroll_investigation.scenario import RootCause, Scenario, ScenarioCase

TOKENS_PER_STEP: Final = 1000
LOOP_EFFICIENCY_RANGE: Final = (0.5, 2.0)

Group = Literal["structured", "workspace", "evidence", "semantic", "pipeline", "aggregate"]
GROUP_TITLES: Final[dict[Group, str]] = {
    "structured": "Structured answers",
    "workspace": "Repository selection",
    "evidence": "Evidence",
    "semantic": "Meaning",
    "pipeline": "Pipeline",
    "aggregate": "Overall",
}


@frozen
class Scored:
    """A result beside the case it answers and, where there is one, the true root cause."""

    result: CaseResult
    case: ScenarioCase
    truth: RootCause | None


@frozen
class Exam:
    """All results of a run that can be scored, in the order they were given."""

    scored: Sequence[Scored]
    red_herrings: frozenset[str]

    @property
    def with_truth(self) -> list[tuple[CaseResult, ScenarioCase, RootCause]]:
        """Those whose case has a true root cause."""
        return [(s.result, s.case, s.truth) for s in self.scored if s.truth is not None]


@frozen
class Measured:
    """One metric of one run."""

    id: str
    name: str
    display: str
    group: Group
    value: float
    threshold: float
    passed: bool
    detail: str
    rule: str


@frozen
class Metric:
    """One row of the table."""

    id: str
    name: str
    display: str
    group: Group
    passes: Literal["at least", "at most", "range", "budget"]
    threshold: float
    weight: float
    measure: Callable[[Exam], tuple[float, str]]

    @property
    def rule(self) -> str:
        """The pass rule as it stands in a table: `≥0.80`, `≤0.10`, `0.5–2.0`, `≤60000`."""
        match self.passes:
            case "at least":
                return f"≥{self.threshold:.2f}"
            case "at most":
                return f"≤{self.threshold:.2f}"
            case "range":
                return "–".join(f"{edge:.1f}" for edge in LOOP_EFFICIENCY_RANGE)
            case "budget":
                return f"≤{self.threshold:.0f}"

    def accepts(self, value: float) -> bool:
        """Whether the value passes."""
        match self.passes:
            case "at least":
                return value >= self.threshold
            case "range":
                low, high = LOOP_EFFICIENCY_RANGE
                return low <= value <= high
            case _:
                return value <= self.threshold

    def judge(self, value: float, detail: str, *, passed: bool | None = None) -> Measured:
        """A measured value with its verdict, unless the verdict is given."""
        verdict = self.accepts(value) if passed is None else passed
        return Measured(
            self.id, self.name, self.display, self.group,
            value, self.threshold, verdict, detail, self.rule,
        )  # fmt: skip


def _share(answers: Sequence[bool]) -> tuple[float, str]:
    right = sum(answers)
    return divide(right, len(answers)), f"{right}/{len(answers)}"


def _average(values: Sequence[float]) -> tuple[float, str]:
    return (fmean(values) if values else 1.0), f"avg over {len(values)} cases"


def _defect_type(exam: Exam) -> tuple[float, str]:
    return _share([names_defect(result, truth) for result, _, truth in exam.with_truth])


def _category(exam: Exam) -> tuple[float, str]:
    return _share(
        [
            s.result.actual_category == s.case.expected_triage.symptom_category
            for s in exam.scored
            if s.case.expected_triage is not None
        ]
    )


def _recall_hits(exam: Exam) -> tuple[float, str]:
    return _share([s.result.actual_recall_hit for s in exam.scored if s.case.expect_recall_hit])


def _false_recalls(exam: Exam) -> tuple[float, str]:
    return _share([s.result.actual_recall_hit for s in exam.scored if not s.case.expect_recall_hit])


def _serial_killers(exam: Exam) -> tuple[float, str]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for result, _, truth in exam.with_truth:
        groups[truth.id].append(result.actual_rca_id)
    return _share(
        [
            identifier != 0 and identifier == first
            for first, *others in groups.values()
            for identifier in others
        ]
    )


def _skips(exam: Exam) -> tuple[float, str]:
    return _share([s.result.actual_skip for s in exam.scored if s.case.expect_skip])


def _cascades(exam: Exam) -> tuple[float, str]:
    return _share([s.result.actual_cascade for s in exam.scored if s.case.expect_cascade])


def _calibration(exam: Exam) -> tuple[float, str]:
    points = [
        (result.actual_convergence, float(names_defect(result, truth)))
        for result, _, truth in exam.with_truth
        if result.actual_convergence != 0
    ]
    value = correlate([score for score, _ in points], [right for _, right in points])
    return value, f"r={value:.2f} (n={len(points)})"


def _count_relevant(result: CaseResult, truth: RootCause) -> int:
    return sum(name in truth.relevant_repos for name in result.actual_selected_repos)


def _selection_precision(exam: Exam) -> tuple[float, str]:
    return _average(
        [
            _count_relevant(result, truth) / len(result.actual_selected_repos)
            for result, _, truth in exam.with_truth
            if result.actual_selected_repos
        ]
    )


def _selection_recall(exam: Exam) -> tuple[float, str]:
    return _average(
        [
            divide(_count_relevant(result, truth), len(truth.relevant_repos))
            if truth.relevant_repos
            else 1.0
            for result, case, truth in exam.with_truth
            if case.expected_resolve is not None
        ]
    )


def _red_herrings(exam: Exam) -> tuple[float, str]:
    chose = [s.result.actual_selected_repos for s in exam.scored if s.result.actual_selected_repos]
    fooled = sum(not exam.red_herrings.isdisjoint(names) for names in chose)
    detail = f"{len(chose)} cases with Resolve, {fooled} selected red herring"
    return 1.0 - divide(fooled, len(chose)), detail


def _expected_evidence(case: ScenarioCase) -> Sequence[str]:
    return case.expected_invest.evidence_refs if case.expected_invest else ()


def _evidence(exam: Exam, out_of: Callable[[Scored], int]) -> tuple[float, str]:
    counted = [s for s in exam.scored if out_of(s)]
    found = sum(
        count_evidence(s.result.actual_evidence_refs, _expected_evidence(s.case)) for s in counted
    )
    whole = sum(out_of(s) for s in counted)
    return divide(found, whole), f"{found}/{whole}"


def _evidence_recall(exam: Exam) -> tuple[float, str]:
    return _evidence(exam, lambda s: len(_expected_evidence(s.case)))


def _evidence_precision(exam: Exam) -> tuple[float, str]:
    return _evidence(exam, lambda s: len(s.result.actual_evidence_refs))


def _message(exam: Exam) -> tuple[float, str]:
    return _average(
        [
            # A threshold of 0 asks for nothing and is met.
            min(divide(count_keywords(result.actual_rca_message, truth.required_keywords),
                       truth.keyword_threshold), 1.0)
            for result, _, truth in exam.with_truth
            if result.actual_rca_message and truth.required_keywords
        ]
    )  # fmt: skip


def _component(exam: Exam) -> tuple[float, str]:
    return _share([names_component(result, truth) for result, _, truth in exam.with_truth])


def _path(exam: Exam) -> tuple[float, str]:
    return _share([s.result.actual_path == list(s.case.expected_path) for s in exam.scored])


def _loops(exam: Exam) -> tuple[float, str]:
    actual = sum(s.result.actual_loops for s in exam.scored)
    expected = sum(s.case.expected_loops for s in exam.scored)
    detail = f"actual={actual} expected={expected}"
    if expected:
        return actual / expected, detail
    return (actual + 1.0 if actual else 1.0), detail


def _tokens(exam: Exam) -> tuple[float, str]:
    measured = sum(s.result.prompt_tokens_total for s in exam.scored)
    if measured:
        return float(measured), f"{measured} tokens (measured)"
    steps = sum(len(s.result.actual_path) for s in exam.scored)
    estimate = TOKENS_PER_STEP * steps
    return float(estimate), f"~{estimate} tokens ({steps} steps, estimated)"


def _overall(exam: Exam) -> tuple[float, str]:
    weighted = [metric for metric in METRICS if metric.weight]
    value = sum(metric.weight * metric.measure(exam)[0] for metric in weighted)
    return value, f"weighted avg of {','.join(metric.id for metric in weighted)}"


def _variance(_: Exam) -> tuple[float, str]:
    return 0.0, "single run"


METRICS: Final[tuple[Metric, ...]] = (
    Metric("M1", "defect_type_accuracy", "Defect Type Accuracy", "structured",
           "at least", 0.80, 0.20, _defect_type),
    Metric("M2", "symptom_category_accuracy", "Symptom Category Accuracy", "structured",
           "at least", 0.75, 0.10, _category),
    Metric("M3", "recall_hit_rate", "Recall Hit Rate", "structured",
           "at least", 0.70, 0.0, _recall_hits),
    Metric("M4", "recall_false_positive_rate", "Recall False Positive Rate", "structured",
           "at most", 0.10, 0.0, _false_recalls),
    Metric("M5", "serial_killer_detection", "Serial Killer Detection", "structured",
           "at least", 0.70, 0.15, _serial_killers),
    Metric("M6", "skip_accuracy", "Skip Accuracy", "structured",
           "at least", 0.80, 0.0, _skips),
    Metric("M7", "cascade_detection", "Cascade Detection", "structured",
           "at least", 0.50, 0.0, _cascades),
    Metric("M8", "convergence_calibration", "Convergence Calibration", "structured",
           "at least", 0.40, 0.0, _calibration),
    Metric("M9", "repo_selection_precision", "Repo Selection Precision", "workspace",
           "at least", 0.70, 0.10, _selection_precision),
    Metric("M10", "repo_selection_recall", "Repo Selection Recall", "workspace",
           "at least", 0.80, 0.10, _selection_recall),
    Metric("M11", "red_herring_rejection", "Red Herring Rejection", "workspace",
           "at least", 0.80, 0.0, _red_herrings),
    Metric("M12", "evidence_recall", "Evidence Recall", "evidence",
           "at least", 0.60, 0.10, _evidence_recall),
    Metric("M13", "evidence_precision", "Evidence Precision", "evidence",
           "at least", 0.50, 0.0, _evidence_precision),
    Metric("M14", "rca_message_relevance", "RCA Message Relevance", "semantic",
           "at least", 0.60, 0.10, _message),
    Metric("M15", "component_identification", "Component Identification", "semantic",
           "at least", 0.70, 0.15, _component),
    Metric("M16", "pipeline_path_accuracy", "Pipeline Path Accuracy", "pipeline",
           "at least", 0.60, 0.0, _path),
    Metric("M17", "loop_efficiency", "Loop Efficiency", "pipeline",
           "range", 1.0, 0.0, _loops),
    Metric("M18", "total_prompt_tokens", "Total Prompt Tokens", "pipeline",
           "budget", 60_000.0, 0.0, _tokens),
    Metric("M19", "overall_accuracy", "Overall Accuracy", "aggregate",
           "at least", 0.65, 0.0, _overall),
    Metric("M20", "run_variance", "Run Variance", "aggregate",
           "at most", 0.15, 0.0, _variance),
)  # fmt: skip


def pair(scenario: Scenario, results: Sequence[CaseResult]) -> Exam:
    """Put results beside their cases; a result for a case the scenario doesn't have is left out."""
    cases = {case.id: case for case in scenario.cases}
    causes = {cause.id: cause for cause in scenario.rcas}
    scored = [
        Scored(result, case, causes.get(case.rca_id))
        for result in results
        if (case := cases.get(result.case_id)) is not None
    ]
    herrings = frozenset(repo.name for repo in scenario.workspace.repos if repo.is_red_herring)
    return Exam(scored, herrings)


def measure(scenario: Scenario, results: Sequence[CaseResult]) -> list[Measured]:
    """All twenty metrics of one run, in order.

    A token count that was only estimated never fails M18.
    """
    exam = pair(scenario, results)
    measured: list[Measured] = []
    for metric in METRICS:
        value, detail = metric.measure(exam)
        estimated = metric.id == "M18" and detail.startswith("~")
        measured.append(metric.judge(value, detail, passed=True if estimated else None))
    return measured
