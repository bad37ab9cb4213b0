"""What is kept of each suite, and removing it."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

import toolroll
from toolroll_investigation.access import suite_files
from toolroll_investigation.case_files import files_of
from toolroll_investigation.tables import (
    EXAM,
    Case,
    Job,
    Knowledge,
    Launch,
    Pipeline,
    RootCauseRecord,
    Submission,
    Suite,
    Symptom,
    SymptomCause,
    Triage,
    Version,
)

_OF_A_SUITE: Final[tuple[Any, ...]] = (Submission, Triage, Case, Job, Launch, Pipeline, Version)
"""What is of one suite alone, each before what it belongs to."""
_OF_A_SPACE: Final[tuple[Any, ...]] = (SymptomCause, RootCauseRecord, Symptom)


def holdings(context: toolroll.PackContext) -> list[toolroll.Holding]:
    """The suites of every tenant, named by their numbers."""
    if not context.database.is_made:
        return []
    base = suite_files(context)
    with context.database.read() as session:
        rows = session.execute(
            select(
                Suite.tenant, Suite.number, func.length(Suite.scenario), func.max(Case.updated_at)
            )
            .outerjoin(Case, Case.suite_key == Suite.key)
            .group_by(Suite.key)
        ).all()
    return [
        toolroll.Holding(
            name=str(number),
            tenant="" if tenant == toolroll.LOCAL.tenant else tenant,
            size=scenario + _size(files_of(base, tenant) / str(number)),
            used=datetime.fromisoformat(changed) if changed else None,
        )
        for tenant, number, scenario, changed in rows
    ]


def remove(context: toolroll.PackContext, holding: toolroll.Holding) -> None:
    """Remove a suite and its files, with what an exam has learned; what real failures taught stays.

    Raises:
        NotFound: It is gone already.
    """
    tenant = holding.tenant or toolroll.LOCAL.tenant
    with context.database.begin(lock=f"investigation:{tenant}") as session:
        wanted = Suite.tenant == tenant, Suite.number == int(holding.name)
        suite = session.scalars(select(Suite).where(*wanted)).one_or_none()
        if suite is None:
            raise toolroll.NotFound(f"there is no suite {holding.name} any more")
        key, knowledge = suite.key, suite.knowledge_key
        for table in _OF_A_SUITE:
            session.execute(delete(table).where(table.suite_key == key))
        session.execute(delete(Suite).where(Suite.key == key))
        _forget_exam(session, knowledge)
    shutil.rmtree(files_of(suite_files(context), tenant) / holding.name, ignore_errors=True)


def _forget_exam(session: Session, key: int) -> None:
    """Remove the space of an exam that no suite works in any more."""
    space = session.get_one(Knowledge, key)
    if space.kind != EXAM or session.scalar(select(Suite.key).where(Suite.knowledge_key == key)):
        return
    for table in _OF_A_SPACE:
        session.execute(delete(table).where(table.knowledge_key == key))
    session.delete(space)


def _size(directory: Path) -> int:
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())
