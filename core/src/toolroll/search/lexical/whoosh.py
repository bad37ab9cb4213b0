"""Whoosh: an index in a directory of its own, in pure Python.

Good to about 30,000 chunks in an index (retrieval.md, section 5). It commits on its own, so the seq
of the last batch is a document inside the same commit: after a crash the batch is simply repeated.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, Final

from toolroll.errors import ResourceBusy
from toolroll.locks import FileLocks
from toolroll.search.errors import EngineMissing, IndexBroken, IndexBusy
from toolroll.search.interfaces import EVERYTHING, Hit, LexicalBatch, Scope
from toolroll.search.lexical.labels import path_labels, scope_labels
from toolroll.search.tokens import TOKENIZER_VERSION, require_tokenizer

__all__ = ["WhooshIndex"]

SEGMENTS_BEFORE_MERGE: Final = 8
"""Commits that only append before one merges: 26 segments doubled the query time when measured."""

_STATE: Final = "state"
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_TRIES: Final = 9
"""Commits that may come in between before an index that can't be opened is called broken."""


class WhooshIndex:
    """A lexical index in a directory; see `LexicalIndex`. Threads may share one object.

    Args:
        directory: Directory of the index alone; made when it is missing.
    """

    def __init__(self, directory: Path) -> None:
        try:
            index = _whoosh("index")
        except ImportError as error:
            raise EngineMissing("the lexical engine 'whoosh'", "Whoosh-Reloaded") from error
        self._directory = directory
        self._lock = threading.Lock()
        self._searcher: Any = None
        directory.mkdir(parents=True, exist_ok=True)
        try:
            self._index: Any = _open(index, directory)
        except ResourceBusy as error:
            raise IndexBusy("another process is creating the index") from error
        except (OSError, EOFError, ValueError, KeyError, index.IndexError) as error:
            _refuse_full(error)
            raise IndexBroken(f"the index cannot be opened ({error}): build it anew") from error

    def applied_seq(self) -> int:
        """Return the seq of the last batch applied; 0 for a new index."""
        with self._lock:
            return self._seq(self._fresh())

    def apply(self, batch: LexicalBatch) -> None:
        """Apply a batch in one commit."""
        with self._writing() as writer:
            for id in [*batch.delete, *(document.id for document in batch.add)]:
                writer.delete_by_term("id", str(id))
            for document in batch.add:
                writer.add_document(
                    id=str(document.id),
                    path=document.path,
                    tokens=document.tokens,
                    labels=" ".join(path_labels(document.path)),
                )
            writer.delete_by_term("id", _STATE)
            writer.add_document(id=_STATE, path=f"{batch.seq} {TOKENIZER_VERSION}")
            segments = len(list(self._index._segments()))
            merge = segments >= SEGMENTS_BEFORE_MERGE
            writer.commit(merge=merge, optimize=merge)

    def search(
        self, terms: Sequence[str], *, limit: int = 200, scope: Scope = EVERYTHING
    ) -> list[Hit]:
        """Return the best chunks that hold any of the terms, best first, ties by id."""
        if not terms or limit < 1:
            return []
        query = _whoosh("query")
        wanted: Any = query.Or([query.Term("tokens", term) for term in terms])
        required = [
            query.ConstantScoreQuery(query.Or([query.Term("labels", name) for name in names]), 0)
            for names in scope_labels(scope)
        ]
        if required:  # And with a constant score; Require fails inside Whoosh's optimiser
            wanted = query.And([wanted, *required])
        partial = scope.prefix and scope.prefix != f"{scope.directory}/"
        with self._lock:
            searcher = self._fresh()
            self._seq(searcher)
            ask = limit
            while True:
                results = searcher.search(wanted, limit=ask)
                hits = [
                    Hit(int(result["id"]), float(result.score))
                    for result in results
                    if not partial or result["path"].startswith(scope.prefix)
                ]
                if len(hits) >= limit or len(results.top_n) < ask:
                    break
                ask *= 4
        hits.sort(key=lambda hit: (-hit.score, hit.id))
        return hits[:limit]

    def ids(self) -> set[int]:
        """Return the ids of all documents."""
        with self._lock:
            stored = self._fresh().reader().all_stored_fields()
            return {int(fields["id"]) for fields in stored if fields["id"] != _STATE}

    def clear(self) -> None:
        """Remove everything; the seq is 0 again."""
        with self._lock:
            self._close_searcher()
            with self._writing() as writer:
                writer.commit(mergetype=_drop_everything)

    def close(self) -> None:
        """Release the files."""
        with self._lock:
            self._close_searcher()
            self._index.close()

    @contextlib.contextmanager
    def _writing(self) -> Generator[Any]:
        """Give a writer to commit; one that fails leaves neither its lock nor its files.

        Whoosh's own writers leave both where a disk is full, and what they leave keeps it full.

        Raises:
            IndexBusy: Another process writes the index, or the disk is full.
        """
        with contextlib.ExitStack() as held:
            try:
                lock = self._index.lock("WRITELOCK")
                if not lock.acquire():
                    raise IndexBusy("another process is writing the index")
                held.callback(lock.release)
                failed = held.enter_context(contextlib.ExitStack())
                failed.callback(self._clean)
                writer = self._index.writer(_lk=False)
                failed.callback(_end, writer)
                yield writer
                failed.pop_all()
            except OSError as error:
                _refuse_full(error)
                raise

    def _clean(self) -> None:
        """Remove the files that belong to no commit."""
        toc = self._index._read_toc()
        storage, name = self._index.storage, self._index.indexname
        storage.temp_storage(f"{name}.tmp").destroy()
        _whoosh("index").clean_files(storage, name, toc.generation, toc.segments)

    def _close_searcher(self) -> None:
        if self._searcher is not None:
            self._searcher.close()
            self._searcher = None

    def _fresh(self) -> Any:
        """Return a searcher that sees every commit so far."""
        try:
            if self._searcher is not None and not self._searcher.up_to_date():
                # Not `refresh()`: it reuses readers that still show what was deleted since.
                self._close_searcher()
            if self._searcher is None:
                weighting = _whoosh("scoring").BM25F(B=0.75, K1=1.2)
                self._searcher = self._index.searcher(weighting=weighting)
        except (OSError, EOFError, KeyError, ValueError) as error:
            raise IndexBroken(f"the index cannot be read ({error}): build it anew") from error
        return self._searcher

    def _seq(self, searcher: Any) -> int:
        state = searcher.document(id=_STATE)
        if state is None:
            return 0
        seq, tokenizer = map(int, state["path"].split())
        require_tokenizer(tokenizer)
        return seq


