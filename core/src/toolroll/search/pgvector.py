"""Exact vector search on PostgreSQL with pgvector: one index for every host, in no host's memory.

Two tables in the pack's schema hold the vectors of all its spaces; they change in the caller's
transaction. A search reads the vectors of its space alone, by the primary key, and compares each:
exact, and quick as long as a space has some 100,000 chunks (docs/scaling.md). There is no HNSW
index: with a filter as narrow as one space it loses up to half of the hits (retrieval.md, section
2), and exact search is quicker there. Vectors are half floats, as packs store them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sqlalchemy import text

from toolroll.search.interfaces import Hit, VectorBatch, require_dimension
from toolroll.search.unit_length import unit_rows

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

__all__ = ["PgVectorIndex"]

_TABLES: Final = """
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
CREATE TABLE IF NOT EXISTS search_vector_spaces (
    space TEXT PRIMARY KEY, seq BIGINT NOT NULL, dimension INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS search_vectors (
    space TEXT NOT NULL, id BIGINT NOT NULL, embedding HALFVEC NOT NULL, PRIMARY KEY (space, id));
ALTER TABLE search_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
"""
_CREATING: Final = text("SELECT pg_advisory_xact_lock(hashtext('toolroll vector tables'))")
_EXISTS: Final = text("SELECT to_regclass('search_vector_spaces') IS NOT NULL")
_NEW_SPACE: Final = text(
    "INSERT INTO search_vector_spaces VALUES (:space, 0, :dimension) ON CONFLICT DO NOTHING"
)
_LOCK: Final = text("SELECT dimension FROM search_vector_spaces WHERE space = :space FOR UPDATE")
_SEQ: Final = text("SELECT seq FROM search_vector_spaces WHERE space = :space")
_SET_SEQ: Final = text("UPDATE search_vector_spaces SET seq = :seq WHERE space = :space")
_COUNT: Final = text("SELECT count(*) FROM search_vectors WHERE space = :space")
_DELETE: Final = text("DELETE FROM search_vectors WHERE space = :space AND id = ANY(:ids)")
_INSERT: Final = text("""
    INSERT INTO search_vectors (space, id, embedding)
    SELECT :space, v.id, CAST(v.embedding AS halfvec)
    FROM unnest(CAST(:ids AS bigint[]), CAST(:vectors AS text[])) AS v (id, embedding)""")
_NEAREST: Final = """
    SELECT id, -(embedding <#> CAST(:query AS halfvec)) AS score FROM search_vectors
    WHERE space = :space{among} ORDER BY embedding <#> CAST(:query AS halfvec), id LIMIT :most"""
_ALL: Final = text(_NEAREST.format(among=""))
_AMONG: Final = text(_NEAREST.format(among=" AND id = ANY(:ids)"))
_ROWS: Final = text("""
    SELECT id, CAST(embedding AS real[]) AS embedding FROM search_vectors
    WHERE space = :space AND id = ANY(:ids)""")
_MEANS: Final = text("""
    SELECT g.place, count(*) AS found, CAST(avg(CAST(v.embedding AS vector)) AS real[]) AS mean
    FROM unnest(CAST(:places AS int[]), CAST(:ids AS bigint[])) AS g (place, id)
    JOIN search_vectors AS v ON v.space = :space AND v.id = g.id GROUP BY g.place""")
_CLEAR: Final = tuple(
    text(f"DELETE FROM {table} WHERE space = :space")  # noqa: S608 - the names are these
    for table in ("search_vectors", "search_vector_spaces")
)


class PgVectorIndex:
    """The vectors of one space on PostgreSQL; see `VectorIndex`.

    The object is bound to one connection and one transaction, and cheap to make: changes are
    committed or rolled back with everything else the transaction did.

    Args:
        connection: SQLAlchemy connection to PostgreSQL, the pack's schema first on its search path.
        space: Names the space among all of the pack's; vectors of another embedder need another.
        dimension: Length of the vectors.
    """

    def __init__(self, connection: Connection, space: str, dimension: int) -> None:
        self._connection = connection
        self._space = space
        self._dimension = dimension

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._dimension

    def __len__(self) -> int:
        return self._run(_COUNT).scalar_one() if self._exists() else 0

    def applied_seq(self) -> int:
        """Return the seq of the last batch applied; 0 for a new index."""
        return (self._run(_SEQ).scalar() or 0) if self._exists() else 0

    def apply(self, batch: VectorBatch) -> None:
        """Apply a batch inside the caller's transaction."""
        batch.require(self._dimension)
        vectors = batch.vectors
        if not self._exists():
            self._connection.execute(_CREATING)  # two that create a table at once would collide
            self._connection.exec_driver_sql(_TABLES)
        self._run(_NEW_SPACE, dimension=self._dimension)
        require_dimension(self._run(_LOCK).scalar_one(), self._dimension)
        if gone := sorted({*batch.delete, *batch.ids}):
            self._run(_DELETE, ids=gone)
        if vectors is not None and len(vectors):
            rows = dict(zip(batch.ids, map(_literal, vectors), strict=True))
            self._run(_INSERT, ids=list(rows), vectors=list(rows.values()))
        self._run(_SET_SEQ, seq=batch.seq)

    def search(
        self,
        vector: NDArray[np.float32],
        *,
        limit: int = 200,
        allowed: Sequence[int] | NDArray[np.int64] | None = None,
    ) -> list[Hit]:
        """Return the nearest chunks, best first, ties by id."""
        if limit < 1 or not self._exists():
            return []
        bound: dict[str, object] = {"query": _literal(vector), "most": limit}
        if allowed is None:
            rows = self._run(_ALL, **bound)
        else:
            rows = self._run(_AMONG, **bound, ids=_numbers(allowed))
        return [Hit(row.id, row.score) for row in rows]

    def scores(
        self, vector: NDArray[np.float32], ids: Sequence[int] | NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the inner product for each of `ids`; NaN where the index has no vector."""
        import numpy as np

        hits = self.search(vector, limit=len(ids), allowed=ids)
        known = {hit.id: hit.score for hit in hits}
        return np.array([known.get(int(id), np.nan) for id in ids], dtype=np.float32)

    def vectors(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors of those `ids` that the index holds, in their order."""
        import numpy as np

        found = self._run(_ROWS, ids=_numbers(ids)) if self._exists() else ()
        known = {row.id: row.embedding for row in found}
        rows = [known[id] for id in ids if id in known]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self._dimension)

    def means(self, groups: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the mean of each group of ids at unit length; the database adds them up."""
        import numpy as np

        means = np.full((len(groups), self._dimension), np.nan, dtype=np.float32)
        places = [place for place, group in enumerate(groups) for _ in group]
        ids = [int(id) for group in groups for id in group]
        sizes: list[int] = [len(group) for group in groups]
        found = self._run(_MEANS, places=places, ids=ids) if ids and self._exists() else ()
        for place, count, mean in found:
            if count == sizes[place]:
                means[place] = mean
        return unit_rows(means)

    def clear(self) -> None:
        """Remove every vector of the space; the seq is 0 again."""
        if self._exists():
            for statement in _CLEAR:
                self._run(statement)

    def _exists(self) -> bool:
        return bool(self._connection.execute(_EXISTS).scalar())

    def _run(self, statement: Any, **values: object) -> Any:
        return self._connection.execute(statement, {"space": self._space, **values})


def _literal(vector: NDArray[np.float32]) -> str:
    """Return the text of a vector, exact to the last bit of a half float."""
    return "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"


def _numbers(ids: Sequence[int] | NDArray[np.int64]) -> list[int]:
    return [int(id) for id in ids]
