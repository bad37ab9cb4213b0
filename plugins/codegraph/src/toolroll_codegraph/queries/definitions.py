"""The rows of the index that a name may stand for, and which of them comes first."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from toolroll_codegraph.queries.inheriting import place_of
from toolroll_codegraph.storage.store import chunks
from toolroll_codegraph.storage.tables import calls, functions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

_MOST_CANDIDATES: Final = 2000
NO_TEXT: Final = re.compile(r"[\0\ud800-\udfff]")
"""In no name of any language: what a command got as bytes, and what databases take in no text."""
_PACKAGE: Final = re.compile(r"(?:^|/)(?:__init__|index)\Z")
_SINGLETON: Final = "singleton_method"
CONSTRUCTORS: Final = ("__init__", "constructor", "initialize")
SELECTABLE: Final = ("function", "method", _SINGLETON, "constructor")


def plain_name(name: str) -> str:
    """A name with dots alone between its parts."""
    return name.replace("#", ".").replace("::", ".").removesuffix("()").strip(".")


def module_path(path: str) -> str:
    """The path of a file without its suffix; a package's own is that of its directory."""
    return _PACKAGE.sub("", path.rpartition(".")[0])


def is_package(path: str) -> bool:
    """Whether a file is what a package itself defines."""
    return _PACKAGE.search(path.rpartition(".")[0]) is not None


def named(
    session: Session,
    project: int,
    wanted: str,
    *,
    paths: Sequence[str] | None = None,
    called_classes: bool = False,
    classes: bool = False,
) -> Sequence[Any]:
    """The functions of a name, maybe with owners before it; or classes, those alone that are called
    or all."""
    simple = wanted.rpartition(".")[2]
    numbered = simple.startswith("<") and bool(paths)  # one that is bound has another name too
    so_called = functions.c.name == simple
    if numbered:
        so_called = sa.or_(so_called, functions.c.kind == "lambda")
    statement = sa.select(functions).where(functions.c.project == project, so_called)
    if called_classes:  # one that inherits its constructor is not: what is called is that one
        called = sa.exists().where(calls.c.callee == functions.c.id)
        statement = statement.where(functions.c.kind == "class", called)
    elif classes:
        statement = statement.where(functions.c.kind.in_(("class", "mixin")))
    else:
        lambdas = paths or not simple.startswith("<")  # those that are bound to a name
        kinds = (*SELECTABLE, "lambda") if lambdas else SELECTABLE
        statement = statement.where(functions.c.kind.in_(kinds))
    if paths is not None:
        statement = statement.where(functions.c.path.in_(paths))
    rows = session.execute(statement.limit(_MOST_CANDIDATES)).all()
    if numbered:
        return [row for row in rows if f".{row.qualified_name}".endswith(f".{wanted}")]
    if wanted == simple:
        return rows
    return [row for row in rows if _matches(row, wanted)]


def _matches(row: Any, wanted: str) -> bool:
    """`Class.method` at the end of the qualified name, or of module path and name together."""
    own: str = row.qualified_name
    if row.kind == "lambda" and not row.name.startswith("<"):
        own = f"{own.rpartition('.')[0]}.{row.name}".removeprefix(".")
    if f".{own}".endswith(f".{wanted}"):
        return True
    full = f"/{module_path(row.path)}".replace("/", ".") + "." + own
    return full.endswith("." + wanted)


def constructors(
    session: Session, project: int, wanted: str, *, paths: Sequence[str] | None
) -> Sequence[Any]:
    """The constructors of the classes of a name; where nobody wrote one, the classes."""
    found: list[Any] = []
    for name in CONSTRUCTORS:
        found += named(session, project, f"{wanted}.{name}", paths=paths)
    return found or named(session, project, wanted, paths=paths, called_classes=True)


def members(session: Session, project: int, holder: Any) -> list[Any]:
    """Return the functions that stand in a class, by line; a Ruby class may be opened elsewhere."""
    start = f"{holder.qualified_name}."
    rows = session.execute(
        sa.select(functions)
        .where(
            functions.c.project == project,
            functions.c.kind.in_(SELECTABLE),
            sa.func.substr(functions.c.qualified_name, 1, len(start)) == start,
        )
        .order_by(functions.c.path, functions.c.start_line, functions.c.id)
    )
    return [
        row
        for row in rows
        if place_of(row.path) == place_of(holder.path)
        and "." not in row.qualified_name.removeprefix(start)
    ]


def taking_part(session: Session, rows: Sequence[Any]) -> set[int]:
    """All but overloads: functions with namesakes in their file, in no call on either side."""
    names = Counter((row.path, row.qualified_name) for row in rows)
    found = {row.id for row in rows if names[row.path, row.qualified_name] == 1}
    ids = [row.id for row in rows if row.id not in found]
    for part in chunks(ids):
        for end in (calls.c.caller, calls.c.callee):
            found.update(session.execute(sa.select(end).where(end.in_(part)).distinct()).scalars())
    return found


def best_first(rows: Sequence[Any], wanted: str, engaged: set[int], of: str | None) -> list[Any]:
    """Sort the rows that a name may mean.

    Of those in one place, `engaged` ones stand before others; `of` is "class" or "instance" where
    the name tells whose method it is.
    """
    return sorted(
        rows,
        key=lambda row: (
            row.qualified_name != wanted,
            of is not None and (row.kind == _SINGLETON) == (of == "instance"),
            not row.is_export,
            row.is_test,
            "." in row.qualified_name,
            row.path.count("/"),
            len(row.path),
            row.path,
            row.id not in engaged,
            row.start_line,
            row.qualified_name,
            row.id,
        ),
    )
