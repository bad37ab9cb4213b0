"""The twenty metrics: what passes, and how much each weighs in M19; `measures` counts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

from attrs import frozen

from toolroll_investigation import measures
from toolroll_investigation.measures import Exam
from toolroll_investigation.outcome import CaseResult
from toolroll_investigation.scenario import Scenario

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


def _overall(exam: Exam) -> tuple[float, str]:
    weighted = [metric for metric in METRICS if metric.weight]
    value = sum(metric.weight * metric.measure(exam)[0] for metric in weighted)
    return value, f"weighted avg of {','.join(metric.id for metric in weighted)}"


def _variance(_: Exam) -> tuple[float, str]:
    return 0.0, "single run"


METRICS: Final[tuple[Metric, ...]] = (
    Metric("M1", "defect_type_accuracy", "Defect Type Accuracy", "structured",
           "at least", 0.80, 0.20, measures.defect_types),
    Metric("M2", "symptom_category_accuracy", "Symptom Category Accuracy", "structured",
           "at least", 0.75, 0.10, measures.symptom_categories),
    Metric("M3", "recall_hit_rate", "Recall Hit Rate", "structured",
           "at least", 0.70, 0.0, measures.recall_hits),
    Metric("M4", "recall_false_positive_rate", "Recall False Positive Rate", "structured",
           "at most", 0.10, 0.0, measures.false_recalls),
    Metric("M5", "serial_killer_detection", "Serial Killer Detection", "structured",
           "at least", 0.70, 0.15, measures.serial_killers),
    Metric("M6", "skip_accuracy", "Skip Accuracy", "structured",
           "at least", 0.80, 0.0, measures.skips),
    Metric("M7", "cascade_detection", "Cascade Detection", "structured",
           "at least", 0.50, 0.0, measures.cascades),
    Metric("M8", "convergence_calibration", "Convergence Calibration", "structured",
           "at least", 0.40, 0.0, measures.calibration),
    Metric("M9", "repo_selection_precision", "Repo Selection Precision", "workspace",
           "at least", 0.70, 0.10, measures.selection_precision),
    Metric("M10", "repo_selection_recall", "Repo Selection Recall", "workspace",
           "at least", 0.80, 0.10, measures.selection_recall),
    Metric("M11", "red_herring_rejection", "Red Herring Rejection", "workspace",
           "at least", 0.80, 0.0, measures.red_herrings),
    Metric("M12", "evidence_recall", "Evidence Recall", "evidence",
           "at least", 0.60, 0.10, measures.evidence_recall),
    Metric("M13", "evidence_precision", "Evidence Precision", "evidence",
           "at least", 0.50, 0.0, measures.evidence_precision),
    Metric("M14", "rca_message_relevance", "RCA Message Relevance", "semantic",
           "at least", 0.60, 0.10, measures.messages),
    Metric("M15", "component_identification", "Component Identification", "semantic",
           "at least", 0.70, 0.15, measures.components),
    Metric("M16", "pipeline_path_accuracy", "Pipeline Path Accuracy", "pipeline",
           "at least", 0.60, 0.0, measures.paths),
    Metric("M17", "loop_efficiency", "Loop Efficiency", "pipeline",
           "range", 1.0, 0.0, measures.loops),
    Metric("M18", "total_prompt_tokens", "Total Prompt Tokens", "pipeline",
           "budget", 60_000.0, 0.0, measures.tokens),
    Metric("M19", "overall_accuracy", "Overall Accuracy", "aggregate",
           "at least", 0.65, 0.0, _overall),
    Metric("M20", "run_variance", "Run Variance", "aggregate",
           "at most", 0.15, 0.0, _variance),
)  # fmt: skip


def measure(scenario: Scenario, results: Sequence[CaseResult]) -> list[Measured]:
    """All twenty metrics of one run, in order.

    A token count that was only estimated never fails M18.
    """
    exam = measures.pair(scenario, results)
    measured: list[Measured] = []
    for metric in METRICS:
        value, detail = metric.measure(exam)
        estimated = metric.id == "M18" and detail.startswith("~")
        measured.append(metric.judge(value, detail, passed=True if estimated else None))
    return measured
