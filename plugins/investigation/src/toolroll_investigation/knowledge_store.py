"""Symptoms, root causes and the links between them, in one knowledge space."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from toolroll_investigation.tables import (
    EXAM,
    SHARED,
    Case,
    Knowledge,
    RootCauseRecord,
    Suite,
    Symptom,
    SymptomCause,
)

Row = TypeVar("Row", Symptom, RootCauseRecord, SymptomCause)

RCA_STATUSES: Final = ("open", "resolved", "verified", "archived")


TITLE_BYTES: Final = 80


def title_of(message: str) -> str:
    """What a new root cause is called: its message cut to 80 bytes, inside no character."""
    encoded = message.encode()
    if len(encoded) > TITLE_BYTES:
        return encoded[:TITLE_BYTES].decode(errors="ignore") + "..."
    return message or "RCA from investigation"


def headline(cause: RootCauseRecord) -> str:
    """What a root cause is called where it is shown: its title outlives a reviewer's correction."""
    return title_of(cause.description) if cause.description else cause.title


def timestamp(moment: datetime | None = None) -> str:
    """A moment, by default now, as ISO text in UTC with whole seconds."""
    return f"{(moment or datetime.now(UTC)).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def open_shared(session: Session, tenant: str) -> KnowledgeStore:
    """The tenant's lasting knowledge; made when it is first asked for."""
    query = select(Knowledge).where(Knowledge.tenant == tenant, Knowledge.kind == SHARED)
    row = session.scalars(query.order_by(Knowledge.key)).first()
    return KnowledgeStore(session, _create(session, tenant, SHARED) if row is None else row.key)


def open_exam(session: Session, tenant: str) -> KnowledgeStore:
    """A new, empty space for one run of a scenario that is scored."""
    return KnowledgeStore(session, _create(session, tenant, EXAM))


def _create(session: Session, tenant: str, kind: str) -> int:
    row = Knowledge(tenant=tenant, kind=kind)
    session.add(row)
    session.flush()
    return row.key


def _is_id(identifier: int) -> bool:
    """Whether a number can be an id: PostgreSQL refuses to compare what its column can't hold."""
    return 0 < identifier < 2**31


