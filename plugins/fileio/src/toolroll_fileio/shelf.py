"""The search indexes of every space on one machine: words on disk, vectors in memory.

Each follows the rows of `mcp_file_index_changes` behind the last one it has applied. One that is
new, broken, or too far behind is filled from the chunks. Hits are joined with SQL before anybody
sees them, so an index that lags can miss a chunk but never show one that is gone.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from attrs import define, field
from cachetools import LRUCache
from sqlalchemy import Connection

from toolroll.search import (
    EVERYTHING,
    Hit,
    IndexBroken,
    IndexBusy,
    LexicalBatch,
    LexicalIndex,
    Scope,
)
from toolroll_fileio.change_log import ChangeLog, IndexLog, Place, behind, how_many, place
from toolroll_fileio.chunk_reading import BATCH, chunk_ids, documents
from toolroll_fileio.lexical import LexicalEngine, LexicalFiles, Words, lexical_files
from toolroll_fileio.names import Space
from toolroll_fileio.vector_memory import VectorMemory

if TYPE_CHECKING:
    import toolroll
    from toolroll.backends import Backend
    from toolroll.search import Embedder, VectorIndex

__all__ = ["LocalShelf", "Shelf", "SpaceIndex"]

MOST_OPEN: Final = 64
"""Spaces whose indexes are kept open; the longest unused goes first."""


class SpaceIndex(Protocol):
    """Finds the chunks of one space."""

    def words(
        self, connection: Connection, terms: Sequence[str], limit: int, prefix: str
    ) -> Sequence[Hit]:
        """Return the chunks that hold the terms best, of those under a raw prefix."""
        ...

    def meaning(
        self, connection: Connection, vector: Any, limit: int, prefix: str
    ) -> Sequence[Hit]:
        """Return the chunks nearest to a vector, of those under a raw prefix."""
        ...

    def nearness(self, connection: Connection, vector: Any, ids: Sequence[int]) -> dict[int, float]:
        """Return how near chunks are to a vector, where they have one."""
        ...


class Shelf(Protocol):
    """Where the indexes of all spaces are."""

    def of(self, context: toolroll.PackContext, space: Space) -> SpaceIndex:
        """Return the index of a space."""
        ...

    def log(self, connection: Connection, space: Space) -> IndexLog:
        """Return what has to be told, inside the transaction, of changes of a space's chunks."""
        ...

    def follow(
        self,
        context: toolroll.PackContext,
        space: Space,
        most: int | None = None,
        wait: float = -1,
    ) -> bool:
        """Bring what lies outside of SQL to the state of the rows; say whether all of it is there.

        Args:
            context: The pack's.
            space: The space.
            most: Leave the words as they are when more changes than this are waiting.
            wait: Seconds to wait while another thread does the same; -1 for as long as it takes.
        """
        ...

    def warm(self, context: toolroll.PackContext) -> None:
        """Do in the worker what the first search would wait for."""
        ...

    def forget(self, context: toolroll.PackContext, space: Space) -> None:
        """Remove what lies outside of SQL of a space that has no chunks any more."""
        ...


