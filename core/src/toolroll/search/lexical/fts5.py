"""SQLite FTS5: the index lies in the same database, and changes in the same transaction.

Ten times faster to fill than Whoosh, and nothing to keep consistent (retrieval.md, section 1).
A query's time goes into scoring, so only chunks that hold one of its rarer terms are scored.
"""

# ruff: noqa: S608 - only the table's name is formatted in, and it is checked; values are bound.

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolroll.search.errors import SearchError
from toolroll.search.interfaces import EVERYTHING, Hit, LexicalBatch, LexicalDocument, Scope
from toolroll.search.lexical.labels import EVERY, path_labels, scope_labels
from toolroll.search.tokens import TOKENIZER_VERSION, require_tokenizer
from toolroll.storage.prepared import rows_on_driver

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["Fts5Index"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,47}")

SCORED_FOR_EACH: Final = 10
"""Chunks scored for each hit that is wanted: scoring costs 15 times as much as matching."""
COUNTS_KEPT: Final = 10_000
"""Terms whose number of chunks a connection remembers: about 1 MB."""


class Fts5Index:
    """A lexical index in a table of an SQLite database; see `LexicalIndex`.

    The object is bound to one connection and one transaction, and cheap to make: changes are
    committed or rolled back with everything else the transaction did.

    Args:
        connection: SQLAlchemy connection to SQLite.
        name: Name of the index: lower-case letters, digits and underscores, at most 48.
    """

    def __init__(self, connection: Connection, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise SearchError(f"{name!r} is no index name: use [a-z][a-z0-9_]*, at most 48")
        self._connection = connection
        self._table = f"fts_{name}"

    def applied_seq(self) -> int:
        """Return the seq of the last batch applied; 0 for a new index."""
        row = self._state()
        return row[0] if row else 0

    def apply(self, batch: LexicalBatch) -> None:
        """Apply a batch inside the caller's transaction."""
        if self._state() is None:
            self._create()
        run = self._connection.exec_driver_sql
        added = [document.id for document in batch.add]
        gone = [*batch.delete, *(added if self._holds_any(added) else ())]
        if gone:
            run(f"DELETE FROM {self._table} WHERE rowid = ?", [(id,) for id in gone])
        if batch.add:
            run(
                f"INSERT INTO {self._table} (rowid, tokens, labels, path) VALUES (?, ?, ?, ?)",
                [(d.id, d.tokens, " ".join(path_labels(d.path)), d.path) for d in batch.add],
            )
        run(f"UPDATE {self._table}_state SET seq = ?", (batch.seq,))

    def search(
        self, terms: Sequence[str], *, limit: int = 200, scope: Scope = EVERYTHING
    ) -> list[Hit]:
        """Return the best chunks that hold any of the terms, best first, ties by id."""
        state = self._state() if terms else None
        if state is None:
            return []
        budget = SCORED_FOR_EACH * limit
        ordered = self._rarest_first(terms, state[0])
        while ordered:
            telling = _telling(ordered, limit, budget)
            rows = self._matches(telling, [term for term, _ in ordered], limit, scope)
            if len(rows) >= limit or len(telling) == len(ordered):
                return [Hit(id, -score) for id, score in rows]
            budget *= 10
        return []

    def counts(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many chunks each term is, without those that are in none."""
        if self._state() is None:
            return {}
        found = rows_on_driver(
            self._connection,
            f"SELECT term, doc FROM {self._table}_terms "
            "WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps(list(terms)),),
        )
        return dict(found)

    def ids(self) -> set[int]:
        """Return the ids of all documents."""
        if self._state() is None:
            return set()
        found: Any = self._connection.exec_driver_sql(f"SELECT id FROM {self._table}_docsize")
        return {id for (id,) in found.cursor.fetchall()}

    def documents(self, ids: Sequence[int]) -> list[LexicalDocument]:
        """Return those documents that are there, as they were added; ordered by id."""
        if self._state() is None:
            return []
        found = self._connection.exec_driver_sql(
            f"SELECT rowid, path, tokens FROM {self._table} "
            "WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid",
            (json.dumps(list(ids)),),
        )
        return [LexicalDocument(id, path, tokens) for id, path, tokens in found]

    def clear(self) -> None:
        """Remove the index's tables."""
        for table in (self._table, f"{self._table}_terms", f"{self._table}_state"):
            self._connection.exec_driver_sql(f"DROP TABLE IF EXISTS {table}")

    def close(self) -> None:
        """Do nothing: the connection is the caller's."""

    def merge(self) -> None:
        """Merge the index into one piece: the fastest to search, worth it after a bulk load."""
        if self._state() is not None:
            self._connection.exec_driver_sql(
                f"INSERT INTO {self._table} ({self._table}) VALUES ('optimize')"
            )

    def _create(self) -> None:
        run = self._connection.exec_driver_sql
        # The tokens come ready made, separated by spaces: `ascii` keeps every other byte.
        run(
            f"CREATE VIRTUAL TABLE {self._table} USING fts5(tokens, labels, path UNINDEXED, "
            "tokenize = \"ascii tokenchars '_'\")"
        )
        run(f"CREATE VIRTUAL TABLE {self._table}_terms USING fts5vocab({self._table}, 'row')")
        run(f"CREATE TABLE {self._table}_state (seq INTEGER NOT NULL, tokenizer INTEGER NOT NULL)")
        run(f"INSERT INTO {self._table}_state VALUES (0, ?)", (TOKENIZER_VERSION,))

    def _state(self) -> tuple[int, int] | None:
        """Return (seq, tokeniser version), or None while there is no index.

        Raises:
            IndexBroken: It was written by another tokeniser.
        """
        state = f"{self._table}_state"
        known = "SELECT 1 FROM sqlite_master WHERE name = ?"
        if not rows_on_driver(self._connection, known, (state,)):
            return None
        [(seq, tokenizer)] = rows_on_driver(self._connection, f"SELECT seq, tokenizer FROM {state}")
        require_tokenizer(tokenizer)
        return seq, tokenizer

    def _holds_any(self, ids: Sequence[int]) -> bool:
        """Say whether any id may already be there; new ids are larger than all before."""
        if not ids:
            return False
        run = self._connection.exec_driver_sql
        largest = run(f"SELECT max(id) FROM {self._table}_docsize").scalar()
        return largest is not None and largest >= min(ids)

    def _rarest_first(self, terms: Sequence[str], seq: int) -> list[tuple[str, int]]:
        """Return the terms that occur, each with the number of its chunks."""
        counts = self._counts(seq)
        if new := [term for term in terms if term not in counts]:
            marks = ", ".join("?" * len(new))
            found = rows_on_driver(
                self._connection,
                f"SELECT term, doc FROM {self._table}_terms WHERE term IN ({marks})",
                new,
            )
            counts.update(dict.fromkeys(new, 0) | dict(found))
        known = [(term, counts[term]) for term in dict.fromkeys(terms) if counts[term]]
        return sorted(known, key=lambda row: (row[1], row[0]))

    def _counts(self, seq: int) -> dict[str, int]:
        """Return the remembered counts: FTS5 walks through every chunk of a term to count them.

        They are true of this seq, as long as the connection itself has changed nothing since.
        """
        driver: Any = self._connection.connection.dbapi_connection
        kept: dict[Any, Any] = self._connection.info.setdefault(self._table, {})
        state = (seq, driver.total_changes)
        if state not in kept or len(kept[state]) > COUNTS_KEPT:
            kept.clear()
            kept[state] = {}
        return kept[state]

    def _matches(
        self, telling: Sequence[str], terms: Sequence[str], limit: int, scope: Scope
    ) -> list[tuple[int, float]]:
        """Return (id, score) of the best chunks that hold a telling term, scored by all terms.

        A lower score is better.
        """
        match = f"tokens : ({_any(telling)})"
        if others := [term for term in terms if term not in telling]:
            # True of every chunk, so that the other terms add to the score without deciding.
            match += f" AND (labels : {EVERY} OR tokens : ({_any(others)}))"
        for labels in scope_labels(scope):
            match += f" AND labels : ({' OR '.join(labels)})"
        # Not `ORDER BY rank`: FTS5 would sort by itself, which costs as much as the scoring.
        score = f"bm25({self._table}, 1.0, 0.0, 0.0) AS score"
        sql = f"SELECT rowid, {score} FROM {self._table} WHERE {self._table} MATCH ?"
        values: list[object] = [match]
        if scope.prefix and scope.prefix != f"{scope.directory}/":
            sql += " AND substr(path, 1, ?) = ?"
            values += [len(scope.prefix), scope.prefix]
        sql += " ORDER BY score, rowid LIMIT ?"
        return rows_on_driver(self._connection, sql, (*values, limit))


def _any(terms: Sequence[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)


def _telling(ordered: Sequence[tuple[str, int]], least: int, budget: int) -> list[str]:
    """Return the rarest terms that together match `least` chunks, and no more than `budget`."""
    total = 0
    for place, (_, count) in enumerate(ordered):
        if total >= least and total + count > budget:
            return [term for term, _ in ordered[:place]]
        total += count
    return [term for term, _ in ordered]
