"""`get_file`: a file with its links and its last updated findings."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from toolroll_file_assoc import files, links
from toolroll_file_assoc.identity import iso
from toolroll_file_assoc.listing import summary
from toolroll_file_assoc.results import FileDetail
from toolroll_file_assoc.results import Finding as FindingRecord
from toolroll_file_assoc.stored_json import loads
from toolroll_file_assoc.tables import Finding

__all__ = ["RECENT", "detail", "finding_record"]

RECENT: Final = 10
"""Findings that `get_file` shows, whatever their status (reference 1.4)."""


def detail(session: Session, file_id: str) -> FileDetail:
    """Return a file with its links, newest first, and its last updated findings.

    Raises:
        NotFound: There is no such file.
    """
    file = files.get(session, file_id)
    recent = (
        select(*Finding.__table__.columns)
        .where(Finding.file_id == file_id)
        .order_by(Finding.updated_at.desc(), Finding.id.desc())
        .limit(RECENT)
    )
    return FileDetail(
        file=files.record(file),
        associations=links.of_file(session, file_id),
        recent_findings=[finding_record(row) for row in session.execute(recent)],
        summary=summary(file),
    )


def finding_record(row: Row[Any]) -> FindingRecord:
    """Return a row of the table `findings` as callers see it."""
    return FindingRecord(
        id=row.id,
        file_id=row.file_id,
        severity=row.severity,
        status=row.status,
        scan_source=row.scan_source,
        rule_id=row.rule_id,
        message=row.message,
        suggestion=row.suggestion,
        scan_run_id=row.scan_run_id,
        line_start=row.line_start,
        line_end=row.line_end,
        issue_id=row.issue_id,
        seen_count=row.seen_count,
        first_seen=iso(row.first_seen),
        updated_at=iso(row.updated_at),
        last_seen_at=iso(row.last_seen_at),
        metadata=loads(row.metadata),
    )
