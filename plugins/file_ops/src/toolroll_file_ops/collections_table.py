"""Naming, making and finding collections."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen
from sqlalchemy import func, select, update

import toolroll
from toolroll.ignore import is_ignore_rule
from toolroll_file_ops.failures import collection_not_found, invalid_parameter
from toolroll_file_ops.scan import guard_root
from toolroll_file_ops.statements import Members, run
from toolroll_file_ops.tables import Chunk, Collection, File

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

__all__ = [
    "MAX_NAME",
    "Place",
    "Totals",
    "declare",
    "directory",
    "everybodys",
    "find",
    "ids",
    "is_name",
    "listed",
    "owner_of",
    "readable",
    "totals",
]

MAX_NAME: Final = 128
_NAME: Final = re.compile(r"[A-Za-z0-9][\w .:@+-]*", re.ASCII)
LOCAL_TENANT: Final = ""


@frozen
class Place:
    """A collection as its row says.

    Args:
        seq: Grows with every change.
    """

    id: int
    name: str
    root: toolroll.ProjectRoot
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    seq: int
    indexed_at: str | None
    unread: int


@frozen
class Totals:
    """What a collection holds; what its last full pass might not read is skipped, too."""

    files: int
    chunks: int
    bytes: int
    skipped: int


def owner_of(context: toolroll.PackContext) -> str:
    """Return the tenant that owns what a call makes; "" for the host's own user."""
    if isinstance(context, toolroll.ToolContext) and context.principal.name != "local":
        return context.principal.tenant
    return LOCAL_TENANT


def check_name(name: str) -> None:
    """Refuse what cannot be a collection's name."""
    if not name.strip() or len(name) > MAX_NAME:
        raise invalid_parameter("collection", f"must have 1 to {MAX_NAME} characters")


def is_name(name: str) -> bool:
    """Say whether a collection may be made with this name."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


def find(connection: Connection, name: str, owner: str) -> Place:
    """Return the collection of a name: the caller's own, else the host's.

    Raises:
        ToolError: InvalidParameter for an impossible name, CollectionNotFound for an unknown one.
    """
    check_name(name)
    rows = _visible(connection, owner)
    if name not in rows:
        raise collection_not_found(name, sorted(rows))
    return _place(*rows[name])


def listed(connection: Connection, owner: str) -> list[Place]:
    """Return the collections that a tenant sees, by name; its own hide the host's."""
    return [_place(*row) for _, row in sorted(_visible(connection, owner).items())]


def readable(places: Sequence[Place]) -> tuple[Sequence[Place], int]:
    """Return the collections whose directories can be read, and how many were left out.

    Of collections that nobody named, one that is not mounted keeps no other from answering; all of
    them stay where none can be read, which is then told.
    """
    there = [place for place in places if os.access(place.root.path, os.R_OK | os.X_OK)]
    return (there, len(places) - len(there)) if there else (places, 0)


def everybodys(connection: Connection) -> list[tuple[str, str, str, str | None, int]]:
    """Return tenant, name, directory, time of the last pass and bytes of files, of every tenant."""
    size = func.coalesce(func.sum(File.size).filter(File.skipped == ""), 0)
    columns = (Collection.tenant, Collection.name, Collection.path, Collection.indexed_at)
    rows = connection.execute(
        select(*columns, size).outerjoin(File).group_by(Collection.id).order_by(Collection.name)
    )
    return [(tenant, name, path, when, int(count)) for tenant, name, path, when, count in rows]


def ids(connection: Connection) -> set[int]:
    """Return the ids of all collections, whoever made them."""
    return set(connection.execute(select(Collection.id)).scalars())


def _visible(connection: Connection, owner: str) -> dict[str, Sequence[Any]]:
    """Return the rows of the collections that a tenant sees, by name."""
    rows = run(connection, _VISIBLE, Members({owner, LOCAL_TENANT}))
    return {row[1]: row for row in rows}


