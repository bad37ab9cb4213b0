"""Finding the function a name means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from toolroll_codegraph.queries.decorated import first_lines
from toolroll_codegraph.queries.definitions import (
    CONSTRUCTORS,
    NO_TEXT,
    SELECTABLE,
    best_first,
    constructors,
    is_package,
    module_path,
    named,
    plain_name,
    taking_part,
)
from toolroll_codegraph.queries.freshness import indexed_files, text_of
from toolroll_codegraph.queries.inheriting import inherited
from toolroll_codegraph.queries.paths import MOST_FILES, SEPARATOR, files_meant, project_root
from toolroll_codegraph.storage.tables import functions, relations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

_MOST_PARTS: Final = 50
"""Of a name that begins with packages or a path; no one's are so many, and each is looked up."""
_PLACE: Final = re.compile(r"(.*?[^:]):([0-9]{1,9})(?::[0-9]{1,9})?")
_COLON: Final = re.compile(r"(?<!:):(?!:)")


def find_functions(session: Session, project: int, query: str) -> list[Any]:
    """Return the functions a query may mean, the best first; empty when there is none.

    A query is `name`, `Class.method`, `module.name`, `path::Class.method`, `path:line`, with or
    without a column, or Ruby's `Class#method`; one colon may stand for two or, as in Python's entry
    points, for a dot. JavaScript's private `#name` is also found as `name`, and Python's lambda by
    the name that a module or class binds it to. A class stands for its constructor or, where nobody
    wrote one, for itself, and so does a line of it outside of its functions. A project that is a
    package may be named first, and a package for what the modules below it define. A path may be
    absolute, lack its first directories, and begin above the project. The order is: exact qualified
    name, exported, no test, top level, shortest path, path, line; of several definitions of one
    name in a file, those that take part in calls come first. Ruby's `Class.method` is one of the
    class before one of its objects, and `Class#method` the other way round. Where a class has no
    such method, that which it inherits is meant, and so for its constructor; where a module defines
    no such name, that which it imports.
    """
    query = query.strip()
    if NO_TEXT.search(query):
        return []
    parts = query.split("::", _MOST_PARTS)
    heads = ["::".join(parts[:count]) for count in range(1, len(parts))]  # files may be named so
    if in_files := [head for head in heads if "/" in head or "." in head]:
        found = ((head, files_meant(session, project, head)) for head in in_files)
        nowhere: tuple[str, list[str]] = in_files[0], []
        head, paths = next((pair for pair in found if pair[1]), nowhere)
        name = query[len(head) + 2 :]
        return _meant(session, project, name, paths=paths) or _imported(
            session, project, paths, plain_name(name)
        )
    if place := _PLACE.fullmatch(query):
        return _at_line(session, project, files_meant(session, project, place[1]), int(place[2]))
    found = (
        _meant(session, project, query)
        or _from_outside(session, project, query)
        or _in_package(session, project, query)
        or _in_importing_module(session, project, query)
    )
    if found or not _COLON.search(query):
        return found
    return find_functions(session, project, _COLON.sub("::", query)) or find_functions(
        session, project, _COLON.sub(".", query)
    )


def _meant(
    session: Session, project: int, query: str, *, paths: Sequence[str] | None = None
) -> list[Any]:
    plain = plain_name(query)
    owner, separator, method = plain.rpartition(".")
    private = f"{owner}{separator}#{method}"
    for wanted in dict.fromkeys((query, plain, private)):
        rows = named(session, project, wanted, paths=paths) or constructors(
            session, project, wanted, paths=paths
        )
        if rows:
            of = None if not owner else "class" if "#" not in query else "instance"
            return best_first(rows, wanted, taking_part(session, rows), of)
    if method == "new" and owner:  # as one calls Ruby's constructors
        return _meant(session, project, owner, paths=paths)
    if owner and (
        rows := _inherited(
            session, project, owner, (method, f"#{method}"), paths=paths, instance="#" in query
        )
    ):
        return rows
    if rows := _inherited(session, project, plain, CONSTRUCTORS, paths=paths):
        return rows
    classes = named(session, project, plain, paths=paths, classes=True)
    return best_first([row for row in classes if row.kind == "class"], plain, set(), None)


