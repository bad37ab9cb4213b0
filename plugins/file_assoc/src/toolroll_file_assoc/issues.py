"""Issues, as far as files need them: made here, or imported from a tracker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen
from sqlalchemy import select
from sqlalchemy.orm import Session

import toolroll
from toolroll_file_assoc import clock, counters, identity
from toolroll_file_assoc.issue_lists import ListedIssue
from toolroll_file_assoc.tables import Issue

__all__ = ["CLOSED", "ImportedIssues", "IssueRecord", "add", "close", "import_list", "list_issues"]

CLOSED: Final = "closed"


@frozen
class IssueRecord:
    """An issue as commands print it."""

    id: str
    title: str
    status: str
    type: str
    priority: int
    url: str
    created_at: str
    updated_at: str

    @classmethod
    def of(cls, issue: Issue) -> IssueRecord:
        """Make the record of a row."""
        return cls(
            id=issue.id,
            title=issue.title,
            status=issue.status,
            type=issue.type,
            priority=issue.priority,
            url=issue.url,
            created_at=identity.iso(issue.created_at),
            updated_at=identity.iso(issue.updated_at),
        )


@frozen
class ImportedIssues:
    """What importing a list did."""

    created: int
    updated: int
    unchanged: int


def add(
    session: Session, title: str, *, prefix: str, type: str = "task", priority: int = 2
) -> IssueRecord:
    """Make an open issue.

    Raises:
        InvalidArguments: The title is blank.
    """
    if not title.strip():
        raise toolroll.InvalidArguments("an issue needs a title")
    now = clock.next_of_all(session)
    issue = Issue(
        id=identity.issue_id(prefix),
        title=title.strip(),
        status="open",
        type=type,
        priority=priority,
        url="",
        created_at=now,
        updated_at=now,
    )
    session.add(issue)
    session.flush()
    return IssueRecord.of(issue)


def list_issues(session: Session, *, everything: bool = False) -> list[IssueRecord]:
    """Return the issues that are not closed, or all of them, newest first."""
    statement = select(Issue).order_by(Issue.created_at.desc(), Issue.id.desc())
    if not everything:
        statement = statement.where(Issue.status != CLOSED)
    return [IssueRecord.of(issue) for issue in session.scalars(statement)]


def close(session: Session, issue_id: str) -> IssueRecord:
    """Close an issue; a closed one stays as it is. Its links remain.

    Raises:
        NotFound: There is none.
    """
    issue = session.get(Issue, issue_id)
    if issue is None:
        raise toolroll.NotFound(f"Issue not found: {issue_id}")
    if issue.status != CLOSED:
        issue.status, issue.updated_at = CLOSED, clock.next_of_all(session)
    return IssueRecord.of(issue)


def import_list(session: Session, listed: Sequence[ListedIssue], *, prefix: str) -> ImportedIssues:
    """Store a tracker's issues; one that was imported before is brought up to date."""
    latest = {issue.key: issue for issue in listed}
    known: dict[str | None, Issue] = {}
    for chunk in counters.chunks(latest):
        rows = session.scalars(select(Issue).where(Issue.external_key.in_(chunk)))
        known.update((issue.external_key, issue) for issue in rows)
    now, created, updated = clock.next_of_all(session), 0, 0
    for key, item in latest.items():
        values = {
            "title": item.title,
            "status": item.status,
            "type": item.type,
            "priority": item.priority,
            "url": item.url,
        }
        issue = known.get(key)
        if issue is None:
            created += 1
            fresh = identity.issue_id(prefix)
            times = {"created_at": now, "updated_at": now}
            session.add(Issue(id=fresh, external_key=key, **values, **times))
        elif any(getattr(issue, name) != value for name, value in values.items()):
            updated += 1
            for name, value in values.items():
                setattr(issue, name, value)
            issue.updated_at = now
    return ImportedIssues(created, updated, len(latest) - created - updated)
