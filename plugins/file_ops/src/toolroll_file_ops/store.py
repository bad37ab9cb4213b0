"""Writing files into the database: each replaced whole, in one transaction with its index."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Final

from attrs import asdict
from sqlalchemy import bindparam, delete, exists, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from toolroll.search import IndexBroken, LexicalBatch, LexicalDocument
from toolroll.search.lexical import Fts5Index
from toolroll.search.lexical.postgres import PostgresIndex
from toolroll_file_ops.prepare import Prepared
from toolroll_file_ops.statements import alone, reserve, together
from toolroll_file_ops.tables import Blob, Chunk, Collection, File

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

    from toolroll_file_ops.parallel import Same

__all__ = [
    "drop_collection",
    "empty",
    "forget_unused",
    "is_current",
    "lexical_index",
    "now",
    "outdated",
    "unpacked",
    "write",
]

_NEW_BLOB: Final = {  # another collection may store the same content at the same time
    "sqlite": sqlite.insert(Blob).on_conflict_do_nothing(),
    "postgresql": postgresql.insert(Blob).on_conflict_do_nothing(),
}


def now() -> str:
    """Return the time as ISO 8601 with microseconds, in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def lexical_index(connection: Connection, collection_id: int) -> Fts5Index | PostgresIndex:
    """Return the lexical index of a collection, bound to the connection's transaction."""
    name = f"collection_{collection_id}"
    if connection.dialect.name == "sqlite":
        return Fts5Index(connection, name)
    return PostgresIndex(connection, name)


def unpacked(data: bytes) -> bytes:
    """Return the bytes of a stored content."""
    return zlib.decompress(data)


def write(
    session: Session,
    collection_id: int,
    files: Sequence[Prepared],
    removed: Iterable[str] = (),
    touched: Iterable[Same] = (),
    *,
    embedder_id: str = "",
) -> tuple[int, dict[str, int]]:
    """Replace files and remove others, with their chunks and index entries.

    Returns the new seq and the ids of the files written.

    Args:
        session: Inside a writing transaction.
        collection_id: The collection.
        files: What is there now; a file of the same path is replaced.
        removed: Paths that have gone.
        touched: Files that hold what they held; one that another process has stored since keeps
            the stamp that it got there.
        embedder_id: What made the vectors.
    """
    together(session)
    seq = session.scalars(
        update(Collection)
        .where(Collection.id == collection_id)
        .values(seq=Collection.seq + 1)
        .returning(Collection.seq)
    ).one()
    gone = _remove(session, collection_id, [*(file.path for file in files), *removed])
    documents: list[LexicalDocument] = []
    rows: list[dict[str, object]] = []
    next_id = reserve(session, "chunks", sum(len(file.chunks) for file in files))
    ids = _insert_files(session, collection_id, files)
    _touch(session, collection_id, touched)
    for file in files:
        for position, chunk in enumerate(file.chunks):
            documents.append(LexicalDocument(next_id, file.path, file.tokens[position]))
            vector = file.vectors[position] if file.vectors else None
            rows.append(
                {
                    "id": next_id,
                    "collection_id": collection_id,
                    "file_id": ids[file.path],
                    "position": position,
                    "start": chunk.start,
                    "end": chunk.end,
                    "first_line": chunk.first_line,
                    "last_line": chunk.last_line,
                    "symbols": "\n".join(chunk.symbols),
                    "embedder": embedder_id if vector is not None else "",
                    "vector": vector,
                }
            )
            next_id += 1
    if rows:
        session.execute(insert(Chunk), rows)
    lexical_index(session.connection(), collection_id).apply(
        LexicalBatch(seq, delete=gone, add=documents)
    )
    return seq, ids


def forget_unused(session: Session) -> None:
    """Delete the bytes that no file has any more."""
    alone(session)
    # not NOT IN, for which PostgreSQL reads all files for each blob where there are many
    used = exists().where(File.sha256 == Blob.sha256)
    session.execute(delete(Blob).where(~used))


