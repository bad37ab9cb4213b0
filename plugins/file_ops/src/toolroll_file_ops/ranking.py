"""The chunks of one collection in the order in which they answer a query, by its index alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolroll.search import EVERYTHING, Candidate, HybridSearch, RankingSettings, Scope, Scored
from toolroll.search.lexical import Fts5Index
from toolroll.search.query_paths import INSIDE, asked_paths, named_by
from toolroll.search.tokens import document_tokens
from toolroll_file_ops import store
from toolroll_file_ops.catalogue import chunk_ids
from toolroll_file_ops.statements import Members, run

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from toolroll_file_ops.content import Loaded
    from toolroll_file_ops.opened import Opened

__all__ = ["Found", "rank"]

MOST_NAMED: Final = 20
"""Files that are looked at because the query names them."""
MOST_HOLDING: Final = 2000
"""Chunks that define a name with a text inside, which are looked at for those that begin so."""


class Found(NamedTuple):
    """A chunk that answers; a tuple, since every query makes hundreds.

    Attributes:
        score: 0 … 1, comparable within one answer.
    """

    chunk_id: int
    file_id: int
    path: str
    file_type: str
    position: int
    start: int
    end: int
    lines: tuple[int, int]
    chunk_count: int
    score: float
    lexical: float
    semantic: float

    def text(self, loaded: Loaded) -> str:
        """Return the chunk's text."""
        return loaded.data[self.start : self.end].decode()


def rank(opened: Opened, query: str, scope: Scope, settings: RankingSettings) -> list[Found]:
    """Return the best chunks by the index as it is, best first.

    Args:
        opened: The collection.
        query: What is asked.
        scope: Which files may answer.
        settings: How many candidates, and what counts for how much.
    """
    engine = opened.engine
    named = _named_files(opened, query)
    rows: dict[int, Sequence[Any]] = {}
    with engine.database.reading() as connection:
        place = opened.place

        def lookup(ids: Sequence[int]) -> Iterator[Candidate]:
            for row in _rows(connection, place.id, ids):
                id, _, position, *_, symbols, path, _, count = row
                if scope.admits(path):
                    rows[id] = row
                    # The chunks of a file are written together, so their ids follow one another.
                    siblings = range(id - position, id - position + count)
                    names = tuple(symbols.split("\n")) if symbols else ()
                    yield Candidate(id, path, names, siblings)

        def holding(name: str) -> list[int]:
            pattern = "%" + _WILD.sub(r"!\g<0>", name) + "%"
            return [id for (id,) in run(connection, _HOLDING, place.id, pattern, MOST_HOLDING)]

        hybrid = HybridSearch(
            lexical=engine.words(connection, place.id),
            vectors=engine.vectors.index(connection, place.id, opened.space.seq),
            embedder=engine.embedder,
            settings=settings,
            lookup=lookup,
            holding=holding,
            tokens=lambda ids: _tokens(connection, place.id, ids),
            counts=store.lexical_index(connection, place.id).counts,
        )
        allowed = None if scope == EVERYTHING else chunk_ids(opened, scope.extensions)
        also = [id for (id,) in run(connection, _FIRST, Members(named))] if named else []
        scored = hybrid.search(query, scope=scope, allowed=allowed, also=also)
    return [_found(hit, rows[hit.id]) for hit in scored]


def _tokens(
    connection: Connection, collection_id: int, ids: Sequence[int]
) -> Iterator[tuple[int, str]]:
    """Return the tokens of chunks by their ids: those of the index, where it keeps their order."""
    index = store.lexical_index(connection, collection_id)
    if isinstance(index, Fts5Index):
        yield from ((document.id, document.tokens) for document in index.documents(ids))
        return
    spans = run(connection, _SPANS, Members(ids))
    packed = run(connection, _BYTES, Members({sha256 for *_, sha256 in spans}))
    contents = {sha256: store.unpacked(data) for sha256, data in packed}
    for id, start, end, sha256 in spans:
        yield id, document_tokens(contents[sha256][start:end].decode())


def _named_files(opened: Opened, query: str) -> list[int]:
    """Return the ids of the files that a query names by path, which no index need find."""
    asked = asked_paths(query)
    if not asked:
        return []
    # quick to look for; of `net.app`, which may be a module, the longest part
    names = [max(word.lower().rpartition("/")[2].split("."), key=len) for word in asked]
    rated = [
        (-named_by(asked, path), path, id)
        for path, id in opened.space.ids.items()
        if any(map(path.lower().__contains__, names))
    ]
    return [id for rating, _, id in sorted(rated)[:MOST_NAMED] if -rating > INSIDE]


def _found(hit: Scored, row: Sequence[Any]) -> Found:
    id, file_id, position, start, end, first, last, _, path, file_type, count = row
    score = round(hit.score / (1 + hit.score), 6)
    return Found(
        id, file_id, path, file_type, position, start, end, (first, last), count,
        score, hit.lexical, hit.semantic,
    )  # fmt: skip


def _rows(
    connection: Connection, collection_id: int, ids: Sequence[int]
) -> Sequence[Sequence[Any]]:
    """Join chunk ids with their rows; ids of other collections or deleted chunks fall out."""
    return run(connection, _JOIN, Members(ids), collection_id)


_WILD: Final = re.compile("[%_!]")
_HOLDING: Final = """
    SELECT id FROM chunks
    WHERE collection_id = ? AND replace(lower(symbols), '_', '') LIKE ? ESCAPE '!'
    ORDER BY id LIMIT ?"""
_FIRST: Final = "SELECT id FROM chunks WHERE file_id IN MEMBERS(?) AND position = 0"
_SPANS: Final = """
    SELECT c.id, c.start, c."end", f.sha256 FROM chunks AS c JOIN files AS f ON f.id = c.file_id
    WHERE c.id IN MEMBERS(?)"""
_BYTES: Final = "SELECT sha256, data FROM blobs WHERE sha256 IN MEMBERS(?)"
# The plus keeps SQLite from looking up every id in the index by collection first.
_JOIN: Final = """
    SELECT c.id, c.file_id, c.position, c.start, c."end", c.first_line, c.last_line, c.symbols,
    f.path, f.file_type, f.chunk_count FROM chunks AS c JOIN files AS f ON f.id = c.file_id
    WHERE c.id IN MEMBERS(?) AND +c.collection_id = ?"""
