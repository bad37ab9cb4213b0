"""PostgreSQL: a tsvector finds the candidates, BM25 over the same tokens ranks them.

Three tables in the pack's schema hold the indexes of all its spaces: one row for each document, one
for each word of a space with the number of documents that hold it, and one for each space. They
change in the caller's transaction. `ts_rank` knows no rarity of words and `ts_rank_cd` is worse
(nDCG .330 and .092 on CoSQA, BM25 .387: retrieval.md, section 3), so neither has the last word.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import frozen
from sqlalchemy import text

from toolroll.search.interfaces import EVERYTHING, Hit, LexicalBatch, LexicalDocument, Scope
from toolroll.search.lexical.labels import path_labels, scope_labels
from toolroll.search.tokens import TOKENIZER_VERSION, require_tokenizer

if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Connection

__all__ = ["PostgresIndex"]

K1: Final = 1.2
B: Final = 0.75
MOST_POSITIONS: Final = 255
"""Occurrences of a word that a tsvector keeps; BM25 hardly tells 20 from more."""
CANDIDATES: Final = 300
"""Documents that BM25 ranks, at least: .385 instead of .387 on CoSQA, where all take four times."""
MATCHED_FOR_EACH: Final = 10
"""Documents that may match for each candidate before further common words are left out."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS search_spaces (
    space TEXT PRIMARY KEY, seq BIGINT NOT NULL, tokenizer INTEGER NOT NULL,
    documents BIGINT NOT NULL, tokens BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS search_documents (
    space TEXT NOT NULL, id BIGINT NOT NULL, path TEXT NOT NULL, length INTEGER NOT NULL,
    tokens TSVECTOR NOT NULL, PRIMARY KEY (space, id));
CREATE INDEX IF NOT EXISTS ix_search_documents_tokens ON search_documents USING gin (tokens);
CREATE TABLE IF NOT EXISTS search_words (
    space TEXT NOT NULL, word TEXT COLLATE "C" NOT NULL, documents BIGINT NOT NULL,
    PRIMARY KEY (space, word)) WITH (fillfactor = 70);
