"""The SQL tables: suites and their cases, and the knowledge that outlasts them.

A `Knowledge` row is a space of symptoms and root causes with ids of its own, counted from 1.
Investigations of real failures share one per tenant; a scenario that brings its own truth is an
exam and gets an empty one, so that its result never depends on what was investigated before.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Float, ForeignKey, ForeignKeyConstraint, Index, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

SHARED: Final = "shared"
EXAM: Final = "exam"


class Base(DeclarativeBase):
    type_annotation_map = {str: Text, float: Float(53)}  # noqa: RUF012


class Knowledge(Base):
    """A space of symptoms and root causes."""

    __tablename__ = "knowledge"

    key: Mapped[int] = mapped_column(primary_key=True)
    tenant: Mapped[str] = mapped_column(index=True)
    kind: Mapped[str]


class Suite(Base):
    """One investigation; `number` is the `suite_id` of the tools, counted per tenant."""

    __tablename__ = "suites"
    __table_args__ = (UniqueConstraint("tenant", "number"), UniqueConstraint("tenant", "turn"))

    key: Mapped[int] = mapped_column(primary_key=True)
    tenant: Mapped[str]
    number: Mapped[int]
    knowledge_key: Mapped[int] = mapped_column(ForeignKey("knowledge.key"))
    name: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    status: Mapped[str] = mapped_column(default="active")
    created_at: Mapped[str]
    closed_at: Mapped[str] = mapped_column(default="")
    # The part of the scenario that every prompt needs.
    surroundings: Mapped[str]
    # The highest number is the tenant's current suite; resuming one makes it the highest again.
    turn: Mapped[int]
    # The scenario as it was at the start: a file changed later changes no running suite. It may
    # have megabytes, so that it is read only where it is asked for, and stands last: a database
    # would have to read through it to get at what comes behind.
    scenario: Mapped[str] = mapped_column(deferred=True)


class Version(Base):
    """A product version the cases were seen on."""

    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("suite_key", "label"),)

    suite_key: Mapped[int] = mapped_column(ForeignKey("suites.key"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    label: Mapped[str]
    ocp_build: Mapped[str] = mapped_column(default="")


class Pipeline(Base):
    """A CI pipeline: one per version and job."""

    __tablename__ = "pipelines"

    suite_key: Mapped[int] = mapped_column(ForeignKey("suites.key"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version_id: Mapped[int]
    name: Mapped[str]
    status: Mapped[str]


class Launch(Base):
    """A run of a pipeline."""

    __tablename__ = "launches"

    suite_key: Mapped[int] = mapped_column(ForeignKey("suites.key"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    pipeline_id: Mapped[int]
    name: Mapped[str]
    status: Mapped[str]
    run_id: Mapped[str] = mapped_column(default="")


class Job(Base):
    """A job of a launch."""

    __tablename__ = "jobs"

    suite_key: Mapped[int] = mapped_column(ForeignKey("suites.key"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    launch_id: Mapped[int]
    name: Mapped[str]
    status: Mapped[str]


class Case(Base):
    """One failure under investigation, with the state of its way through the pipeline."""

    __tablename__ = "cases"
    __table_args__ = (
        UniqueConstraint("suite_key", "label"),
        Index("ix_cases_causes", "suite_key", "rca_id", "id"),
        Index("ix_cases_symptom", "symptom_id"),
    )

    suite_key: Mapped[int] = mapped_column(ForeignKey("suites.key"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    label: Mapped[str]  # the scenario's id, the `case_id` of the tools
    job_id: Mapped[int]
    launch_id: Mapped[int]
    name: Mapped[str]
    status: Mapped[str] = mapped_column(default="open")
    symptom_id: Mapped[int] = mapped_column(default=0)
    rca_id: Mapped[int] = mapped_column(default=0)
    error_message: Mapped[str] = mapped_column(default="")
    log_snippet: Mapped[str] = mapped_column(default="")
    log_truncated: Mapped[bool] = mapped_column(default=False)
    siblings: Mapped[str] = mapped_column(default="[]")
    created_at: Mapped[str]
    updated_at: Mapped[str]

    current_step: Mapped[str]
    run_status: Mapped[str] = mapped_column(default="running")
    investigate_loops: Mapped[int] = mapped_column(default=0)
    reassess_loops: Mapped[int] = mapped_column(default=0)
    steps_taken: Mapped[int] = mapped_column(default=0)
    prompt_bytes: Mapped[int] = mapped_column(default=0)  # of the prompt last handed out
    result: Mapped[str] = mapped_column(default="")  # set when the case ends


class Submission(Base):
    """An accepted artifact and what was decided on it; together the history of a case."""

    __tablename__ = "submissions"
    __table_args__ = (
        ForeignKeyConstraint(["suite_key", "case_id"], ["cases.suite_key", "cases.id"]),
    )

    suite_key: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    step: Mapped[str]
    artifact: Mapped[str]
    heuristic_id: Mapped[str]
    decision: Mapped[str]
    next_step: Mapped[str]
    prompt_bytes: Mapped[int]
    submitted_at: Mapped[str]


class Triage(Base):
    """The latest triage of a case."""

    __tablename__ = "triages"
    __table_args__ = (UniqueConstraint("suite_key", "case_id"),)

    suite_key: Mapped[int] = mapped_column(ForeignKey("suites.key"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    case_id: Mapped[int]
    symptom_category: Mapped[str]
    severity: Mapped[str]
    defect_type_hypothesis: Mapped[str]
    skip_investigation: Mapped[bool]
    clock_skew_suspected: Mapped[bool]
    cascade_suspected: Mapped[bool]
    data_quality_notes: Mapped[str]
    created_at: Mapped[str]


class Symptom(Base):
    """A failure as it looks from outside; equal fingerprints are the same symptom."""

    __tablename__ = "symptoms"
    __table_args__ = (
        UniqueConstraint("knowledge_key", "fingerprint"),
        # PostgreSQL's other indexes refuse names of 2,700 bytes, as tests with parameters have them
        Index("ix_symptoms_name", "name", postgresql_using="hash"),
    )

    knowledge_key: Mapped[int] = mapped_column(ForeignKey("knowledge.key"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    fingerprint: Mapped[str]
    name: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    error_pattern: Mapped[str]
    test_name_pattern: Mapped[str] = mapped_column(default="")
    component: Mapped[str]
    severity: Mapped[str] = mapped_column(default="")
    first_seen_at: Mapped[str]
    last_seen_at: Mapped[str]
    occurrence_count: Mapped[int] = mapped_column(default=1)
    status: Mapped[str] = mapped_column(default="active")


class RootCauseRecord(Base):
    """A root cause that an investigation found."""

    __tablename__ = "rcas"

    knowledge_key: Mapped[int] = mapped_column(ForeignKey("knowledge.key"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    title: Mapped[str]
    description: Mapped[str]
    defect_type: Mapped[str]
    category: Mapped[str] = mapped_column(default="")
    component: Mapped[str]
    affected_versions: Mapped[str] = mapped_column(default="")
    evidence_refs: Mapped[str] = mapped_column(default="")
    convergence_score: Mapped[float]
    jira_ticket_id: Mapped[str] = mapped_column(default="")
    jira_link: Mapped[str] = mapped_column(default="")
    status: Mapped[str] = mapped_column(default="open")
    created_at: Mapped[str]
    resolved_at: Mapped[str] = mapped_column(default="")
    verified_at: Mapped[str] = mapped_column(default="")
    archived_at: Mapped[str] = mapped_column(default="")


class SymptomCause(Base):
    """A symptom that leads to a root cause."""

    __tablename__ = "symptom_rcas"
    __table_args__ = (UniqueConstraint("knowledge_key", "symptom_id", "rca_id"),)

    knowledge_key: Mapped[int] = mapped_column(ForeignKey("knowledge.key"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    symptom_id: Mapped[int]
    rca_id: Mapped[int]
    confidence: Mapped[float]
    notes: Mapped[str]
    linked_at: Mapped[str]
