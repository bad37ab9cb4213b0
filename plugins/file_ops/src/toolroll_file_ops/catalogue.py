"""What a collection holds, read once for each change: its files, their imports and mean vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import define, field, frozen

from toolroll.search.unit_length import unit_rows
from toolroll_file_ops.import_graph import ImportGraph
from toolroll_file_ops.manifests import MOST_MANIFESTS, Manifests, is_manifest
from toolroll_file_ops.reading import those_there
from toolroll_file_ops.statements import Members, run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toolroll_file_ops.opened import Opened

__all__ = ["Catalogue", "FileRow", "Means", "catalogue_of", "chunk_ids"]

SCOPES: Final = 16
"""Sets of extensions whose chunks are remembered."""


@frozen
class FileRow:
    """An indexed file."""

    id: int
    path: str
    sha256: str
    size: int
    file_type: str
    language: str | None
    chunk_count: int
    indexed_at: str


@frozen(eq=False)
class Means:
    """The unit mean vector of each file that has vectors, one row for each path."""

    paths: list[str]
    rows: NDArray[np.float32]

    def alike(self, path: str) -> dict[str, float]:
        """Return the cosine of every other file with a file."""
        import numpy as np

        if path not in self.paths:
            return {}
        scores = np.nan_to_num(self.rows @ self.rows[self.paths.index(path)]).tolist()
        found = dict(zip(self.paths, scores, strict=True))
        del found[path]
        return found


@define(eq=False, slots=False)
class Catalogue:
    """The files of a collection as of one seq.

    Attributes:
        seq: The collection's, when this was read.
        files: Every file with content, by path.
    """

    seq: int
    files: dict[str, FileRow]
    _means: Means | None = field(default=None, init=False)
    _graph: ImportGraph | None = field(default=None, init=False)
    _scopes: dict[frozenset[str], NDArray[np.int64]] = field(
        factory=dict[frozenset[str], "NDArray[np.int64]"], init=False
    )

    def graph(self, opened: Opened) -> ImportGraph:
        """Return what tells which files import statements mean."""
        if self._graph is None:
            manifests = list(filter(is_manifest, self.files))[:MOST_MANIFESTS]
            texts = {path: file.text for path, file in those_there(opened, manifests).items()}
            self._graph = ImportGraph(self.files, Manifests.of(texts))
        return self._graph

    def means(self, opened: Opened) -> Means:
        """Return the mean vectors."""
        if self._means is None:
            self._means = _means(opened, self.files)
        return self._means

    def chunk_ids(self, opened: Opened, extensions: frozenset[str]) -> NDArray[np.int64]:
        """Return the ids of all chunks of the files with these extensions."""
        found = self._scopes.get(extensions)
        if found is None:
            found = self._scopes[extensions] = _chunk_ids(opened, extensions)
            while len(self._scopes) > SCOPES:
                del self._scopes[next(iter(self._scopes))]
        return found


def chunk_ids(opened: Opened, extensions: frozenset[str]) -> NDArray[np.int64]:
    """Return the ids of all chunks of a refreshed collection's files with some extensions."""
    return catalogue_of(opened).chunk_ids(opened, extensions)


def catalogue_of(opened: Opened) -> Catalogue:
    """Return the catalogue of a collection that was refreshed; kept until something changes."""
    seq = opened.space.seq
    kept = opened.engine.catalogue(opened.place.id)
    if kept is not None and kept.seq == seq:
        return kept
    with opened.engine.database.reading() as connection:
        rows = [FileRow(*row) for row in run(connection, _FILES, opened.place.id)]
    made = Catalogue(seq, {row.path: row for row in rows})
    opened.engine.keep_catalogue(opened.place.id, made)
    return made


_FILES: Final = """
    SELECT id, path, sha256, size, file_type, language, chunk_count, indexed_at FROM files
    WHERE collection_id = ? AND skipped = '' ORDER BY path"""
_OF_TYPE: Final = """
    SELECT c.id FROM chunks AS c JOIN files AS f ON f.id = c.file_id
    WHERE f.collection_id = ? AND f.file_type IN MEMBERS(?)"""
_CHUNKS: Final = "SELECT id, file_id FROM chunks WHERE collection_id = ? ORDER BY file_id, id"


def _chunk_ids(opened: Opened, extensions: frozenset[str]) -> NDArray[np.int64]:
    import numpy as np

    with opened.engine.database.reading() as connection:
        found = run(connection, _OF_TYPE, opened.place.id, Members(sorted(extensions)))
        return np.array([id for (id,) in found], dtype=np.int64)


def _means(opened: Opened, files: dict[str, FileRow]) -> Means:
    import numpy as np

    paths = {row.id: path for path, row in files.items()}
    with opened.engine.database.reading() as connection:
        index = opened.engine.vectors.index(connection, opened.place.id, opened.space.seq)
        found = run(connection, _CHUNKS, opened.place.id)
        pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    if index is not None:
        pairs = pairs[index.held(pairs[:, 0]) & np.isin(pairs[:, 1], list(paths))]
    if index is None or not len(pairs):
        return Means([], np.zeros((0, 1), dtype=np.float32))
    owners = pairs[:, 1]  # in order
    starts = np.flatnonzero(np.diff(owners, prepend=owners[0] - 1))
    sums = np.add.reduceat(index.vectors(pairs[:, 0]), starts, axis=0)
    return Means([paths[id] for id in owners[starts].tolist()], unit_rows(sums))
