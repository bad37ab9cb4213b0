"""Reading the chunks of a space for the indexes that are made from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from toolroll.search import LexicalDocument
from toolroll_fileio.chunking import TOKENIZER, spread
from toolroll_fileio.names import Space, Span
from toolroll_fileio.store import MOST_PARAMETERS
from toolroll_fileio.tables import chunks, embeddings, terms

__all__ = ["BATCH", "OF_SPACE", "UNDER", "chunk_ids", "documents", "stored_vectors"]

BATCH: Final = 2_000
"""Chunks read at once when an index is filled anew."""

OF_SPACE: Final = (chunks.c.apikey_hash == bindparam("tenant")) & (
    chunks.c.project == bindparam("project")
)
UNDER: Final = (chunks.c.file_path >= bindparam("low")) & (chunks.c.file_path < bindparam("high"))
_IDS: Final = select(chunks.c.id).where(OF_SPACE).order_by(chunks.c.id)
_IDS_UNDER: Final = select(chunks.c.id).where(OF_SPACE, UNDER)
_DOCUMENTS: Final = (
    select(chunks.c.id, chunks.c.file_path, terms.c.tokens)
    .join(terms, terms.c.chunk_id == chunks.c.id)
    .where(
        OF_SPACE,
        chunks.c.id.in_(bindparam("ids", expanding=True)),
        terms.c.tokenizer == TOKENIZER,
    )
    .order_by(chunks.c.id)
)
_VECTORS: Final = (
    select(embeddings.c.chunk_id, embeddings.c.embedding)
    .join(chunks, chunks.c.id == embeddings.c.chunk_id)
    .where(
        OF_SPACE,
        chunks.c.id.in_(bindparam("ids", expanding=True)),
        embeddings.c.model == bindparam("model"),
    )
    .order_by(chunks.c.id)
)


def chunk_ids(connection: Connection, space: Space, prefix: str = "") -> list[int]:
    """Return the ids of a space's chunks, sorted; those under a raw prefix in any order."""
    if not prefix:
        return list(connection.execute(_IDS, space.bound).scalars())
    span = Span.prefixed(prefix)
    bound = {**space.bound, "low": span.low, "high": span.high}
    return list(connection.execute(_IDS_UNDER, bound).scalars())


def documents(
    connection: Connection, space: Space, ids: Sequence[int]
) -> Iterator[LexicalDocument]:
    """Yield chunks as the lexical engines take them."""
    for row in _each(connection, _DOCUMENTS, space, ids):
        yield LexicalDocument(row.id, row.file_path, spread(row.tokens))


def stored_vectors(
    connection: Connection, space: Space, ids: Sequence[int], model: str
) -> tuple[list[int], list[bytes]]:
    """Return ids and stored vectors of those chunks that have one of this model."""
    rows = list(_each(connection, _VECTORS, space, ids, model=model))
    return [row.chunk_id for row in rows], [row.embedding for row in rows]


def _each(
    connection: Connection, statement: Any, space: Space, ids: Sequence[int], **bound: Any
) -> Iterator[Any]:
    for at in range(0, len(ids), MOST_PARAMETERS):
        some = {"ids": ids[at : at + MOST_PARAMETERS]}
        yield from connection.execute(statement, {**space.bound, **bound, **some})
