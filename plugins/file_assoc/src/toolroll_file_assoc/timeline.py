"""`get_file_timeline`: findings, links and changes of a file merged into one order.

Each kind of event is one arm of a UNION ALL, read from an index that holds it newest first, so that
the database merges the arms and sorts only what has the same time: by type, then by source id. The
page boundaries are the same on every call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    Executable,
    Row,
    SQLColumnExpression,
    func,
    literal,
    select,
    text,
    union_all,
)
from sqlalchemy.orm import Session

from toolroll_file_assoc import files
from toolroll_file_assoc.identity import entry_id, iso
from toolroll_file_assoc.listing import MAX_INTEGER
from toolroll_file_assoc.params import EventType
from toolroll_file_assoc.results import TimelineEntry
from toolroll_file_assoc.tables import Event, Finding, Issue, Link

if TYPE_CHECKING:
    from sqlalchemy import Select

    Arm = Select[*tuple[Any, ...]]

__all__ = ["count_statement", "page_statement", "timeline"]

KINDS: Final[dict[EventType, tuple[str, ...]]] = {
    "finding": ("finding_created", "finding_updated"),
    "association": ("association_created",),
    "file_metadata_update": ("file_metadata_update",),
}
"""The entry types behind each value of `event_type`."""


def timeline(
    session: Session,
    file_id: str,
    *,
    limit: int = 50,
    offset: int = 0,
    event_type: EventType | None = None,
) -> tuple[list[TimelineEntry], int]:
    """Return one page of a file's timeline, newest first, and the number of all entries.

    Raises:
        NotFound: There is no such file.
    """
    files.get(session, file_id)
    page = page_statement(file_id, event_type, limit=limit, offset=offset)
    entries = [_entry(row) for row in session.execute(page)]
    if (entries or not offset) and len(entries) < limit:  # the last page says how many
        return entries, offset + len(entries)
    return entries, session.execute(count_statement(file_id, event_type)).scalar_one()


def page_statement(
    file_id: str, event_type: EventType | None = None, *, limit: int, offset: int
) -> Executable:
    """Return the query for one page of a file's timeline."""
    merged = union_all(*(_ARMS[kind](file_id) for kind in _kinds(event_type)))
    order = [text("at DESC"), text("kind"), text("text_id DESC"), text("number DESC")]
    return merged.order_by(*order).limit(limit).offset(min(offset, MAX_INTEGER))


def count_statement(file_id: str, event_type: EventType | None = None) -> Executable:
    """Return the query for the number of entries in a file's timeline."""
    counts: dict[str, Select[int]] = {
        "finding_created": select(func.count()).where(Finding.file_id == file_id),
        "finding_updated": select(func.count()).where(Finding.file_id == file_id, _UPDATED),
        "association_created": select(func.count()).where(Link.file_id == file_id),
        "file_metadata_update": select(func.count()).where(Event.file_id == file_id),
    }
    total = literal(0)
    for kind in _kinds(event_type):
        total = total + counts[kind].scalar_subquery()
    return select(total)


_UPDATED: Final = Finding.updated_at != Finding.first_seen


def _kinds(event_type: EventType | None) -> tuple[str, ...]:
    if event_type is not None:
        return KINDS[event_type]
    return tuple(kind for kinds in KINDS.values() for kind in kinds)


def _created(file_id: str) -> Arm:
    return _arm(
        "finding_created",
        Finding.first_seen,
        Finding.id,
        literal(0),
        (Finding.scan_source, Finding.rule_id, Finding.severity, Finding.message),
    ).where(Finding.file_id == file_id)


def _updated(file_id: str) -> Arm:
    return _arm(
        "finding_updated",
        Finding.updated_at,
        Finding.id,
        literal(0),
        (Finding.scan_source, Finding.rule_id, Finding.severity, Finding.status),
    ).where(Finding.file_id == file_id, _UPDATED)


def _linked(file_id: str) -> Arm:
    return (
        _arm(
            "association_created",
            Link.created_at,
            literal(""),
            Link.id,
            (Link.issue_id, Issue.title, Link.assoc_type, literal("")),
        )
        .join_from(Link, Issue, Issue.id == Link.issue_id)
        .where(Link.file_id == file_id)
    )


def _changed(file_id: str) -> Arm:
    return _arm(
        "file_metadata_update",
        Event.created_at,
        literal(""),
        Event.id,
        (Event.field, Event.old_value, Event.new_value, literal("")),
    ).where(Event.file_id == file_id)


_ARMS: Final = {
    "finding_created": _created,
    "finding_updated": _updated,
    "association_created": _linked,
    "file_metadata_update": _changed,
}
_DATA: Final = {
    "finding_created": ("scan_source", "rule_id", "severity", "message"),
    "finding_updated": ("scan_source", "rule_id", "severity", "status"),
    "association_created": ("issue_id", "issue_title", "assoc_type"),
    "file_metadata_update": ("field", "old_value", "new_value"),
}
"""Names of an entry's data, in the order of its arm's last columns."""


def _arm(
    kind: str,
    at: SQLColumnExpression[int],
    text_id: SQLColumnExpression[str],
    number: SQLColumnExpression[int],
    data: Sequence[SQLColumnExpression[str]],
) -> Arm:
    columns: list[Any] = [column.label(f"data_{place}") for place, column in enumerate(data)]
    return select(
        literal(kind).label("kind"),
        at.label("at"),
        text_id.label("text_id"),
        number.label("number"),
        *columns,
    )


def _entry(row: Row[Any]) -> TimelineEntry:
    timestamp = iso(row.at)
    source_id = row.text_id or str(row.number)
    values = (row.data_0, row.data_1, row.data_2, row.data_3)
    return TimelineEntry(
        id=entry_id(row.kind, timestamp, source_id),
        type=row.kind,
        timestamp=timestamp,
        source_id=source_id,
        data=dict(zip(_DATA[row.kind], values, strict=False)),
    )
