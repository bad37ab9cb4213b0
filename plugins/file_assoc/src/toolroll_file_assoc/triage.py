"""Findings by hand: listing them, setting their status, and ending those that stay away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from sqlalchemy import CursorResult, literal_column, select, update
from sqlalchemy.orm import Session

import toolroll
from toolroll_file_assoc import clock, counters, identity
from toolroll_file_assoc.detail import finding_record
from toolroll_file_assoc.results import Finding as FindingRecord
from toolroll_file_assoc.tables import File, Finding

__all__ = ["clean_stale", "list_findings", "set_status"]

MICROSECONDS_PER_DAY: Final = 86_400_000_000


def list_findings(
    session: Session,
    *,
    path: str | None = None,
    status: str | None = None,
    limit: int = 100,
) -> list[tuple[str, FindingRecord]]:
    """Return findings with the path of their file, by path, line, rule and source."""
    statement = select(File.path, *Finding.__table__.columns).join(File, File.id == Finding.file_id)
    if path is not None:
        statement = statement.where(File.path == path)
    if status is not None:
        statement = statement.where(Finding.status == status)
    line = Finding.line_start.asc().nulls_first()
    order = (File.path, line, Finding.rule_id, Finding.scan_source)
    rows = session.execute(statement.order_by(*order).limit(limit))
    return [(row.path, finding_record(row)) for row in rows]


def set_status(session: Session, ids: Sequence[str], status: str) -> int:
    """Set the status of findings; return how many it changed.

    Raises:
        NotFound: One of them does not exist; none is changed.
    """
    files: dict[str, str] = {}
    for chunk in counters.chunks(ids):
        found = session.execute(select(Finding.id, Finding.file_id).where(Finding.id.in_(chunk)))
        files.update((finding_id, file_id) for finding_id, file_id in found)
    for finding_id in ids:
        if finding_id not in files:
            raise toolroll.NotFound(f"Finding not found: {finding_id}")
    now, changed = clock.next_of_all(session), 0
    for chunk in counters.chunks(ids):
        statement = (
            update(Finding)
            .where(Finding.id.in_(chunk), Finding.status != status)
            .values(status=status, updated_at=now)
            .execution_options(synchronize_session=False)
        )
        changed += cast("CursorResult[Any]", session.execute(statement)).rowcount
    counters.recount_findings(session, files.values())
    return changed


def clean_stale(session: Session, *, days: int) -> int:
    """Call findings fixed that no scan has seen for so many days; return how many.

    Only those that are `unseen_in_latest`: a finding that no scan looked for stays open.
    """
    before = identity.now() - days * MICROSECONDS_PER_DAY
    now = clock.next_of_all(session)
    stale = session.execute(
        select(Finding.id, Finding.file_id).where(
            Finding.status == literal_column("'unseen_in_latest'"), Finding.last_seen_at <= before
        )
    ).all()
    for chunk in counters.chunks(row.id for row in stale):
        session.execute(
            update(Finding)
            .where(Finding.id.in_(chunk))
            .values(status="fixed", updated_at=now)
            .execution_options(synchronize_session=False)
        )
    counters.recount_findings(session, (row.file_id for row in stale))
    return len(stale)