class KnowledgeStore:
    """Reads and writes one knowledge space inside the caller's unit of work."""

    def __init__(self, session: Session, key: int) -> None:
        self.session = session
        self.key = key

    def symptom(self, identifier: int) -> Symptom | None:
        """The symptom of that id, or none."""
        return self.session.get(Symptom, (self.key, identifier)) if _is_id(identifier) else None

    def root_cause(self, identifier: int) -> RootCauseRecord | None:
        """The root cause of that id, or none."""
        if not _is_id(identifier):
            return None
        return self.session.get(RootCauseRecord, (self.key, identifier))

    def symptoms(self) -> Sequence[Symptom]:
        """All symptoms by id."""
        query = select(Symptom).where(Symptom.knowledge_key == self.key)
        return self.session.scalars(query.order_by(Symptom.id)).all()

    def root_causes(self) -> Sequence[RootCauseRecord]:
        """All root causes by id."""
        query = select(RootCauseRecord).where(RootCauseRecord.knowledge_key == self.key)
        return self.session.scalars(query.order_by(RootCauseRecord.id)).all()

    def links(self) -> Sequence[SymptomCause]:
        """All links by id."""
        query = select(SymptomCause).where(SymptomCause.knowledge_key == self.key)
        return self.session.scalars(query.order_by(SymptomCause.id)).all()

    def causes_of(self, symptom_id: int, *, limit: int) -> list[tuple[RootCauseRecord, int]]:
        """The root causes a symptom was linked to last, with how many cases have each of them now.

        They come in the order of the links. One that no case has was given up for another.
        """
        cases = (
            select(func.count())
            .select_from(Case)
            .join(Suite, Suite.key == Case.suite_key)
            .where(Suite.knowledge_key == self.key, Case.rca_id == RootCauseRecord.id)
            .scalar_subquery()
        )
        query = (
            select(RootCauseRecord, cases)
            .join(
                SymptomCause,
                (SymptomCause.knowledge_key == RootCauseRecord.knowledge_key)
                & (SymptomCause.rca_id == RootCauseRecord.id),
            )
            .where(SymptomCause.knowledge_key == self.key, SymptomCause.symptom_id == symptom_id)
            .order_by(SymptomCause.id.desc())
            .limit(limit)
        )
        return [(row, count) for row, count in self.session.execute(query)][::-1]

    def count_cases(self, rca_id: int) -> int:
        """How many cases of all suites on this knowledge have that root cause now."""
        query = (
            select(func.count())
            .select_from(Case)
            .join(Suite, Suite.key == Case.suite_key)
            .where(Suite.knowledge_key == self.key, Case.rca_id == rca_id)
        )
        return self.session.scalar(query) or 0

    def causes_in_use(self, apart_from: Case, *, limit: int) -> list[tuple[RootCauseRecord, int]]:
        """Root causes that other cases have, with how many those are; the latest, by id."""
        counted = (
            select(Case.rca_id, func.count().label("cases"))
            .join(Suite, Suite.key == Case.suite_key)
            .where(
                Suite.knowledge_key == self.key,
                Case.rca_id != 0,
                (Case.suite_key != apart_from.suite_key) | (Case.id != apart_from.id),
            )
            .group_by(Case.rca_id)
            .order_by(Case.rca_id.desc())
            .limit(limit)
            .subquery()
        )
        query = (
            select(RootCauseRecord, counted.c.cases)
            .join(counted, counted.c.rca_id == RootCauseRecord.id)
            .where(RootCauseRecord.knowledge_key == self.key)
            .order_by(RootCauseRecord.id)
        )
        return [(row, count) for row, count in self.session.execute(query)]

    def candidates(self, test_name: str) -> Sequence[Symptom]:
        """Symptoms of exactly that test, by id; no test name, no candidates."""
        if not test_name:
            return []
        query = select(Symptom).where(Symptom.knowledge_key == self.key, Symptom.name == test_name)
        return self.session.scalars(query.order_by(Symptom.id)).all()

    def see_again(self, symptom: Symptom, now: str) -> None:
        """Count one more occurrence; a dormant symptom wakes up."""
        symptom.occurrence_count += 1
        symptom.last_seen_at = now
        if symptom.status == "dormant":
            symptom.status = "active"

    def recognise(
        self, fingerprint: str, *, name: str, error: str, component: str, now: str
    ) -> Symptom:
        """The symptom of that fingerprint, counted once more, or a new one."""
        query = select(Symptom).where(
            Symptom.knowledge_key == self.key, Symptom.fingerprint == fingerprint
        )
        if (known := self.session.scalars(query).first()) is not None:
            self.see_again(known, now)
            return known
        symptom = Symptom(
            knowledge_key=self.key,
            id=self._next_id(Symptom),
            fingerprint=fingerprint,
            name=name,
            error_pattern=error,
            component=component,
            first_seen_at=now,
            last_seen_at=now,
            occurrence_count=1,
            status="active",
        )
        return self._add(symptom)

    def add_root_cause(
        self, *, title: str, description: str, defect_type: str, component: str, score: float,
        now: str,
    ) -> RootCauseRecord:  # fmt: skip
        """Record a new, open root cause."""
        return self._add(
            RootCauseRecord(
                knowledge_key=self.key,
                id=self._next_id(RootCauseRecord),
                title=title,
                description=description,
                defect_type=defect_type,
                component=component,
                convergence_score=score,
                status="open",
                created_at=now,
            )
        )

    def link(
        self, symptom_id: int, rca_id: int, *, confidence: float, notes: str, now: str
    ) -> None:
        """Link a symptom to a root cause; a link that exists stays as it was."""
        query = select(SymptomCause.id).where(
            SymptomCause.knowledge_key == self.key,
            SymptomCause.symptom_id == symptom_id,
            SymptomCause.rca_id == rca_id,
        )
        if self.session.scalar(query) is None:
            self._add(
                SymptomCause(
                    knowledge_key=self.key,
                    id=self._next_id(SymptomCause),
                    symptom_id=symptom_id,
                    rca_id=rca_id,
                    confidence=confidence,
                    notes=notes,
                    linked_at=now,
                )
            )

    def set_status(self, cause: RootCauseRecord, status: str, now: str) -> None:
        """Change a root cause's status and stamp the time; reopening clears what no longer holds.

        Raises:
            ValueError: no such status.
        """
        match status:
            case "open":
                cause.resolved_at = cause.verified_at = ""
            case "resolved":
                cause.resolved_at = now
            case "verified":
                cause.verified_at = now
            case "archived":
                cause.archived_at = now
            case _:
                raise ValueError(f"{status} is no status; use one of {', '.join(RCA_STATUSES)}")
        cause.status = status

    def mark_dormant(self, days: int, now: datetime) -> int:
        """Put active symptoms not seen for `days` to sleep; returns how many."""
        cutoff = timestamp(now - timedelta(days=days))
        stale = (
            update(Symptom)
            .where(
                Symptom.knowledge_key == self.key,
                Symptom.status == "active",
                Symptom.last_seen_at < cutoff,
            )
            .values(status="dormant")
            .returning(Symptom.id)
        )
        return len(self.session.execute(stale).all())

    def _next_id(self, table: type[Symptom | RootCauseRecord | SymptomCause]) -> int:
        # Units of work that write here hold the tenant's lock, so that no two see the same maximum.
        highest = select(func.max(table.id)).where(table.knowledge_key == self.key)
        return (self.session.scalar(highest) or 0) + 1

    def _add(self, row: Row) -> Row:
        self.session.add(row)
        self.session.flush()
        return row
