"""Finding the function a name means."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from toolroll_codegraph.storage.tables import calls, functions, projects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

_MOST_CANDIDATES = 2000
_IDS = 400
"""In one IN list; SQLite's oldest limit of variables is 999."""
_LINE = re.compile(r"[0-9]{1,9}")
_SEPARATOR = re.compile(r"[/\\]")
_SELECTABLE = ("function", "method", "constructor")


def find_functions(session: Session, project: int, query: str) -> list[Any]:
    """Return the functions a query may mean, the best first; empty when there is none.

    A query is `name`, `Class.method`, `module.name`, `path::Class.method`, `path:line`, or Ruby's
    `Class#method`; JavaScript's private `#name` is also found as `name`. A class stands for its
    constructor or, where nobody wrote one, for itself. A project that is a package may be named
    first. The order is: exact qualified name,
    exported, no test, top level, shortest path, path, line; of several definitions of one name in a
    file, those that take part in calls come first.
    """
    query = query.strip()
    if "\0" in query:  # in no name of any language, and PostgreSQL takes none in a text
        return []
    path, separator, name = query.partition("::")
    if separator and ("/" in path or "." in path):
        return _meant(session, project, name, path=path)
    head, _, line = query.rpartition(":")
    if _LINE.fullmatch(line) and head and not head.endswith(":"):
        return _at_line(session, project, head, int(line))
    return _meant(session, project, query) or _from_outside(session, project, query)


def similar_names(session: Session, project: int, query: str) -> list[str]:
    """Return up to five names of the project that a query nobody defines may have meant."""
    from difflib import get_close_matches

    wanted = _plain(query.rpartition("/")[2].partition("::")[2] or query.strip())
    statement = (
        sa.select(functions.c.qualified_name)
        .where(functions.c.project == project, functions.c.kind.in_(_SELECTABLE))
        .distinct()
    )
    qualified = sorted(session.execute(statement).scalars())
    methods = [name for name in qualified if f".{wanted}." in f".{name}"]
    if methods:  # of a class that nobody calls, or that inherits its constructor
        return methods[:5]
    simple = wanted.rpartition(".")[2].lower()
    close = set(get_close_matches(
        simple, {name.rpartition(".")[2].lower() for name in qualified}, n=5, cutoff=0.75
    ))  # fmt: skip
    near = [name for name in qualified if name.rpartition(".")[2].lower() in close]
    return get_close_matches(wanted, near, n=5, cutoff=0.0)


def _plain(name: str) -> str:
    return name.replace("#", ".").replace("::", ".").removesuffix("()").strip(".")


def _meant(session: Session, project: int, query: str, *, path: str | None = None) -> list[Any]:
    plain = _plain(query)
    owner, separator, method = plain.rpartition(".")
    private = f"{owner}{separator}#{method}"
    for wanted in dict.fromkeys((query, plain, private)):
        rows = (
            _named(session, project, wanted, path=path)
            or _constructors(session, project, wanted, path=path)
            or _named(session, project, wanted, path=path, called_classes=True)
        )
        if rows:
            return _sorted(rows, wanted, _taking_part(session, rows))
    return []


def _from_outside(session: Session, project: int, query: str) -> list[Any]:
    """What is meant by a name that begins with the package that the project is, or lies in."""
    root = session.scalar(sa.select(projects.c.path).where(projects.c.id == project)) or ""
    parents, names = _SEPARATOR.split(root), _plain(query).split(".")
    for count in range(len(names) - 1, 0, -1):
        if names[:count] == parents[-count:]:
            return _meant(session, project, ".".join(names[count:]))
    return []


def _named(
    session: Session,
    project: int,
    wanted: str,
    *,
    path: str | None = None,
    called_classes: bool = False,
) -> Sequence[Any]:
    simple = wanted.rpartition(".")[2]
    statement = sa.select(functions).where(
        functions.c.project == project, functions.c.name == simple
    )
    if called_classes:  # one that inherits its constructor is not: what is called is that one
        called = sa.exists().where(calls.c.callee == functions.c.id)
        statement = statement.where(functions.c.kind == "class", called)
    else:
        kinds = (*_SELECTABLE, "lambda") if path else _SELECTABLE
        statement = statement.where(functions.c.kind.in_(kinds))
    if path is not None:
        statement = statement.where(functions.c.path == path.removeprefix("./"))
    rows = session.execute(statement.limit(_MOST_CANDIDATES)).all()
    if wanted == simple:
        return rows
    return [row for row in rows if _matches(row, wanted)]


def _matches(row: Any, wanted: str) -> bool:
    """`Class.method` at the end of the qualified name, or of module path and name together."""
    if row.qualified_name == wanted or row.qualified_name.endswith("." + wanted):
        return True
    module = f"/{row.path.rpartition('.')[0]}".removesuffix("/__init__").removesuffix("/index")
    full = module.replace("/", ".") + "." + row.qualified_name
    return full.endswith("." + wanted)


def _constructors(session: Session, project: int, wanted: str, *, path: str | None) -> list[Any]:
    found: list[Any] = []
    for name in ("__init__", "constructor", "initialize"):
        found += _named(session, project, f"{wanted}.{name}", path=path)
    return found


def _at_line(session: Session, project: int, path: str, line: int) -> list[Any]:
    """The innermost function around a line."""
    rows = session.execute(
        sa.select(functions).where(
            functions.c.project == project,
            functions.c.path == path.removeprefix("./"),
            functions.c.start_line <= line,
            functions.c.end_line >= line,
            functions.c.kind.in_((*_SELECTABLE, "lambda")),
        )
    ).all()
    return sorted(rows, key=lambda row: (-row.start_line, row.end_line, row.qualified_name))[:1]


def _taking_part(session: Session, rows: Sequence[Any]) -> set[int]:
    """Of functions of one name in one file, those that call or are called: not overloads."""
    names = Counter((row.path, row.qualified_name) for row in rows)
    ids = [row.id for row in rows if names[row.path, row.qualified_name] > 1]
    found: set[int] = set()
    for start in range(0, len(ids), _IDS):
        part = ids[start : start + _IDS]
        for end in (calls.c.caller, calls.c.callee):
            found.update(session.execute(sa.select(end).where(end.in_(part)).distinct()).scalars())
    return found


def _sorted(rows: Sequence[Any], wanted: str, taking_part: set[int]) -> list[Any]:
    return sorted(
        rows,
        key=lambda row: (
            row.qualified_name != wanted,
            not row.is_export,
            row.is_test,
            "." in row.qualified_name,
            row.path.count("/"),
            len(row.path),
            row.path,
            row.qualified_name,
            row.id not in taking_part,
            row.start_line,
            row.id,
        ),
    )
