"""`list_files`: any filter, any order and any page, by walking one index.

Every sort index carries all that can be filtered by (`tables.SORT_INDEXES`). A page is found by
walking the index of its order, and the total by walking the narrowest one, both without touching
the table; only the rows of the page itself are then looked up. With 100,000 files, the deepest page
of the rarest filter costs two walks of 100,000 index entries, about 20 ms, and the first page of a
common one a few hundred entries. Letting the database choose would sort tens of thousands of rows
whenever a filter has an index of its own, so that the index is named.
"""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen
from sqlalchemy import ColumnElement, Executable, Integer, Row, false, func, literal, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.sql.functions import FunctionElement

from toolroll_file_assoc.identity import iso
from toolroll_file_assoc.params import Severity, SortKey
from toolroll_file_assoc.results import FileRow, Summary
from toolroll_file_assoc.stored_json import loads
from toolroll_file_assoc.tables import SORT_INDEXES, File

__all__ = ["Filters", "after_prefix", "count_statement", "list_files", "page_statement", "summary"]

MAX_INTEGER: Final = 2**62
"""Larger offsets and thresholds are this one: it is beyond every row, and fits every database."""


@frozen(kw_only=True)
class Filters:
    """Which files to list; None lets every file through, and filters add up.

    Attributes:
        language: Exactly this; "" means files without one.
        path_prefix: The canonical path starts with it, byte for byte; nothing in it is a wildcard.
        min_findings: At least so many open findings.
        has_severity: At least one open finding of exactly this severity.
        scan_source: At least one finding of this source, open or not; "" is no filter.
    """

    language: str | None = None
    path_prefix: str | None = None
    min_findings: int | None = None
    has_severity: Severity | None = None
    scan_source: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the filters as SQL."""
        found: list[ColumnElement[bool]] = []
        if self.language is not None:
            found.append(File.language == self.language)
        if self.path_prefix:
            found.append(File.path >= self.path_prefix)
            if (end := after_prefix(self.path_prefix)) is not None:
                found.append(File.path < end)
        if self.min_findings:
            found.append(File.open_findings >= min(self.min_findings, MAX_INTEGER))
        if self.has_severity is not None:
            counter: InstrumentedAttribute[int] = getattr(File, self.has_severity)
            found.append(counter > 0)
        if self.scan_source:
            found.append(_position(File.scan_sources, literal(f"\n{self.scan_source}\n")) > 0)
            if "\n" in self.scan_source:  # it would match two neighbouring names
                found.append(false())
        return found


class _position(FunctionElement[int]):
    """Where a text starts in another, from 1; 0 where it doesn't occur."""

    inherit_cache = True
    type = Integer()


@compiles(_position, "sqlite")
def _position_on_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return f"instr({compiler.process(element.clauses, **options)})"


@compiles(_position, "postgresql")
def _position_on_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **options)})"


def after_prefix(prefix: str) -> str | None:
    """Return the least text greater than every text that starts with `prefix`, or None.

    In code-point order, which is the byte order of UTF-8; surrogates are stepped over, because no
    database stores them.
    """
    for end in range(len(prefix), 0, -1):
        point = ord(prefix[end - 1]) + 1
        if point == 0xD800:
            point = 0xE000
        if point <= 0x10FFFF:
            return prefix[: end - 1] + chr(point)
    return None


def page_statement(
    filters: Filters, sort: SortKey, *, descending: bool, limit: int, offset: int
) -> Executable:
    """Return the query for one page: an ordered walk of the sort's index, then its rows."""
    keys = [getattr(File, sort)] if sort == "path" else [getattr(File, sort), File.id]
    page = (
        select(File.id)
        .with_hint(File, f"INDEXED BY {SORT_INDEXES[sort]}", "sqlite")
        .where(*filters.conditions())
        .order_by(*(_directed(key, descending) for key in keys))
        .limit(limit)
        .offset(min(offset, MAX_INTEGER))
        .subquery("page")
    )
    return (
        select(*_COLUMNS)
        .join(page, page.c.id == File.id)
        .order_by(*(_directed(key, descending) for key in keys))
    )


def count_statement(filters: Filters) -> Executable:
    """Return the query for the number of files that the filters let through."""
    return select(func.count()).select_from(File).where(*filters.conditions())


def list_files(
    session: Session,
    filters: Filters,
    *,
    sort: SortKey = "updated_at",
    descending: bool = True,
    limit: int = 100,
    offset: int = 0,
) -> tuple[list[FileRow], int]:
    """Return one page of files and the number of all that match; equal keys are ordered by id."""
    statement = page_statement(filters, sort, descending=descending, limit=limit, offset=offset)
    rows = [_row(row) for row in session.execute(statement)]
    if (rows or not offset) and len(rows) < limit:  # the last page says how many there are
        return rows, offset + len(rows)
    return rows, session.execute(count_statement(filters)).scalar_one()


def summary(row: Any) -> Summary:
    """Return the counters of a file."""
    return Summary(
        total_findings=row.total_findings,
        open_findings=row.open_findings,
        critical=row.critical,
        high=row.high,
        medium=row.medium,
        low=row.low,
        info=row.info,
    )


_COLUMNS: Final = (
    File.id,
    File.path,
    File.language,
    File.file_type,
    File.first_seen,
    File.updated_at,
    File.extra,
    File.total_findings,
    File.open_findings,
    File.critical,
    File.high,
    File.medium,
    File.low,
    File.info,
    File.associations_count,
)


def _row(row: Row[Any]) -> FileRow:
    return FileRow(
        id=row.id,
        path=row.path,
        language=row.language,
        file_type=row.file_type,
        first_seen=iso(row.first_seen),
        updated_at=iso(row.updated_at),
        metadata=loads(row.extra),
        summary=summary(row),
        associations_count=row.associations_count,
    )


def _directed(key: InstrumentedAttribute[Any], descending: bool) -> ColumnElement[Any]:
    return key.desc() if descending else key.asc()
