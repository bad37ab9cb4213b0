"""What an accepted artifact changes in the store."""

from __future__ import annotations

from sqlalchemy import func, select

from toolroll_investigation.artifacts import (
    Artifact,
    CorrelateArtifact,
    InvestigateArtifact,
    RecallArtifact,
    ReviewArtifact,
    TriageArtifact,
)
from toolroll_investigation.fingerprint import fingerprint
from toolroll_investigation.knowledge_store import KnowledgeStore, title_of
from toolroll_investigation.tables import Case, Triage


class UnknownLink(Exception):
    """An artifact links to a symptom or root cause that does not exist."""

    def __init__(self, field: str, kind: str, identifier: int) -> None:
        super().__init__(f"{field} is {identifier}, but there is no {kind} #{identifier}")
        self.field = field


def check_links(artifact: Artifact, knowledge: KnowledgeStore) -> None:
    """Refuse links that lead nowhere, before anything is written.

    Only links that would be made are looked at: those of a match or a duplicate.

    Raises:
        UnknownLink: the symptom or root cause does not exist.
    """
    match artifact:
        case RecallArtifact(match=True):
            symptom, cause = artifact.symptom_id, artifact.prior_rca_id
            if symptom and knowledge.symptom(symptom) is None:
                raise UnknownLink("symptom_id", "symptom", symptom)
            if cause and knowledge.root_cause(cause) is None:
                raise UnknownLink("prior_rca_id", "root cause", cause)
        case CorrelateArtifact(is_duplicate=True):
            cause = artifact.linked_rca_id
            if cause and knowledge.root_cause(cause) is None:
                raise UnknownLink("linked_rca_id", "root cause", cause)
        case _:
            pass


def apply_effects(artifact: Artifact, case: Case, knowledge: KnowledgeStore, now: str) -> None:
    """Write what the artifact means for the case and for the knowledge.

    Links are made whatever the confidence: it decides the way, not the memory.
    """
    case.updated_at = now
    match artifact:
        case RecallArtifact(match=True):
            _recall(artifact, case, knowledge, now)
        case TriageArtifact():
            _triage(artifact, case, knowledge, now)
        case InvestigateArtifact():
            _investigate(artifact, case, knowledge, now)
        case CorrelateArtifact(is_duplicate=True) if artifact.linked_rca_id:
            _correlate(artifact, case, knowledge, now)
        case ReviewArtifact():
            _review(artifact, case, knowledge)
        case _:
            pass


def _recall(found: RecallArtifact, case: Case, knowledge: KnowledgeStore, now: str) -> None:
    if found.symptom_id:
        case.symptom_id = found.symptom_id
        if (symptom := knowledge.symptom(found.symptom_id)) is not None:
            knowledge.see_again(symptom, now)
    if found.prior_rca_id:
        case.rca_id = found.prior_rca_id


def _triage(found: TriageArtifact, case: Case, knowledge: KnowledgeStore, now: str) -> None:
    session = knowledge.session
    mine = select(Triage).where(Triage.suite_key == case.suite_key, Triage.case_id == case.id)
    row = session.scalars(mine).first()
    if row is None:
        highest = select(func.max(Triage.id)).where(Triage.suite_key == case.suite_key)
        row = Triage(
            suite_key=case.suite_key, id=(session.scalar(highest) or 0) + 1, case_id=case.id
        )
        session.add(row)
    row.symptom_category = found.symptom_category
    row.severity = found.severity
    row.defect_type_hypothesis = found.defect_type_hypothesis
    row.skip_investigation = found.skip_investigation
    row.clock_skew_suspected = found.clock_skew_suspected
    row.cascade_suspected = found.cascade_suspected
    row.data_quality_notes = found.data_quality_notes
    row.created_at = now
    symptom = knowledge.recognise(
        fingerprint(case.name, case.error_message, found.symptom_category),
        name=case.name,
        error=case.error_message,
        component=found.symptom_category,
        now=now,
    )
    case.symptom_id = symptom.id
    case.status = "triaged"


def _investigate(
    found: InvestigateArtifact, case: Case, knowledge: KnowledgeStore, now: str
) -> None:
    # Each visit makes a root cause of its own: a retry may have found something else.
    cause = knowledge.add_root_cause(
        title=title_of(found.rca_message),
        description=found.rca_message,
        defect_type=found.defect_type,
        component=found.component,
        score=found.convergence_score,
        now=now,
    )
    case.rca_id = cause.id
    case.status = "investigated"
    if case.symptom_id:
        knowledge.link(
            case.symptom_id,
            cause.id,
            confidence=found.convergence_score,
            notes="linked from F3 investigation",
            now=now,
        )


def _correlate(found: CorrelateArtifact, case: Case, knowledge: KnowledgeStore, now: str) -> None:
    # The root cause that this case's own investigation recorded stays, without a case.
    case.rca_id = found.linked_rca_id
    if case.symptom_id:
        knowledge.link(
            case.symptom_id,
            found.linked_rca_id,
            confidence=found.confidence,
            notes="linked from F4 correlation",
            now=now,
        )


def _review(found: ReviewArtifact, case: Case, knowledge: KnowledgeStore) -> None:
    if found.decision == "approve":
        case.status = "reviewed"
    elif (correction := found.correction) is not None:
        cause = knowledge.root_cause(case.rca_id)
        if cause is not None:
            cause.description = correction.rca_message
            cause.defect_type = correction.defect_type
        case.status = "reviewed"
