"""The indexed files of a collection as this process knows them, and how changed ones get there."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import define, field
from sqlalchemy import select

import toolroll
from toolroll.search import Embedder, EmbeddingError
from toolroll_file_ops import store
from toolroll_file_ops.checks import Check
from toolroll_file_ops.parallel import Gone, Same, prepared
from toolroll_file_ops.prepare import Prepared, analysis, embedded
from toolroll_file_ops.settings import FileOpsSettings
from toolroll_file_ops.stamps import Stamp
from toolroll_file_ops.statements import Members, run
from toolroll_file_ops.tables import Collection

if TYPE_CHECKING:
    from toolroll.storage import Database

__all__ = ["Changes", "IndexedFiles", "Report", "no_report"]

BATCH_FILES: Final = 200
BATCH_BYTES: Final = 4_000_000
"""Files are stored in transactions of this size: a stopped pass loses no more than one."""

_FILES: Final = """
    SELECT path, id, size, mtime_ns, ctime_ns, inode FROM files WHERE collection_id = ?"""
_CONTENTS: Final = """
    SELECT path, sha256 FROM files WHERE collection_id = ? AND path IN MEMBERS(?)
    AND analysis = ? AND skipped = ''"""

Report = Callable[[int, int, str], None]


def no_report(done: int, total: int, path: str) -> None:
    """Nobody asked for progress."""


@define
class Changes:
    """What a pass did, in files that have content; those that are no text are not counted.

    Attributes:
        unread: What is there but may not be read, files and directories.
    """

    added: int = 0
    updated: int = 0
    removed: int = 0
    unread: int = 0


@define(eq=False)
class IndexedFiles:
    """The files that a collection's index holds, as they were when they were indexed.

    Attributes:
        stamps: What each was on disk, by path.
        ids: Its row, by path.
        seq: The collection's when these were read; -1 if they are to be read again.
    """

    collection_id: int
    root: toolroll.ProjectRoot
    database: Database
    settings: FileOpsSettings
    embedder: Embedder | None
    stamps: dict[str, Stamp] = field(factory=dict[str, Stamp])
    ids: dict[str, int] = field(factory=dict[str, int])
    seq: int = -1

    def load(self, seq: int | None = None) -> None:
        """Read the stamps of the indexed files, if somebody changed them since.

        Args:
            seq: The collection's a moment ago; None to ask for it.
        """
        if seq is not None and seq == self.seq:
            return
        with self.database.reading() as connection:
            asked = select(Collection.seq).where(Collection.id == self.collection_id)
            seq = connection.scalar(asked)
            if seq == self.seq:
                return
            rows = run(connection, _FILES, self.collection_id)
        self.stamps = {path: Stamp(*stamp) for path, _, *stamp in rows}
        self.ids = {path: id for path, id, *_ in rows}
        self.seq = -1 if seq is None else seq

    def apply(
        self,
        changed: Sequence[str],
        removed: Sequence[str],
        check: Check,
        report: Report = no_report,
        *,
        strict: bool = False,
        anew: Container[str] = frozenset(),
    ) -> Changes:
        """Store changed files and remove others, in transactions of bounded size.

        Args:
            changed, removed: Paths.
            check: Called often; raises to stop between two transactions.
            report: Told how many of the changed files are done.
            strict: Whether an embedder that fails ends the pass; else files are stored to be found
                by their words, and the next full pass embeds them.
            anew: Those of the changed files that are to be cut and embedded even if they hold what
                they held.
        """
        changes = Changes()
        if removed:
            self._write([], removed)
            changes.removed = len(removed)
        done = 0
        same: list[Same] = []
        known = self._contents([path for path in changed if path not in anew])
        for batch in _batches(self._prepared(changed, check, known, same)):
            texts = [file for file in batch if not file.skipped]
            there = sum(1 for file in texts if file.path in self.stamps)
            changes.updated += there
            changes.added += len(texts) - there
            try:
                self._write(embedded(batch, self.embedder), [])
            except EmbeddingError as error:
                if strict:
                    raise toolroll.ResourceBusy(f"{error}; what is indexed stays") from error
                self._write(batch, [])
            done += len(batch)
            report(done + len(same), len(changed), batch[-1].path)
        if same:
            self._write([], [], same)
            report(done + len(same), len(changed), "")
        return changes

    def forget(self, path: str) -> None:
        """Remove a file, if it is indexed."""
        if path in self.stamps:
            self._write([], [path])

    def _contents(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the SHA-256 of the files that are indexed as they would be today."""
        indexed = Members(path for path in paths if path in self.stamps)
        if not indexed:
            return {}
        how = analysis(self.settings.chunk_bytes)
        with self.database.reading() as connection:
            return dict(run(connection, _CONTENTS, self.collection_id, indexed, how))

    def _prepared(
        self,
        paths: Sequence[str],
        check: Check,
        known: Mapping[str, str],
        same: list[Same],
    ) -> Iterator[Prepared]:
        """Read and prepare each file; those that have gone meanwhile are left out.

        Args:
            paths: The files.
            check: Raises to stop.
            known: SHA-256 of what the index holds.
            same: Takes the files that hold just that.
        """
        settings = self.settings
        for file in prepared(
            self.root,
            paths,
            check,
            most_bytes=settings.max_file_bytes,
            chunk_bytes=settings.chunk_bytes,
            known=known,
        ):
            if isinstance(file, Gone):
                self.forget(file)
            elif isinstance(file, Same):
                same.append(file)
            else:
                yield file

    def _write(
        self,
        files: Sequence[Prepared],
        removed: Sequence[str],
        touched: Sequence[Same] = (),
    ) -> None:
        with self.database.begin() as session:
            seq, ids = store.write(
                session,
                self.collection_id,
                files,
                removed,
                touched,
                embedder_id=self.embedder.id if self.embedder else "",
            )
        # Another process may have written in between: then the next look reads everything.
        self.seq = seq if seq == self.seq + 1 else -1
        for file in files:
            self.stamps[file.path] = file.stamp
        self.stamps.update((file.path, file.stamp) for file in touched)
        self.ids.update(ids)
        for path in removed:
            self.stamps.pop(path, None)
            self.ids.pop(path, None)


def _batches(files: Iterator[Prepared]) -> Iterator[list[Prepared]]:
    batch: list[Prepared] = []
    size = 0
    for file in files:
        batch.append(file)
        size += file.stamp.size
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
