"""Searching one collection: ranked chunks whose files were compared with the disk just now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from attrs import evolve, frozen

import toolroll
from toolroll.search import EVERYTHING, Candidate, HybridSearch, RankingSettings, Scope, Scored
from toolroll.search.lexical import Fts5Index
from toolroll.search.query_paths import INSIDE, asked_paths, named_by
from toolroll.search.tokens import document_tokens
from toolroll_file_ops import store
from toolroll_file_ops.catalogue import chunk_ids
from toolroll_file_ops.content import Loaded
from toolroll_file_ops.failures import invalid_parameter
from toolroll_file_ops.services import reranked
from toolroll_file_ops.statements import Members, run

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from toolroll_file_ops.engine import Opened

__all__ = [
    "Found",
    "Group",
    "Picker",
    "capped",
    "check_query",
    "grouped",
    "search",
    "search_verified",
]

ROUNDS: Final = 3
"""How often a search is repeated because a file changed while it ran."""
MAX_QUERY: Final = 2000
MOST_NAMED: Final = 20
"""Files that are looked at because the query names them."""
MOST_HOLDING: Final = 2000
"""Chunks that define a name with a text inside, which are looked at for those that begin so."""
MOST_CANDIDATES: Final = 25_000
"""Where one file owns the best chunks, so many are looked through for other files."""
BEHIND: Final = 0.99
"""What chunks of a further look count at most, in shares of the last of those before."""


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


Picker = Callable[[list[Found]], list[Found]]
"""Chooses from a ranking what an answer shows."""


@frozen(eq=False)
class Group:
    """A file with its matching chunks, best first."""

    path: str
    score: float
    chunks: tuple[Found, ...]


def check_query(query: str) -> str:
    """Refuse queries without anything to look for.

    Raises:
        ToolError: InvalidParameter.
    """
    if not query.strip():
        raise invalid_parameter("query", "is empty; say what to look for")
    if len(query) > MAX_QUERY:
        raise invalid_parameter("query", f"has more than {MAX_QUERY} characters")
    return query


def search(opened: Opened, query: str, *, files: int = 1) -> list[Found]:
    """Return every candidate of a collection, best first; its index is brought up to date first.

    Args:
        opened: The collection.
        query: What is asked.
        files: Distinct files that are wanted; see `search_verified`.
    """
    opened.refresh()
    return _search(opened, query, EVERYTHING, files)


def verified(opened: Opened, found: Sequence[Found]) -> list[tuple[Found, Loaded]] | None:
    """Return the chunks with their files as they are now; None if one of those changed."""
    try:
        loaded = opened.load_all(list(dict.fromkeys(hit.path for hit in found)))
    except toolroll.ToolError:
        return None
    pairs = [(hit, loaded[hit.path][0]) for hit in found]
    return pairs if all(file.file_id == hit.file_id for hit, file in pairs) else None


def search_verified(
    opened: Opened,
    query: str,
    pick: Picker,
    *,
    scope: Scope = EVERYTHING,
    files: int = 1,
) -> list[tuple[Found, Loaded]]:
    """Search, pick from the ranking, and compare what was picked with the disk.

    A file that changed in between is indexed and the search repeated; what still changes after
    some rounds is left out, so that no stale text is ever shown.

    Args:
        opened: The collection.
        query: What is asked.
        pick: Chooses from the ranking.
        scope: Which files may answer.
        files: Distinct files that are wanted: more candidates are fetched until there are so many,
            or until every chunk that matches is among them.
    """
    opened.refresh()
    picked: list[Found] = []
    for _ in range(ROUNDS):
        picked = pick(reranked(opened, query, _search(opened, query, scope, files)))
        pairs = verified(opened, picked)
        if pairs is not None:
            return pairs
        opened.space.refresh(opened.check, force=True)
    settled = (verified(opened, [hit]) for hit in picked)
    return [pair for pairs in settled if pairs is not None for pair in pairs]


def capped(ranked: list[Found], per_file: int | None) -> list[Found]:
    """Keep at most `per_file` chunks of each file, the best ones; None keeps all."""
    if per_file is None:
        return ranked
    seen: dict[str, int] = {}
    kept: list[Found] = []
    for hit in ranked:
        seen[hit.path] = seen.get(hit.path, 0) + 1
        if seen[hit.path] <= per_file:
            kept.append(hit)
    return kept


def grouped(found: Sequence[Found]) -> list[Group]:
    """Group chunks by file; a file is as good as its best chunk, ties by path."""
    by_path: dict[str, list[Found]] = {}
    for hit in found:
        by_path.setdefault(hit.path, []).append(hit)
    groups = [Group(path, hits[0].score, tuple(hits)) for path, hits in by_path.items()]
    return sorted(groups, key=lambda group: (-group.score, group.path))


def _search(opened: Opened, query: str, scope: Scope, files: int) -> list[Found]:
    settings = opened.engine.ranking
    found: list[Found] = []
    while True:
        ranked = _ranked(opened, query, scope, settings)
        found = _continued(found, ranked)
        enough = len({hit.path for hit in found}) >= files
        if enough or len(ranked) < settings.candidates or settings.candidates >= MOST_CANDIDATES:
            return found
        settings = evolve(settings, candidates=settings.candidates * 5)


def _continued(found: list[Found], ranked: list[Found]) -> list[Found]:
    """Return a ranking with what another of more candidates adds, behind it.

    Scores depend on what a chunk is compared with. Whoever asks for more files sees first what they
    saw when they asked for fewer.
    """
    if not found:
        return ranked
    shown = {hit.chunk_id for hit in found}
    added = [hit for hit in ranked if hit.chunk_id not in shown]
    highest = added[0].score if added else 0.0
    factor = min(1.0, BEHIND * found[-1].score / highest) if highest else 1.0
    return found + [hit._replace(score=round(hit.score * factor, 6)) for hit in added]


def _ranked(opened: Opened, query: str, scope: Scope, settings: RankingSettings) -> list[Found]:
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
