"""What is asked of `mcp_files` in one project: exact paths, ranges, the newest change below.

Statements are built once at import: building one costs more than running it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final

from attrs import frozen
from sqlalchemy import (
    BindParameter,
    Connection,
    Executable,
    bindparam,
    case,
    func,
    select,
    type_coerce,
    union_all,
)

from toolroll.storage.prepared import Prepared
from toolroll_fileio.names import ROOT, Space, Span, parents_of
from toolroll_fileio.tables import ShownTime, active, files, projects, times

__all__ = ["Files", "StoredFile", "Usage"]

MOST_PARAMETERS: Final = 10_000
"""Paths in one statement: SQLite takes 32,766 parameters, PostgreSQL 65,535."""

IN_SPACE: Final = (files.c.apikey_hash == bindparam("tenant")) & (
    files.c.project == bindparam("project")
)
IN_SPAN: Final = (files.c.path >= bindparam("low")) & (files.c.path < bindparam("high"))

_COLUMNS: Final = (
    files.c.id,
    files.c.path,
    files.c.size,
    files.c.created_at,
    files.c.updated_at,
)
_ONE: Final = Prepared(select(*_COLUMNS).where(IN_SPACE, active, files.c.path == bindparam("path")))
_AMONG: Final = (
    select(files.c.path)
    .where(IN_SPACE, active, files.c.path.in_(bindparam("paths", expanding=True)))
    .order_by(files.c.path)
    .limit(1)
)
_FIRST: Final = select(files.c.path).where(IN_SPACE, active, IN_SPAN).order_by(files.c.path)
_ANY: Final = Prepared(_FIRST.limit(1))
_SOME: Final = select(*_COLUMNS).where(
    IN_SPACE, active, files.c.path.in_(bindparam("paths", expanding=True))
)
_PAGE: Final = _FIRST.limit(bindparam("most"))


def _child_steps(find: str) -> Any:
    """Build the recursive walk: after a file its next sibling, after a directory what follows it.

    Args:
        find: The dialect's function for the position of a text in another.
    """
    here = IN_SPACE & active & (files.c.path < bindparam("high"))
    first = select(func.min(files.c.path).label("path")).where(
        here, files.c.path >= bindparam("low")
    )
    walk = first.cte("walk", recursive=True)
    rest = func.substr(walk.c.path, bindparam("rest"))
    slash = getattr(func, find)(rest, "/")
    following = case(
        (slash > 0, func.substr(walk.c.path, 1, bindparam("rest") + slash - 2).concat("0")),
        else_=walk.c.path.concat("!"),
    )
    later = select(func.min(files.c.path)).where(here, files.c.path >= following).scalar_subquery()
    walk = walk.union_all(select(later).where(walk.c.path.is_not(None)))
    return select(walk.c.path).where(walk.c.path.is_not(None)).limit(bindparam("most"))


_CHILDREN: Final = {"sqlite": _child_steps("instr"), "postgresql": _child_steps("strpos")}
_NEWEST: Final = select(func.max(files.c.updated_at)).where(IN_SPACE, active, IN_SPAN)
_CUT: Final = func.substr(
    files.c.content, bindparam("first"), bindparam("count"), type_=files.c.content.type
)
_PART: Final = Prepared(
    select(files.c.size, _CUT).where(IN_SPACE, active, files.c.path == bindparam("path"))
)
_IN_ORDER: Final = select(*_COLUMNS).where(IN_SPACE, active, IN_SPAN).order_by(files.c.path)
_ROWS: Final = Prepared(
    _IN_ORDER.with_only_columns(
        files.c.path,
        files.c.size,
        type_coerce(files.c.created_at, ShownTime),
        type_coerce(files.c.updated_at, ShownTime),
    ).limit(bindparam("most"))
)


@cache
def _around(count: int) -> Prepared:
    """Build the question for so many paths and for the first of a range."""
    paths: list[BindParameter[str]] = [bindparam(f"path{number}") for number in range(count)]
    among = select(*_COLUMNS).where(IN_SPACE, active, files.c.path.in_(paths))
    return Prepared(union_all(among, select(_IN_ORDER.limit(1).subquery())))


_IN_TIMES: Final = (times.c.apikey_hash == bindparam("tenant")) & (
    times.c.project == bindparam("project")
)
_TIMES: Final = select(times.c.path, times.c.updated_at).where(
    _IN_TIMES, times.c.path.in_(bindparam("paths", expanding=True))
)
_ANY_TIME: Final = Prepared(
    select(times.c.path)
    .where(_IN_TIMES, times.c.path >= bindparam("low"), times.c.path < bindparam("high"))
    .limit(1)
)
_USAGE: Final = Prepared(
    select(projects.c.file_count, projects.c.total_bytes, projects.c.updated_at).where(
        projects.c.apikey_hash == bindparam("tenant"), projects.c.project == bindparam("project")
    )
)


@frozen
class StoredFile:
    """An active file without its content."""

    id: int
    path: str
    size: int
    created_at: datetime
    updated_at: datetime


@frozen
class Usage:
    """Totals of a project's active files.

    Attributes:
        updated_at: When the project was last changed; None if it never was.
    """

    file_count: int = 0
    total_bytes: int = 0
    updated_at: datetime | None = None


@frozen
class Around:
    """What is at a path and near it.

    Attributes:
        file: The file with exactly this path.
        above: The nearest parent segment that is a file.
        is_directory: Whether any file lies below the path.
    """

    file: StoredFile | None
    above: str | None
    is_directory: bool


class Files:
    """The active files of one project, seen through one transaction."""

    def __init__(self, connection: Connection, space: Space) -> None:
        self.connection = connection
        self.space = space
        self.bound = space.bound

    def get(self, path: str) -> StoredFile | None:
        """Return the file with exactly this path."""
        row = _ONE.first(self.connection, {**self.bound, "path": path})
        return StoredFile(*row) if row else None

    def around(self, path: str) -> Around:
        """Return the file at a path, and what keeps a new file from being there."""
        above = [parent for parent in parents_of(path) if parent != ROOT]
        span = Span.below(path)
        paths = {f"path{number}": name for number, name in enumerate((path, *above))}
        bound = {**self.bound, **paths, "low": span.low, "high": span.high}
        rows = _around(len(paths)).all(self.connection, bound)
        found = {file.path: file for file in (StoredFile(*row) for row in rows)}
        return Around(
            file=found.get(path),
            above=next((parent for parent in above if parent in found), None),
            is_directory=any(span.low <= name < span.high for name in found),
        )

    def is_directory(self, path: str) -> bool:
        """Say whether any file lies below a path; for the root, whether there is any at all."""
        return self.any_in(Span.below(path))

    def any_in(self, span: Span) -> bool:
        """Say whether a file lies in a range."""
        bound = {**self.bound, "low": span.low, "high": span.high}
        return _ANY.first(self.connection, bound) is not None

    def file_above(self, path: str) -> str | None:
        """Return a parent segment of a path that is a file, if there is one."""
        parents = [parent for parent in parents_of(path) if parent != ROOT]
        if not parents:
            return None
        return self.connection.execute(_AMONG, {**self.bound, "paths": parents}).scalar()

    def some(self, paths: Sequence[str]) -> dict[str, StoredFile]:
        """Return the files with these paths, by path."""
        return {row.path: StoredFile(*row) for row in self._each(_SOME, paths)}

    def page(self, span: Span, most: int) -> list[str]:
        """Return the first paths of a range in byte order."""
        rows = self.connection.execute(
            _PAGE, {**self.bound, "low": span.low, "high": span.high, "most": most}
        )
        return list(rows.scalars())

    def rows(self, span: Span, most: int) -> Sequence[Any]:
        """Return (path, size, created, updated) of the first files of a range in byte order.

        The times are as the tools show them.
        """
        bound = {**self.bound, "low": span.low, "high": span.high, "most": most}
        return _ROWS.all(self.connection, bound)

    def children(self, span: Span, base: str, most: int) -> list[str]:
        """Return the first path of each child of the directory `base` in byte order.

        One statement that jumps from child to child, however much lies below each.

        Args:
            span: A range inside the directory.
            base: The directory.
            most: Children at most.
        """
        rows = self.connection.execute(
            _CHILDREN[self.connection.dialect.name],
            {
                **self.bound,
                "low": span.low,
                "high": span.high,
                "rest": len(base) + 2,
                "most": most,
            },
        )
        return list(rows.scalars())

    def paths(self, span: Span) -> list[str]:
        """Return the paths of a range in byte order."""
        rows = self.connection.execute(_FIRST, {**self.bound, "low": span.low, "high": span.high})
        return list(rows.scalars())

    def newest_in(self, span: Span) -> datetime | None:
        """Return the newest change in a range, reading all of it."""
        return self.connection.execute(
            _NEWEST, {**self.bound, "low": span.low, "high": span.high}
        ).scalar()

    def has_directory_in(self, span: Span) -> bool:
        """Say whether a directory's path lies in a range."""
        bound = {**self.bound, "low": span.low, "high": span.high}
        return _ANY_TIME.first(self.connection, bound) is not None

    def times_of(self, directories: Sequence[str]) -> dict[str, datetime]:
        """Return the newest change below each directory, without reading what lies there."""
        return {row.path: row.updated_at for row in self._each(_TIMES, directories)}

    def _each(self, statement: Executable, paths: Sequence[str]) -> Iterator[Any]:
        """Run a statement for all paths, no more at a time than a database takes parameters."""
        distinct = list(dict.fromkeys(paths))
        for at in range(0, len(distinct), MOST_PARAMETERS):
            some = distinct[at : at + MOST_PARAMETERS]
            yield from self.connection.execute(statement, {**self.bound, "paths": some})

    def usage(self) -> Usage:
        """Return the project's totals."""
        row = _USAGE.first(self.connection, self.bound)
        return Usage(*row) if row else Usage()

    def part(self, path: str, start: int, count: int) -> tuple[int, bytes] | None:
        """Return a file's size and up to `count` of its bytes from `start`, reading no others."""
        bound = {**self.bound, "path": path, "first": start + 1, "count": count}
        row = _PART.first(self.connection, bound)
        return (row[0], row[1] or b"") if row else None