def is_current(connection: Connection, collection_id: int) -> bool:
    """Say whether this tokeniser made the index."""
    try:
        lexical_index(connection, collection_id).applied_seq()
    except IndexBroken:
        return False
    return True


def outdated(
    connection: Connection, collection_id: int, analysis: str, embedder_id: str | None
) -> set[str]:
    """Return the files that were cut otherwise, or have a chunk that is not embedded by this one.

    Args:
        analysis: How files are cut now.
        embedder_id: None where chunks need no vectors.
    """
    old = File.analysis != analysis
    if embedder_id is not None:
        missing = select(Chunk.file_id).where(
            Chunk.collection_id == collection_id, Chunk.embedder != embedder_id
        )
        old = old | File.id.in_(missing)
    found = connection.execute(select(File.path).where(File.collection_id == collection_id, old))
    return set(found.scalars())


def empty(session: Session, collection_id: int) -> None:
    """Remove everything that was indexed; the collection stays."""
    lexical_index(session.connection(), collection_id).clear()
    session.execute(delete(Chunk).where(Chunk.collection_id == collection_id))
    session.execute(delete(File).where(File.collection_id == collection_id))
    session.execute(
        update(Collection).where(Collection.id == collection_id).values(seq=Collection.seq + 1)
    )


def drop_collection(session: Session, collection_id: int) -> None:
    """Remove a collection with everything that belongs to it."""
    alone(session)  # first: a writer who holds the other lock may wait for a row that goes here
    empty(session, collection_id)
    session.execute(delete(Collection).where(Collection.id == collection_id))
    forget_unused(session)


def _remove(session: Session, collection_id: int, paths: Sequence[str]) -> list[int]:
    """Delete file rows and chunks by path; return the ids of the chunks."""
    gone: list[int] = []
    for start in range(0, len(paths), 500):
        part = paths[start : start + 500]
        ids = session.scalars(
            select(File.id).where(File.collection_id == collection_id, File.path.in_(part))
        ).all()
        if ids:
            gone += session.scalars(select(Chunk.id).where(Chunk.file_id.in_(ids)))
            session.execute(delete(Chunk).where(Chunk.file_id.in_(ids)))
            session.execute(delete(File).where(File.id.in_(ids)))
    return gone


def _touch(session: Session, collection_id: int, touched: Iterable[Same]) -> None:
    """Note when files were looked at and found to hold what they held."""
    when = now()
    rows = [
        {"touched": it.path, "held": it.sha256, **asdict(it.stamp), "indexed_at": when}
        for it in touched
    ]
    if rows:
        session.connection().execute(
            update(File).where(
                File.collection_id == collection_id,
                File.path == bindparam("touched"),
                File.sha256 == bindparam("held"),
            ),
            rows,
        )


def _insert_files(
    session: Session, collection_id: int, files: Sequence[Prepared]
) -> dict[str, int]:
    """Insert file rows and the bytes that are new; return the id of each path."""
    contents = {file.sha256: file.compressed for file in files if not file.skipped}
    known = set(session.scalars(select(Blob.sha256).where(Blob.sha256.in_(contents))))
    new = [{"sha256": sha, "data": data} for sha, data in contents.items() if sha not in known]
    if new:
        session.execute(_NEW_BLOB[session.connection().dialect.name], new)
    first = reserve(session, "files", len(files))
    ids = dict(zip((file.path for file in files), count(first), strict=False))
    when = now()
    rows = [
        {
            "id": ids[file.path],
            "collection_id": collection_id,
            "path": file.path,
            "sha256": file.sha256,
            **asdict(file.stamp),
            "file_type": file.file_type,
            "language": file.language,
            "chunk_count": len(file.chunks),
            "indexed_at": when,
            "skipped": file.skipped,
            "analysis": file.analysis,
        }
        for file in files
    ]
    if rows:
        session.execute(insert(File), rows)
    return ids
