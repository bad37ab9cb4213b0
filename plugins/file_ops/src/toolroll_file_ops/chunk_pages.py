"""A file's chunks in order, page by page: for files too large to be read whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from toolroll_file_ops.results import ContextHint, FileChunks, OrderedChunk
from toolroll_file_ops.tables import Chunk

if TYPE_CHECKING:
    from toolroll_file_ops.opened import Opened

__all__ = ["page_of"]

PREVIEW: Final = 100
"""Characters of a neighbour's preview."""


def page_of(opened: Opened, path: str, start: int, limit: int, *, context: bool) -> FileChunks:
    """Return the answer of `get_file_chunks_ordered`; an empty page behind the end.

    Args:
        opened: The collection.
        path: Canonical path.
        start: Index of the first chunk.
        limit: Chunks at most.
        context: Whether each chunk comes with previews of its neighbours.
    """
    loaded, _ = opened.load(path)
    start = min(start, loaded.chunk_count)
    with opened.engine.database.read() as session:
        rows = session.execute(
            select(Chunk.position, Chunk.start, Chunk.end, Chunk.first_line, Chunk.last_line)
            .where(
                Chunk.file_id == loaded.file_id,
                Chunk.position >= start - 1,
                Chunk.position <= start + limit,
            )
            .order_by(Chunk.position)
        ).all()
    texts = {row.position: loaded.data[row.start : row.end].decode() for row in rows}
    chunks = [
        OrderedChunk(
            index=row.position,
            content=texts[row.position],
            line_range=(row.first_line, row.last_line),
            byte_range=(row.start, row.end),
            context_hint=_hint(texts, row.position) if context else None,
        )
        for row in rows
        if start <= row.position < start + limit
    ]
    end = start + len(chunks)
    more = bool(chunks) and end < loaded.chunk_count
    return FileChunks(
        file_path=path,
        total_chunks=loaded.chunk_count,
        chunks=chunks,
        has_more=more,
        next_start=end if more else None,
    )


def _hint(texts: dict[int, str], position: int) -> ContextHint:
    before, behind = texts.get(position - 1), texts.get(position + 1)
    return ContextHint(
        prev_chunk_preview=before[-PREVIEW:] if before is not None else None,
        next_chunk_preview=behind[:PREVIEW] if behind is not None else None,
    )
