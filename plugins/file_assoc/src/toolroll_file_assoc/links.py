"""Links between files and issues, seen from both ends."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import CursorResult, delete, select
from sqlalchemy.orm import Session

import toolroll
from toolroll_file_assoc import clock, counters, files, identity
from toolroll_file_assoc.params import AssocType
from toolroll_file_assoc.results import FileLink, IssueFile
from toolroll_file_assoc.tables import File, Issue, Link

__all__ = ["link", "of_file", "of_issue", "unlink"]


def link(session: Session, file_id: str, issue_id: str, assoc_type: AssocType) -> None:
    """Link a file and an issue; a link that exists already stays as it is.

    Raises:
        NotFound: There is no such file.
        InvalidArguments: There is no such issue (seed, tool 5; design 8).
    """
    files.get(session, file_id)
    if session.get(Issue, issue_id) is None:
        raise toolroll.InvalidArguments(
            f'Issue not found: "{issue_id}". '
            "Verify the issue exists before creating an association."
        )
    known = select(Link.id).where(
        Link.file_id == file_id, Link.issue_id == issue_id, Link.assoc_type == assoc_type
    )
    if session.execute(known).first() is None:
        now = clock.next_of_file(session, file_id)
        new = Link(file_id=file_id, issue_id=issue_id, assoc_type=assoc_type, created_at=now)
        session.add(new)
        session.flush()
        counters.recount_links(session, [file_id])


def unlink(
    session: Session, file_id: str, issue_id: str, assoc_type: AssocType | None = None
) -> int:
    """Remove the links between a file and an issue, of one type or all; return how many.

    Raises:
        NotFound: There is no such file or issue.
    """
    files.get(session, file_id)
    if session.get(Issue, issue_id) is None:
        raise toolroll.NotFound(f"Issue not found: {issue_id}")
    statement = delete(Link).where(Link.file_id == file_id, Link.issue_id == issue_id)
    if assoc_type is not None:
        statement = statement.where(Link.assoc_type == assoc_type)
    removed = cast("CursorResult[Any]", session.execute(statement)).rowcount
    if removed:
        counters.recount_links(session, [file_id])
    return removed


def of_file(session: Session, file_id: str) -> list[FileLink]:
    """Return the links of a file, newest first."""
    statement = (
        select(Link.id, Link.issue_id, Link.assoc_type, Link.created_at, Issue.title, Issue.status)
        .join(Issue, Issue.id == Link.issue_id)
        .where(Link.file_id == file_id)
        .order_by(Link.created_at.desc(), Link.id.desc())
    )
    return [
        FileLink(
            id=row.id,
            file_id=file_id,
            issue_id=row.issue_id,
            assoc_type=row.assoc_type,
            created_at=identity.iso(row.created_at),
            issue_title=row.title,
            issue_status=row.status,
        )
        for row in session.execute(statement)
    ]


def of_issue(session: Session, issue_id: str) -> list[IssueFile]:
    """Return the links of an issue, newest first.

    Raises:
        NotFound: There is no such issue.
    """
    if session.get(Issue, issue_id) is None:
        raise toolroll.NotFound(f"Issue not found: {issue_id}")
    statement = (
        select(Link.id, Link.file_id, Link.assoc_type, Link.created_at, File.path, File.language)
        .join(File, File.id == Link.file_id)
        .where(Link.issue_id == issue_id)
        .order_by(Link.created_at.desc(), Link.id.desc())
    )
    return [
        IssueFile(
            id=row.id,
            file_id=row.file_id,
            issue_id=issue_id,
            assoc_type=row.assoc_type,
            created_at=identity.iso(row.created_at),
            file_path=row.path,
            file_language=row.language,
        )
        for row in session.execute(statement)
    ]
