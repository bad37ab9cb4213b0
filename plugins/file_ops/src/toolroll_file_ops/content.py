"""Whole files, exactly as they are on disk now."""

from __future__ import annotations

import difflib
import json
import os
import stat
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from attrs import asdict, frozen

import toolroll
from toolroll_file_ops import store
from toolroll_file_ops.caches import Cache
from toolroll_file_ops.failures import (
    file_not_found,
    file_too_large,
    not_text_file,
    too_large_to_index,
)
from toolroll_file_ops.metrics import CONTENT_SIZE, labelled
from toolroll_file_ops.results import FileContent, FileMetadata
from toolroll_file_ops.space import Space
from toolroll_file_ops.stamps import Stamp, stamp_of
from toolroll_file_ops.statements import Members, run

if TYPE_CHECKING:
    from toolroll_file_ops.opened import Opened

__all__ = ["MAX_SIZE_KB", "Loaded", "Row", "content_of", "load", "rows_of", "size_kb"]

MAX_SIZE_KB = 5000
"""The document's absolute limit; nothing larger is ever returned whole."""
NEAR_MATCHES: Final = 3
MOST_NEAR: Final = 100
MOST_COMPARED: Final = 5000
"""Paths that are compared with one that is not there."""

Row = Sequence[Any]
"""What is stored of a file: its path, its id, and the rest that `Loaded` is made of."""


@frozen(eq=False)
class Loaded:
    """A file's bytes with what the index knows of it.

    Args:
        stamp: Of the file on disk when the bytes were compared with it.
    """

    file_id: int
    path: str
    stamp: Stamp
    data: bytes
    file_type: str
    language: str | None
    chunk_count: int
    indexed_at: str

    @property
    def text(self) -> str:
        """The content; a byte order mark is kept as its first character."""
        return self.data.decode()

    def dump(self) -> bytes:
        """Return all of it as bytes: a line of JSON, then the file's own."""
        about = asdict(self, filter=lambda attribute, value: attribute.name != "data")
        return json.dumps(about).encode() + b"\n" + self.data

    @classmethod
    def parse(cls, dumped: bytes) -> Loaded:
        """Return what `dump` made bytes of."""
        head, _, data = dumped.partition(b"\n")
        about: dict[str, Any] = json.loads(head)
        stamp = Stamp(**about.pop("stamp"))
        return cls(**about, stamp=stamp, data=data)


def load(
    space: Space, cache: Cache[Loaded], path: str, rows: Mapping[str, Row] | None = None
) -> tuple[Loaded, bool]:
    """Return a file as it is on disk now, and whether its bytes came from the cache.

    Args:
        space: The collection.
        cache: Where whole files are kept.
        path: Canonical path in it.
        rows: What `rows_of` read of this file and others a moment ago.

    Raises:
        ToolError: FileNotFound with near matches, NotTextFile, InvalidPath for a symlink.
    """

    def valid(loaded: Loaded) -> bool:
        known = space.ids.get(path) == loaded.file_id
        return known and loaded.stamp == _stamp_on_disk(space, path)

    return cache.get((space.place.id, path), lambda: _read(space, path, rows or {}), valid)


def content_of(opened: Opened, path: str, max_size_kb: float, *, metadata: bool) -> FileContent:
    """Return the answer of `get_file_content`.

    Raises:
        ToolError: FileTooLarge above `max_size_kb`, and what `load` raises.
    """
    size = size_on_disk(opened.space, path)
    if size is not None and size > max_size_kb * 1024:
        # A large file need not be read to be refused, but it has to belong here.
        opened.sync([path])
        if not opened.space.refresh_file(path):
            raise missing(opened.space, path)
        most = opened.space.settings.max_file_bytes
        if size > most:
            raise too_large_to_index(path, size, most)
        raise file_too_large(path, size, max_size_kb, MAX_SIZE_KB)
    loaded, from_cache = opened.load(path)
    if len(loaded.data) > max_size_kb * 1024:
        raise file_too_large(path, len(loaded.data), max_size_kb, MAX_SIZE_KB)
    CONTENT_SIZE.labels(labelled(opened.name)).observe(len(loaded.data))
    return FileContent(
        file_path=path,
        content=loaded.text,
        metadata=_metadata(loaded) if metadata else None,
        chunks_available=loaded.chunk_count,
        collection=opened.name,
        from_cache=from_cache,
    )