"""
_CREATING: Final = text("SELECT pg_advisory_xact_lock(hashtext('toolroll search tables'))")
_EXISTS: Final = text("SELECT to_regclass('search_spaces') IS NOT NULL")
_NEW_SPACE: Final = text(
    "INSERT INTO search_spaces VALUES (:space, 0, :tokenizer, 0, 0) ON CONFLICT DO NOTHING"
)
_LOCK: Final = text("SELECT seq, tokenizer FROM search_spaces WHERE space = :space FOR UPDATE")
_STATE: Final = text(
    "SELECT seq, tokenizer, documents, tokens FROM search_spaces WHERE space = :space"
)
_DELETE: Final = text("""
    WITH gone AS (
        DELETE FROM search_documents WHERE space = :space AND id = ANY(:ids)
        RETURNING tokens, length),
    words AS (
        SELECT lexeme, count(*) AS n FROM gone, unnest(gone.tokens)
        WHERE lexeme NOT LIKE '/%' GROUP BY lexeme),
    counted AS (
        UPDATE search_words SET documents = documents - n FROM words
        WHERE space = :space AND word = lexeme)
    UPDATE search_spaces SET
        documents = documents - (SELECT count(*) FROM gone),
        tokens = tokens - (SELECT coalesce(sum(length), 0) FROM gone)
    WHERE space = :space""")
_INSERT: Final = text("""
    INSERT INTO search_documents (space, id, path, length, tokens)
    SELECT :space, d.id, d.path, d.length, d.tokens::tsvector
    FROM unnest(CAST(:ids AS bigint[]), CAST(:paths AS text[]), CAST(:lengths AS int[]),
                CAST(:vectors AS text[])) AS d (id, path, length, tokens)""")
_COUNT_WORDS: Final = text("""
    INSERT INTO search_words (space, word, documents)
    SELECT :space, w.word, w.n FROM unnest(CAST(:words AS text[]), CAST(:counts AS bigint[]))
        AS w (word, n)
    ON CONFLICT (space, word)
        DO UPDATE SET documents = search_words.documents + excluded.documents""")
_COUNT_SPACE: Final = text("""
    UPDATE search_spaces SET documents = documents + :documents, tokens = tokens + :tokens
    WHERE space = :space""")
_SEQ: Final = text("UPDATE search_spaces SET seq = :seq WHERE space = :space")
_RARITY: Final = text("""
    SELECT word, documents FROM search_words
    WHERE space = :space AND word = ANY(:words) AND documents > 0""")
_FIND: Final = text("""
    WITH found AS (
        SELECT id, length, tokens FROM search_documents
        WHERE tokens @@ CAST(:wanted AS tsquery) AND space = :space
            AND starts_with(path, :prefix)
        ORDER BY ts_rank(tokens, CAST(:words AS tsquery), 1) DESC, id
        LIMIT :most)
    SELECT found.id, found.length, word.lexeme, cardinality(word.positions) AS often
    FROM found, unnest(
        ts_filter(setweight(found.tokens, 'A', CAST(:terms AS text[])), '{a}')) AS word""")
"""Weights are no part of the index. Here they mark the words of a query, so that only these become
rows: half the time went to all the others of the candidates."""
_CLEAR: Final = tuple(
    text(f"DELETE FROM search_{table} WHERE space = :space")  # noqa: S608 - the names are these
    for table in ("documents", "words", "spaces")
)


@frozen
class _Space:
    """The totals of one space."""

    seq: int
    documents: int
    tokens: int


class PostgresIndex:
    """The lexical index of one space on PostgreSQL; see `LexicalIndex`.

    The object is bound to one connection and one transaction, and cheap to make: changes are
    committed or rolled back with everything else the transaction did. Writers of one space follow
    one another; those of other spaces don't wait.

    Args:
        connection: SQLAlchemy connection to PostgreSQL, the pack's schema first on its search path.
        space: Names the space among all of the pack's.
    """

    def __init__(self, connection: Connection, space: str) -> None:
        self._connection = connection
        self._space = space
        digest = hashlib.blake2b(space.encode(errors="surrogatepass"), digest_size=8)
        self._label = f"/s{digest.hexdigest()}"

    def applied_seq(self) -> int:
        """Return the seq of the last batch applied; 0 for a new index."""
        state = self._state()
        return state.seq if state else 0

    def apply(self, batch: LexicalBatch) -> None:
        """Apply a batch inside the caller's transaction."""
        self._lock()
        gone = sorted({*batch.delete, *(document.id for document in batch.add)})
        if gone:
            self._run(_DELETE, ids=gone)
        if batch.add:
            self._add({document.id: document for document in batch.add}.values())
        self._run(_SEQ, seq=batch.seq)

    def search(
        self, terms: Sequence[str], *, limit: int = 200, scope: Scope = EVERYTHING
    ) -> list[Hit]:
        """Return the best chunks that hold any of the terms, best first, ties by id."""
        state = self._state() if terms and limit > 0 else None
        if state is None or not state.documents:
            return []
        rarity = self._rarity(terms)
        if not rarity:
            return []
        most = max(limit, CANDIDATES)
        telling = _telling(rarity, most * MATCHED_FOR_EACH)
        hits = self._ranked(state, rarity, telling, most, scope)
        if len(hits) < limit and len(telling) < len(rarity):
            hits = self._ranked(state, rarity, sorted(rarity), most, scope)
        return hits[:limit]

    def counts(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many chunks each term is, without those that are in none."""
        return self._rarity(terms) if self._state() else {}

    def clear(self) -> None:
        """Remove every document; the seq is 0 again."""
        if self._run(_EXISTS).scalar():
            for statement in _CLEAR:
                self._run(statement)

    def close(self) -> None:
        """Do nothing: the connection is the caller's."""

    def _rarity(self, terms: Sequence[str]) -> dict[str, int]:
        known = self._run(_RARITY, words=sorted(set(terms)))
        return {row.word: row.documents for row in known}

    def _ranked(
        self,
        state: _Space,
        rarity: Mapping[str, int],
        telling: Sequence[str],
        most: int,
        scope: Scope,
    ) -> list[Hit]:
        """Return the BM25 ranking of the best candidates that hold a telling word."""
        words = _any(telling)
        labels = [[self._label], *([f"/{name}" for name in some] for some in scope_labels(scope))]
        wanted = " & ".join([f"({words})", *(f"({_any(some)})" for some in labels)])
        rows = self._run(
            _FIND, wanted=wanted, words=words, prefix=scope.prefix, most=most, terms=sorted(rarity)
        )
        average = max(state.tokens / state.documents, 1.0)
        scores: Counter[int] = Counter()
        for row in rows:
            holding = rarity[row.lexeme]
            idf = math.log(1 + (state.documents - holding + 0.5) / (holding + 0.5))
            length = K1 * (1 - B + B * row.length / average)
            scores[row.id] += idf * row.often * (K1 + 1) / (row.often + length)  # pyright: ignore[reportArgumentType]
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [Hit(id, score) for id, score in ranked]

    def _add(self, documents: Iterable[LexicalDocument]) -> None:
        holding: Counter[str] = Counter()
        ids: list[int] = []
        paths: list[str] = []
        lengths: list[int] = []
        vectors: list[str] = []
        for document in documents:
            counts = Counter(document.tokens.split())
            holding.update(counts.keys())
            ids.append(document.id)
            paths.append(document.path)
            lengths.append(counts.total())
            labels = [self._label, *(f"/{label}" for label in path_labels(document.path))]
            vectors.append(_vector(counts, labels))
        self._run(_INSERT, ids=ids, paths=paths, lengths=lengths, vectors=vectors)
        words = sorted(holding)
        self._run(_COUNT_WORDS, words=words, counts=[holding[word] for word in words])
        self._run(_COUNT_SPACE, documents=len(ids), tokens=sum(lengths))

    def _lock(self) -> None:
        """Make the space if it is new, and keep other writers of it away until the commit."""
        if not self._run(_EXISTS).scalar():
            self._connection.execute(_CREATING)  # two that create a table at once would collide
            self._connection.exec_driver_sql(_TABLES)
        self._run(_NEW_SPACE, tokenizer=TOKENIZER_VERSION)
        require_tokenizer(self._run(_LOCK).one().tokenizer)

    def _state(self) -> _Space | None:
        """Return the totals of the space, or None while there is no index.

        Raises:
            IndexBroken: It was written by another tokeniser.
        """
        if not self._run(_EXISTS).scalar():
            return None
        row = self._run(_STATE).first()
        if row is None:
            return None
        require_tokenizer(row.tokenizer)
        return _Space(row.seq, row.documents, row.tokens)

    def _run(self, statement: Any, **values: object) -> Any:
        return self._connection.execute(statement, {"space": self._space, **values})


def _telling(rarity: Mapping[str, int], budget: int) -> list[str]:
    """Return the rarest words that no more than about `budget` documents hold; one at least."""
    chosen: list[str] = []
    for word in sorted(rarity, key=lambda word: (rarity[word], word)):
        budget -= rarity[word]
        if chosen and budget < 0:
            break
        chosen.append(word)
    return chosen


def _vector(counts: Mapping[str, int], labels: Iterable[str]) -> str:
    """Return the text of a tsvector: as many positions for a word as it occurs, none for labels."""
    words = (
        f"{_quoted(word)}:{','.join(map(str, range(1, min(often, MOST_POSITIONS) + 1)))}"
        for word, often in sorted(counts.items())
    )
    return " ".join([*words, *map(_quoted, labels)])


def _any(words: Iterable[str]) -> str:
    return " | ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
