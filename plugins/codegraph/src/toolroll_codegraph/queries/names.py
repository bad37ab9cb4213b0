"""Finding the function a name means."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from toolroll_codegraph.queries.decorated import first_lines
from toolroll_codegraph.queries.freshness import indexed_files
from toolroll_codegraph.queries.inheriting import inherited, place_of
from toolroll_codegraph.storage.tables import calls, functions, projects, relations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

_MOST_CANDIDATES = 2000
_MOST_PARTS = 50
"""Of a name that begins with packages or a path; no one's are so many, and each is looked up."""
_MOST_COMPARED = 1000
"""Characters: longer ones are like no name, and to compare them takes minutes."""
_IDS = 400
"""In one IN list; SQLite's oldest limit of variables is 999."""
_PLACE = re.compile(r"(.*?[^:]):([0-9]{1,9})(?::[0-9]{1,9})?")
_COLON = re.compile(r"(?<!:):(?!:)")
_SEPARATOR = re.compile(r"[/\\]")
_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")
"""In no name of any language: what a command got as bytes, and what databases take in no text."""
_PACKAGE = re.compile(r"(?:^|/)(?:__init__|index)\Z")
_SINGLETON = "singleton_method"
_CONSTRUCTORS = ("__init__", "constructor", "initialize")
_SELECTABLE = ("function", "method", _SINGLETON, "constructor")


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
    if _NO_TEXT.search(query):
        return []
    parts = query.split("::", _MOST_PARTS)
    heads = ["::".join(parts[:count]) for count in range(1, len(parts))]  # files may be named so
    if in_files := [head for head in heads if "/" in head or "." in head]:
        found = ((head, _paths(session, project, head)) for head in in_files)
        nowhere: tuple[str, list[str]] = in_files[0], []
        head, paths = next((pair for pair in found if pair[1]), nowhere)
        name = query[len(head) + 2 :]
        return _meant(session, project, name, paths=paths) or _imported(
            session, project, paths, _plain(name)
        )
    if place := _PLACE.fullmatch(query):
        return _at_line(session, project, _paths(session, project, place[1]), int(place[2]))
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


