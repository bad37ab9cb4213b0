"""Removing a project for good, as an operator may whose tenant has no key any more.

Files, deleted ones, chunks and jobs go in one transaction under the project's lock. What stays is
the row of the project, which holds files no more, and which tells the indexes of other hosts how
far they have to follow.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select

import toolroll
from toolroll_fileio.chunk_rows import ChunkRows
from toolroll_fileio.mutation import mutate
from toolroll_fileio.names import Space
from toolroll_fileio.tables import chunks, files, jobs, times

if TYPE_CHECKING:
    from toolroll_fileio.engine import Engine

__all__ = ["remove"]

_TABLES: Final = (files, jobs, times)


def remove(context: toolroll.PackContext, holding: toolroll.Holding, engine: Engine) -> None:
    """Remove a project of a tenant, with what it has deleted.

    Args:
        context: The pack's.
        holding: As `projects.holdings` tells of it.
        engine: Its indexes forget the project.

    Raises:
        NotFound: The project holds no files any more.
        ResourceBusy: Another change held the project longer than `lock_timeout_ms`.
    """
    space = Space(holding.tenant or toolroll.LOCAL.tenant, holding.name)
    shelf = engine.indexer.shelf
    with mutate(context, space) as change:
        if not change.before.file_count:
            raise toolroll.NotFound(f"project {holding.name} holds no files any more")
        log = shelf.log(change.connection, space)
        model = engine.indexer.embedding.embedder.id
        rows = ChunkRows(change.connection, space, model, datetime.now(UTC), log)
        owned = (chunks.c.apikey_hash == space.tenant) & (chunks.c.project == space.project)
        paths = change.connection.execute(select(chunks.c.file_path).where(owned).distinct())
        for path in paths.scalars().all():
            rows.replace(path, [], {})
        log.flush()
        for table in _TABLES:
            of_space = (table.c.apikey_hash == space.tenant) & (table.c.project == space.project)
            change.connection.execute(delete(table).where(of_space))
        change.account(files=-change.before.file_count, size=-change.before.total_bytes)
    shelf.forget(context, space)
