"""The indexed files of a collection as this process knows them, and how changed ones get there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from attrs import define, field
from sqlalchemy import select

import toolroll
from toolroll.search import Embedder, EmbeddingError
from toolroll_file_ops import store
from toolroll_file_ops.parallel import Gone, prepared
from toolroll_file_ops.prepare import Prepared, embedded
from toolroll_file_ops.scan import Stamp
from toolroll_file_ops.settings import FileOpsSettings
from toolroll_file_ops.statements import run
from toolroll_file_ops.tables import Collection

if TYPE_CHECKING:
    from toolroll.storage import Database

__all__ = ["Changes", "IndexedFiles", "Report", "no_report"]

BATCH_FILES: Final = 200
BATCH_BYTES: Final = 4_000_000
"""Files are stored in transactions of this size: a stopped pass loses no more than one."""

_FILES: Final = "SELECT path, size, mtime_ns, inode, id FROM files WHERE collection_id = ?"

Report = Callable[[int, int, str], None]


def no_report(done: int, total: int, path: str) -> None:
    """Nobody asked for progress."""


@define
class Changes:
    """What a pass did, in files; those that are no text are among them, unread ones are not.

    Attributes:
        unread: What is there but may not be read, files and directories.
    """

    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
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
        self.stamps = {path: Stamp(size, mtime, inode) for path, size, mtime, inode, _ in rows}
        self.ids = {path: id for path, *_, id in rows}
        self.seq = -1 if seq is None else seq

    def apply(
        self,
        changed: Sequence[str],
        removed: Sequence[str],
        check: Callable[[], None],
        report: Report = no_report,
        *,
        strict: bool = False,
    ) -> Changes:
        """Store changed files and remove others, in transactions of bounded size.

        Args:
            changed, removed: Paths.
            check: Called often; raises to stop between two transactions.
            report: Told how many of the changed files are done.
            strict: Whether an embedder that fails ends the pass; else files are stored to be found
                by their words, and the next full pass embeds them.
        """
        changes = Changes()
        if removed:
            self._write([], removed)
            changes.removed = len(removed)
        done = 0
        for batch in _batches(self._prepared(changed, check)):
            changes.updated += sum(1 for file in batch if file.path in self.stamps)
            try:
                self._write(embedded(batch, self.embedder), [])
            except EmbeddingError as error:
                if strict:
                    raise toolroll.ResourceBusy(f"{error}; what is indexed stays") from error
                self._write(batch, [])
            done += len(batch)
            report(done, len(changed), batch[-1].path)
        return changes

    def forget(self, path: str) -> None:
        """Remove a file, if it is indexed."""
        if path in self.stamps:
            self._write([], [path])

    def _prepared(self, paths: Sequence[str], check: Callable[[], None]) -> Iterator[Prepared]:
        """Read and prepare each file; those that have gone meanwhile are left out."""
        settings = self.settings
        for file in prepared(
            self.root,
            paths,
            check,
            most_bytes=settings.max_file_bytes,
            chunk_bytes=settings.chunk_bytes,
        ):
            if isinstance(file, Gone):
                self.forget(file)
            else:
                yield file

    def _write(self, files: Sequence[Prepared], removed: Sequence[str]) -> None:
        with self.database.begin() as session:
            seq, ids = store.write(
                session,
                self.collection_id,
                files,
                removed,
                embedder_id=self.embedder.id if self.embedder else "",
            )
        # Another process may have written in between: then the next look reads everything.
        self.seq = seq if seq == self.seq + 1 else -1
        for file in files:
            self.stamps[file.path] = file.stamp
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
