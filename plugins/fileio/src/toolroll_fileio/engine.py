"""What indexes and searches, put together from the settings of one host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from toolroll.search.embedders import WordLlamaEmbedder
from toolroll_fileio.engines import embedder_of, reranker_of
from toolroll_fileio.indexing import Indexer
from toolroll_fileio.pacing import Pace
from toolroll_fileio.searching import Searcher
from toolroll_fileio.shelf import Shelf

if TYPE_CHECKING:
    from toolroll_fileio.settings import FileioSettings

__all__ = ["Engine"]


@define(eq=False)
class Engine:
    """The indexer and the searcher of one host; they share embedder and indexes."""

    indexer: Indexer
    searcher: Searcher
    _warm: bool = field(default=False, init=False)

    @classmethod
    def of(cls, settings: FileioSettings, pace: Pace) -> Engine:
        """Return the engine that the settings ask for; models are loaded at first use.

        Args:
            settings: The pack's.
            pace: When the indexer rests; it is told of calls.
        """
        embedder = embedder_of(settings.search.embedding)
        indexer = Indexer(embedder, Shelf(lambda: embedder, settings.search.lexical_engine), pace)
        return cls(indexer, Searcher(embedder, indexer, reranker_of))

    def warm(self) -> None:
        """Load a local model before the first search waits for it; a service is not asked."""
        if self._warm:
            return
        self._warm = True
        if isinstance(self.indexer.embedder, WordLlamaEmbedder):
            self.indexer.embedder.embed_query("warm")