@define(eq=False)
class LocalIndex:
    """The two indexes of one space in this process."""

    space: Space
    files: LexicalFiles
    vectors: VectorMemory
    _words: Words | None = None
    _words_seq: int = 0
    _following: threading.Lock = field(factory=threading.Lock)

    def follow(self, connection: Connection, most: int | None = None, wait: float = -1) -> bool:
        """Bring both indexes to the state of the rows, in one snapshot; see `Shelf.follow`."""
        where = place(connection, self.space)
        if not where.top:
            return True  # nothing was ever indexed here: no directory, no memory
        if not self._following.acquire(timeout=wait):
            return False
        try:
            self.vectors.follow(connection, where)
            self._follow_words(connection, where, most)
            return self._words_seq >= where.top
        finally:
            self._following.release()

    def words(
        self, connection: Connection, terms: Sequence[str], limit: int, prefix: str
    ) -> Sequence[Hit]:
        """Return the chunks that hold the terms best; none before the first `follow`."""
        index = self._words
        if index is None:
            return []
        scope = Scope(prefix=prefix) if prefix else EVERYTHING
        return index.search(terms, limit=limit, scope=scope)

    def meaning(
        self, connection: Connection, vector: Any, limit: int, prefix: str
    ) -> Sequence[Hit]:
        """Return the chunks nearest to a vector."""
        return self.vectors.nearest(connection, vector, limit, prefix)

    def nearness(self, connection: Connection, vector: Any, ids: Sequence[int]) -> dict[int, float]:
        """Return how near chunks are to a vector, where they have one."""
        return self.vectors.nearness(vector, ids)

    def _follow_words(self, connection: Connection, where: Place, most: int | None) -> None:
        """Bring the lexical index along, and let readers see it."""
        if self._words is not None and self._words_seq >= where.top:
            return
        try:
            self._words_seq = self._write_words(connection, where, most)
        except IndexBroken:
            self.files.remove()
            self._words_seq = self._write_words(connection, where, None)
        self._words = self.files.reader() if self._words_seq else None

    def _write_words(self, connection: Connection, where: Place, most: int | None) -> int:
        """Apply what the index on disk has not; return the seq that it has applied."""
        applied, top = self._words_seq, where.top
        try:
            with self.files.writer() as index:
                applied = index.applied_seq()
                if most is not None and how_many(connection, self.space, applied) > most:
                    return applied
                if applied < where.oldest:
                    self._fill(index, connection, top)
                elif applied < top:
                    late = behind(connection, self.space, applied, top)
                    added = list(documents(connection, self.space, late.added))
                    index.apply(LexicalBatch(seq=top, delete=late.removed, add=added))
            return max(applied, top)
        except IndexBusy:
            return applied  # another process is at it, or there is no room: later

    def _fill(self, index: LexicalIndex, connection: Connection, top: int) -> None:
        """Fill a lexical index from the chunks; until the last batch it counts as new."""
        index.clear()
        ids = chunk_ids(connection, self.space)
        for at in range(0, len(ids), BATCH):
            some = list(documents(connection, self.space, ids[at : at + BATCH]))
            index.apply(LexicalBatch(seq=0, add=some))
        index.apply(LexicalBatch(seq=top))


class LocalShelf:
    """The indexes of the spaces used last, in one process.

    Args:
        embedder: Gives the embedder; called at first use.
        engine: What finds by words.
        vectors: Makes an empty index of vectors of a length.
    """

    def __init__(
        self,
        embedder: Callable[[], Embedder],
        engine: LexicalEngine | Backend,
        vectors: Callable[[int], VectorIndex],
    ) -> None:
        self._embedder = embedder
        self._engine: LexicalEngine | Backend = engine
        self._vectors = vectors
        # one that makes room is kept by who still uses it
        self._open: LRUCache[tuple[Path, Space], LocalIndex] = LRUCache(MOST_OPEN)
        self._lock = threading.Lock()

    def of(self, context: toolroll.PackContext, space: Space) -> LocalIndex:
        """Return the indexes of a space."""
        with self._lock:
            key = (context.data_dir, space)
            found = self._open.get(key)
            if found is None:
                files = lexical_files(self._engine, _directory(context, space))
                found = LocalIndex(
                    space, files, VectorMemory(space, self._embedder(), self._vectors)
                )
                self._open[key] = found
            return found

    def log(self, connection: Connection, space: Space) -> IndexLog:
        """Return what keeps changes for the indexes to follow."""
        return ChangeLog(connection, space)

    def follow(
        self,
        context: toolroll.PackContext,
        space: Space,
        most: int | None = None,
        wait: float = -1,
    ) -> bool:
        """Bring the indexes of a space to the state of its rows; see `Shelf.follow`."""
        with context.database.reading() as connection:
            return self.of(context, space).follow(connection, most, wait)

    def warm(self, context: toolroll.PackContext) -> None:
        """Do nothing: indexes are opened as they are needed."""

    def forget(self, context: toolroll.PackContext, space: Space) -> None:
        """Remove the files of a space's words; a host that has them open fills them anew."""
        with self._lock:
            self._open.pop((context.data_dir, space), None)
        shutil.rmtree(_directory(context, space), ignore_errors=True)


def _directory(context: toolroll.PackContext, space: Space) -> Path:
    return context.data_dir / "index" / hashlib.sha256(space.lock.encode()).hexdigest()[:32]
