"""What indexes and searches, put together from the settings of one host."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

from attrs import define, field

import toolroll
from toolroll.search.embedders import WordLlamaEmbedder
from toolroll.search.vectors import FaissIndex
from toolroll.storage.credentials import CredentialUnavailable
from toolroll_fileio import jobs
from toolroll_fileio.embedding import Embedding
from toolroll_fileio.engines import caller_key, embedder_of, reranker_of
from toolroll_fileio.handover import Handover, Sealed
from toolroll_fileio.indexing import Indexer
from toolroll_fileio.pacing import Pace
from toolroll_fileio.searching import Searcher
from toolroll_fileio.shelf import LocalShelf, Shelf

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolroll.search import Embedder
    from toolroll_fileio.names import Space
    from toolroll_fileio.settings import FileioSettings, SearchSettings

__all__ = ["Engine"]

MOST_HANDED_AGAIN: Final = 100
"""Jobs that one search hands a key to."""


@define(eq=False)
class Engine:
    """The indexer and the searcher of one host; they share embedder and indexes."""

    indexer: Indexer
    searcher: Searcher
    _handover: Handover | None
    _warm: bool = field(default=False, init=False)

    @classmethod
    def of(cls, context: toolroll.PackContext, pace: Pace) -> Engine:
        """Return the engine that the settings ask for; models are loaded at first use.

        Args:
            context: The pack's.
            pace: When the indexer rests; it is told of calls.
        """
        search = cast("FileioSettings", context.settings).search
        embedder = embedder_of(context, search.embedding)
        handover = Handover.of(context)
        embedding = Embedding(
            embedder, handover, lambda key: embedder_of(context, search.embedding, key)
        )
        shelf = _shelf(context, lambda: embedder, search)
        indexer = Indexer(embedding, shelf, pace)
        return cls(indexer, Searcher(indexer, reranker_of), handover)

    def sealed(self, context: toolroll.ToolContext, space: Space) -> Sealed | None:
        """Return what hands the key of a call to its index jobs; None where none is needed."""
        if self._handover is None:
            return None
        settings = cast("FileioSettings", context.settings).search.embedding
        key = caller_key(context.principal, settings)
        return Sealed(self._handover, space, key) if key else None

    def hand_again(self, context: toolroll.ToolContext, space: Space) -> None:
        """Hand a caller's key to those jobs of a project that failed for want of one.

        An envelope lives for minutes; whoever comes back with the key later has the vectors made
        that are missing. It may fail: the words are found all the same.
        """
        sealed = self.sealed(context, space)
        if sealed is None:
            return
        cause = CredentialUnavailable.__name__
        try:
            with context.database.reading() as connection:
                waiting = jobs.without_key(connection, space, cause, MOST_HANDED_AGAIN)
            made = {row.id: sealed.reference(row.file_path) for row in waiting}
            if made:
                found = {job: name for job, name in made.items() if name}
                with context.database.writing() as connection:
                    jobs.give_keys(connection, found, datetime.now(UTC))
                context.wake()
        except toolroll.ToolError as error:
            sealed.withdraw()
            context.log.warning(
                "a caller's key was not handed to the files that wait for it, the next call hands "
                "it again: %s",
                error,
            )

    def warm(self, context: toolroll.PackContext) -> None:
        """Do before the first search what it would wait for: load a local model, fill indexes.

        A service is not asked.
        """
        if self._warm:
            return
        self.indexer.shelf.warm(context)
        self._warm = True
        embedder = self.indexer.embedding.embedder
        if isinstance(embedder, WordLlamaEmbedder):
            embedder.embed_query("warm")


def _shelf(
    context: toolroll.PackContext, embedder: Callable[[], Embedder], search: SearchSettings
) -> Shelf:
    """Return the indexes inside of PostgreSQL where that is the database, else beside SQLite."""
    vectors = context.backends.get("vectors", FaissIndex)
    if context.database.dialect == "sqlite":
        engine = context.backends.get("lexical") or search.lexical_engine
        return LocalShelf(embedder, engine, vectors)
    from toolroll_fileio.server_shelf import ServerShelf

    shelf = ServerShelf(embedder, vectors)
    shelf.open(context)
    return shelf
