"""Reading and writing one project's rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import sqlalchemy as sa
from attrs import frozen

from toolroll_codegraph.storage.tables import calls, facts, files, functions, projects, relations

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from toolroll_codegraph.indexing.rows import FileRows

_Item = TypeVar("_Item")
_CHUNK: Final = 400
"""Paths in one IN list; SQLite's oldest limit of variables is 999."""
_ROWS: Final = 10_000
"""Rows sent to the driver at once."""


@frozen
class StoredProject:
    """A project as it was last indexed."""

    id: int
    path: str
    languages: tuple[str, ...]
    include_tests: bool
    indexed_at: int
    """Nanoseconds since 1970."""
    layout: str
    stats: Mapping[str, int]
    families: Mapping[str, Mapping[str, int]]
    """The part of `stats` that resolving counts, by family of languages."""
    provisional: Mapping[str, int]
    """Families of which the last edits are only told provisionally → when the last one was, in
    nanoseconds since 1970."""


@frozen
class StoredFile:
    """A file as it was last indexed."""

    path: str
    language: str
    size: int
    modified: int
    digest: str
    parse_errors: int
    reason: str
    graph_digest: str


def find_project(session: Session, path: str) -> StoredProject | None:
    row = session.execute(sa.select(projects).where(projects.c.path == path)).one_or_none()
    if row is None:
        return None
    stats = json.loads(row.stats)
    families, provisional = stats.pop("families", {}), stats.pop("provisional", {})
    return StoredProject(
        row.id, row.path, tuple(row.languages.split(",")), row.include_tests, row.indexed_at,
        row.layout, stats, families, provisional,
    )  # fmt: skip


def all_projects(session: Session) -> list[StoredProject]:
    paths = session.execute(sa.select(projects.c.path).order_by(projects.c.path)).scalars().all()
    found = (find_project(session, path) for path in paths)
    return [project for project in found if project is not None]


def provisional_projects(session: Session) -> list[StoredProject]:
    """The projects of which something is only told provisionally."""
    some = projects.c.stats.contains('"provisional"')
    paths = session.execute(sa.select(projects.c.path).where(some).order_by(projects.c.path))
    found = [find_project(session, path) for path in paths.scalars().all()]
    return [project for project in found if project is not None]


def save_project(
    session: Session, path: str, *, languages: Sequence[str], include_tests: bool, now: int,
    layout: str, stats: Mapping[str, int], families: Mapping[str, Mapping[str, int]],
    provisional: Mapping[str, int],
) -> int:  # fmt: skip
    """Insert or update a project's own row and return its id."""
    pending = {"provisional": provisional} if provisional else {}
    values: dict[str, Any] = {
        "languages": ",".join(languages),
        "include_tests": include_tests,
        "indexed_at": now,
        "layout": layout,
        "stats": json.dumps({**stats, "families": families} | pending, sort_keys=True),
    }
    known = session.execute(sa.select(projects.c.id).where(projects.c.path == path)).scalar()
    if known is None:
        result = session.execute(sa.insert(projects).values(path=path, **values))
        return int(result.inserted_primary_key[0])  # type: ignore[attr-defined]  # sqlalchemy: CursorResult of an INSERT
    session.execute(sa.update(projects).where(projects.c.id == known).values(**values))
    return int(known)


def sizes(session: Session) -> dict[int, int]:
    """About how many bytes each project takes: its graph takes twice what its facts do."""
    data = sa.func.sum(sa.func.length(facts.c.data))
    rows = session.execute(sa.select(facts.c.project, data).group_by(facts.c.project))
    return {project: 3 * int(size) for project, size in rows}


def remove_project(session: Session, path: str) -> bool:
    """Forget a project and everything about it."""
    known = session.execute(sa.select(projects.c.id).where(projects.c.path == path)).scalar()
    if known is None:
        return False
    session.execute(sa.delete(calls).where(calls.c.caller.in_(_identifiers(known))))
    for table in (functions, relations, facts, files):
        session.execute(sa.delete(table).where(table.c.project == known))
    session.execute(sa.delete(projects).where(projects.c.id == known))
    return True


def load_files(session: Session, project: int) -> dict[str, StoredFile]:
    rows = session.execute(
        sa.select(files).where(files.c.project == project).order_by(files.c.path)
    )
    return {row[1]: StoredFile(*row[1:]) for row in rows}


def load_facts(
    session: Session,
    project: int,
    *,
    paths: Sequence[str] | None = None,
    languages: Sequence[str] | None = None,
) -> Iterator[tuple[str, bytes]]:
    """Stored facts of every file, or of some, packed and compressed."""
    statement = sa.select(facts.c.path, facts.c.data).where(facts.c.project == project)
    if paths is not None:
        statement = statement.where(facts.c.path.in_(paths))
    if languages is not None:
        same = (files.c.project == facts.c.project) & (files.c.path == facts.c.path)
        statement = statement.join(files, same).where(files.c.language.in_(languages))
    for row in session.execute(statement):
        yield row.path, row.data


