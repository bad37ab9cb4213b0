"""The lexical index of a space in files of its own: SQLite FTS5, Whoosh, or a chosen backend.

Either is derived from SQL and follows it by a seq that its own commits hold. FTS5 has a file for
each space rather than a table in the pack's database: what occurs in one project must not weigh in
another's ranking, and filling it must not keep writers waiting.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from sqlalchemy import URL, NullPool, create_engine, event
from sqlalchemy.exc import DatabaseError

from toolroll.search import (
    EVERYTHING,
    Hit,
    IndexBroken,
    IndexBusy,
    LexicalBatch,
    LexicalIndex,
    Scope,
    SeparateIndex,
)
from toolroll.search.lexical.fts5 import Fts5Index
from toolroll.search.lexical.whoosh import WhooshIndex
from toolroll.storage.sqlite import BUSY, log_ahead, trouble_around

if TYPE_CHECKING:
    from toolroll.backends import Backend

__all__ = ["LexicalEngine", "LexicalFiles", "Words", "lexical_files"]

LexicalEngine = Literal["fts5", "whoosh"]

BUSY_SECONDS: Final = 2.0
"""How long one process waits for another's changes to a file of FTS5."""
_NAME: Final = "chunks"


class Words(Protocol):
    """What finds chunks by their words."""

    def search(
        self, terms: Sequence[str], *, limit: int = ..., scope: Scope = ...
    ) -> Sequence[Hit]:
        """Return the best chunks that hold any of the terms, best first, ties by id."""
        ...


class LexicalFiles(Protocol):
    """The files of one index, made at first use."""

    def writer(self) -> contextlib.AbstractContextManager[LexicalIndex]:
        """Open the index for changes.

        Raises:
            IndexBusy: Another process changes it, or it can't be used now, as on a full disk.
            IndexBroken: It can't be read.
        """
        ...

    def reader(self) -> Words:
        """Open the index for searches that see every commit so far."""
        ...

    def remove(self) -> None:
        """Remove the files, whatever is in them."""
        ...


def lexical_files(engine: LexicalEngine | Backend, directory: Path) -> LexicalFiles:
    """Return the files of an index, in a directory of its own."""
    if engine == "fts5":
        return _Fts5Files(directory / "fts5")
    if engine == "whoosh":
        return _SeparateFiles(directory / "whoosh", WhooshIndex)
    return _SeparateFiles(directory / f"lexical-{engine.name}", engine)


class _SeparateFiles:
    """Opened anew after each commit.

    Whoosh's open readers neither see what a commit deleted, nor survive the first one.
    """

    def __init__(self, directory: Path, make: Callable[[Path], SeparateIndex]) -> None:
        self._directory = directory
        self._make = make

    @contextlib.contextmanager
    def writer(self) -> Generator[LexicalIndex]:
        with contextlib.closing(self._make(self._directory)) as index:
            yield index

    def reader(self) -> Words:
        return self._make(self._directory)

    def remove(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)


class _Fts5Files:
    """An SQLite file; each use has a connection of its own, so that nothing has to be closed.

    All that one writer does is one transaction, however many processes want to fill the index.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        url = URL.create("sqlite", database=str(directory / "index.db"))
        self._engine = create_engine(url, poolclass=NullPool, hide_parameters=True)
        event.listen(self._engine, "connect", _configure)

    @contextlib.contextmanager
    def writer(self) -> Generator[LexicalIndex]:
        self._directory.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as opened:
            with _told():
                connection = opened.enter_context(self._engine.connect())
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield _Fts5(connection, _NAME)
            with _told():
                connection.exec_driver_sql("COMMIT")

    def reader(self) -> Words:
        return self

    def search(
        self, terms: Sequence[str], *, limit: int = 200, scope: Scope = EVERYTHING
    ) -> list[Hit]:
        with _told(), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            return Fts5Index(connection, _NAME).search(terms, limit=limit, scope=scope)

    def remove(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)


class _Fts5(Fts5Index):
    """Says in the words of the search engines what is wrong with the file."""

    def applied_seq(self) -> int:
        with _told():
            return super().applied_seq()

    def apply(self, batch: LexicalBatch) -> None:
        with _told():
            super().apply(batch)

    def clear(self) -> None:
        with _told():
            super().clear()


@contextlib.contextmanager
def _told() -> Generator[None]:
    try:
        yield
    except DatabaseError as error:
        name = getattr(error.orig, "sqlite_errorname", "")
        if name in BUSY:
            raise IndexBusy("another process is writing the index") from error
        if trouble := trouble_around(name):  # what is there must not be thrown away
            raise IndexBusy(f"the index can't be used now: {trouble}") from error
        raise IndexBroken("the index can't be read: build it anew") from error


def _configure(connection: Any, _record: object) -> None:
    """Sync less than the database: an index that loses its last commits follows again."""
    connection.isolation_level = None
    log_ahead(connection, BUSY_SECONDS)
    connection.execute("PRAGMA synchronous = NORMAL").close()