def _inherited(
    session: Session,
    project: int,
    owner: str,
    names: Sequence[str],
    *,
    paths: Sequence[str] | None,
    instance: bool = False,
) -> list[Any]:
    """What the classes of a name inherit under another."""
    classes = named(session, project, owner, paths=paths, classes=True)
    ordered = best_first(classes, owner, set(), None)
    return inherited(session, project, ordered, names, instance=instance)


def _from_outside(session: Session, project: int, query: str) -> list[Any]:
    """What is meant by a name that begins with the package that the project is, or lies in."""
    root = project_root(session, project)
    parents, names = SEPARATOR.split(root), plain_name(query).split(".")
    for count in range(min(len(names) - 1, len(parents)), 0, -1):
        if names[:count] == parents[-count:]:
            return _meant(session, project, ".".join(names[count:]))
    return []


def _in_package(session: Session, project: int, query: str) -> list[Any]:
    """What is meant by the name of a package, and of what a module somewhere below it defines."""
    names = plain_name(query).split(".")
    if len(names) > _MOST_PARTS:
        return []
    for count in range(len(names) - 1, 0, -1):
        package, name = "/".join(names[:count]), ".".join(names[count:])
        found = [
            row
            for row in _meant(session, project, name)
            if f"/{package}/" in f"/{row.path}"
            and name in (row.qualified_name, row.qualified_name.rpartition(".")[0])
        ]
        if found:
            return found
    return []


def _in_importing_module(session: Session, project: int, query: str) -> list[Any]:
    """What is meant by the name of a module, and of what it imports and others import from it."""
    names = plain_name(query).split(".")
    if not 1 < len(names) <= _MOST_PARTS:
        return []
    every = [file.path for file in indexed_files(session, project, "")]
    for count in range(len(names) - 1, 0, -1):
        end = "/" + "/".join(names[:count])
        paths = [path for path in every if f"/{module_path(path)}".endswith(end)][:MOST_FILES]
        if found := _imported(session, project, paths, ".".join(names[count:])):
            return found
    return []


def _imported(session: Session, project: int, paths: Sequence[str], name: str) -> list[Any]:
    """What the modules that some files import define under a name; and, where these are a package's
    own, what they import."""
    seen = set(paths)
    while paths:
        rows = session.execute(
            sa.select(relations.c.target).where(
                relations.c.project == project,
                relations.c.kind == "imports",
                relations.c.source.in_(paths),
            )
        )
        targets = sorted(set(rows.scalars()) - seen)[:MOST_FILES]
        found = [
            row
            for row in _meant(session, project, name, paths=targets)
            if name in (row.qualified_name, row.qualified_name.rpartition(".")[0])
        ]
        if found:
            return found
        seen.update(targets)
        paths = [path for path in targets if is_package(path)]
    return []


def _at_line(session: Session, project: int, paths: Sequence[str], line: int) -> list[Any]:
    """The innermost function around a line, or around what it decorates, of each of some files;
    outside of any, the class."""
    rows = session.execute(
        sa.select(functions).where(
            functions.c.project == project,
            functions.c.path.in_(paths),
            functions.c.kind.in_((*SELECTABLE, "lambda", "class")),
        )
    ).all()
    root = project_root(session, project)
    of_file: dict[str, list[Any]] = {}
    for row in rows:
        of_file.setdefault(row.path, []).append(row)
    found: dict[str, Any] = {}
    for path, inside in of_file.items():
        now = text_of(Path(root, path)) or b""  # whose lines are as they were indexed
        begins = first_lines(now, inside)
        around = [row for row in inside if begins[row.id] <= line <= row.end_line]
        if around:
            found[path] = min(
                around,
                key=lambda row: (
                    row.kind == "class", -begins[row.id], row.end_line, row.qualified_name
                ),
            )  # fmt: skip
    for path, row in found.items():
        if row.kind == "class":  # as if it were asked for by its name
            meant = _meant(session, project, row.qualified_name, paths=[path])
            found[path] = meant[0] if meant else row
    return sorted(found.values(), key=lambda row: (row.is_test, row.path.count("/"), row.path))
