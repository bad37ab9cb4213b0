"""What earlier failures of a test were taken for when nobody looked for their root cause.

An infra failure or a flake goes straight to review and leaves no root cause to recall.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen
from sqlalchemy import select

from toolroll_investigation.case_state import submissions_of
from toolroll_investigation.findings import unexplained
from toolroll_investigation.knowledge_store import KnowledgeStore
from toolroll_investigation.markdown import cut
from toolroll_investigation.tables import Case, Suite

MAX_SETTLED: Final = 5
MAX_SYMPTOMS: Final = 100
"""Latest symptoms of the test whose cases are looked for."""
MAX_ERROR: Final = 200
"""Characters of an error message."""


@frozen
class Settled:
    """An earlier failure of the same test that ended without a root cause, and as what.

    `answer` is that of a reviewer who overturned what it was taken for.
    """

    suite: int
    error: str
    category: str
    defect: str
    answer: str


def settled_before(case: Case, knowledge: KnowledgeStore) -> list[Settled]:
    """The latest of them, the last one first."""
    symptoms = [symptom.id for symptom in knowledge.candidates(case.name)[-MAX_SYMPTOMS:]]
    if not symptoms:
        return []
    query = (
        select(Suite.number, Case)
        .join(Case, Suite.key == Case.suite_key)
        .where(
            Suite.knowledge_key == knowledge.key,
            Case.symptom_id.in_(symptoms),
            Case.rca_id == 0,
            Case.result != "",
            (Case.suite_key != case.suite_key) | (Case.id != case.id),
        )
        .order_by(Case.suite_key.desc(), Case.id.desc())
        .limit(MAX_SETTLED)
    )
    settled: list[Settled] = []
    for suite, earlier in knowledge.session.execute(query):
        told = unexplained(earlier, submissions_of(knowledge.session, earlier))
        error = cut(earlier.error_message, MAX_ERROR)
        settled.append(Settled(suite, error, told.category, told.defect, told.answer))
    return settled
