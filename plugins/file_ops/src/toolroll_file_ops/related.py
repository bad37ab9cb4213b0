"""Files that have to do with a file: alike as a whole, importing one another, sharing names."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from attrs import frozen
from sqlalchemy import select

import toolroll
from toolroll.search.unit_length import unit_rows
from toolroll_file_ops.content import Loaded
from toolroll_file_ops.imports import ImportGraph
from toolroll_file_ops.listing import rows_of
from toolroll_file_ops.results import RelatedFile, RelatedFiles
from toolroll_file_ops.tables import Chunk, File

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toolroll_file_ops.engine import Opened

__all__ = ["related_to"]

IMPORT_PULL: Final = 0.5
"""An import closes this share of the distance to 1."""
COPY: Final = 0.9999
"""Similarity of a file with the same bytes; 1 would mean the file itself."""
ALIKE_MOST: Final = 0.99
"""Highest similarity of files that are not copies."""
CONCEPTS: Final = 8
POOL: Final = 40
"""Most alike files that are read for names and reasons."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,63}")


@frozen
class _Kin:
    score: float
    path: str
    alike: float
    copy: bool
    imports: bool
    imported: bool


def related_to(
    opened: Opened, path: str, limit: int, threshold: float, *, reasons: bool
) -> RelatedFiles:
    """Return the answer of `get_related_files`, most related first, the file itself left out.

    Args:
        opened: The collection.
        path: Canonical path.
        limit: Files at most.
        threshold: Least similarity, 0 … 1.
        reasons: Whether each file says why it is there.
    """
    opened.refresh()
    source, _ = opened.load(path)
    rows = {row.path: row for row in rows_of(opened)}
    alike = _alike(opened, path, rows)
    graph = ImportGraph(rows)
    targets = graph.targets(path, source.text, source.language)
    nearest = sorted(alike, key=lambda name: (-alike[name], name))[:POOL]
    twins = {name for name, row in rows.items() if row.sha256 == rows[path].sha256}
    texts = _texts(opened, {*nearest, *targets, *twins} - {path})
    kin = [
        _kin(name, alike.get(name, 0.0), name in twins, name in targets, graph, loaded, path)
        for name, loaded in texts.items()
    ]
    kept = sorted((k for k in kin if k.score >= threshold), key=lambda k: (-k.score, k.path))
    spread = _spread(texts, source)
    return RelatedFiles(
        source_file=path,
        related_files=[
            RelatedFile(
                path=k.path,
                similarity_score=round(k.score, 4),
                reason=_reason(k, shared) if reasons else None,
                shared_concepts=shared,
            )
            for k in kept[:limit]
            for shared in [_shared(source, texts[k.path], spread)]
        ],
    )


def _kin(
    name: str,
    alike: float,
    copy: bool,
    imports: bool,
    graph: ImportGraph,
    loaded: Loaded,
    source: str,
) -> _Kin:
    imported = source in graph.targets(name, loaded.text, loaded.language)
    score = min(max(alike, 0.0), ALIKE_MOST)
    if imports or imported:
        score = min(score + IMPORT_PULL * (1 - score), ALIKE_MOST)
    return _Kin(COPY if copy else score, name, alike, copy, imports, imported)


def _alike(opened: Opened, path: str, rows: dict[str, File]) -> dict[str, float]:
    """Return the cosine of every other file's mean vector with the file's."""
    import numpy as np

    seq = opened.space.seq
    kept = opened.engine.means.get(opened.place.id)
    if kept is None or kept[0] != seq:
        kept = opened.engine.means[opened.place.id] = (seq, *_means(opened, rows))
    _, paths, means = kept
    if path not in paths:
        return {}
    scores = means @ means[paths.index(path)]
    return {
        name: float(score)
        for name, score in zip(paths, np.nan_to_num(scores), strict=True)
        if name != path
    }


def _means(opened: Opened, rows: dict[str, File]) -> tuple[list[str], NDArray[np.float32]]:
    """Return the unit mean vector of each file that has vectors."""
    import numpy as np

    by_file = {row.id: row.path for row in rows.values()}
    with opened.engine.database.read() as session:
        index = opened.engine.vectors.index(session, opened.place.id, opened.space.seq)
        pairs = session.execute(
            select(Chunk.id, Chunk.file_id)
            .where(Chunk.collection_id == opened.place.id)
            .order_by(Chunk.file_id, Chunk.id)
        ).all()
    if index is None or not len(index):
        return [], np.zeros((0, 1), dtype=np.float32)
    known = [(id, file) for id, file in pairs if file in by_file and index.holds(id)]
    files = np.array([file for _, file in known], dtype=np.int64)
    vectors = index.vectors([id for id, _ in known])
    unique, starts = np.unique(files, return_index=True)
    sums = np.add.reduceat(vectors, starts, axis=0) if len(known) else vectors
    return [by_file[int(id)] for id in unique], unit_rows(sums)


def _texts(opened: Opened, paths: set[str]) -> dict[str, Loaded]:
    found: dict[str, Loaded] = {}
    for name in sorted(paths):
        opened.check()
        try:
            found[name], _ = opened.load(name)
        except toolroll.ToolError:  # it went since the look a moment ago
            continue
    return found


def _names(loaded: Loaded) -> Counter[str]:
    return Counter(_IDENTIFIER.findall(loaded.text))


def _spread(texts: dict[str, Loaded], source: Loaded) -> Counter[str]:
    """Return in how many of the files each name of the source occurs."""
    mine = set(_names(source))
    return Counter(name for loaded in texts.values() for name in mine & set(_names(loaded)))


def _shared(source: Loaded, other: Loaded, spread: Counter[str]) -> list[str]:
    """Return names that occur in both files, those that are rare elsewhere first."""
    mine, theirs = _names(source), _names(other)
    common = [name for name in mine if name in theirs]

    def worth(name: str) -> tuple[float, str]:
        telling = 2.0 if "_" in name or name != name.lower() else 1.0
        return (-telling * min(mine[name], theirs[name], 5) / spread[name], name)

    return sorted(common, key=worth)[:CONCEPTS]


def _reason(kin: _Kin, shared: list[str]) -> str:
    parts: list[str] = []
    if kin.copy:
        parts.append("same content, byte for byte")
    if kin.imports:
        parts.append("imported by the source file (import)")
    if kin.imported:
        parts.append("imports the source file (import)")
    if not kin.copy and kin.alike > 0:
        parts.append(f"{kin.alike:.0%} alike in meaning")
    if shared and not kin.copy:
        parts.append(f"both use {', '.join(shared[:3])}")
    return "; ".join(parts) or "near in meaning"
