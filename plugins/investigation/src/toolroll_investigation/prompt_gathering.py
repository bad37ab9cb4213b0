"""Gathers what a prompt is made of from the store, as it stands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from toolroll_investigation.artifacts import Artifact, ReviewArtifact, read_artifact
from toolroll_investigation.case_state import submissions_of
from toolroll_investigation.defects import categories, vocabulary
from toolroll_investigation.heuristics import REASSESSED
from toolroll_investigation.knowledge_store import KnowledgeStore, headline
from toolroll_investigation.prompt_parameters import (
    CaseCause,
    Failure,
    Git,
    History,
    KnownCause,
    Prior,
    PriorCause,
    PromptParameters,
    SymptomHistory,
    WorkspaceRepository,
)
from toolroll_investigation.scenario import Scenario
from toolroll_investigation.settled import settled_before
from toolroll_investigation.steps import Step
from toolroll_investigation.tables import Case, RootCauseRecord, Submission, Suite, Symptom

CLOCK_NOTE: Final = (
    "Timestamps may come from different clocks (test runner, test node, system under test); "
    "comparing times across them can mislead."
)
MAX_KNOWN_CAUSES: Final = 30
"""Root causes that each list of a prompt holds at most: the latest."""


def describe_surroundings(scenario: Scenario) -> str:
    """The part of a scenario that prompts need, as the JSON text a suite keeps.

    Ground truth is left out but for its vocabulary: which repositories matter is for the model to
    find.
    """
    return json.dumps(
        {
            "run_id": scenario.run_id,
            "run_summary": scenario.run_summary,
            "git_branch": scenario.git_branch,
            "git_commit": scenario.git_commit,
            "defect_types": vocabulary(rca.defect_type for rca in scenario.rcas),
            "categories": categories(
                case.expected_triage.symptom_category
                for case in scenario.cases
                if case.expected_triage is not None
            ),
            "repositories": [
                {"name": r.name, "path": r.path, "purpose": r.purpose, "branch": r.branch}
                for r in scenario.workspace.repos
            ],
        }
    )


def repository_names(suite: Suite) -> list[str]:
    """The repositories that prompts of a suite offer."""
    return [repository["name"] for repository in json.loads(suite.surroundings)["repositories"]]


def gather(suite: Suite, case: Case, step: Step, knowledge: KnowledgeStore) -> PromptParameters:
    """Gather the parameters of a prompt as the store stands."""
    around = cast("dict[str, Any]", json.loads(suite.surroundings))
    submissions = submissions_of(knowledge.session, case)
    latest = _latest(submissions)
    review = latest.get(Step.REVIEW)
    branch, commit = around["git_branch"], around["git_commit"]
    return PromptParameters(
        step=step,
        case_id=case.id,
        launch_id=around["run_id"],
        run_summary=around["run_summary"],
        envelope_name=case.name,
        failure=Failure(
            case.name, case.error_message, case.log_snippet, case.log_truncated, case.status
        ),
        siblings=json.loads(case.siblings) or [case.name],
        repositories=[WorkspaceRepository(**repository) for repository in around["repositories"]],
        prior=Prior(**{name: latest.get(step) for step, name in _PRIOR_FIELDS.items()}),
        history=_history(case, step, knowledge),
        settled=settled_before(case, knowledge) if step in (Step.RECALL, Step.TRIAGE) else (),
        cause=_case_cause(case, knowledge),
        overturned=isinstance(review, ReviewArtifact) and review.decision == "overturn",
        override=review.correction if isinstance(review, ReviewArtifact) else None,
        reassessed=_reassessed(submissions),
        known_causes=_known_causes(case, knowledge) if step is Step.CORRELATE else (),
        defect_types=around["defect_types"],
        categories=around["categories"],
        clock_note=CLOCK_NOTE,
        git=Git(branch, commit) if branch or commit else None,
    )


_PRIOR_FIELDS: Final = {
    Step.RECALL: "recall",
    Step.TRIAGE: "triage",
    Step.RESOLVE: "resolve",
    Step.INVESTIGATE: "investigate",
    Step.CORRELATE: "correlate",
}


def _latest(submissions: Sequence[Submission]) -> dict[Step, Any]:
    """The latest artifact of each step that the case has been at."""
    latest: dict[Step, Artifact] = {}
    for submission in submissions:
        step = Step(submission.step)
        latest[step] = read_artifact(step, json.loads(submission.artifact))
    return latest


def _reassessed(submissions: Sequence[Submission]) -> bool:
    """Whether a review sent the case back, and no investigation was handed in after it."""
    for submission in reversed(submissions):
        if submission.step == Step.INVESTIGATE:
            return False
        if submission.step == Step.REVIEW:
            return submission.heuristic_id == REASSESSED
    return False


def _case_cause(case: Case, knowledge: KnowledgeStore) -> CaseCause | None:
    row = knowledge.root_cause(case.rca_id)
    return row and CaseCause(
        row.id, row.description, row.defect_type, row.component, row.convergence_score
    )


def _history(case: Case, step: Step, knowledge: KnowledgeStore) -> History | None:
    """The case's own symptom at any step; before it has one, the likeliest of its test's at F0."""
    if case.symptom_id:
        symptom = knowledge.symptom(case.symptom_id)
        return None if symptom is None else _history_of(symptom, knowledge, reactivation=False)
    if step is not Step.RECALL or not (candidates := knowledge.candidates(case.name)):
        return None
    # Most often seen, then most recently; ids, in which candidates come, settle the rest.
    best = max(reversed(candidates), key=lambda s: (s.occurrence_count, s.last_seen_at, -s.id))
    return _history_of(best, knowledge, reactivation=best.status == "dormant")


def _known_causes(case: Case, knowledge: KnowledgeStore) -> list[KnownCause]:
    """What a case can be a duplicate of: the latest root causes that other cases have now."""
    return [
        KnownCause(
            cause.id,
            headline(cause),
            cause.defect_type,
            cause.component,
            cause.status,
            cases,
        )
        for cause, cases in knowledge.causes_in_use(case, limit=MAX_KNOWN_CAUSES)
    ]


def _history_of(symptom: Symptom, knowledge: KnowledgeStore, *, reactivation: bool) -> History:
    return History(
        SymptomHistory(
            id=symptom.id,
            name=symptom.name,
            occurrence_count=symptom.occurrence_count,
            first_seen=symptom.first_seen_at,
            last_seen=symptom.last_seen_at,
            status=symptom.status,
            is_dormant_reactivation=reactivation,
        ),
        [_cause(*found) for found in knowledge.causes_of(symptom.id, limit=MAX_KNOWN_CAUSES)],
    )


def _cause(row: RootCauseRecord, cases: int) -> PriorCause:
    return PriorCause(
        id=row.id,
        title=headline(row),
        defect_type=row.defect_type,
        status=row.status,
        affected_versions=row.affected_versions,
        jira_link=row.jira_link,
        resolved_at=row.resolved_at,
        cases=cases,
    )
