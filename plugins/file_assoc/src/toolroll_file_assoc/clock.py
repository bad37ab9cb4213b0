"""The time of a change: later than all that is stored, so that no clock can reorder what happened.

A clock may be set back, and two hosts on one database have two clocks. Every writer holds one lock,
under which the newest stored time is looked up; a change that the clock places before it comes a
microsecond after it instead. A time that lies further ahead comes of a clock that was wrong, and
nothing follows it: all dates would be wrong from then on.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, func, select, true
from sqlalchemy.orm import Session

from toolroll_file_assoc import identity
from toolroll_file_assoc.tables import Event, File, Finding, Issue, Link

__all__ = ["next_of_all", "next_of_file"]

FARTHEST: Final = 24 * 3_600 * 1_000_000
"""Microseconds that the newest stored time may be ahead of the clock."""


def next_of_file(session: Session, file_id: str) -> int:
    """Return the time of a change of one file, its links and events, by seeking."""
    return _next(session, Finding.file_id == file_id)


def next_of_all(session: Session) -> int:
    """Return the time of a change of anything; reads the times of all findings."""
    return _next(session, true())


def _next(session: Session, findings: ColumnElement[bool]) -> int:
    newest = (
        select(func.max(File.updated_at)),
        select(func.max(Issue.created_at)),
        select(func.max(Finding.updated_at)).where(findings),
        # of these the last one is the newest; no index holds the times of all
        select(Link.created_at).order_by(Link.id.desc()).limit(1),
        select(Event.created_at).order_by(Event.id.desc()).limit(1),
    )
    session.flush()
    row = session.execute(select(*(each.scalar_subquery() for each in newest))).one()
    now = identity.now()
    newest_time = max((time for time in row if time is not None), default=0)
    return now if newest_time > now + FARTHEST else max(now, newest_time + 1)
