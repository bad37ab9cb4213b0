"""What indexes and searches, put together from the settings of one host."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from attrs import define, field

from toolroll.search.embedders import WordLlamaEmbedder
from toolroll_fileio.embedding import Embedding
from toolroll_fileio.engines import caller_key, embedder_of, reranker_of
from toolroll_fileio.handover import Handover, Sealed
from toolroll_fileio.indexing import Indexer
from toolroll_fileio.pacing import Pace
from toolroll_fileio.searching import Searcher
from toolroll_fileio.shelf import LocalShelf, Shelf

if TYPE_CHECKING:
    from collections.abc import Callable

    import toolroll
    from toolroll.search import Embedder
    from toolroll_fileio.names import Space
    from toolroll_fileio.settings import FileioSettings, SearchSettings

__all__ = ["Engine"]


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
        embedder = embedder_of(search.embedding)
        handover = Handover.of(context)
        embedding = Embedding(embedder, handover, lambda key: embedder_of(search.embedding, key))
        shelf = _shelf(context, lambda: embedder, search)
        indexer = Indexer(embedding, shelf, pace)
        return cls(indexer, Searcher(indexer, reranker_of), handover)

    def sealed(self, context: toolroll.ToolContext, space: Space) -> Sealed | None:
        """Return what hands the key of a call to its index jobs; None where none is needed."""
        if self._handover is None:
            return None
        file = cast("FileioSettings", context.settings).search.embedding.local_key_file
        key = caller_key(context.principal, file)
        return Sealed(self._handover, space, key) if key else None

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
    if context.database.dialect == "sqlite":
        return LocalShelf(embedder, search.lexical_engine)
    from toolroll_fileio.server_shelf import ServerShelf

    shelf = ServerShelf(embedder)
    shelf.open(context)
    return shelf
