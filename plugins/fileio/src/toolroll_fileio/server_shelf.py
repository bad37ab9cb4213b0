"""The search index of every space on PostgreSQL: for all hosts one, and in none's memory.

Words are in the tables of core's `PostgresIndex`, vectors in the pack's own rows, where pgvector
compares those of one space: exact, and found by an index that holds nothing but ids (manual 7.2).
Both change in the transaction that changes the chunks, so that no host has anything to follow.

A database without pgvector keeps its vectors as text. Each host then holds those of the spaces it
searches in memory, as on one machine, until somebody installs the extension.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field, frozen
from cachetools import LRUCache
from sqlalchemy import Connection, any_, bindparam, func, select, text

import toolroll
from toolroll.search import (
    EVERYTHING,
    Hit,
    IndexBroken,
    LexicalBatch,
    LexicalDocument,
    Scope,
)
from toolroll.search.lexical.postgres import PostgresIndex
from toolroll_fileio.change_log import ChangeLog, IndexLog, place
from toolroll_fileio.chunk_reading import BATCH, OF_SPACE, UNDER, chunk_ids, documents
from toolroll_fileio.chunking import spread
from toolroll_fileio.names import Space, Span
from toolroll_fileio.server_vectors import adopt, has_pgvector
from toolroll_fileio.shelf import MOST_OPEN, SpaceIndex
from toolroll_fileio.tables import chunks, embeddings
from toolroll_fileio.vector_memory import VectorMemory

if TYPE_CHECKING:
    from toolroll.search import Embedder, VectorIndex

__all__ = ["ServerShelf"]

FILLED: Final = 1
"""The seq of an index of words that holds every chunk; one that is new has 0."""
FILL_SECONDS: Final = 60.0

_DISTANCE: Final = "embedding <#> CAST(:query AS vector)"  # the negative inner product


def _scores(ids: Any) -> Any:
    """Build the scores of some chunks.

    Their ids come as an array, so that whatever the planner knows of the tables it reads the
    vectors of this space along the primary key, and those of no other.
    """
    array = func.array(ids.scalar_subquery())
    return select(embeddings.c.chunk_id.label("id"), text(f"-({_DISTANCE}) AS score")).where(
        embeddings.c.chunk_id == any_(array), embeddings.c.model == bindparam("model")
    )


def _nearest(*conditions: Any) -> Any:
    best = _scores(select(chunks.c.id).where(OF_SPACE, *conditions))
    return best.order_by(text(_DISTANCE), embeddings.c.chunk_id).limit(bindparam("most"))


_chosen = (
    select(chunks.c.id, chunks.c.apikey_hash, chunks.c.project)
    .where(chunks.c.id.in_(bindparam("ids", expanding=True)))
    .cte("chosen")
).prefix_with("MATERIALIZED")
_NEAREST: Final = _nearest()
_NEAREST_UNDER: Final = _nearest(UNDER)
_NEARNESS: Final = _scores(
    select(_chosen.c.id).where(
        _chosen.c.apikey_hash == bindparam("tenant"), _chosen.c.project == bindparam("project")
    )
)
_SPACES: Final = (
    select(chunks.c.apikey_hash, chunks.c.project)
    .distinct()
    .order_by(chunks.c.apikey_hash, chunks.c.project)
)


@frozen(eq=False)
class _ServerIndex:
    """The index of one space."""

    space: Space
    embedder: Embedder
    memory: VectorMemory | None

    def words(
        self, connection: Connection, terms: Sequence[str], limit: int, prefix: str
    ) -> Sequence[Hit]:
        """Return the chunks that hold the terms best."""
        scope = Scope(prefix=prefix) if prefix else EVERYTHING
        return _words(connection, self.space).search(terms, limit=limit, scope=scope)

    def meaning(
        self, connection: Connection, vector: Any, limit: int, prefix: str
    ) -> Sequence[Hit]:
        """Return the chunks nearest to a vector."""
        if self.memory is not None:
            return self.memory.nearest(connection, vector, limit, prefix)
        bound = {**self._bound(vector), "most": limit}
        if not prefix:
            rows = connection.execute(_NEAREST, bound)
        else:
            span = Span.prefixed(prefix)
            rows = connection.execute(_NEAREST_UNDER, {**bound, "low": span.low, "high": span.high})
        return [Hit(row.id, row.score) for row in rows]

    def nearness(self, connection: Connection, vector: Any, ids: Sequence[int]) -> dict[int, float]:
        """Return how near chunks are to a vector, where they have one."""
        if self.memory is not None:
            return self.memory.nearness(vector, ids)
        if not ids:
            return {}
        rows = connection.execute(_NEARNESS, {**self._bound(vector), "ids": list(ids)})
        return {row.id: row.score for row in rows}

    def _bound(self, vector: Any) -> dict[str, Any]:
        query = "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"
        return {**self.space.bound, "model": self.embedder.id, "query": query}


@define(eq=False)
class _ServerLog:
    """Puts words into the index in the transaction that changes the chunks."""

    connection: Connection
    space: Space
    followed: ChangeLog | None
    _removed: list[int] = field(factory=list[int], init=False)
    _added: list[LexicalDocument] = field(factory=list[LexicalDocument], init=False)

    def removed(self, ids: Sequence[int]) -> None:
        """Note that chunks are gone."""
        self._removed += ids
        if self.followed is not None:
            self.followed.removed(ids)

    def added(self, path: str, terms: Mapping[int, Mapping[str, int]]) -> None:
        """Note new chunks."""
        self._added += (
            LexicalDocument(number, path, spread(counted)) for number, counted in terms.items()
        )
        if self.followed is not None:
            self.followed.added(path, terms)

    def given_vectors(self, ids: Sequence[int]) -> None:
        """Note that chunks have a vector now; where pgvector is, that is all."""
        if self.followed is not None:
            self.followed.given_vectors(ids)

    def flush(self) -> None:
        """Bring the words of the space along."""
        if self._removed or self._added:
            index = _words(self.connection, self.space)
            if _is_filled(index):
                index.apply(LexicalBatch(FILLED, delete=self._removed, add=self._added))
            else:
                _fill(index, self.connection, self.space)
        if self.followed is not None:
            self.followed.flush()


class ServerShelf:
    """The indexes of every space in one database.

    Args:
        embedder: Gives the embedder; called at first use.
        vectors: Makes an empty index of vectors of a length, where there is no pgvector.
    """

    def __init__(
        self, embedder: Callable[[], Embedder], vectors: Callable[[int], VectorIndex]
    ) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._pgvector = False
        self._memories: LRUCache[Space, VectorMemory] = LRUCache(MOST_OPEN)
        self._following = threading.Lock()
        self._lock = threading.Lock()

    def open(self, context: toolroll.PackContext) -> None:
        """Have pgvector compare the vectors, if the database has it; call it outside of any other
        transaction."""
        if not self._pgvector:
            self._pgvector = adopt(context)

    def of(self, context: toolroll.PackContext, space: Space) -> SpaceIndex:
        """Return the index of a space."""
        memory = None if self._pgvector else self._memory(space)
        return _ServerIndex(space, self._embedder(), memory)

    def log(self, connection: Connection, space: Space) -> IndexLog:
        """Return what changes the index together with the chunks."""
        followed = (
            None if self._pgvector or has_pgvector(connection) else ChangeLog(connection, space)
        )
        return _ServerLog(connection, space, followed)

    def follow(
        self,
        context: toolroll.PackContext,
        space: Space,
        most: int | None = None,
        wait: float = -1,
    ) -> bool:
        """Follow with the vectors in memory, where that is needed; the words never lag."""
        if self._pgvector:
            return True
        with context.database.reading() as connection:
            if has_pgvector(connection):  # another host has adopted it meanwhile
                self._pgvector = True
            elif self._following.acquire(timeout=wait):
                try:
                    where = place(connection, space)
                    if where.top:
                        self._memory(space).follow(connection, where)
                finally:
                    self._following.release()
        return True

    def warm(self, context: toolroll.PackContext) -> None:
        """Index the words of spaces whose chunks are older than this index, or than its tokens."""
        with context.database.reading() as connection:
            spaces = [Space(*row) for row in connection.execute(_SPACES)]
            new = [space for space in spaces if not _is_filled(_words(connection, space))]
        for space in new:
            with context.database.writing(lock=space.lock, timeout=FILL_SECONDS) as connection:
                index = _words(connection, space)
                if not _is_filled(index):  # no other host was quicker
                    _fill(index, connection, space)

    def forget(self, context: toolroll.PackContext, space: Space) -> None:
        """Let go of the vectors in memory; the words went with the chunks."""
        with self._lock:
            self._memories.pop(space, None)

    def _memory(self, space: Space) -> VectorMemory:
        with self._lock:
            found = self._memories.get(space)
            if found is None:
                found = self._memories[space] = VectorMemory(space, self._embedder(), self._vectors)
            return found


def _words(connection: Connection, space: Space) -> PostgresIndex:
    return PostgresIndex(connection, space.lock)


def _is_filled(index: PostgresIndex) -> bool:
    """Say whether an index holds every chunk, in today's tokens."""
    try:
        return index.applied_seq() == FILLED
    except IndexBroken:
        return False


def _fill(index: PostgresIndex, connection: Connection, space: Space) -> None:
    """Fill an index of words from the chunks, in the caller's transaction."""
    index.clear()
    ids = chunk_ids(connection, space)
    for at in range(0, len(ids), BATCH):
        some = list(documents(connection, space, ids[at : at + BATCH]))
        index.apply(LexicalBatch(FILLED, add=some))
