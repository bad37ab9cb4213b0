"""Vector engines: exact inner products.

A flat scan is enough to about 300,000 chunks in a process, filters exactly and removes cheaply;
HNSW with a selective filter loses half the results (retrieval.md, section 2), so there is none.
Vectors are held as they are stored, in half floats: half the memory, and less than half the time.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolroll.search.errors import EngineMissing, SearchError
from toolroll.search.interfaces import Hit, VectorBatch
from toolroll.search.unit_length import unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FaissIndex", "decode_vectors", "encode_vectors"]

GATHER_SHARE: Final = 0.1
"""Below this share of allowed rows, scoring just those beats a filtered scan (measured)."""


MEANS_KEPT: Final = 20_000
"""Means of groups that are remembered: about 20 MB."""


def encode_vectors(vectors: NDArray[np.float32]) -> list[bytes]:
    """Return each row as little-endian half floats, as it is stored in SQL: 2 bytes a dimension."""
    return [row.tobytes() for row in vectors.astype("<f2")]


def decode_vectors(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """Return stored vectors as the rows of one array, of unit length again.

    Raises:
        SearchError: A blob has another length than the dimension asks for.
    """
    import numpy as np

    joined = b"".join(blobs)
    if len(joined) != len(blobs) * dimension * 2 or any(len(b) != dimension * 2 for b in blobs):
        raise SearchError(f"a stored vector does not have {dimension} dimensions: embed anew")
    rows = np.frombuffer(joined, dtype="<f2").astype(np.float32).reshape(len(blobs), dimension)
    return unit_rows(rows)


class FaissIndex:
    """A vector index in the memory of this process; see `VectorIndex`. Threads may share it.

    Nothing is persisted: the owner fills it from the vectors in SQL and replays what came after.

    Args:
        dimension: Length of the vectors.
    """

    def __init__(self, dimension: int) -> None:
        try:
            import faiss
            import numpy as np
        except ImportError as error:
            raise EngineMissing("the vector engine 'faiss'", "faiss-cpu") from error
        self._faiss: Any = faiss
        self._np = np
        quantizer = faiss.ScalarQuantizer.QT_fp16
        metric = faiss.METRIC_INNER_PRODUCT
        self._flat: Any = faiss.IndexScalarQuantizer(dimension, quantizer, metric)
        self._dimension = dimension
        self._ids: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._order: NDArray[np.int64] | None = None
        self._seq = 0
        self._means: dict[tuple[int, ...] | range, NDArray[np.float32]] = {}
        self._lock = threading.Lock()

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self._dimension

    def __len__(self) -> int:
        return len(self._ids)

    def applied_seq(self) -> int:
        """Return the seq of the last batch applied; 0 for a new index."""
        return self._seq

    def apply(self, batch: VectorBatch) -> None:
        """Apply a batch whole."""
        np = self._np
        batch.require(self._dimension)
        vectors = batch.vectors
        with self._lock:
            self._remove(np.asarray([*batch.delete, *batch.ids], dtype=np.int64))
            if vectors is not None and len(vectors):
                self._flat.add(np.ascontiguousarray(vectors, dtype=np.float32))
                self._ids = np.concatenate([self._ids, np.asarray(batch.ids, dtype=np.int64)])
                self._order = None
            if batch.delete or batch.ids:
                self._means = {}
            self._seq = batch.seq

    def search(
        self,
        vector: NDArray[np.float32],
        *,
        limit: int = 200,
        allowed: Sequence[int] | NDArray[np.int64] | None = None,
    ) -> list[Hit]:
        """Return the nearest chunks, best first, ties by id."""
        np = self._np
        with self._lock:
            if not len(self._ids) or limit < 1:
                return []
            # One query is too little work to share: threads would only wait for one another. The
            # number belongs to the thread that calls, so it is set here.
            self._faiss.omp_set_num_threads(1)
            query = np.ascontiguousarray(vector, dtype=np.float32).reshape(1, -1)
            if allowed is None:
                scores, places = self._flat.search(query, min(limit, len(self._ids)))
                ids = self._ids[places[0]]
                found = scores[0]
            else:
                wanted = self._known(allowed)
                if len(wanted) < GATHER_SHARE * len(self._ids):
                    found = self._rows(wanted) @ query[0]
                    ids = self._ids[wanted]
                else:
                    found, ids = self._filtered(query, wanted, limit)
        order = np.lexsort((ids, -found))[:limit]
        return list(map(Hit, ids[order].tolist(), found[order].tolist()))

    def scores(
        self, vector: NDArray[np.float32], ids: Sequence[int] | NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the inner product for each of `ids`; NaN where the index has no vector."""
        np = self._np
        with self._lock:
            places = self._places(ids)
            if not len(self._ids):
                return np.full(len(places), np.nan, dtype=np.float32)
            found = self._rows(places) @ np.asarray(vector, dtype=np.float32)
        found[places < 0] = np.nan
        return found

    def held(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for each chunk whether the index has its vector."""
        with self._lock:
            return self._places(ids) >= 0

    def vectors(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of those `ids` that the index holds, in their order."""
        with self._lock:
            return self._rows(self._known(ids))

    def means(self, groups: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the mean of each group of ids at unit length; they are kept until a change."""
        np = self._np
        keys = [group if isinstance(group, range) else tuple(group) for group in groups]
        with self._lock:
            if not keys or not len(self._ids):
                return np.full((len(keys), self._dimension), np.nan, dtype=np.float32)
            new = [key for key in dict.fromkeys(keys) if key not in self._means]
            if len(self._means) + len(new) > MEANS_KEPT:
                self._means, new = {}, list(dict.fromkeys(keys))
            places = self._places([id for key in new for id in key])
            starts = np.cumsum([0, *map(len, new)])[:-1]
            if new:
                rows = self._rows(np.maximum(places, 0))
                rows[places < 0] = np.nan
                sums = unit_rows(np.add.reduceat(rows, starts, axis=0))
                self._means.update(zip(new, sums, strict=True))
            return np.stack([self._means[key] for key in keys])

    def _known(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of those ids that the index holds."""
        places = self._places(ids)
        return places[places >= 0]

    def _places(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the place of each id; -1 where the index has no vector."""
        np = self._np
        wanted = np.asarray(ids, dtype=np.int64)
        if not len(self._ids):
            return np.full(len(wanted), -1, dtype=np.int64)
        if self._order is None:
            self._order = np.argsort(self._ids, kind="stable")
        at = np.searchsorted(self._ids, wanted, sorter=self._order)
        places = self._order[np.minimum(at, len(self._ids) - 1)]
        return np.where(self._ids[places] == wanted, places, -1)

    def _rows(self, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return copies of the vectors at some places."""
        size = 2 * self._dimension * len(self._ids)
        codes = self._faiss.rev_swig_ptr(self._flat.codes.data(), size)
        rows = codes.view("<f2").reshape(-1, self._dimension)
        return rows[places].astype(self._np.float32)

    def _filtered(
        self, query: NDArray[np.float32], wanted: NDArray[np.int64], limit: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        bits = self._np.zeros(len(self._ids), dtype=bool)
        bits[wanted] = True
        packed = self._np.packbits(bits, bitorder="little")
        selector = self._faiss.IDSelectorBitmap(packed)
        parameters = self._faiss.SearchParameters(sel=selector)
        count = min(limit, len(wanted))
        scores, places = self._flat.search(query, count, params=parameters)
        return scores[0], self._ids[places[0]]

    def _remove(self, ids: NDArray[np.int64]) -> None:
        places = self._known(ids)
        if not len(places):
            return
        # Rows behind a removed one move up; the ids move with them.
        # Not `unique`, which imports all of numpy.ma: a fifth of a second for the first edit.
        self._flat.remove_ids(self._np.array(sorted(set(places.tolist())), dtype=self._np.int64))
        self._ids = self._np.delete(self._ids, places)
        self._order = None
