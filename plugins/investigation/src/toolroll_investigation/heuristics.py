"""Where a case goes next: eighteen rules, read from the top, the first that applies decides.

Only rules of the current step are looked at. A rule compares the artifact's raw numbers with the
thresholds; the sentence it returns rounds them to two decimals. Nothing here changes any state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from attrs import Factory, frozen

from toolroll_investigation.artifacts import (
    ARTIFACT_TYPES,
    Artifact,
    CorrelateArtifact,
    InvestigateArtifact,
    RecallArtifact,
    ResolveArtifact,
    ReviewArtifact,
    SelectedRepo,
    TriageArtifact,
)
from toolroll_investigation.steps import Step

FALLBACK: Final = "FALLBACK"
START: Final = "INIT"


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


@frozen
class Rule:
    """One row of the table: when it applies, where it leads, what it says."""

    id: str
    name: str
    step: Step
    signal: str
    applies: Callable[[Sight], bool]
    leads_to: Callable[[Sight], Step]
    says: Callable[[Sight], str]
    adds: Callable[[Sight], Mapping[str, object]] = lambda _: _NOTHING


@frozen
class Verdict:
    """What the table decided for one artifact."""

    next_step: Step
    heuristic_id: str
    decision: str
    context_additions: Mapping[str, object] = Factory(dict[str, object])


_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


def _to(step: Step) -> Callable[[Sight], Step]:
    return lambda _: step


def _always(_: Sight) -> bool:
    return True


def _never(_: Sight) -> bool:
    return False


def _recall(sight: Sight) -> RecallArtifact | None:
    return cast("RecallArtifact | None", sight.artifact)


def _triage(sight: Sight) -> TriageArtifact | None:
    return cast("TriageArtifact | None", sight.artifact)


def _investigation(sight: Sight) -> InvestigateArtifact | None:
    return cast("InvestigateArtifact | None", sight.artifact)


def _matched(sight: Sight, low: float, high: float = float("inf")) -> bool:
    recall = _recall(sight)
    return recall is not None and recall.match and low <= recall.confidence < high


def _category_is(sight: Sight, category: str) -> bool:
    triage = _triage(sight)
    return triage is not None and triage.symptom_category == category


def _skips(sight: Sight) -> bool:
    triage = _triage(sight)
    return triage is not None and triage.skip_investigation


def _candidates(sight: Sight) -> list[str] | None:
    """Candidate repositories of a triage that wants an investigation; `None` when it does not."""
    triage = _triage(sight)
    if triage is None or triage.skip_investigation:
        return None
    return triage.candidate_repos or []


def _converged(sight: Sight) -> bool | None:
    found = _investigation(sight)
    return None if found is None else found.convergence_score >= sight.limits.convergence_sufficient


def _loops_left(sight: Sight) -> bool:
    return sight.investigate_loops < sight.limits.max_investigate_loops


def _is_duplicate(sight: Sight) -> bool:
    found = cast("CorrelateArtifact | None", sight.artifact)
    return (
        found is not None and found.is_duplicate and found.confidence >= sight.limits.correlate_dup
    )


def _decided(sight: Sight, decision: str) -> bool:
    review = cast("ReviewArtifact | None", sight.artifact)
    return review is not None and review.decision == decision


def _loop_target(sight: Sight) -> Step:
    return Step(cast("ReviewArtifact", sight.artifact).loop_target or Step.RESOLVE)


def _only_candidate(sight: Sight) -> Mapping[str, object]:
    name = (_candidates(sight) or [""])[0]
    return {"selected_repos": [SelectedRepo(name=name, reason="only candidate from triage")]}


def _say_recall_miss(sight: Sight) -> str:
    if _recall(sight) is None:
        return "There is no recall result; triage comes next."
    return "No known failure matches; triage comes next."


def _say_exhausted(sight: Sight) -> str:
    return (
        f"Convergence {sight.artifact.convergence_score:.2f} is below "
        f"{sight.limits.convergence_sufficient:.2f} and all {sight.investigate_loops} retries are "
        "used up; review comes next, with ti001 (to investigate) as the honest defect type."
    )


HEURISTICS: Final[tuple[Rule, ...]] = (
    Rule(
        "H1", "recall-hit", Step.RECALL, "confidence",
        lambda s: _matched(s, s.limits.recall_hit),
        _to(Step.REVIEW),
        lambda s: f"Recall confidence {s.artifact.confidence:.2f} reaches {s.limits.recall_hit:.2f}"
        f"; root cause #{s.artifact.prior_rca_id} goes straight to review.",
    ),
    Rule(
        "H3", "recall-uncertain", Step.RECALL, "confidence",
        lambda s: _matched(s, s.limits.recall_uncertain, s.limits.recall_hit),
        _to(Step.TRIAGE),
        lambda s: f"Recall confidence {s.artifact.confidence:.2f} lies between "
        f"{s.limits.recall_uncertain:.2f} and {s.limits.recall_hit:.2f}; triage comes next, with "
        "the recalled failure as a candidate.",
        lambda s: {"recall_candidate": s.artifact},
    ),
    Rule(
        "H2", "recall-miss", Step.RECALL, "match",
        lambda s: s.artifact is None or not s.artifact.match,
        _to(Step.TRIAGE),
        _say_recall_miss,
    ),
    Rule(
        "H4", "triage-skip-infra", Step.TRIAGE, "symptom_category",
        lambda s: _category_is(s, "infra"),
        _to(Step.REVIEW),
        lambda _: "The symptom is infrastructure; no repository needs reading, review comes next.",
    ),
    Rule(
        "H5", "triage-skip-flake", Step.TRIAGE, "symptom_category",
        lambda s: _category_is(s, "flake"),
        _to(Step.REVIEW),
        lambda _: "The symptom is a flaky test; no repository needs reading, a reviewer confirms.",
    ),
    Rule(
        "H18", "triage-skip-investigation", Step.TRIAGE, "skip_investigation",
        _skips,
        _to(Step.REVIEW),
        lambda _: "Triage asks to skip the investigation; review comes next.",
    ),
    # Advice only: the suspicion is shown at review and never changes the way.
    Rule(
        "H17", "triage-clock-skew", Step.TRIAGE, "clock_skew_suspected",
        _never,
        _to(Step.TRIAGE),
        lambda _: "",
    ),
    Rule(
        "H7", "triage-single-repo", Step.TRIAGE, "candidate_repos",
        lambda s: len(_candidates(s) or ()) == 1,
        _to(Step.INVESTIGATE),
        lambda s: f'The only candidate is repository "{s.artifact.candidate_repos[0]}"; nothing '
        "is left to resolve, investigation comes next.",
        _only_candidate,
    ),
    Rule(
        "H6", "triage-investigate", Step.TRIAGE, "skip_investigation",
        lambda s: _candidates(s) is not None,
        _to(Step.RESOLVE),
        lambda s: f"Triage wants an investigation and names {len(_candidates(s) or ())} candidate "
        "repositories; choosing among them comes next.",
    ),
    Rule(
        "H8", "resolve-multi", Step.RESOLVE, "selected_repos",
        lambda s: s.artifact is not None,
        _to(Step.INVESTIGATE),
        lambda s: "Repositories chosen: "
        f"{len(cast('ResolveArtifact', s.artifact).selected_repos or ())}; investigation comes "
        "next.",
    ),
    Rule(
        "H9", "investigate-converged", Step.INVESTIGATE, "convergence_score",
        lambda s: _converged(s) is True,
        _to(Step.CORRELATE),
        lambda s: f"Convergence {s.artifact.convergence_score:.2f} reaches "
        f"{s.limits.convergence_sufficient:.2f}; correlation with other cases comes next.",
    ),
    Rule(
        "H10", "investigate-low", Step.INVESTIGATE, "convergence_score",
        lambda s: _converged(s) is False and _loops_left(s),
        _to(Step.RESOLVE),
        lambda s: f"Convergence {s.artifact.convergence_score:.2f} is below "
        f"{s.limits.convergence_sufficient:.2f} after {s.investigate_loops} of "
        f"{s.limits.max_investigate_loops} retries; choose repositories again, more broadly.",
    ),
    Rule(
        "H11", "investigate-exhausted", Step.INVESTIGATE, "convergence_score",
        lambda s: _converged(s) is False and not _loops_left(s),
        _to(Step.REVIEW),
        _say_exhausted,
    ),
    Rule(
        "H15", "correlate-dup", Step.CORRELATE, "is_duplicate",
        _is_duplicate,
        _to(Step.DONE),
        lambda s: f"Duplicate with confidence {s.artifact.confidence:.2f}, which reaches "
        f"{s.limits.correlate_dup:.2f}; the case joins root cause #{s.artifact.linked_rca_id} and "
        "needs no report of its own.",
    ),
    Rule(
        "H15b", "correlate-proceed", Step.CORRELATE, "is_duplicate",
        _always,
        _to(Step.REVIEW),
        lambda _: "No sure duplicate; review comes next.",
    ),
    Rule(
        "H12", "review-approve", Step.REVIEW, "decision",
        lambda s: _decided(s, "approve"),
        _to(Step.REPORT),
        lambda _: "The reviewer approved; the report comes next.",
    ),
    Rule(
        "H13", "review-reassess", Step.REVIEW, "decision",
        lambda s: _decided(s, "reassess"),
        _loop_target,
        lambda s: f"The reviewer asked for another look; the case goes back to {_loop_target(s)}.",
    ),
    Rule(
        "H14", "review-overturn", Step.REVIEW, "decision",
        lambda s: _decided(s, "overturn"),
        _to(Step.REPORT),
        lambda _: "The reviewer overturned the finding; the report comes next, with their answer.",
        lambda s: {"human_override": s.artifact.human_override},
    ),
)  # fmt: skip


def evaluate(
    step: Step,
    artifact: Artifact | None,
    *,
    investigate_loops: int = 0,
    thresholds: Thresholds | None = None,
) -> Verdict:
    """Decide where a case at `step` goes after `artifact`.

    `investigate_loops` is the count before this step; an artifact of another step counts as none.
    """
    expected = ARTIFACT_TYPES.get(step)
    if expected is None or not isinstance(artifact, expected):
        artifact = None
    sight = Sight(artifact, investigate_loops, thresholds or Thresholds())
    for rule in HEURISTICS:
        if rule.step is step and rule.applies(sight):
            return Verdict(rule.leads_to(sight), rule.id, rule.says(sight), rule.adds(sight))
    following = step.default_next
    if following is Step.DONE:
        decision = f"{step} is the end of the pipeline; the case is done."
    else:
        decision = f"No rule applies at {step}; the usual next step is {following}."
    return Verdict(following, FALLBACK, decision)