_VISIBLE: Final = """
    SELECT id, name, path, include, exclude, seq, indexed_at, unread FROM collections
    WHERE tenant IN MEMBERS(?) ORDER BY tenant"""


def declare(
    session: Session,
    name: str,
    path: Path,
    *,
    owner: str,
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
) -> Place:
    """Make a collection, or give the one of this name another path or other globs.

    Args:
        session: Inside a writing transaction.
        name: Letters, digits, spaces and `_ . : @ + -`, beginning with a letter or digit.
        path: Absolute and resolved.
        owner: The tenant it belongs to.
        include, exclude: Globs; None keeps what the collection has.
    """
    check_name(name)
    if not is_name(name):
        raise invalid_parameter(
            "collection", "must begin with a letter or digit and hold only those and ' _.:@+-'"
        )
    guard_root(path)
    for glob in (*(include or ()), *(exclude or ())):
        if not glob.strip() or len(glob) > 1000:
            raise invalid_parameter("include/exclude", "a glob must have 1 to 1000 characters")
        if not is_ignore_rule(glob):
            raise invalid_parameter("include/exclude", f"{glob!r} is no glob as in .gitignore")
    row = session.scalars(
        select(Collection).where(Collection.tenant == owner, Collection.name == name)
    ).one_or_none()
    if row is None:
        row = Collection(tenant=owner, name=name, path=str(path), include="[]", exclude="[]", seq=0)
        session.add(row)
    if row.path != str(path):
        row.path, row.indexed_at = str(path), None
    if include is not None:
        row.include = json.dumps(list(include))
    if exclude is not None:
        row.exclude = json.dumps(list(exclude))
    session.flush()
    return _place(
        row.id,
        row.name,
        row.path,
        row.include,
        row.exclude,
        row.seq,
        row.indexed_at,
        row.unread or 0,
    )


def directory(connection: Connection, name: str, owner: str) -> str | None:
    """Return the directory of a tenant's own collection; None where it has none of this name."""
    asked = select(Collection.path).where(Collection.tenant == owner, Collection.name == name)
    return connection.scalar(asked)


def mark_complete(session: Session, collection_id: int, when: str, unread: int) -> None:
    """Note that a full pass has ended, and how much it might not read."""
    session.execute(
        update(Collection)
        .where(Collection.id == collection_id)
        .values(indexed_at=when, unread=unread)
    )


def totals(connection: Connection, collection_id: int) -> Totals:
    """Return what a collection holds now."""
    chunks = select(func.count()).where(Chunk.collection_id == collection_id)
    unread = select(Collection.unread).where(Collection.id == collection_id)
    read = File.skipped == ""
    files, size, skipped, count, more = connection.execute(
        select(
            func.count().filter(read),
            func.coalesce(func.sum(File.size).filter(read), 0),
            func.count().filter(~read),
            chunks.scalar_subquery(),
            func.coalesce(unread.scalar_subquery(), 0),
        ).where(File.collection_id == collection_id)
    ).one()
    return Totals(files, count, int(size), skipped + more)


def skipped(
    connection: Connection, collection_id: int, *, but: str, most: int
) -> list[tuple[str, str]]:
    """Return the first files that have no content here, and why, `but` those of one reason."""
    statement = select(File.path, File.skipped).where(
        File.collection_id == collection_id, File.skipped.not_in(("", but))
    )
    rows = connection.execute(statement.order_by(File.path).limit(most))
    return [(path, reason) for path, reason in rows]


def _place(
    id: int,
    name: str,
    path: str,
    include: str,
    exclude: str,
    seq: int,
    indexed_at: str | None,
    unread: int,
) -> Place:
    return Place(
        id=id,
        name=name,
        root=toolroll.ProjectRoot(Path(path)),
        include=tuple(json.loads(include)),
        exclude=tuple(json.loads(exclude)),
        seq=seq,
        indexed_at=indexed_at,
        unread=unread,
    )
