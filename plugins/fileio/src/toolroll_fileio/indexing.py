"""The index worker's work: what a path holds now becomes what can be found (manual 11).

Chunks are cut and embedded outside the transaction. Inside it, under the project's lock, the hash
of the content is compared again: a file that changed meanwhile has a newer job of its own.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

from attrs import field, frozen
from sqlalchemy import Connection, select

import toolroll
from toolroll.search import SearchError
from toolroll_fileio import jobs
from toolroll_fileio.analysis import bring_up_to_date
from toolroll_fileio.causes import cause_of
from toolroll_fileio.chunk_rows import ChunkRows, known_vectors
from toolroll_fileio.embedding import Embedding, Failure, worth_retrying
from toolroll_fileio.jobs import Job
from toolroll_fileio.metrics import JOB_LATENCY, QUEUE_DEPTH, VISIBILITY_LAG
from toolroll_fileio.pacing import Pace
from toolroll_fileio.preparing import WITH_PATHS, Prepared, parts, prepare
from toolroll_fileio.tables import files

if TYPE_CHECKING:
    from toolroll_fileio.names import Space
    from toolroll_fileio.settings import FileioSettings
    from toolroll_fileio.shelf import Shelf

__all__ = ["Indexer"]

LOOK_AGAIN: Final = 0.02
"""Seconds until a search that waits for another process's batch looks again."""

_HASHES: Final = select(files.c.path, files.c.content_hash).where(WITH_PATHS)


