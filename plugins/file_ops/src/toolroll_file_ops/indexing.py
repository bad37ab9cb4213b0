"""Indexing a collection on purpose, and saying what there is."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Final

import toolroll
from toolroll.locks import held
from toolroll_file_ops import collections_table
from toolroll_file_ops.checks import Check
from toolroll_file_ops.failures import invalid_parameter
from toolroll_file_ops.ignore import unmatched
from toolroll_file_ops.prepare import BINARY
from toolroll_file_ops.results import CollectionInfo, CollectionList, Indexed, NotIndexed

if TYPE_CHECKING:
    from toolroll_file_ops.engine import Engine
    from toolroll_file_ops.indexed_files import Report

__all__ = ["holdings", "index_collection", "list_collections"]

LOCK_SECONDS: Final = 600.0
"""How long one pass waits for another one over the same collection."""
MOST_NAMED: Final = 20
"""Files that were skipped; binary ones need no word."""


def index_collection(
    engine: Engine,
    context: toolroll.PackContext,
    name: str,
    path: str | None,
    *,
    include: list[str] | None,
    exclude: list[str] | None,
    check: Check,
    report: Report,
) -> Indexed:
    """Make or change a collection and bring its index up to date.

    Args:
        engine: The host's shared state.
        context: Whose collection it becomes.
        name, path, include, exclude: As `index_collection` takes them; what is None stays as it is.
        check: Raises to stop between two transactions; what is stored stays.
        report: Told how many changed files are done.

    Raises:
        ToolError: InvalidParameter for what the settings declare otherwise, InvalidPath.
    """
    started = time.monotonic()
    where = path or engine.directory(context, name) or "."
    if (declared := engine.declared(context, name)) is not None:
        if engine.root(context, where) != engine.root(context, declared.path):
            raise _declared(name, "path")
        if include not in (None, list(declared.include)):
            raise _declared(name, "include")
        if exclude not in (None, list(declared.exclude)):
            raise _declared(name, "exclude")
        include, exclude = list(declared.include), list(declared.exclude)
    space = engine.declare(context, name, where, include=include, exclude=exclude)
    key = f"index-{space.place.id}"
    with held(context.locks, key, LOCK_SECONDS, check=check, busy=_busy(name)):
        changes = space.index(check=check, report=report)
    with engine.database.reading() as connection:
        engine.words(connection, space.place.id)  # one with its own index follows now
        totals = collections_table.totals(connection, space.place.id)
        skipped = collections_table.skipped(connection, space.place.id, but=BINARY, most=MOST_NAMED)
    return Indexed(
        collection=name,
        added=changes.added,
        updated=changes.updated,
        removed=changes.removed,
        unchanged=max(0, totals.files - changes.added - changes.updated),
        skipped=totals.skipped,
        unmatched_include=unmatched(space.place.include, list(space.files)),
        not_indexed=[NotIndexed(path=path, reason=reason) for path, reason in skipped],
        total_files=totals.files,
        total_chunks=totals.chunks,
        duration_ms=round((time.monotonic() - started) * 1000),
    )


def holdings(context: toolroll.PackContext) -> list[toolroll.Holding]:
    """Return what is stored of each collection, about one and a half times its files."""
    if not context.database.is_made:
        return []
    with context.database.reading() as connection:
        found = collections_table.everybodys(connection)
    return [
        toolroll.Holding(
            name=name,
            directory=path,
            tenant=tenant,
            size=size * 3 // 2,
            used=None if when is None else datetime.fromisoformat(when),
        )
        for tenant, name, path, when, size in found
    ]


def _declared(name: str, parameter: str) -> toolroll.ToolError:
    return invalid_parameter(
        parameter,
        f"the settings declare {name!r} in [[file_ops.collections]] with another one, which would "
        "hold again at the host's next start; change it there, or choose another collection",
    )


def _busy(name: str) -> str:
    return f"collection {name!r} is being indexed, and was for {LOCK_SECONDS:g} s; try again later"


def list_collections(engine: Engine, context: toolroll.PackContext) -> CollectionList:
    """Return the collections that the caller sees, with what they hold."""
    found: list[CollectionInfo] = []
    places = engine.visible(context)
    with engine.database.reading() as connection:
        for place in places:
            totals = collections_table.totals(connection, place.id)
            found.append(
                CollectionInfo(
                    name=place.name,
                    path=_shown(context, place.root),
                    files=totals.files,
                    chunks=totals.chunks,
                    bytes=totals.bytes,
                    skipped_files=totals.skipped,
                    indexed_at=place.indexed_at,
                    complete=place.indexed_at is not None,
                    include=list(place.include),
                    exclude=list(place.exclude),
                )
            )
    return CollectionList(collections=found, total=len(found))


def _shown(context: toolroll.PackContext, root: toolroll.ProjectRoot) -> str:
    """Return a collection's directory, relative to the project root where it lies inside."""
    base = context.root.path
    inside = root.path.is_relative_to(base)
    return root.path.relative_to(base).as_posix() if inside else str(root.path)
