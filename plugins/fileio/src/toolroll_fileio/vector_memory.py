"""The vectors of one space in this process's memory, which follow the rows of SQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field
from sqlalchemy import Connection

from toolroll.search import Hit, VectorBatch
from toolroll.search.vectors import decode_vectors
from toolroll_fileio.change_log import Place, behind
from toolroll_fileio.chunk_reading import chunk_ids, stored_vectors
from toolroll_fileio.names import Space

if TYPE_CHECKING:
    from toolroll.search import Embedder, VectorIndex

__all__ = ["VectorMemory"]


@define(eq=False)
class VectorMemory:
    """An exact index over the vectors of one embedder; filled at first use."""

    space: Space
    embedder: Embedder
    make: Callable[[int], VectorIndex]
    _index: VectorIndex | None = None
    _opening: threading.Lock = field(factory=threading.Lock)

    def follow(self, connection: Connection, where: Place) -> None:
        """Bring the index to the state of the rows; one thread at a time."""
        index = self._semantic()
        applied = index.applied_seq()
        if applied >= where.top:
            return
        removed: Sequence[int] = ()
        if applied < where.oldest:
            index = self._index = self.make(self.embedder.dimension)
            wanted = chunk_ids(connection, self.space)
        else:
            late = behind(connection, self.space, applied, where.top)
            removed, wanted = late.removed, sorted({*late.added, *late.given_vectors})
        ids, blobs = stored_vectors(connection, self.space, wanted, self.embedder.id)
        vectors = decode_vectors(blobs, self.embedder.dimension) if ids else None
        index.apply(VectorBatch(seq=where.top, delete=removed, ids=ids, vectors=vectors))

    def nearest(self, connection: Connection, vector: Any, limit: int, prefix: str) -> list[Hit]:
        """Return the chunks nearest to a vector, of those under a raw prefix."""
        allowed = chunk_ids(connection, self.space, prefix) if prefix else None
        return self._semantic().search(vector, limit=limit, allowed=allowed)

    def nearness(self, vector: Any, ids: Sequence[int]) -> dict[int, float]:
        """Return how near chunks are to a vector, where they have one."""
        scores = self._semantic().scores(vector, ids)
        return {i: float(s) for i, s in zip(ids, scores, strict=True) if s == s}  # NaN is absent

    def _semantic(self) -> VectorIndex:
        with self._opening:
            if self._index is None:
                self._index = self.make(self.embedder.dimension)
            return self._index
