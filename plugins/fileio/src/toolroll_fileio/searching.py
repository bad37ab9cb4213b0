"""`file_search` (manual 9.7, 12): meaning and words, joined with the files as they are now."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

from attrs import frozen
from sqlalchemy import bindparam, update

import toolroll
from toolroll.search import Reranker, RerankError, SearchError, query_terms
from toolroll.search.fusion import fuse
from toolroll_fileio.candidates import Asked, Candidates, find_candidates
from toolroll_fileio.causes import cause_of
from toolroll_fileio.engines import caller_key
from toolroll_fileio.failures import failure
from toolroll_fileio.metrics import RERANK_FAILURES, SEARCH_LATENCY
from toolroll_fileio.names import Space, may_begin_path
from toolroll_fileio.results import Chunk, Chunks
from toolroll_fileio.signals import by_signals
from toolroll_fileio.tables import chunks

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolroll_fileio.indexing import Indexer
    from toolroll_fileio.settings import FileioSettings, SearchSettings

__all__ = ["Searcher", "check_query"]

MOST_CHANGES_IN_CALL: Final = 100
"""Changes that a search applies to the lexical index itself; more are left to the worker."""
LONGEST_QUERY: Final = 10_000
LONGEST_WAIT: Final = 5.0
"""Seconds that an answer without a chunk waits for what others are indexing."""
SERVED_WAIT: Final = 0.2
"""Seconds that noting `last_served_at` may wait for other writers."""
DIGITS: Final = 6
"""Digits of a score behind the point."""

_SERVED: Final = (
    update(chunks)
    .where(chunks.c.id.in_(bindparam("ids", expanding=True)))
    .values(last_served_at=bindparam("now"))
)


def check_query(text: str) -> str:
    """Return a query without the space around it.

    Raises:
        ToolError: INVALID_QUERY: nothing is left, or too much.
    """
    query = text.strip()
    if not query:
        raise failure("INVALID_QUERY", "query is empty; say in words what to find")
    if len(query) > LONGEST_QUERY:
        raise failure(
            "INVALID_QUERY", f"query is longer than {LONGEST_QUERY} characters; ask in fewer words"
        )
    return query


@frozen(eq=False)
class Searcher:
    """Answers searches.

    Attributes:
        indexer: Indexes what was written a moment ago, and knows the indexes.
        reranker: Makes the reranker of a call from its context; None where there is none.
    """

    indexer: Indexer
    reranker: Callable[[toolroll.ToolContext, SearchSettings], Reranker | None]

    def search(
        self, context: toolroll.ToolContext, space: Space, query: str, prefix: str, limit: int
    ) -> Chunks:
        """Return the best chunks of active files, best first, ties by path and place.

        Raises:
            ToolError: SEARCH_BACKEND_ERROR: search is off, or neither way of searching works.
        """
        started = time.monotonic()
        settings = cast("FileioSettings", context.settings).search
        if not settings.enabled:
            raise failure("SEARCH_BACKEND_ERROR", "search is switched off; use file_grep")
        prefix = prefix if prefix.strip() else ""
        if not may_begin_path(prefix):
            return Chunks(chunks=[])
        # first, since a service, or a model that is yet to be loaded, may take its time
        asked = self._asked(context, settings, query, prefix)
        whole = self._catch_up(context, space, self._patience(context, settings))
        words, meaning, found = self._looked_up(context, space, asked, settings)
        if not (found or whole) and settings.catch_up_ms:  # else it would say that there is nothing
            left = (context.deadline - time.monotonic()) / 2
            self._catch_up(context, space, max(min(left, LONGEST_WAIT), 0.0))
            words, meaning, found = self._looked_up(context, space, asked, settings)
        words = {i: score for i, score in words.items() if i in found}
        meaning = {i: score for i, score in meaning.items() if i in found}
        scores = self._scored(context, settings, query, (words, meaning, found))
        best = sorted(scores, key=lambda i: (-scores[i], found[i].path, found[i].start, i))[:limit]
        _note_served(context, best)
        SEARCH_LATENCY.observe((time.monotonic() - started) * 1000)
        return Chunks(
            chunks=[
                Chunk(
                    file_path=found[i].path,
                    file_seek_start_bytes=found[i].start,
                    file_seek_end_bytes=found[i].end,
                    chunk_content=found[i].text,
                    score=round(scores[i], DIGITS),
                )
                for i in best
            ]
        )

    def _patience(self, context: toolroll.ToolContext, settings: SearchSettings) -> float:
        """Return the seconds that a search may index, if only it finds anything.

        Where no worker comes after it, that is half of the call's time: all that was imported.
        """
        seconds = settings.catch_up_ms / 1000
        if self.indexer.alone and seconds:
            seconds = max(seconds, (context.deadline - time.monotonic()) / 2)
        return seconds

    def _catch_up(self, context: toolroll.ToolContext, space: Space, seconds: float) -> bool:
        """Make what was written a moment ago findable, as far as time allows; it may fail.

        Says whether all of it can be found now.
        """
        try:
            indexed = self.indexer.catch_up(context, space, seconds)
            return self.indexer.follow(context, space, MOST_CHANGES_IN_CALL, seconds) and indexed
        except (toolroll.ToolError, SearchError) as error:
            context.log.warning("search goes on with an older index: %s", cause_of(error))
            return True  # as far as waiting would help

    def _looked_up(
        self, context: toolroll.ToolContext, space: Space, asked: Asked, settings: SearchSettings
    ) -> Candidates:
        """Ask the indexes, in one snapshot with the files."""
        with context.database.reading() as connection:
            index = self.indexer.shelf.of(context, space)
            return find_candidates(context, connection, index, space, asked, settings)

    def _asked(
        self, context: toolroll.ToolContext, settings: SearchSettings, query: str, prefix: str
    ) -> Asked:
        """Return what is asked for, its vector made with the caller's key where one is needed."""
        embedding = self.indexer.embedding
        key = caller_key(context.principal, settings.embedding)
        embedder = embedding.with_key(key) if key else embedding.embedder
        try:
            return Asked(query_terms(query), prefix, embedder.embed_query(query), None)
        except SearchError as error:
            return Asked(query_terms(query), prefix, None, error)

    def _scored(
        self,
        context: toolroll.ToolContext,
        settings: SearchSettings,
        query: str,
        candidates: Candidates,
    ) -> dict[int, float]:
        """Return the reranker's scores, or where there is none those of the signals.

        Where the reranker fails, the fused scores stand (manual 12).
        """
        words, meaning, found = candidates
        share = settings.fallback.semantic_share
        reranker = self.reranker(context, settings)
        if reranker is None and settings.signals:
            return by_signals(query, candidates, share)
        fused = fuse(words, meaning, semantic_weight=share)
        if reranker is None or not fused:
            return fused
        order = sorted(fused, key=lambda i: (-fused[i], i))
        try:
            ranked = reranker.rerank(query, [found[i].text for i in order])
            if not ranked:
                raise RerankError("the service ranked nothing")
        except (RerankError, SearchError) as error:
            RERANK_FAILURES.inc()
            context.log.warning("reranking failed, the fused order stands: %s", error)
            return fused
        scores = {order[item.index]: item.score for item in ranked}
        left_out = min(0.0, *scores.values())  # services may rank fewer than they were sent
        return {i: scores.get(i, left_out) for i in order}


def _note_served(context: toolroll.ToolContext, ids: Sequence[int]) -> None:
    """Set `last_served_at` of what the caller gets; a search never fails for it."""
    if not ids:
        return
    try:
        with context.database.writing(timeout=SERVED_WAIT) as connection:
            connection.execute(_SERVED, {"ids": list(ids), "now": datetime.now(UTC)})
    except toolroll.ToolError as error:
        context.log.info("last_served_at not noted: %s", type(error).__name__)
