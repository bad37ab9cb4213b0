"""The search indexes of every space: words on disk, vectors in memory, both derived from SQL.

Each follows the rows of `mcp_file_index_changes` behind the last one it has applied. One that is
new, broken, or too far behind is filled from the chunks. Hits are joined with SQL before anybody
sees them, so an index that lags can miss a chunk but never show one that is gone.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field
from sqlalchemy import Connection, bindparam, func, select

from toolroll.search import (
    EVERYTHING,
    Hit,
    IndexBroken,
    IndexBusy,
    LexicalBatch,
    LexicalDocument,
    LexicalIndex,
    Scope,
    VectorBatch,
)
from toolroll.search.vectors import FaissIndex, decode_vectors
from toolroll_fileio.chunk_rows import ADD, REMOVE, VECTOR
from toolroll_fileio.chunking import TOKENIZER, spread
from toolroll_fileio.lexical import LexicalEngine, LexicalFiles, Words, lexical_files
from toolroll_fileio.names import Space, Span
from toolroll_fileio.store import MOST_PARAMETERS
from toolroll_fileio.tables import changes, chunks, embeddings, projects, terms

if TYPE_CHECKING:
    import toolroll
    from toolroll.search import Embedder

__all__ = ["Shelf", "SpaceIndex"]

MOST_OPEN: Final = 64
"""Spaces whose indexes are kept open; the longest unused goes first."""
BATCH: Final = 2_000
"""Chunks read at once when an index is filled anew."""

_CHANGES_OF: Final = (changes.c.apikey_hash == bindparam("tenant")) & (
    changes.c.project == bindparam("project")
)
_TOP: Final = select(func.max(changes.c.seq)).where(_CHANGES_OF)
_TRIMMED: Final = select(projects.c.trimmed_seq).where(
    projects.c.apikey_hash == bindparam("tenant"), projects.c.project == bindparam("project")
)
_BEHIND: Final = (
    select(changes.c.chunk_id, changes.c.change)
    .where(_CHANGES_OF, changes.c.seq > bindparam("seq"), changes.c.seq <= bindparam("top"))
    .order_by(changes.c.seq)
)
_HOW_MANY: Final = select(func.count()).where(_CHANGES_OF, changes.c.seq > bindparam("seq"))
_CHUNKS_OF: Final = (chunks.c.apikey_hash == bindparam("tenant")) & (
    chunks.c.project == bindparam("project")
)
_IDS: Final = select(chunks.c.id).where(_CHUNKS_OF).order_by(chunks.c.id)
_IDS_UNDER: Final = select(chunks.c.id).where(
    _CHUNKS_OF, chunks.c.file_path >= bindparam("low"), chunks.c.file_path < bindparam("high")
)
_DOCUMENTS: Final = (
    select(chunks.c.id, chunks.c.file_path, terms.c.tokens)
    .join(terms, terms.c.chunk_id == chunks.c.id)
    .where(
        _CHUNKS_OF,
        chunks.c.id.in_(bindparam("ids", expanding=True)),
        terms.c.tokenizer == TOKENIZER,
    )
    .order_by(chunks.c.id)
)
_VECTORS: Final = (
    select(embeddings.c.chunk_id, embeddings.c.embedding)
    .join(chunks, chunks.c.id == embeddings.c.chunk_id)
    .where(
        _CHUNKS_OF,
        chunks.c.id.in_(bindparam("ids", expanding=True)),
        embeddings.c.model == bindparam("model"),
    )
    .order_by(chunks.c.id)
)


@define(eq=False)
class SpaceIndex:
    """The two indexes of one space in this process."""

    space: Space
    embedder: Embedder
    files: LexicalFiles
    _vectors: FaissIndex | None = None
    _words: Words | None = None
    _words_seq: int = 0
    _following: threading.Lock = field(factory=threading.Lock)
    _opening: threading.Lock = field(factory=threading.Lock)

    def follow(self, connection: Connection, most: int | None = None, wait: float = -1) -> None:
        """Bring both indexes to the state of the rows.

        Args:
            connection: In one snapshot.
            most: Leave the lexical index as it is when more changes than this are waiting; the
                worker will apply them.
            wait: Seconds to wait while another thread does the same; -1 for as long as it takes.
        """
        top = connection.execute(_TOP, self._bound).scalar() or 0
        if not top:
            return  # nothing was ever indexed here: no directory, no memory
        trimmed = connection.execute(_TRIMMED, self._bound).scalar() or 0
        if not self._following.acquire(timeout=wait):
            return
        try:
            self._follow_vectors(connection, top, max(trimmed, 1))
            self._follow_words(connection, top, max(trimmed, 1), most)
        finally:
            self._following.release()

    def words(self, terms: Sequence[str], limit: int, prefix: str) -> Sequence[Hit]:
        """Return the chunks that hold the terms best; none before the first `follow`."""
        index = self._words
        if index is None:
            return []
        scope = Scope(prefix=prefix) if prefix else EVERYTHING
        return index.search(terms, limit=limit, scope=scope)

    def meaning(self, connection: Connection, vector: Any, limit: int, prefix: str) -> list[Hit]:
        """Return the chunks nearest to a vector."""
        return self._semantic().search(
            vector, limit=limit, allowed=self._under(connection, prefix) if prefix else None
        )

    def nearness(self, vector: Any, ids: Sequence[int]) -> dict[int, float]:
        """Return how near chunks are to a vector, where they have one."""
        scores = self._semantic().scores(vector, ids)
        return {i: float(s) for i, s in zip(ids, scores, strict=True) if s == s}  # NaN is absent

    @property
    def _bound(self) -> dict[str, Any]:
        return {"tenant": self.space.tenant, "project": self.space.project}

    def _semantic(self) -> FaissIndex:
        with self._opening:
            if self._vectors is None:
                self._vectors = FaissIndex(self.embedder.dimension)
            return self._vectors

    def _follow_words(
        self, connection: Connection, top: int, oldest: int, most: int | None
    ) -> None:
        """Bring the lexical index along, and let readers see it."""
        if self._words is not None and self._words_seq >= top:
            return
        try:
            self._words_seq = self._write_words(connection, top, oldest, most)
        except IndexBroken:
            self.files.remove()
            self._words_seq = self._write_words(connection, top, oldest, None)
        self._words = self.files.reader() if self._words_seq else None

    def _write_words(self, connection: Connection, top: int, oldest: int, most: int | None) -> int:
        """Apply what the index on disk has not; return the seq that it has applied."""
        applied = self._words_seq
        try:
            with self.files.writer() as index:
                applied = index.applied_seq()
                bound = {**self._bound, "seq": applied}
                if most is not None and connection.execute(_HOW_MANY, bound).scalar_one() > most:
                    return applied
                if applied < oldest:
                    self._fill(index, connection, top)
                elif applied < top:
                    removed, added, _ = self._behind(connection, applied, top)
                    documents = list(self._documents(connection, added))
                    index.apply(LexicalBatch(seq=top, delete=removed, add=documents))
            return max(applied, top)
        except IndexBusy:
            return applied  # another process is at it

    def _fill(self, index: LexicalIndex, connection: Connection, top: int) -> None:
        """Fill a lexical index from the chunks; until the last batch it counts as new."""
        index.clear()
        ids = list(connection.execute(_IDS, self._bound).scalars())
        for at in range(0, len(ids), BATCH):
            documents = list(self._documents(connection, ids[at : at + BATCH]))
            index.apply(LexicalBatch(seq=0, add=documents))
        index.apply(LexicalBatch(seq=top))

    def _follow_vectors(self, connection: Connection, top: int, oldest: int) -> None:
        index = self._semantic()
        applied = index.applied_seq()
        if applied >= top:
            return
        removed: list[int] = []
        if applied < oldest:
            index = self._vectors = FaissIndex(self.embedder.dimension)
            wanted = list(connection.execute(_IDS, self._bound).scalars())
        else:
            removed, added, given = self._behind(connection, applied, top)
            wanted = sorted({*added, *given})
        ids: list[int] = []
        blobs: list[bytes] = []
        for row in self._each(connection, _VECTORS, wanted, model=self.embedder.id):
            ids.append(row.chunk_id)
            blobs.append(row.embedding)
        vectors = decode_vectors(blobs, self.embedder.dimension) if ids else None
        index.apply(VectorBatch(seq=top, delete=removed, ids=ids, vectors=vectors))

    def _behind(
        self, connection: Connection, seq: int, top: int
    ) -> tuple[list[int], list[int], list[int]]:
        """Return what has come after `seq`: chunks removed, added, and given a vector."""
        found: dict[str, set[int]] = {ADD: set(), REMOVE: set(), VECTOR: set()}
        bound = {**self._bound, "seq": seq, "top": top}
        for row in connection.execute(_BEHIND, bound):
            found[row.change].add(row.chunk_id)
        brief = found[ADD] & found[REMOVE]  # came and went in between
        return (
            sorted(found[REMOVE] - brief),
            sorted(found[ADD] - brief),
            sorted(found[VECTOR] - found[REMOVE]),
        )

    def _documents(self, connection: Connection, ids: Sequence[int]) -> Iterator[LexicalDocument]:
        for row in self._each(connection, _DOCUMENTS, ids):
            yield LexicalDocument(row.id, row.file_path, spread(row.tokens))

    def _each(
        self, connection: Connection, statement: Any, ids: Sequence[int], **bound: Any
    ) -> Iterator[Any]:
        for at in range(0, len(ids), MOST_PARAMETERS):
            some = {"ids": ids[at : at + MOST_PARAMETERS]}
            yield from connection.execute(statement, {**self._bound, **bound, **some})

    def _under(self, connection: Connection, prefix: str) -> list[int]:
        span = Span.prefixed(prefix)
        bound = {**self._bound, "low": span.low, "high": span.high}
        return list(connection.execute(_IDS_UNDER, bound).scalars())


class Shelf:
    """The indexes of the spaces used last, in one process.

    Args:
        embedder: Gives the embedder; called at first use.
        engine: What finds by words.
    """

    def __init__(self, embedder: Callable[[], Embedder], engine: LexicalEngine) -> None:
        self._embedder = embedder
        self._engine: LexicalEngine = engine
        self._open: OrderedDict[tuple[Path, Space], SpaceIndex] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, context: toolroll.PackContext, space: Space) -> SpaceIndex:
        """Return the indexes of a space."""
        with self._lock:
            key = (context.data_dir, space)
            found = self._open.pop(key, None)
            if found is None:
                name = hashlib.sha256(space.lock.encode()).hexdigest()[:32]
                directory = context.data_dir / "index" / name
                files = lexical_files(self._engine, directory)
                found = SpaceIndex(space, self._embedder(), files)
            self._open[key] = found
            if len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)  # who still uses it keeps it
            return found

    def follow(
        self,
        context: toolroll.PackContext,
        space: Space,
        most: int | None = None,
        wait: float = -1,
    ) -> None:
        """Bring the indexes of a space to the state of its rows; see `SpaceIndex.follow`."""
        with context.database.reading() as connection:
            self.of(context, space).follow(connection, most, wait)
