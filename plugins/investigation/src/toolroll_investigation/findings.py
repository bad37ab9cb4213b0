"""Findings: the root causes of a suite with the cases they explain, and what is still open."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import Factory, define, frozen
from sqlalchemy import select

from toolroll_investigation.artifacts import (
    Artifact,
    CorrelateArtifact,
    HumanOverride,
    InvestigateArtifact,
    ReviewArtifact,
    TriageArtifact,
    read_artifact,
)
from toolroll_investigation.defects import describe
from toolroll_investigation.knowledge_store import KnowledgeStore, headline
from toolroll_investigation.steps import Step
from toolroll_investigation.tables import Case, Submission, Suite

UNCERTAIN: Final = "ti001"


@frozen
class Finding:
    """A root cause: what it is, what shows it, and the cases it explains."""

    rca_id: int
    title: str
    message: str
    defect: str
    component: str
    confidence: float
    status: str
    cases: Sequence[str]
    earlier_cases: int
    evidence: Sequence[str]

    @property
    def heading(self) -> str:
        """What kind of defect it is and where: `Product Bug (pb001) in linuxptp-daemon`."""
        return f"{self.defect or 'Defect'} in {self.component or 'a component not named'}"


@frozen
class Unexplained:
    """A finished case without a root cause; `answer` is that of a reviewer who overturned it."""

    case_id: str
    test_name: str
    category: str
    defect: str
    answer: str


@define
class Findings:
    """What an investigation found, and what it left open."""

    causes: list[Finding] = Factory(list[Finding])
    unexplained: list[Unexplained] = Factory(list[Unexplained])
    questions: list[str] = Factory(list[str])


def gather_findings(
    suite: Suite,
    cases: Sequence[Case],
    submissions: Mapping[int, Sequence[Submission]],
    knowledge: KnowledgeStore,
    sufficient: float,
) -> Findings:
    """Group the finished cases by root cause, those that explain most first.

    `sufficient` is the convergence from which on a root cause counts as found.
    """
    found = Findings()
    by_cause: defaultdict[int, list[Case]] = defaultdict(list)
    for case in cases:
        if not case.result:
            continue
        found.questions += _questions(case, submissions[case.id])
        if case.rca_id:
            by_cause[case.rca_id].append(case)
        else:
            found.unexplained.append(unexplained(case, submissions[case.id]))
    for identifier, members in by_cause.items():
        finding = _finding(identifier, members, suite, submissions, knowledge)
        if finding is not None:
            found.causes.append(finding)
            found.questions += _doubts(finding, sufficient)
    found.causes.sort(key=lambda finding: (-len(finding.cases), finding.rca_id))
    return found


def _finding(
    identifier: int,
    members: Sequence[Case],
    suite: Suite,
    submissions: Mapping[int, Sequence[Submission]],
    knowledge: KnowledgeStore,
) -> Finding | None:
    row = knowledge.root_cause(identifier)
    if row is None:
        return None
    earlier = _earlier(identifier, suite, knowledge)
    cited = [s for case in members for s in submissions[case.id]] + earlier
    return Finding(
        rca_id=row.id,
        title=headline(row),
        message=row.description,
        defect=describe(row.defect_type),
        component=row.component,
        confidence=row.convergence_score,
        status=row.status,
        cases=[case.label for case in members],
        earlier_cases=len({(s.suite_key, s.case_id) for s in earlier}),
        evidence=_evidence(cited),
    )


def _earlier(identifier: int, suite: Suite, knowledge: KnowledgeStore) -> list[Submission]:
    """What other suites on the same knowledge handed in for this root cause."""
    query = (
        select(Submission)
        .join(Case, (Case.suite_key == Submission.suite_key) & (Case.id == Submission.case_id))
        .join(Suite, Suite.key == Case.suite_key)
        .where(
            Suite.knowledge_key == knowledge.key,
            Suite.key != suite.key,
            Case.rca_id == identifier,
        )
        .order_by(Submission.suite_key, Submission.case_id, Submission.position)
    )
    return list(knowledge.session.scalars(query))


def _evidence(submissions: Sequence[Submission]) -> list[str]:
    """References cited in the latest investigation of each case, each once, in the order they came.

    What an earlier try cited was about another root cause.
    """
    latest: dict[tuple[int, int], Submission] = {}
    for submission in submissions:
        if submission.step == Step.INVESTIGATE:
            latest[submission.suite_key, submission.case_id] = submission
    cited: dict[str, None] = {}
    for submission in latest.values():
        artifact = InvestigateArtifact.model_validate(json.loads(submission.artifact))
        cited |= dict.fromkeys(artifact.evidence_refs or ())
    return list(cited)


def unexplained(case: Case, submissions: Sequence[Submission]) -> Unexplained:
    """What a finished case without a root cause was taken for."""
    triage, override = _latest_triage(submissions), _latest_override(submissions)
    hypothesis = triage.defect_type_hypothesis if triage else ""
    return Unexplained(
        case.label,
        case.name,
        triage.symptom_category if triage else "",
        describe((override and override.defect_type) or hypothesis),
        override.rca_message if override else "",
    )


def _latest_triage(submissions: Sequence[Submission]) -> TriageArtifact | None:
    artifact = _latest(Step.TRIAGE, submissions)
    return artifact if isinstance(artifact, TriageArtifact) else None


def _latest_override(submissions: Sequence[Submission]) -> HumanOverride | None:
    artifact = _latest(Step.REVIEW, submissions)
    return artifact.correction if isinstance(artifact, ReviewArtifact) else None


def _latest(step: Step, submissions: Sequence[Submission]) -> Artifact | None:
    found = [submission.artifact for submission in submissions if submission.step == step]
    return read_artifact(step, json.loads(found[-1])) if found else None


def _questions(case: Case, submissions: Sequence[Submission]) -> list[str]:
    asked: list[str] = []
    if case.current_step != Step.DONE:
        asked.append(f"{case.label} ran into the step limit at {case.current_step}: who decides?")
    if any(submission.heuristic_id == "H11" for submission in submissions):
        asked.append(f"{case.label} went to review with its retries used up; what would settle it?")
    match _latest(Step.CORRELATE, submissions):
        case CorrelateArtifact(is_duplicate=True, linked_rca_id=0):
            asked.append(f"{case.label} was called a duplicate; of which root cause?")
        case _:
            pass
    match _latest(Step.REVIEW, submissions):
        case ReviewArtifact(decision="overturn", human_override=None):
            asked.append(f"{case.label}: the reviewer overturned the finding; what is right?")
        case _:
            pass
    triage = _latest_triage(submissions)
    if triage is not None:
        if triage.clock_skew_suspected:
            asked.append(f"{case.label}: do the clocks of the machines agree?")
        if triage.cascade_suspected:
            asked.append(f"{case.label}: does it pass once the failure before it is mended?")
        if triage.data_quality_notes:
            asked.append(f"{case.label}: {triage.data_quality_notes}")
    return asked


def _doubts(finding: Finding, sufficient: float) -> list[str]:
    doubts: list[str] = []
    if finding.confidence < sufficient:
        doubts.append(
            f"Root cause #{finding.rca_id} has a confidence of {finding.confidence:.2f} only, less "
            f"than {sufficient:.2f}: what evidence would raise or refute it?"
        )
    if not finding.evidence:
        doubts.append(f"Root cause #{finding.rca_id} cites no evidence: what shows it?")
    if UNCERTAIN in finding.defect:
        doubts.append(f"Root cause #{finding.rca_id} is still to be investigated.")
    return doubts
