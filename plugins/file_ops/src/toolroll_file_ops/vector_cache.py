"""The vectors of each collection in this process's memory, replayed from SQL before each use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from toolroll.search import Embedder, VectorBatch, VectorIndex
from toolroll.search.vectors import FaissIndex, decode_vectors
from toolroll_file_ops.statements import run
from toolroll_file_ops.tables import Chunk

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from toolroll.storage import Database

__all__ = ["VectorCache"]

MAX_BYTES: Final = 512_000_000
"""Vectors kept in memory; the collection used longest ago goes first. 1 kB a chunk."""

_IDS: Final = "SELECT id FROM chunks WHERE collection_id = ?"


class VectorCache:
    """Vector indexes by collection.

    Args:
        database: Where the vectors are.
        embedder: What made them; None for none.
        make: Makes an empty index of vectors of a length.
    """

    def __init__(
        self,
        database: Database,
        embedder: Embedder | None,
        make: Callable[[int], VectorIndex] = FaissIndex,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._make = make
        self._indexes: OrderedDict[int, tuple[VectorIndex, set[int]]] = OrderedDict()
        self._lock = threading.Lock()

    def index(self, connection: Connection, collection_id: int, seq: int) -> VectorIndex | None:
        """Return the vectors of a collection as of `seq`, or None without an embedder.

        Chunk ids are never used again, so comparing the sets of ids tells what changed.
        """
        if self._embedder is None:
            return None
        with self._lock:
            known = self._indexes.pop(collection_id, None)
            index, ids = known or (self._make(self._embedder.dimension), set[int]())
            if known is None or index.applied_seq() != seq:
                now = {id for (id,) in run(connection, _IDS, collection_id)}
                self._replay(connection, index, seq, ids - now, now - ids)
                ids = now
            self._indexes[collection_id] = (index, ids)
            while len(self._indexes) > 1 and self._memory() > MAX_BYTES:
                self._indexes.popitem(last=False)
            return index

    def keep(self, collections: set[int]) -> None:
        """Let go of the vectors of all other collections."""
        with self._lock:
            for gone in self._indexes.keys() - collections:
                del self._indexes[gone]

    def _replay(
        self, connection: Connection, index: VectorIndex, seq: int, gone: set[int], new: set[int]
    ) -> None:
        assert self._embedder is not None
        wanted = sorted(new)
        index.apply(VectorBatch(seq, delete=sorted(gone)))
        for start in range(0, len(wanted), 500):
            rows = connection.execute(
                select(Chunk.id, Chunk.vector).where(
                    Chunk.id.in_(wanted[start : start + 500]),
                    Chunk.embedder == self._embedder.id,
                    Chunk.vector.is_not(None),
                )
            ).all()
            if rows:
                blobs = [vector for _, vector in rows if vector is not None]
                vectors = decode_vectors(blobs, index.dimension)
                index.apply(VectorBatch(seq, ids=[id for id, _ in rows], vectors=vectors))

    def _memory(self) -> int:
        return sum(len(index) * index.dimension * 2 for index, _ in self._indexes.values())