def members(session: Session, project: int, holder: Any) -> list[Any]:
    """Return the functions that stand in a class, by line; a Ruby class may be opened elsewhere."""
    start = f"{holder.qualified_name}."
    rows = session.execute(
        sa.select(functions)
        .where(
            functions.c.project == project,
            functions.c.kind.in_(_SELECTABLE),
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


def _paths(session: Session, project: int, text: str) -> list[str]:
    """The indexed files that a path means: the one of that path, or those that end with it.

    A path that begins with the project's own directory is one from the directory above it.
    """
    root = session.scalar(sa.select(projects.c.path).where(projects.c.id == project)) or ""
    for spelled in dict.fromkeys((text, text.replace("\\", "/"))):  # as it is, and Windows' way
        path = spelled.removeprefix(f"{root}/").removeprefix("./")
        if [file.path for file in indexed_files(session, project, path)] == [path]:
            return [path]
        every = indexed_files(session, project, "")
        if found := [file.path for file in every if file.path.endswith(f"/{path}")]:
            return found[:_IDS]
        names, parents = path.split("/"), _SEPARATOR.split(root)
        for count in range(min(len(names) - 1, len(parents)), 0, -1):  # from above the project
            below = "/".join(names[count:])
            if names[:count] == parents[-count:] and below in {file.path for file in every}:
                return [below]
    return []


def similar_names(session: Session, project: int, query: str) -> list[str]:
    """Return up to five names of the project that a query nobody defines may have meant."""
    from difflib import get_close_matches

    if len(query) > _MOST_COMPARED or _NO_TEXT.search(query):
        return []
    statement = (
        sa.select(functions.c.qualified_name)
        .where(functions.c.project == project, functions.c.kind.in_(_SELECTABLE))
        .distinct()
    )
    for path in _paths(session, project, query.strip().removesuffix("::")):  # a file's alone
        inside = statement.where(functions.c.path == path).order_by(functions.c.qualified_name)
        return [f"{path}::{name}" for name in session.execute(inside.limit(5)).scalars()]
    wanted = _plain(query.rpartition("/")[2].partition("::")[2] or query.strip())
    qualified = sorted(session.execute(statement).scalars())
    parts = wanted.split(".")
    for start in range(len(parts)):
        owner = ".".join(parts[start:])
        methods = [name for name in qualified if f".{owner}." in f".{name}"]
        if methods:  # of a class that nobody calls, or that inherits its constructor
            return methods[:5]
    classes = sa.select(functions.c.qualified_name).where(
        functions.c.project == project, functions.c.kind == "class"
    )
    qualified = sorted({*qualified, *session.execute(classes).scalars()})
    simple = wanted.rpartition(".")[2].lower()
    parts = {part for name in qualified for part in name.lower().split(".")}  # classes among them
    close = set(get_close_matches(simple, parts, n=5, cutoff=0.75))
    near = [name for name in qualified if not close.isdisjoint(name.lower().split("."))]
    return get_close_matches(wanted, near, n=5, cutoff=0.0)


def _plain(name: str) -> str:
    return name.replace("#", ".").replace("::", ".").removesuffix("()").strip(".")


def _meant(
    session: Session, project: int, query: str, *, paths: Sequence[str] | None = None
) -> list[Any]:
    plain = _plain(query)
    owner, separator, method = plain.rpartition(".")
    private = f"{owner}{separator}#{method}"
    for wanted in dict.fromkeys((query, plain, private)):
        rows = _named(session, project, wanted, paths=paths) or _classes(
            session, project, wanted, paths=paths
        )
        if rows:
            of = None if not owner else "class" if "#" not in query else "instance"
            return _sorted(rows, wanted, _taking_part(session, rows), of)
    if method == "new" and owner:  # as one calls Ruby's constructors
        return _meant(session, project, owner, paths=paths)
    if owner and (
        rows := _inherited(
            session, project, owner, (method, f"#{method}"), paths=paths, instance="#" in query
        )
    ):
        return rows
    if rows := _inherited(session, project, plain, _CONSTRUCTORS, paths=paths):
        return rows
    classes = _named(session, project, plain, paths=paths, classes=True)
    return _sorted([row for row in classes if row.kind == "class"], plain, set(), None)


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
    classes = _named(session, project, owner, paths=paths, classes=True)
    ordered = _sorted(classes, owner, set(), None)
    return inherited(session, project, ordered, names, instance=instance)


def _from_outside(session: Session, project: int, query: str) -> list[Any]:
    """What is meant by a name that begins with the package that the project is, or lies in."""
    root = session.scalar(sa.select(projects.c.path).where(projects.c.id == project)) or ""
    parents, names = _SEPARATOR.split(root), _plain(query).split(".")
    for count in range(min(len(names) - 1, len(parents)), 0, -1):
        if names[:count] == parents[-count:]:
            return _meant(session, project, ".".join(names[count:]))
    return []


def _in_package(session: Session, project: int, query: str) -> list[Any]:
    """What is meant by the name of a package, and of what a module somewhere below it defines."""
    names = _plain(query).split(".")
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
    names = _plain(query).split(".")
    if not 1 < len(names) <= _MOST_PARTS:
        return []
    every = [file.path for file in indexed_files(session, project, "")]
    for count in range(len(names) - 1, 0, -1):
        end = "/" + "/".join(names[:count])
        paths = [path for path in every if f"/{_module(path)}".endswith(end)][:_IDS]
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
        targets = sorted(set(rows.scalars()) - seen)[:_IDS]
        found = [
            row
            for row in _meant(session, project, name, paths=targets)
            if name in (row.qualified_name, row.qualified_name.rpartition(".")[0])
        ]
        if found:
            return found
        seen.update(targets)
        paths = [path for path in targets if _PACKAGE.search(path.rpartition(".")[0])]
    return []


def _module(path: str) -> str:
    """The path of a file without its suffix; a package's own is that of its directory."""
    return _PACKAGE.sub("", path.rpartition(".")[0])


def _named(
    session: Session,
    project: int,
    wanted: str,
    *,
    paths: Sequence[str] | None = None,
    called_classes: bool = False,
    classes: bool = False,
) -> Sequence[Any]:
    simple = wanted.rpartition(".")[2]
    numbered = simple.startswith("<") and bool(paths)  # one that is bound has another name too
    named = functions.c.name == simple
    if numbered:
        named = sa.or_(named, functions.c.kind == "lambda")
    statement = sa.select(functions).where(functions.c.project == project, named)
    if called_classes:  # one that inherits its constructor is not: what is called is that one
        called = sa.exists().where(calls.c.callee == functions.c.id)
        statement = statement.where(functions.c.kind == "class", called)
    elif classes:
        statement = statement.where(functions.c.kind.in_(("class", "mixin")))
    else:
        lambdas = paths or not simple.startswith("<")  # those that are bound to a name
        kinds = (*_SELECTABLE, "lambda") if lambdas else _SELECTABLE
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
    full = f"/{_module(row.path)}".replace("/", ".") + "." + own
    return full.endswith("." + wanted)


def _classes(
    session: Session, project: int, wanted: str, *, paths: Sequence[str] | None
) -> Sequence[Any]:
    """The constructors of the classes of a name; where nobody wrote one, the classes."""
    found: list[Any] = []
    for name in _CONSTRUCTORS:
        found += _named(session, project, f"{wanted}.{name}", paths=paths)
    return found or _named(session, project, wanted, paths=paths, called_classes=True)


def _at_line(session: Session, project: int, paths: Sequence[str], line: int) -> list[Any]:
    """The innermost function around a line, or around what it decorates, of each of some files;
    outside of any, the class."""
    rows = session.execute(
        sa.select(functions).where(
            functions.c.project == project,
            functions.c.path.in_(paths),
            functions.c.kind.in_((*_SELECTABLE, "lambda", "class")),
        )
    ).all()
    root = session.scalar(sa.select(projects.c.path).where(projects.c.id == project)) or ""
    of_file: dict[str, list[Any]] = {}
    for row in rows:
        of_file.setdefault(row.path, []).append(row)
    found: dict[str, Any] = {}
    for path, inside in of_file.items():
        begins = first_lines(_text(Path(root, path)), inside)
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
            named = _meant(session, project, row.qualified_name, paths=[path])
            found[path] = named[0] if named else row
    return sorted(found.values(), key=lambda row: (row.is_test, row.path.count("/"), row.path))


def _text(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""  # whose lines are as they were indexed


def _taking_part(session: Session, rows: Sequence[Any]) -> set[int]:
    """All but overloads: functions with namesakes in their file, in no call on either side."""
    names = Counter((row.path, row.qualified_name) for row in rows)
    found = {row.id for row in rows if names[row.path, row.qualified_name] == 1}
    ids = [row.id for row in rows if row.id not in found]
    for start in range(0, len(ids), _IDS):
        part = ids[start : start + _IDS]
        for end in (calls.c.caller, calls.c.callee):
            found.update(session.execute(sa.select(end).where(end.in_(part)).distinct()).scalars())
    return found


def _sorted(rows: Sequence[Any], wanted: str, taking_part: set[int], of: str | None) -> list[Any]:
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
            row.id not in taking_part,
            row.start_line,
            row.qualified_name,
            row.id,
        ),
    )
