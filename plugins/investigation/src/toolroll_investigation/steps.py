"""The steps of an investigation: their ids, their names, and the way they follow by default."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from attrs import frozen


class Step(StrEnum):
    """A position in the pipeline; the value is the id used in tools, files and states."""

    INIT = "INIT"
    RECALL = "F0_RECALL"
    TRIAGE = "F1_TRIAGE"
    RESOLVE = "F2_RESOLVE"
    INVESTIGATE = "F3_INVESTIGATE"
    CORRELATE = "F4_CORRELATE"
    REVIEW = "F5_REVIEW"
    REPORT = "F6_REPORT"
    DONE = "DONE"

    @property
    def code(self) -> str:
        """The short code used in paths (`F3` for `F3_INVESTIGATE`)."""
        return self.value.partition("_")[0]

    @property
    def default_next(self) -> Step:
        """Where a case goes from here when no heuristic applies."""
        return _DEFAULT_NEXT.get(self, Step.DONE)


@frozen
class WorkingStep:
    """What a step that takes an artifact is called and which prompt template it uses."""

    step: Step
    display: str
    purpose: str
    template: str


WORKING_STEPS: Final[Mapping[Step, WorkingStep]] = MappingProxyType(
    {
        entry.step: entry
        for entry in (
            WorkingStep(
                Step.RECALL,
                "Recall",
                "has this failure been seen before?",
                "recall/judge-similarity.md",
            ),
            WorkingStep(
                Step.TRIAGE,
                "Triage",
                "classify the symptom and rank the repositories",
                "triage/classify-symptoms.md",
            ),
            WorkingStep(
                Step.RESOLVE,
                "Resolve",
                "choose the repositories and paths to read",
                "resolve/select-repo.md",
            ),
            WorkingStep(
                Step.INVESTIGATE,
                "Investigate",
                "find the root cause and its evidence",
                "investigate/deep-rca.md",
            ),
            WorkingStep(
                Step.CORRELATE,
                "Correlate",
                "is it the root cause of another case?",
                "correlate/match-cases.md",
            ),
            WorkingStep(
                Step.REVIEW,
                "Review",
                "approve, reassess or overturn the finding",
                "review/present-findings.md",
            ),
            WorkingStep(
                Step.REPORT,
                "Report",
                "draft the ticket and the regression table",
                "report/regression-table.md",
            ),
        )
    }
)

_DEFAULT_NEXT: Final[Mapping[Step, Step]] = MappingProxyType(
    {step: list(Step)[position + 1] for position, step in enumerate(list(Step)[:-1])}
)

_DISPLAY_BY_CODE: Final[Mapping[str, str]] = MappingProxyType(
    {entry.step.code: entry.display for entry in WORKING_STEPS.values()}
)


def describe_path(codes: list[str] | tuple[str, ...]) -> str:
    """Short codes as words: `Recall → Review → Report`, or `(no steps)`."""
    return " → ".join(_DISPLAY_BY_CODE.get(code, code) for code in codes) or "(no steps)"
