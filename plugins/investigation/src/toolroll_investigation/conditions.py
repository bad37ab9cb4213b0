"""What the rules compare with, and what they ask of the artifact of a step."""

from __future__ import annotations

from typing import Any, cast

from attrs import frozen

from toolroll_investigation.artifacts import (
    CorrelateArtifact,
    InvestigateArtifact,
    RecallArtifact,
    ReviewArtifact,
    TriageArtifact,
)
from toolroll_investigation.steps import Step


@frozen
class Thresholds:
    """The numbers the rules compare with; each is a setting of the pack."""

    recall_hit: float = 0.80
    recall_uncertain: float = 0.40
    convergence_sufficient: float = 0.70
    max_investigate_loops: int = 2
    correlate_dup: float = 0.80


@frozen
class Sight:
    """All that a rule may look at."""

    artifact: Any
    investigate_loops: int
    limits: Thresholds


def _recall(sight: Sight) -> RecallArtifact | None:
    return cast("RecallArtifact | None", sight.artifact)


def _triage(sight: Sight) -> TriageArtifact | None:
    return cast("TriageArtifact | None", sight.artifact)


def _investigation(sight: Sight) -> InvestigateArtifact | None:
    return cast("InvestigateArtifact | None", sight.artifact)


def matched(sight: Sight, low: float, high: float = float("inf")) -> bool:
    """Whether a known failure matches, with a confidence from `low` to below `high`."""
    recall = _recall(sight)
    return recall is not None and recall.match and low <= recall.confidence < high


def category_is(sight: Sight, category: str) -> bool:
    """Whether triage named this category."""
    triage = _triage(sight)
    return triage is not None and triage.symptom_category == category


def skips(sight: Sight) -> bool:
    """Whether triage asks to skip the investigation."""
    triage = _triage(sight)
    return triage is not None and triage.skip_investigation


def candidates(sight: Sight) -> list[str] | None:
    """Candidate repositories of a triage that wants an investigation; `None` when it does not."""
    triage = _triage(sight)
    if triage is None or triage.skip_investigation:
        return None
    return triage.candidate_repos or []


def converged(sight: Sight) -> bool | None:
    """Whether the investigation is sure enough; `None` without one."""
    found = _investigation(sight)
    return None if found is None else found.convergence_score >= sight.limits.convergence_sufficient


def loops_left(sight: Sight) -> bool:
    """Whether repositories may be chosen once more."""
    return sight.investigate_loops < sight.limits.max_investigate_loops


def is_duplicate(sight: Sight) -> bool:
    """Whether the case is surely one that is known."""
    found = cast("CorrelateArtifact | None", sight.artifact)
    return (
        found is not None and found.is_duplicate and found.confidence >= sight.limits.correlate_dup
    )


def decided(sight: Sight, decision: str) -> bool:
    """Whether the reviewer decided so."""
    review = cast("ReviewArtifact | None", sight.artifact)
    return review is not None and review.decision == decision


def loop_target(sight: Sight) -> Step:
    """The step that the reviewer sends the case back to."""
    return Step(cast("ReviewArtifact", sight.artifact).loop_target or Step.RESOLVE)
