"""What the tools of one host share: collections, caches, the embedder, the rate limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from attrs import evolve
from cachetools import LRUCache

import toolroll
from toolroll.locks import held
from toolroll.search import RankingSettings
from toolroll.search.lexical import Fts5Index
from toolroll.search.vectors import FaissIndex
from toolroll_file_ops import collections_table, store
from toolroll_file_ops.cache_stores import LocalStore, store_of
from toolroll_file_ops.caches import Cache
from toolroll_file_ops.checks import no_check
from toolroll_file_ops.collections_table import Place
from toolroll_file_ops.content import Loaded
from toolroll_file_ops.metrics import timed
from toolroll_file_ops.opened import Opened
from toolroll_file_ops.results import FileList, FileSummary, ProjectOutline
from toolroll_file_ops.services import embedder_of, reranker_of
from toolroll_file_ops.settings import CollectionSettings, FileOpsSettings
from toolroll_file_ops.space import Space
from toolroll_file_ops.vector_cache import VectorCache
from toolroll_file_ops.whoosh_words import WhooshWords

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from toolroll.search import LexicalIndex
    from toolroll_file_ops.catalogue import Catalogue

__all__ = ["Engine"]

_JSON_OVERHEAD: Final = 200
DROP_SECONDS: Final = 10.0
"""How long who removes a collection waits for who indexes it."""
MOST_SPACES: Final = 256
"""Collections of which it is known what is on disk; the one used longest ago is looked over anew
when it is used again."""


class Engine:
    """The shared state of one pack in one host.

    Args:
        context: The pack's context; its settings decide the sizes.
        clock: Monotonic seconds, for the caches.
    """

    def __init__(
        self, context: toolroll.PackContext, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.settings = cast("FileOpsSettings", context.settings)
        self.database = context.database
        cache = self.settings.cache
        self.embedder = embedder_of(context, self.settings.search)
        self.reranker = reranker_of(context, self.settings.search)
        shared = context.shared
        # every host's: `from_cache` and `has_summary` tell of all of them
        contents = store_of(
            shared,
            "content",
            entries=cache.content_files,
            size=cache.content_bytes,
            seconds=cache.content_seconds,
            weigh=lambda loaded: len(loaded.data) + _JSON_OVERHEAD,
            dump=Loaded.dump,
            parse=Loaded.parse,
            clock=clock,
        )
        summaries = store_of(
            shared,
            "summaries",
            entries=cache.summary_entries,
            size=cache.summary_bytes,
            seconds=cache.summary_seconds,
            weigh=lambda summary: len(_summary_bytes(summary)),
            dump=_summary_bytes,
            parse=FileSummary.model_validate_json,
            clock=clock,
        )
        self.content = Cache("file_content", contents)
        self.summaries = Cache("summary", summaries)
        lists: LocalStore[FileList] = LocalStore(
            entries=cache.list_entries,
            size=cache.list_bytes,
            seconds=cache.list_seconds,
            weigh=lambda files: _JSON_OVERHEAD * (1 + len(files.files)),
            clock=clock,
        )
        outlines: LocalStore[ProjectOutline] = LocalStore(
            entries=cache.outline_entries,
            size=cache.outline_bytes,
            seconds=cache.outline_seconds,
            weigh=lambda outline: len(outline.model_dump_json()),
            clock=clock,
        )
        self.lists = Cache("file_list", lists)
        self.outlines = Cache("outline", outlines)
        self.ranking = _ranking(self.settings)
        vectors = context.backends.get("vectors", FaissIndex)
        self.vectors = VectorCache(self.database, self.embedder, vectors)
        self._lexical = context.backends.get("lexical")
        self._words = (
            WhooshWords(context.data_dir / "whoosh")
            if self._lexical is None
            else WhooshWords(context.data_dir / f"lexical-{self._lexical.name}", self._lexical)
        )
        self._catalogues: LRUCache[int, Catalogue] = LRUCache(8)
        per_second = self.settings.rate_limit_per_second
        burst = max(per_second, 1)
        self._limiter = (
            shared.rates("operations", per_second * 60, burst)
            if shared
            else toolroll.RateLimiter(per_second * 60, burst=burst, clock=clock)
        )
        self._spaces: LRUCache[int, Space] = LRUCache(MOST_SPACES)
        self._lock = threading.Lock()

    @contextmanager
    def open(
        self, context: toolroll.PackContext, operation: str, collection: str
    ) -> Generator[Opened]:
        """Find a collection for one call: limited, timed, and inside the allowed roots.

        Raises:
            ToolError: CollectionNotFound, InvalidParameter, RateLimited.
        """
        owner = collections_table.owner_of(context)
        with self.database.reading() as connection:
            place = collections_table.find(connection, collection, owner)
        self._require_allowed(context, place)
        self._limit(operation, place)
        check = context.check if isinstance(context, toolroll.ToolContext) else no_check
        with timed(operation, place.name):
            yield Opened(self, self.space(place), check, place.seq)

    def visible(self, context: toolroll.PackContext) -> list[Place]:
        """Return the collections that the caller sees and the host's roots allow."""
        owner = collections_table.owner_of(context)
        with self.database.reading() as connection:
            places = collections_table.listed(connection, owner)
        return [place for place in places if _allowed(context, place)]

    def directory(self, context: toolroll.PackContext, name: str) -> str | None:
        """Return the directory of the caller's own collection; None where it has none so named."""
        if (item := self.declared(context, name)) is not None:
            return str(self.root(context, item.path).path)
        owner = collections_table.owner_of(context)
        with self.database.reading() as connection:
            return collections_table.directory(connection, name, owner)

    def declared(self, context: toolroll.PackContext, name: str) -> CollectionSettings | None:
        """Return what the settings say of the caller's own collection; None if they don't."""
        if collections_table.owner_of(context) != collections_table.LOCAL_TENANT:
            return None
        return next((item for item in self.settings.collections if item.name == name), None)

    def root(self, context: toolroll.PackContext, path: str) -> toolroll.ProjectRoot:
        """Return the directory that a path names, absolute or relative to the project root.

        Raises:
            InvalidPath: It lies outside the allowed roots.
        """
        if Path(path).is_absolute():
            return context.roots.find(path)
        inside = context.root.canonical(path, allow_root=True)
        return context.roots.find(str(context.root.path / inside))

    def declare(
        self,
        context: toolroll.PackContext,
        name: str,
        path: str,
        *,
        include: list[str] | None,
        exclude: list[str] | None,
    ) -> Space:
        """Make or change a collection and return it, not yet indexed."""
        root = self.root(context, path)
        owner = collections_table.owner_of(context)
        with self.database.begin(lock=f"declare {owner}") as session:  # two may make the same
            place = collections_table.declare(
                session,
                name,
                root.path,
                owner=owner,
                include=include,
                exclude=exclude,
            )
        return self.space(place)

    def remove(self, context: toolroll.PackContext, name: str) -> None:
        """Forget a collection; its files stay where they are.

        Raises:
            ToolError: CollectionNotFound, InvalidParameter.
        """
        self.drop(context, name, collections_table.owner_of(context))

    def drop(self, context: toolroll.PackContext, name: str, owner: str) -> None:
        """Forget the collection of an owner, once nobody indexes it.

        Raises:
            ToolError: As `remove`.
            ResourceBusy: It is being indexed.
        """
        with self.database.reading() as connection:
            place = collections_table.find(connection, name, owner)
        with (
            held(
                context.locks, f"index-{place.id}", DROP_SECONDS,
                check=no_check, busy=f"collection {name!r} is being indexed; try again later",
            ),
            self.database.begin() as session,
        ):  # fmt: skip
            store.drop_collection(session, place.id)
        self._words.forget(place.id)

    def space(self, place: Place) -> Space:
        """Return this process's view of a collection."""
        with self._lock:
            known = self._spaces.get(place.id)
            if known is not None and evolve(known.place, seq=0, indexed_at=None) == evolve(
                place, seq=0, indexed_at=None
            ):
                return known
            del known
            self._let_go(place.id)
            space = Space(place, self.database, self.settings, self.embedder)
            self._spaces[place.id] = space
            return space

    def _let_go(self, collection_id: int) -> None:
        """Forget what is known of a collection, and of those that were removed: they hold listeners
        that others need, and memory."""
        with self.database.reading() as connection:
            there = collections_table.ids(connection)
        self.vectors.keep(there)
        for one in [one for one in self._spaces if one not in there or one == collection_id]:
            del self._spaces[one]

    def words(self, connection: Connection, collection_id: int) -> LexicalIndex:
        """Return what finds a collection's chunks by their words, as of a connection's snapshot."""
        index = store.lexical_index(connection, collection_id)
        own = self._lexical is not None or self.settings.search.lexical_engine == "whoosh"
        if not own or not isinstance(index, Fts5Index):
            return index
        return self._words.index(collection_id, index)

    def catalogue(self, collection_id: int) -> Catalogue | None:
        """Return the catalogue that was kept last of a collection."""
        with self._lock:
            return self._catalogues.get(collection_id)

    def keep_catalogue(self, collection_id: int, catalogue: Catalogue) -> None:
        """Keep a catalogue; those of the collections used longest ago are forgotten."""
        with self._lock:
            self._catalogues[collection_id] = catalogue

    def _limit(self, operation: str, place: Place) -> None:
        try:
            self._limiter.take(f"{operation}\0{place.id}")
        except toolroll.RateLimited as error:
            seconds = float((error.details or {}).get("retry_after_seconds", 1))
            raise toolroll.RateLimited(
                f"{operation} was called too often on {place.name!r}; try again in {seconds:.2f} s",
                details={"retry_after_ms": max(1, round(seconds * 1000))},
            ) from None

    def _require_allowed(self, context: toolroll.PackContext, place: Place) -> None:
        if not _allowed(context, place):
            raise toolroll.InvalidPath(
                f"collection {place.name!r} was indexed from a directory outside the allowed "
                "roots; if it has moved, index it again with index_collection, giving the "
                "path it has now, which costs only what changed, else start the host with --root "
                "for it; who may do neither asks who runs this host"
            )


def _ranking(settings: FileOpsSettings) -> RankingSettings:
    services = {"lexical_engine", "embedder", "embedding", "rerank"}
    return RankingSettings(**settings.search.model_dump(exclude=services))


def _summary_bytes(summary: FileSummary) -> bytes:
    return summary.model_dump_json().encode()


def _allowed(context: toolroll.PackContext, place: Place) -> bool:
    return any(place.root.path.is_relative_to(root.path) for root in context.roots)