@frozen(eq=False)
class Indexer:
    """Works on claimed jobs.

    Attributes:
        embedding: Makes the vectors.
        shelf: The search indexes that follow the rows.
        pace: When the worker rests.
    """

    embedding: Embedding
    shelf: Shelf
    pace: Pace
    _batch_done: threading.Condition = field(factory=threading.Condition, init=False)
    _left: set[Space] = field(factory=set["Space"], init=False)
    _attended: threading.Event = field(factory=threading.Event, init=False)
    _compared: threading.Event = field(factory=threading.Event, init=False)

    @property
    def alone(self) -> bool:
        """Whether this process has no worker, such as one that makes a single call."""
        return not self._attended.is_set()

    def attend(self) -> None:
        """Note that a worker is there, which may have to get ready before its first step."""
        self._attended.set()

    def step(self, context: toolroll.PackContext) -> bool:
        """Work on one batch, or on one in each of `index.workers` threads when jobs pile up.

        Says whether more is waiting, and notes for `pace` what it took.
        """
        settings = cast("FileioSettings", context.settings).index
        self.attend()
        started = time.monotonic()
        claimed = self.run(context)
        if len(claimed) == settings.batch_size and settings.workers > 1:
            with ThreadPoolExecutor(settings.workers, thread_name_prefix="fileio-index") as pool:
                for more in pool.map(self.run, [context] * settings.workers):
                    claimed += more
        late = {job.space for job in claimed}
        while self._left:
            late.add(self._left.pop())
        for space in sorted(late, key=lambda space: space.lock):
            self._follow(context, space)
        now = datetime.now(UTC)
        ages = [max((now - job.created_at).total_seconds(), 0.0) for job in claimed]
        for age in ages:
            VISIBILITY_LAG.observe(age * 1000)
        with context.database.reading() as connection:
            QUEUE_DEPTH.set(jobs.depth(connection))
        if claimed:
            self.pace.worked(time.monotonic() - started, max(ages), settings.slo_p95_seconds)
        return len(claimed) >= settings.batch_size

    def run(self, context: toolroll.PackContext, newest_of: Space | None = None) -> list[Job]:
        """Claim a batch, store its chunks, and return its jobs; the search indexes follow later."""
        settings = cast("FileioSettings", context.settings).index
        self._once(context)
        claimed = jobs.claim(context, settings, datetime.now(UTC), newest_of)
        started = time.monotonic()
        spaces: dict[Space, list[Job]] = defaultdict(list)
        for job in claimed:
            spaces[job.space].append(job)
        for space, batch in spaces.items():
            with context.database.reading() as connection:
                divided = list(parts(connection, space, batch))
            for part in divided:
                self._guarded(context, space, part)
            with self._batch_done:
                self._batch_done.notify_all()
        for _ in claimed:
            JOB_LATENCY.observe((time.monotonic() - started) * 1000)
        return claimed

    def _once(self, context: toolroll.PackContext) -> None:
        """Before the first chunk is made, queue what was made otherwise, or was left in hand."""
        if self._compared.is_set():
            return
        if context.database.dialect == "sqlite":  # a server's hosts start while others work
            jobs.reclaim(context)
        if queued := bring_up_to_date(context, self.embedding.embedder):
            context.log.info("%d files are indexed anew: their chunks were made otherwise", queued)
        self._compared.set()

    def catch_up(self, context: toolroll.PackContext, space: Space, seconds: float) -> bool:
        """Index what was written a moment ago, newest first, for at most about so long.

        Says whether nothing is left that is due, or that others have in hand.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self.run(context, newest_of=space):
                continue
            with context.database.reading() as connection:
                if not jobs.in_hand(connection, space, datetime.now(UTC)):
                    return True
            with self._batch_done:  # another thread, or process, is about to finish
                self._batch_done.wait(min(left, LOOK_AGAIN))
        return False

    def follow(
        self, context: toolroll.PackContext, space: Space, most: int, seconds: float
    ) -> bool:
        """Bring a space's search indexes along inside a call; leave more than a few to the worker.

        Says whether they are there. Only the worker can be late for good: what a search has indexed
        itself is no job any more. A process that has none does all of it at once.

        Args:
            context: The call's.
            space: The space.
            most: Changes of words that the call applies itself, where there is a worker.
            seconds: How long it may wait for another thread that does the same.
        """
        limit = None if self.alone else most
        if self.shelf.follow(context, space, limit, seconds):
            return True
        self._left.add(space)
        context.wake()
        return False

    def _guarded(self, context: toolroll.PackContext, space: Space, batch: list[Job]) -> None:
        """Index one space's jobs; whatever fails, they go back to the queue.

        Raises:
            InternalError: The database can store nothing; the worker comes back later and later.
        """
        try:
            self._index(context, space, batch)
        except toolroll.ResourceBusy as error:
            self._give_back(context, batch, error, tried=False)
        except Exception as error:  # content is arbitrary: one bad file must not stop the others
            if context.database.trouble(error):  # no file's fault, such as a full disk
                self._give_back(context, batch, error, tried=False)
                raise
            paths = {job.path for job in batch}
            if len(paths) > 1:
                for path in sorted(paths):
                    self._guarded(context, space, [job for job in batch if job.path == path])
                return
            context.log.exception("indexing failed for %d jobs", len(batch))
            self._give_back(context, batch, error)

    def _give_back(
        self,
        context: toolroll.PackContext,
        batch: Iterable[Job],
        error: Exception,
        *,
        tried: bool = True,
    ) -> None:
        settings = cast("FileioSettings", context.settings).index
        with context.database.writing() as connection:
            now = datetime.now(UTC)
            cause = type(error).__name__
            jobs.give_back(connection, batch, settings, now, cause, tried=tried)

    def _index(self, context: toolroll.PackContext, space: Space, batch: list[Job]) -> None:
        settings = cast("FileioSettings", context.settings)
        paths = sorted({job.path for job in batch})
        with context.database.reading() as connection:
            prepared = prepare(context, connection, space, paths)
            digests = {p.digest: p.text for item in prepared.values() for p in item.pieces}
            vectors = known_vectors(connection, space, digests, self.embedding.embedder.id)
        missing = {
            path: {p.digest: p.text for p in item.pieces if p.digest not in vectors}
            for path, item in prepared.items()
        }
        made, failed = self.embedding.make(batch, missing)
        vectors |= made  # what can be found by its words alone is stored at once
        seconds = settings.lock_timeout_ms / 1000
        with context.database.writing(lock=space.lock, timeout=seconds) as connection:
            spent = self._store(connection, space, batch, prepared, vectors, failed, settings)
        self.embedding.forget(spent)
        if failed:
            context.log.warning(
                "chunks are found by their words alone until they have vectors: %s",
                cause_of(failed),
            )

    def _follow(self, context: toolroll.PackContext, space: Space) -> None:
        """Bring the search indexes along; they can be late, and are then brought along later."""
        try:
            self.shelf.follow(context, space)
        except (toolroll.ToolError, SearchError) as error:
            context.log.warning(
                "a search index is behind, and tried again with the next change or search: %s; "
                "if that stays so, see that 'index' in the pack's data directory can be read and "
                "written, or remove it: it is filled anew",
                cause_of(error),
            )

    def _store(
        self,
        connection: Connection,
        space: Space,
        batch: Sequence[Job],
        prepared: Mapping[str, Prepared],
        vectors: Mapping[str, bytes],
        failed: Failure | None,
        settings: FileioSettings,
    ) -> list[str]:
        """Write the rows and finish the jobs; return the envelopes that nobody needs any more."""
        now = datetime.now(UTC)
        bound = {**space.bound, "paths": list(prepared)}
        current = {row.path: row.content_hash for row in connection.execute(_HASHES, bound)}
        log = self.shelf.log(connection, space)
        rows = ChunkRows(connection, space, self.embedding.embedder.id, now, log)
        fresh = {path for path in prepared if current.get(path) == prepared[path].content_hash}
        incomplete = {
            path for path in sorted(fresh) if not rows.replace(path, prepared[path].pieces, vectors)
        }
        log.flush()
        later = incomplete if worth_retrying(failed) else set[str]()
        again = [job for job in batch if job.path in later]
        # a path that is not fresh any more has a newer job, which must stay queued
        done = [job for job in batch if job.path not in later]
        spent = [job.credential_ref for job in done if job.credential_ref]
        if self.embedding.handover is not None:
            spent += jobs.queued_references(connection, space, fresh - later)
        jobs.finish(connection, done, now)
        jobs.finish_queued(connection, space, fresh - later, now)
        jobs.give_back(connection, again, settings.index, now, type(failed).__name__)
        return spent
