"""Where a case goes next: eighteen rules, read from the top, the first that applies decides.

Only rules of the current step are looked at. A rule compares the artifact's raw numbers with the
thresholds; the sentence it returns rounds them to two decimals. Nothing here changes any state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, cast

from attrs import Factory, frozen

from toolroll_investigation.artifacts import (
    ARTIFACT_TYPES,
    Artifact,
    ResolveArtifact,
    SelectedRepo,
)
from toolroll_investigation.conditions import (
    Sight,
    Thresholds,
    candidates,
    category_is,
    converged,
    decided,
    is_duplicate,
    loop_target,
    loops_left,
    matched,
    skips,
)
from toolroll_investigation.steps import Step

FALLBACK: Final = "FALLBACK"
START: Final = "INIT"
REASSESSED: Final = "H13"


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


def _only_candidate(sight: Sight) -> Mapping[str, object]:
    name = (candidates(sight) or [""])[0]
    return {"selected_repos": [SelectedRepo(name=name, reason="only candidate from triage")]}


def _say_recall_miss(sight: Sight) -> str:
    if sight.artifact is None:
        return "There is no recall result; triage comes next."
    return "No known failure matches; triage comes next."


def _say_exhausted(sight: Sight) -> str:
    return (
        f"Convergence {sight.artifact.convergence_score:.2f} is below "
        f"{sight.limits.convergence_sufficient:.2f} and all {sight.investigate_loops} retries are "
        "used up; review comes next, with ti001 (to investigate) as the honest defect type."
    )


def _recalled(sight: Sight) -> str:
    """What was recalled; a match need not name its root cause."""
    cause = sight.artifact.prior_rca_id
    return f"root cause #{cause}" if cause else "the known failure"


def _joined(sight: Sight) -> str:
    """What a duplicate does: one that names no root cause keeps its own."""
    cause = sight.artifact.linked_rca_id
    return f"joins root cause #{cause} and " if cause else ""


def _say_overturned(sight: Sight) -> str:
    if sight.artifact.human_override is None:
        return "The reviewer overturned the finding and gave no other; the report comes next."
    return "The reviewer overturned the finding; the report comes next, with their answer."


HEURISTICS: Final[tuple[Rule, ...]] = (
    Rule(
        "H1", "recall-hit", Step.RECALL, "confidence",
        lambda s: matched(s, s.limits.recall_hit),
        _to(Step.REVIEW),
        lambda s: f"Recall confidence {s.artifact.confidence:.2f} reaches {s.limits.recall_hit:.2f}"
        f"; {_recalled(s)} goes straight to review.",
    ),
    Rule(
        "H3", "recall-uncertain", Step.RECALL, "confidence",
        lambda s: matched(s, s.limits.recall_uncertain, s.limits.recall_hit),
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
        lambda s: category_is(s, "infra"),
        _to(Step.REVIEW),
        lambda _: "The symptom is infrastructure; no repository needs reading, review comes next.",
    ),
    Rule(
        "H5", "triage-skip-flake", Step.TRIAGE, "symptom_category",
        lambda s: category_is(s, "flake"),
        _to(Step.REVIEW),
        lambda _: "The symptom is a flaky test; no repository needs reading, a reviewer confirms.",
    ),
    Rule(
        "H18", "triage-skip-investigation", Step.TRIAGE, "skip_investigation",
        skips,
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
        lambda s: len(candidates(s) or ()) == 1,
        _to(Step.INVESTIGATE),
        lambda s: f'The only candidate is repository "{s.artifact.candidate_repos[0]}"; nothing '
        "is left to resolve, investigation comes next.",
        _only_candidate,
    ),
    Rule(
        "H6", "triage-investigate", Step.TRIAGE, "skip_investigation",
        lambda s: candidates(s) is not None,
        _to(Step.RESOLVE),
        lambda s: f"Triage wants an investigation and names {len(candidates(s) or ())} candidate "
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
        lambda s: converged(s) is True,
        _to(Step.CORRELATE),
        lambda s: f"Convergence {s.artifact.convergence_score:.2f} reaches "
        f"{s.limits.convergence_sufficient:.2f}; correlation with other cases comes next.",
    ),
    Rule(
        "H10", "investigate-low", Step.INVESTIGATE, "convergence_score",
        lambda s: converged(s) is False and loops_left(s),
        _to(Step.RESOLVE),
        lambda s: f"Convergence {s.artifact.convergence_score:.2f} is below "
        f"{s.limits.convergence_sufficient:.2f} after {s.investigate_loops} of "
        f"{s.limits.max_investigate_loops} retries; choose repositories again, more broadly.",
    ),
    Rule(
        "H11", "investigate-exhausted", Step.INVESTIGATE, "convergence_score",
        lambda s: converged(s) is False and not loops_left(s),
        _to(Step.REVIEW),
        _say_exhausted,
    ),
    Rule(
        "H15", "correlate-dup", Step.CORRELATE, "is_duplicate",
        is_duplicate,
        _to(Step.DONE),
        lambda s: f"Duplicate with confidence {s.artifact.confidence:.2f}, which reaches "
        f"{s.limits.correlate_dup:.2f}; the case {_joined(s)}needs no report of its own.",
    ),
    Rule(
        "H15b", "correlate-proceed", Step.CORRELATE, "is_duplicate",
        _always,
        _to(Step.REVIEW),
        lambda _: "No sure duplicate; review comes next.",
    ),
    Rule(
        "H12", "review-approve", Step.REVIEW, "decision",
        lambda s: decided(s, "approve"),
        _to(Step.REPORT),
        lambda _: "The reviewer approved; the report comes next.",
    ),
    Rule(
        REASSESSED, "review-reassess", Step.REVIEW, "decision",
        lambda s: decided(s, "reassess"),
        loop_target,
        lambda s: f"The reviewer asked for another look; the case goes back to {loop_target(s)}.",
    ),
    Rule(
        "H14", "review-overturn", Step.REVIEW, "decision",
        lambda s: decided(s, "overturn"),
        _to(Step.REPORT),
        _say_overturned,
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