def _open(index: Any, directory: Path) -> Any:
    """Open an index, or create it; others may do the same, and commit, at the same time."""
    for _ in range(_TRIES):
        try:
            return index.open_dir(directory)
        except index.EmptyIndexError:
            _create(index, directory)
        except FileNotFoundError:  # another's commit has replaced what had just been listed
            continue
    return index.open_dir(directory)


def _create(index: Any, directory: Path) -> None:
    """Make an empty index unless another process has: Whoosh would remove what is in that one."""
    directory.mkdir(parents=True, exist_ok=True)
    with FileLocks(directory).project("create"):
        try:
            index.open_dir(directory)
        except index.EmptyIndexError:
            index.create_in(directory, _schema())


def _end(writer: Any) -> None:
    """Close the files of a writer that failed, in whatever state it is."""
    with contextlib.suppress(Exception):
        writer.cancel()


def _refuse_full(error: Exception) -> None:
    """Raise IndexBusy for an error that means that the disk is full."""
    if isinstance(error, OSError) and error.errno in _FULL:
        raise IndexBusy("the index can't be written: its disk is full; make room") from error


def _schema() -> Any:
    fields, analysis = _whoosh("fields"), _whoosh("analysis")
    return fields.Schema(
        id=fields.ID(unique=True, stored=True),
        path=fields.STORED,
        tokens=fields.TEXT(analyzer=analysis.SpaceSeparatedTokenizer(), phrase=False),
        labels=fields.KEYWORD,
    )


def _whoosh(module: str) -> Any:
    """Return a module of Whoosh, which has no type information."""
    return importlib.import_module(f"whoosh.{module}")


def _drop_everything(writer: Any, segments: list[Any]) -> list[Any]:
    """Return no segment to keep: the commit starts the index anew."""
    return []