def size_kb(size: int) -> float:
    """Return bytes as kilobytes of 1,024, rounded to two places."""
    return round(size / 1024, 2)


def size_on_disk(space: Space, path: str) -> int | None:
    """Return the size of a file now, None if it is not there or lies behind a symlink."""
    stamp = _stamp_on_disk(space, path)
    return stamp.size if stamp else None


def missing(space: Space, path: str) -> toolroll.ToolError:
    """Return the error for a path without a file: why it is not there, or the nearest there are."""
    name = space.place.name
    if not space.rules.admits(path):
        why = "an ignore file or the collection's own globs leave it out"
        return file_not_found(path, name, why=why)
    place = space.place.root.path / path
    try:
        mode = place.stat().st_mode
    except PermissionError:
        return file_not_found(path, name, why="the host may not look into its directory")
    except OSError:
        mode = 0
    if stat.S_ISREG(mode) and not os.access(place, os.R_OK):
        return file_not_found(path, name, why="it is on disk, but the host may not read it")
    if stat.S_ISDIR(mode):
        return file_not_found(
            path, name, why="it is a directory; list_files_in_collection shows its files"
        )
    there = (near for near in _nearest(path, sorted(space.files)) if _stamp_on_disk(space, near))
    return file_not_found(path, name, list(islice(there, NEAR_MATCHES)))


def _nearest(path: str, known: Sequence[str]) -> list[str]:
    """Return the paths that a caller may have meant: files of the same name, else of alike ones."""

    def name(of: str) -> str:
        return of.rpartition("/")[2].casefold()

    def unlike(other: str) -> float:
        return -difflib.SequenceMatcher(None, other.casefold(), path.casefold()).ratio()

    namesakes = [other for other in known if name(other) == name(path)]
    if namesakes:
        return sorted(namesakes[:MOST_NEAR], key=unlike)
    return difflib.get_close_matches(path, known[:MOST_COMPARED], MOST_NEAR, 0.75)


def rows_of(space: Space, paths: Sequence[str]) -> dict[str, Row]:
    """Read what is stored of several files in one statement."""
    with space.database.reading() as connection:
        found = run(connection, _FILES, space.place.id, Members(paths))
    return {row[0]: row for row in found}


def _read(space: Space, path: str, rows: Mapping[str, Row]) -> Loaded:
    if not space.refresh_file(path):
        raise missing(space, path)
    row = rows.get(path)
    if row is None or row[1] != space.ids.get(path):  # the content of an id never changes
        row = rows_of(space, [path]).get(path)
    if row is None:
        raise missing(space, path)
    _, id, *parts, kind, language, chunks, indexed_at, skipped, data = row
    stamp = Stamp(*parts)
    if skipped:
        if stamp.size > space.settings.max_file_bytes:
            raise too_large_to_index(path, stamp.size, space.settings.max_file_bytes)
        raise not_text_file(path, skipped)
    return Loaded(
        file_id=id,
        path=path,
        stamp=stamp,
        data=store.unpacked(data),
        file_type=kind,
        language=language,
        chunk_count=chunks,
        indexed_at=indexed_at,
    )


_FILES: Final = """
    SELECT f.path, f.id, f.size, f.mtime_ns, f.ctime_ns, f.inode, f.file_type, f.language,
    f.chunk_count, f.indexed_at, f.skipped, b.data
    FROM files AS f LEFT JOIN blobs AS b ON b.sha256 = f.sha256
    WHERE f.collection_id = ? AND f.path IN MEMBERS(?)"""


def _stamp_on_disk(space: Space, path: str) -> Stamp | None:
    try:
        with space.place.root.open(path) as file:
            return stamp_of(os.fstat(file.fileno()))
    except (toolroll.NotFound, toolroll.InvalidPath):
        return None


def _metadata(loaded: Loaded) -> FileMetadata:
    return FileMetadata(
        file_type=loaded.file_type,
        size_kb=size_kb(len(loaded.data)),
        size_bytes=len(loaded.data),
        chunk_count=loaded.chunk_count,
        last_indexed=loaded.indexed_at,
        language=loaded.language,
        encoding="utf-8",
    )
