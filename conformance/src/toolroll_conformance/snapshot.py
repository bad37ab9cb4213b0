"""What a workspace holds, for telling whether anything changed: project files and stored data.

And what lies beside the two, where no pack has anything to write.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from toolroll_conformance.host_log import is_log
from toolroll_conformance.workspace import Workspace

__all__ = ["TIMES", "beside", "difference", "settled", "take"]

SETTLE_SECONDS: Final = 60.0
"""How long background work may take until the data stands still."""
_HOST_OWNED: Final = frozenset({"audit", "locks", "keys.json", ".gitignore"})
"""What the host keeps in the data directory: it may change with every call."""
_DATABASE: Final = (".db", ".sqlite", ".sqlite3")
_DATABASE_FILES: Final = ("-wal", "-shm", "-journal")
_HEADER: Final = b"SQLite format 3\0"

TIMES: Final = ("_at", "_ms", "_seconds")
"""How names end that only say when something happened, or how long it took."""

Snapshot = Mapping[str, str]


def take(workspace: Workspace, *, with_times: bool = True) -> Snapshot:
    """Return a digest of each project file, data file, database table and stray file, by name.

    Databases are read row by row, so that what SQLite does to its files doesn't count.

    Args:
        workspace: What to look at.
        with_times: Whether columns that only say when something happened (`…_at`, `…_ms`,
            `…_seconds`) count too.
    """
    found = {**beside(workspace)}
    for kind, directory in (("project", workspace.root), ("data", workspace.data)):
        for name, path in _files(directory):
            if kind == "data" and name.partition("/")[0] in _HOST_OWNED:
                continue
            if (tables := _tables(path, with_times=with_times)) is not None:
                found |= {f"table {table} of {name}": rows for table, rows in tables.items()}
            elif not _beside_database(path):
                found[f"{kind} file {name}"] = _digest(path)
    if workspace.database_url:
        found.update(_server_tables(workspace.database_url, with_times=with_times))
    return found


def beside(workspace: Workspace) -> Snapshot:
    """Return a digest of each file that is neither the project's nor the data's nor the suite's."""
    owned = (workspace.root, workspace.data, workspace.config)
    strays = [it for it in workspace.path.iterdir() if it not in owned and not is_log(it)]
    found: dict[str, str] = {}
    for stray in strays:
        files = _files(stray) if stray.is_dir() and not stray.is_symlink() else [("", stray)]
        for _, path in files:
            name = path.relative_to(workspace.path).as_posix()
            found[f"file {name} outside of project and data"] = _digest(path)
    return found


def settled(
    workspace: Workspace, rest: Callable[[], None] | None, *, with_times: bool = True
) -> Snapshot:
    """Take snapshots until nothing changes any more: background work has come to rest.

    Args:
        workspace: What to look at.
        rest: Lets background work do what there is to do; None where there is none.
        with_times: Whether columns that only say when something happened count too.
    """
    until = time.monotonic() + SETTLE_SECONDS
    before = take(workspace, with_times=with_times)
    while rest is not None and time.monotonic() < until:
        rest()
        after = take(workspace, with_times=with_times)
        if after == before:
            break
        before = after
    return before


def difference(before: Snapshot, after: Snapshot) -> str:
    """Name what changed; "" if nothing did."""
    changed = sorted(
        name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    )
    return ", ".join(changed[:5]) + (f" and {len(changed) - 5} more" if len(changed) > 5 else "")


def _files(directory: Path) -> Iterator[tuple[str, Path]]:
    for folder, _, names in os.walk(directory):
        for name in names:
            path = Path(folder, name)
            yield path.relative_to(directory).as_posix(), path


def _digest(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return "gone"  # a temporary file between listing and reading


def _is_database(path: Path) -> bool:
    if path.suffix not in _DATABASE or path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_HEADER)) == _HEADER


def _beside_database(path: Path) -> bool:
    """Say whether it is a file that SQLite keeps beside a database."""
    return any(
        path.name.endswith(end) and _is_database(path.with_name(path.name.removesuffix(end)))
        for end in _DATABASE_FILES
    )


def _tables(path: Path, *, with_times: bool) -> dict[str, str] | None:
    """Return the tables of a database; None where the file is none."""
    if not _is_database(path):
        return None
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        )
        found: dict[str, str] = {}
        for (name,) in names.fetchall():
            try:
                cursor = connection.execute(f"SELECT * FROM {_quoted(name)}")  # noqa: S608 (a name)
                rows = cursor.fetchall()
            except sqlite3.DatabaseError:
                continue  # a virtual table whose module isn't here; its shadow tables are
            columns = [column for column, *_ in cursor.description]
            found[name] = _summary(columns, rows, with_times=with_times)
        return found


def _server_tables(url: str, *, with_times: bool) -> dict[str, str]:
    """Read every table of a PostgreSQL database in one snapshot."""
    import psycopg
    from psycopg import sql

    found: dict[str, str] = {}
    with psycopg.connect(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        names = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        for schema, name in names:
            select = sql.SQL("SELECT * FROM {}").format(sql.Identifier(schema, name))
            cursor = connection.execute(select)
            columns = [column.name for column in cursor.description or ()]
            rows = cursor.fetchall()
            found[f"table {schema}.{name}"] = _summary(columns, rows, with_times=with_times)
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _summary(columns: Sequence[str], rows: Sequence[tuple[Any, ...]], *, with_times: bool) -> str:
    """Return how many rows there are and a digest of them, whatever their order."""
    counted = [
        number for number, name in enumerate(columns) if with_times or not name.endswith(TIMES)
    ]
    digest = hashlib.sha256()
    for row in sorted(repr([row[number] for number in counted]) for row in rows):
        digest.update(row.encode("utf-8", "surrogatepass"))
    return f"{len(rows)} rows, {digest.hexdigest()}"
