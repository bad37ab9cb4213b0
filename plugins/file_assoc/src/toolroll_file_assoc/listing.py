"""`list_files`: any filter, any order and any page, by walking one index.

Every sort index carries all that can be filtered by (`tables.SORT_INDEXES`). A page is found by
walking the index of its order from the nearer end, and the total by walking the narrowest index,
both without touching the table; only the rows of the page itself are looked up. Left alone, SQLite
would rather use the index of a filter and sort what it finds, tens of thousands of rows, so that
filters are kept from choosing the index of a page (`_unindexed`).
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
from toolroll_file_assoc.tables import File

__all__ = ["Filters", "after_prefix", "count_statement", "list_files", "page_statement", "summary"]

MAX_INTEGER: Final = 2**31 - 1
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

    def conditions(self, *, walk: SortKey | None = None) -> list[ColumnElement[bool]]:
        """Return the filters as SQL.

        Args:
            walk: The order of the index to walk: no other filter may choose the index.
        """
        language = _column(File.language, walk in {None, "language"})
        path = _column(File.path, walk in {None, "path"})
        open_findings = _column(File.open_findings, walk is None)
        found: list[ColumnElement[bool]] = []
        if self.language is not None:
            found.append(language == self.language)
        if self.path_prefix:
            found.append(path >= self.path_prefix)
            if (end := after_prefix(self.path_prefix)) is not None:
                found.append(path < end)
        # one of a severity is one at all: said too, so that a total can seek
        least = max(self.min_findings or 0, 0 if self.has_severity is None else 1)
        if least:
            found.append(open_findings >= min(least, MAX_INTEGER))
        if self.has_severity is not None:
            counter: InstrumentedAttribute[int] = getattr(File, self.has_severity)
            found.append(counter > 0)
        if self.scan_source:
            found.append(_holds(File.scan_sources, self.scan_source))
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


def _holds(names: ColumnElement[str] | InstrumentedAttribute[str], name: str) -> Any:
    """Say whether a file's `scan_sources` hold a name; a line break would match two of them."""
    return _position(names, literal(f"\n{name}\n")) > 0 if "\n" not in name else false()


class _unindexed(FunctionElement[Any]):
    """A column whose comparisons choose no index: SQLite's documented unary plus.

    PostgreSQL knows its data from statistics, and is left to choose.
    """

    inherit_cache = True


@compiles(_unindexed)
def _as_it_is(element: Any, compiler: Any, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(_unindexed, "sqlite")
def _plus(element: Any, compiler: Any, **options: Any) -> str:
    return f"+{compiler.process(element.clauses, **options)}"


def _column(column: InstrumentedAttribute[Any], indexed: bool) -> ColumnElement[Any]:
    return column.expression if indexed else _unindexed(column)


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
    filters: Filters, sort: SortKey, *, descending: bool, limit: int, offset: int, total: int
) -> Executable:
    """Return the query for one page.

    Args:
        total: How many files match: a page in the second half is found from the other end.
    """
    keys = [getattr(File, sort)] if sort == "path" else [getattr(File, sort), File.id]
    size = max(min(limit, total - offset), 0)
    start = min(offset, MAX_INTEGER)
    backwards = start > total - start - size
    if backwards:
        start = max(total - start - size, 0)
    page = (
        select(File.id)
        .where(*filters.conditions(walk=sort))
        .order_by(*(_directed(key, descending is not backwards) for key in keys))
        .limit(size)
        .offset(start)
        .subquery("page")
    )
    return (
        select(*_COLUMNS)
        .join(page, page.c.id == File.id)
        .order_by(*(_directed(key, descending) for key in keys))
    )


def count_statement(filters: Filters) -> Executable:
    """Return the query for the number of files that the filters let through."""
    if filters.scan_source and filters == Filters(scan_source=filters.scan_source):
        return _count_of_source(filters.scan_source)
    return select(func.count()).select_from(File).where(*filters.conditions())


def _count_of_source(source: str) -> Executable:
    """Return the query for the number of files with findings of a source.

    Few different values of `scan_sources` exist, one for each set of scanners that found something
    in the same file: they are hopped through in their index, and the files of those that hold the
    source are counted there.
    """
    value = select(func.min(File.scan_sources).label("value")).cte("value", recursive=True)
    following = (
        select(func.min(File.scan_sources)).where(File.scan_sources > value.c.value)
    ).scalar_subquery()
    value = value.union_all(select(following).where(value.c.value.is_not(None)))
    holding = select(value.c.value).where(_holds(value.c.value, source))
    return select(func.count()).select_from(File).where(File.scan_sources.in_(holding))


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
    total = session.execute(count_statement(filters)).scalar_one()
    if offset >= total:
        return [], total
    statement = page_statement(
        filters, sort, descending=descending, limit=limit, offset=offset, total=total
    )
    return [_row(row) for row in session.execute(statement)], total


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
