"""The counters that `files` keeps of its findings and links: counted anew, never added to.

Whoever changes findings or links calls this in the same unit of work, so that the counters can't
drift from what they count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast, get_args

from sqlalchemy import Table, bindparam, func, select, update
from sqlalchemy.orm import Session

from toolroll_file_assoc.params import Severity
from toolroll_file_assoc.tables import File, Finding, Link

__all__ = ["TERMINAL", "chunks", "recount_findings", "recount_links"]

TERMINAL: Final = ("fixed", "false_positive")
"""Statuses that end a finding; every other one is open (reference 1.3)."""
SEVERITIES: Final[tuple[str, ...]] = get_args(Severity)
_FILES: Final = cast("Table", File.__table__)
_CHUNK: Final = 500
"""Ids in one statement: well under the parameters that any SQLite allows."""


def chunks(ids: Iterable[str]) -> Iterator[Sequence[str]]:
    """Yield distinct ids, sorted, in lists short enough for one statement."""
    distinct = sorted(set(ids))
    for start in range(0, len(distinct), _CHUNK):
        yield distinct[start : start + _CHUNK]


def recount_findings(session: Session, file_ids: Iterable[str]) -> None:
    """Count the findings of these files anew."""
    session.flush()
    for chunk in chunks(file_ids):
        groups = session.execute(
            select(
                Finding.file_id,
                Finding.severity,
                Finding.scan_source,
                Finding.status.in_(TERMINAL).label("terminal"),
                func.count(),
            )
            .where(Finding.file_id.in_(chunk))
            .group_by("file_id", "severity", "scan_source", "terminal")
        )
        found = {file_id: _nothing(file_id) for file_id in chunk}
        sources: defaultdict[str, set[str]] = defaultdict(set)
        for file_id, severity, source, terminal, count in groups:
            row = found[file_id]
            row["total_findings"] += count
            sources[file_id].add(source)
            if not terminal:
                row["open_findings"] += count
                row[severity] += count
        for file_id, names in sources.items():
            found[file_id]["scan_sources"] = "\n" + "".join(f"{name}\n" for name in sorted(names))
        statement = update(_FILES).where(File.id == bindparam("key"))
        session.connection().execute(statement, list(found.values()))


def recount_links(session: Session, file_ids: Iterable[str]) -> None:
    """Count the links of these files anew."""
    session.flush()
    for chunk in chunks(file_ids):
        links = (
            select(func.count()).where(Link.file_id == File.id).correlate(File).scalar_subquery()
        )
        session.execute(
            update(File)
            .where(File.id.in_(chunk))
            .values(associations_count=links)
            .execution_options(synchronize_session=False)
        )


def _nothing(file_id: str) -> dict[str, Any]:
    row: dict[str, Any] = {"key": file_id, "total_findings": 0, "open_findings": 0}
    return row | dict.fromkeys(SEVERITIES, 0) | {"scan_sources": ""}
