"""What the template of a prompt may show: the case, its history and its artifacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from toolroll_investigation.artifacts import (
    CorrelateArtifact,
    HumanOverride,
    InvestigateArtifact,
    RecallArtifact,
    ResolveArtifact,
    TriageArtifact,
)
from toolroll_investigation.settled import Settled
from toolroll_investigation.steps import Step


@frozen
class Failure:
    """The failure as the run reported it; `status` is that of the case."""

    test_name: str
    error_message: str
    log_snippet: str
    log_truncated: bool
    status: str


@frozen
class Git:
    """What was checked out in the run."""

    branch: str
    commit: str


@frozen
class WorkspaceRepository:
    """A repository that may be read."""

    name: str
    path: str
    purpose: str
    branch: str


@frozen
class Prior:
    """The latest artifact of each earlier step; those of review and report are never shown."""

    recall: RecallArtifact | None = None
    triage: TriageArtifact | None = None
    resolve: ResolveArtifact | None = None
    investigate: InvestigateArtifact | None = None
    correlate: CorrelateArtifact | None = None


@frozen
class SymptomHistory:
    """What is known about the symptom."""

    id: int
    name: str
    occurrence_count: int
    first_seen: str
    last_seen: str
    status: str
    is_dormant_reactivation: bool


@frozen
class PriorCause:
    """A root cause that the symptom was linked to, with how many cases have it now."""

    id: int
    title: str
    defect_type: str
    status: str
    affected_versions: str
    jira_link: str
    resolved_at: str
    cases: int


@frozen
class History:
    """The symptom and its root causes."""

    symptom: SymptomHistory
    causes: Sequence[PriorCause]


@frozen
class CaseCause:
    """The root cause that the case has: its own, a recalled one, or that of its duplicate."""

    id: int
    message: str
    defect_type: str
    component: str
    convergence_score: float


@frozen
class KnownCause:
    """A root cause found for other cases on the same knowledge."""

    id: int
    title: str
    defect_type: str
    component: str
    status: str
    cases: int


@frozen
class PromptParameters:
    """Everything that a template may show.

    `override` is the answer of a reviewer who overturned the finding; without one they gave none.
    `reassessed` says that a reviewer asked for another look, and nothing was investigated since.
    """

    step: Step
    case_id: int
    launch_id: str
    run_summary: str
    envelope_name: str
    failure: Failure
    siblings: Sequence[str]
    repositories: Sequence[WorkspaceRepository]
    prior: Prior
    history: History | None
    settled: Sequence[Settled]
    cause: CaseCause | None
    overturned: bool
    override: HumanOverride | None
    reassessed: bool
    known_causes: Sequence[KnownCause]
    defect_types: Mapping[str, str]
    categories: Mapping[str, str]
    clock_note: str
    git: Git | None
