"""Whoosh, or what `[backends.lexical]` chooses, as the engine: it follows the tokens in SQL.

The tables of FTS5 are written with the chunks and stay the truth, so that the engine can be changed
at any time. Its copy lies in a directory for each collection and is brought up to date before it is
asked: chunk ids are never used again, so comparing the sets of ids tells what changed.
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolroll.search import IndexBroken, IndexBusy, LexicalBatch
from toolroll.search.lexical import WhooshIndex

if TYPE_CHECKING:
    from toolroll.search import LexicalIndex, SeparateIndex
    from toolroll.search.lexical import Fts5Index

__all__ = ["WhooshWords"]

_log: Final = logging.getLogger(__name__)

BATCH: Final = 5000
"""Chunks in one commit."""


class WhooshWords:
    """The separate indexes of one host. Threads may share it.

    Args:
        directory: Where they lie; processes that share it take turns at writing.
        make: Opens one in a directory.
    """

    def __init__(
        self, directory: Path, make: Callable[[Path], SeparateIndex] = WhooshIndex
    ) -> None:
        self._directory = directory
        self._make = make
        self._indexes: dict[int, SeparateIndex] = {}
        self._lock = threading.Lock()

    def index(self, collection_id: int, source: Fts5Index) -> LexicalIndex:
        """Return the index of a collection as of what a transaction sees.

        While another process writes it, or its disk is full, that is the FTS5 index itself, so that
        no search lacks a chunk.

        Args:
            collection_id: The collection.
            source: Its FTS5 index, bound to that transaction.
        """
        place = self._place(collection_id)
        with self._lock:
            try:
                return self._following(collection_id, place, source)
            except IndexBroken as error:
                _log.warning("built the lexical index anew: %s", error)
                if (broken := self._indexes.pop(collection_id, None)) is not None:
                    broken.close()
                shutil.rmtree(place, ignore_errors=True)
                return self._following(collection_id, place, source)

    def forget(self, collection_id: int) -> None:
        """Delete the index of a collection that is no more; none need be there."""
        with self._lock:
            if (index := self._indexes.pop(collection_id, None)) is not None:
                index.close()
            shutil.rmtree(self._place(collection_id), ignore_errors=True)

    def _place(self, collection_id: int) -> Path:
        return self._directory / f"collection_{collection_id}"

    def _following(self, collection_id: int, place: Path, source: Fts5Index) -> LexicalIndex:
        try:
            index = self._indexes.get(collection_id)
            if index is None:
                index = self._indexes[collection_id] = self._make(place)
            if _follow(index, source):  # Whoosh's open readers may not see what a commit deleted
                index = self._indexes[collection_id] = self._make(place)
        except IndexBusy as error:
            _log.info("asked FTS5: %s", error)
            return source
        return index


def _follow(index: SeparateIndex, source: Fts5Index) -> bool:
    """Apply what changed, and say whether anything did.

    The seq comes with the last batch, so that what was stopped in between is done again.
    """
    seq, applied = source.applied_seq(), index.applied_seq()
    if seq == applied:
        return False
    known, now = index.ids(), source.ids()
    index.apply(LexicalBatch(applied, delete=sorted(known - now)))
    new = sorted(now - known)
    for start in range(0, len(new), BATCH):
        index.apply(LexicalBatch(applied, add=source.documents(new[start : start + BATCH])))
    index.apply(LexicalBatch(seq))
    return True
