"""SQLite FTS5: the index lies in the same database, and changes in the same transaction.

Ten times faster to fill than Whoosh, and nothing to keep consistent (retrieval.md, section 1).
"""

# ruff: noqa: S608 - only the table's name is formatted in, and it is checked; values are bound.

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from toolroll.search.errors import IndexBroken, SearchError
from toolroll.search.interfaces import EVERYTHING, Hit, LexicalBatch, Scope
from toolroll.search.lexical.labels import path_labels, scope_labels
from toolroll.search.tokens import TOKENIZER_VERSION

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["Fts5Index"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,47}")

COMMON_SHARE: Final = 0.5
"""Terms in more than this share of the chunks are left out when rarer ones remain."""

RARER_TERMS: Final = 2
"""How many rarer terms must remain for common ones to be left out."""


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
        if not terms or self._state() is None:
            return []
        wanted = " OR ".join(f'"{term}"' for term in self._selective(terms))
        match = f"tokens : ({wanted})"
        for labels in scope_labels(scope):
            match += f" AND labels : ({' OR '.join(labels)})"
        sql = f"SELECT rowid, rank FROM {self._table} WHERE {self._table} MATCH ?"
        values: list[object] = [match]
        if scope.prefix and scope.prefix != f"{scope.directory}/":
            sql += " AND substr(path, 1, ?) = ?"
            values += [len(scope.prefix), scope.prefix]
        sql += " AND rank MATCH 'bm25(1.0, 0.0, 0.0)' ORDER BY rank LIMIT ?"
        rows = self._connection.exec_driver_sql(sql, (*values, limit)).all()
        return [Hit(id, -rank) for rank, id in sorted((rank, id) for id, rank in rows)]

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
        run = self._connection.exec_driver_sql
        known = run("SELECT 1 FROM sqlite_master WHERE name = ?", (f"{self._table}_state",))
        if known.first() is None:
            return None
        seq, tokenizer = run(f"SELECT seq, tokenizer FROM {self._table}_state").one()
        if tokenizer != TOKENIZER_VERSION:
            raise IndexBroken("the index was written with another tokeniser: build it anew")
        return seq, tokenizer

    def _holds_any(self, ids: Sequence[int]) -> bool:
        """Say whether any id may already be there; new ids are larger than all before."""
        if not ids:
            return False
        run = self._connection.exec_driver_sql
        largest = run(f"SELECT max(id) FROM {self._table}_docsize").scalar()
        return largest is not None and largest >= min(ids)

    def _selective(self, terms: Sequence[str]) -> Sequence[str]:
        """Leave out very common terms: they cost most of the time and decide next to nothing."""
        if len(terms) <= RARER_TERMS:
            return terms
        run = self._connection.exec_driver_sql
        total = run(f"SELECT count(*) FROM {self._table}_docsize").scalar_one()
        marks = ", ".join("?" * len(terms))
        counted = run(
            f"SELECT term, doc FROM {self._table}_terms WHERE term IN ({marks})", tuple(terms)
        )
        counts: dict[str, int] = {term: count for term, count in counted}
        rare = [term for term in terms if counts.get(term, 0) <= COMMON_SHARE * total]
        known = [term for term in rare if term in counts]
        return rare if len(known) >= RARER_TERMS else terms
