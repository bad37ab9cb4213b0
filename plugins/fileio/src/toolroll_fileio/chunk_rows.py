"""The rows of a file's chunks: written so that what did not change stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from attrs import frozen
from sqlalchemy import Connection, bindparam, delete, select

from toolroll_fileio.change_log import IndexLog
from toolroll_fileio.chunking import TOKENIZER, Piece
from toolroll_fileio.names import Space
from toolroll_fileio.store import MOST_PARAMETERS
from toolroll_fileio.tables import chunks, embeddings, terms

__all__ = ["ChunkRows", "known_vectors"]

_OF_FILE: Final = (
    (chunks.c.apikey_hash == bindparam("tenant"))
    & (chunks.c.project == bindparam("in_project"))
    & (chunks.c.file_path == bindparam("path"))
)
_ROWS: Final = (
    select(
        chunks.c.id,
        chunks.c.chunk_index,
        chunks.c.start_byte,
        chunks.c.end_byte,
        chunks.c.content_hash,
        terms.c.tokenizer,
        embeddings.c.model,
    )
    .outerjoin(terms, terms.c.chunk_id == chunks.c.id)
    .outerjoin(embeddings, embeddings.c.chunk_id == chunks.c.id)
    .where(_OF_FILE)
    .order_by(chunks.c.chunk_index)
)
_DELETE: Final = delete(chunks).where(chunks.c.id == bindparam("chunk_id"))
_DELETE_VECTOR: Final = delete(embeddings).where(embeddings.c.chunk_id == bindparam("of_chunk"))
_VECTORS: Final = (
    select(chunks.c.content_hash, embeddings.c.embedding)
    .join(embeddings, embeddings.c.chunk_id == chunks.c.id)
    .where(
        chunks.c.apikey_hash == bindparam("tenant"),
        chunks.c.project == bindparam("in_project"),
        chunks.c.content_hash.in_(bindparam("digests", expanding=True)),
        embeddings.c.model == bindparam("model"),
    )
    .order_by(chunks.c.id)
)


def known_vectors(
    connection: Connection, space: Space, digests: Iterable[str], model: str
) -> dict[str, bytes]:
    """Return the stored vectors of equal chunks of a space: what only moved isn't embedded anew."""
    distinct = sorted(set(digests))
    found: dict[str, bytes] = {}
    for at in range(0, len(distinct), MOST_PARAMETERS):
        rows = connection.execute(
            _VECTORS,
            {
                "tenant": space.tenant,
                "in_project": space.project,
                "digests": distinct[at : at + MOST_PARAMETERS],
                "model": model,
            },
        )
        found.update({row.content_hash: row.embedding for row in rows})
    return found


@frozen
class ChunkRows:
    """Writes the chunks of the files of one space, inside one transaction.

    Attributes:
        log: Is told of each change; who made it flushes it.
    """

    connection: Connection
    space: Space
    model: str
    now: datetime
    log: IndexLog

    def replace(self, path: str, pieces: Sequence[Piece], vectors: Mapping[str, bytes]) -> bool:
        """Make the rows of a file those of `pieces`; say whether each of them has its vector.

        A row whose span, text and way of being made are the same stays, with its id and
        `last_served_at`.

        Args:
            path: The file's path.
            pieces: Its chunks; none when it is gone.
            vectors: Stored vectors by hash of the text.
        """
        bound = {"tenant": self.space.tenant, "in_project": self.space.project, "path": path}
        there = {row.chunk_index: row for row in self.connection.execute(_ROWS, bound)}
        wanted = dict(enumerate(pieces))
        same = {
            index
            for index, piece in wanted.items()
            if (row := there.get(index))
            and (row.start_byte, row.end_byte, row.content_hash, row.tokenizer)
            == (piece.start, piece.end, piece.digest, TOKENIZER)
        }
        self._remove([row.id for index, row in there.items() if index not in same])
        self._add(path, {i: piece for i, piece in wanted.items() if i not in same}, vectors)
        bare = {i: there[i] for i in same if there[i].model != self.model}
        self._give_vectors(
            [
                (row.id, vectors[row.content_hash], row.model is not None)
                for row in bare.values()
                if row.content_hash in vectors
            ]
        )
        new = [piece.digest for i, piece in wanted.items() if i not in same]
        missing = [*new, *(row.content_hash for row in bare.values())]
        return all(digest in vectors for digest in missing)

    def _remove(self, ids: Sequence[int]) -> None:
        if ids:
            self.connection.execute(_DELETE, [{"chunk_id": number} for number in ids])
            self.log.removed(ids)

    def _add(self, path: str, pieces: Mapping[int, Piece], vectors: Mapping[str, bytes]) -> None:
        if not pieces:
            return
        stamps = {"created_at": self.now, "updated_at": self.now}
        place = {
            "apikey_hash": self.space.tenant,
            "project": self.space.project,
            "file_path": path,
            **stamps,
        }
        rows = [
            {
                **place,
                "chunk_index": index,
                "start_byte": piece.start,
                "end_byte": piece.end,
                # PostgreSQL's text holds no NUL; what a search shows comes from the file
                "chunk_content": piece.text.replace("\0", "\ufffd"),
                "content_hash": piece.digest,
            }
            for index, piece in pieces.items()
        ]
        self.connection.execute(chunks.insert(), rows)
        bound = {"tenant": self.space.tenant, "in_project": self.space.project, "path": path}
        ids = {row.chunk_index: row.id for row in self.connection.execute(_ROWS, bound)}
        counted = [
            {
                "chunk_id": ids[index],
                "tokens": piece.terms,
                "token_count": sum(piece.terms.values()),
                "tokenizer": TOKENIZER,
                **stamps,
            }
            for index, piece in pieces.items()
        ]
        self.connection.execute(terms.insert(), counted)
        self._insert_vectors(
            [
                (ids[index], vectors[piece.digest])
                for index, piece in pieces.items()
                if piece.digest in vectors
            ]
        )
        self.log.added(path, {ids[index]: piece.terms for index, piece in pieces.items()})

    def _give_vectors(self, found: Sequence[tuple[int, bytes, bool]]) -> None:
        """Give rows that stayed a vector, replacing one of another model."""
        other = [{"of_chunk": number} for number, _, has_other in found if has_other]
        if other:
            self.connection.execute(_DELETE_VECTOR, other)
        self._insert_vectors([(number, vector) for number, vector, _ in found])
        self.log.given_vectors([number for number, _, _ in found])

    def _insert_vectors(self, found: Sequence[tuple[int, bytes]]) -> None:
        if found:
            fields = {"model": self.model, "created_at": self.now, "updated_at": self.now}
            self.connection.execute(
                embeddings.insert(),
                [{"chunk_id": number, "embedding": vector, **fields} for number, vector in found],
            )