def load_graph(session: Session, project: int, path: str) -> FileRows:
    """The graph's rows of one file."""
    from toolroll_codegraph.indexing.rows import FileRows

    known = session.execute(
        sa.select(functions).where(functions.c.project == project, functions.c.path == path)
    )
    edges = session.execute(
        sa.select(calls).where(calls.c.caller.in_(_identifiers(project, [path])))
    )
    related = session.execute(
        sa.select(relations).where(relations.c.project == project, relations.c.source == path)
    )
    return FileRows(
        [
            (
                row.id, row.name, row.qualified_name, row.kind, row.start_line, row.end_line,
                row.is_export, row.is_test, row.bases, row.overrides,
            )
            for row in known
        ],
        [tuple(row) for row in edges],
        [(row.target, row.kind, row.strength) for row in related],
    )  # fmt: skip


def remove_files(session: Session, project: int, paths: Iterable[str]) -> None:
    """Remove files with their facts; their rows of the graph go with `remove_graph`."""
    for chunk in chunks(sorted(paths)):
        for table in (files, facts):
            session.execute(
                sa.delete(table).where(table.c.project == project, table.c.path.in_(chunk))
            )


def remove_graph(session: Session, project: int, paths: Iterable[str]) -> None:
    """Remove functions, outgoing calls and relations of files."""
    for chunk in chunks(sorted(paths)):
        session.execute(sa.delete(calls).where(calls.c.caller.in_(_identifiers(project, chunk))))
        session.execute(
            sa.delete(functions).where(functions.c.project == project, functions.c.path.in_(chunk))
        )
        session.execute(
            sa.delete(relations).where(
                relations.c.project == project, relations.c.source.in_(chunk)
            )
        )


def save_files(session: Session, project: int, stored: Sequence[StoredFile]) -> None:
    """Insert file rows; those of the same paths have been removed before."""
    rows = [
        {
            "project": project, "path": file.path, "language": file.language, "size": file.size,
            "modified": file.modified, "digest": file.digest, "parse_errors": file.parse_errors,
            "reason": file.reason, "graph_digest": file.graph_digest,
        }
        for file in stored
    ]  # fmt: skip
    if rows:
        session.execute(sa.insert(files), rows)


def update_files(session: Session, project: int, rows: Sequence[StoredFile]) -> None:
    """Note new times, sizes and digests of files whose content is the stored one."""
    if rows:
        statement = (
            sa.update(files)
            .where(files.c.project == project, files.c.path == sa.bindparam("key"))
            .values(
                size=sa.bindparam("new_size"), modified=sa.bindparam("new_modified"),
                graph_digest=sa.bindparam("new_graph_digest"),
            )
        )  # fmt: skip
        session.connection().execute(
            statement,
            [
                {"key": row.path, "new_size": row.size, "new_modified": row.modified,
                 "new_graph_digest": row.graph_digest}
                for row in rows
            ],
        )  # fmt: skip


def save_facts(session: Session, project: int, compressed: Iterable[tuple[str, bytes]]) -> None:
    """Insert facts that `compress_facts` has compressed."""
    rows = [{"project": project, "path": path, "data": data} for path, data in sorted(compressed)]
    if rows:
        session.execute(sa.insert(facts), rows)


def save_graph(
    session: Session,
    project: int,
    graph: Mapping[str, FileRows],
    check: Callable[[], None] = lambda: None,
) -> None:
    """Insert the graph's rows of some files, in the order of their keys: it fills pages well.

    `check` raises to stop.
    """
    known = sorted(
        (row[0], project, path, *row[1:]) for path, rows in graph.items() for row in rows.functions
    )
    _insert(session, functions, known, check)
    del known
    _insert(session, calls, sorted(row for rows in graph.values() for row in rows.calls), check)
    related = [(project, path, *row) for path, rows in graph.items() for row in rows.relations]
    _insert(session, relations, related, check)


def _insert(
    session: Session, table: sa.Table, rows: Sequence[tuple[Any, ...]], check: Callable[[], None]
) -> None:
    """Insert rows with their values in the order of the table's columns.

    Tuples go to the driver as they are: what SQLAlchemy does for each row of an `execute` would
    take longer than the database does.
    """
    connection = session.connection()
    compiled = sa.insert(table).compile(dialect=connection.dialect)
    names = [column.name for column in table.columns]
    for start in range(0, len(rows), _ROWS):
        check()
        chunk = rows[start : start + _ROWS]
        if compiled.positional:
            connection.exec_driver_sql(str(compiled), list(chunk))
        else:
            connection.exec_driver_sql(
                str(compiled), [dict(zip(names, row, strict=True)) for row in chunk]
            )


def _identifiers(project: int, paths: Sequence[str] | None = None) -> sa.Select[tuple[int]]:
    """The functions of a project, or of some of its files."""
    statement = sa.select(functions.c.id).where(functions.c.project == project)
    return statement if paths is None else statement.where(functions.c.path.in_(paths))


def chunks(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """Parts of many items, each of which one IN list may hold."""
    for start in range(0, len(items), _CHUNK):
        yield items[start : start + _CHUNK]
