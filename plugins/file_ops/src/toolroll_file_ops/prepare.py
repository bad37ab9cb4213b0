"""From a file's bytes to what is stored: everything that costs time, outside any transaction."""

from __future__ import annotations

import hashlib
import os
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from itertools import islice
from typing import Final

from attrs import evolve, frozen

from toolroll import ProjectRoot
from toolroll.search import CHUNKER_VERSION, Chunk, Embedder, chunk_file, document_tokens
from toolroll.search.interfaces import extension
from toolroll.search.languages import language_name
from toolroll.search.vectors import encode_vectors
from toolroll_file_ops.stamps import Stamp, stamp_of

__all__ = ["BINARY", "Prepared", "analysis", "embedded", "prepare", "read_stable", "text_problem"]

BINARY: Final = "it holds NUL bytes, so it is binary"
ATTEMPTS: Final = 3
"""How often a file that changes while it is read is read again."""


@frozen
class Prepared:
    """A file ready to be stored.

    Args:
        analysis: How its chunks were cut (`analysis`).
        skipped: Why there is no content; "" for text.
        tokens: One for each chunk.
        texts: What is embedded of each chunk: the names it defines, then its text.
        vectors: One for each chunk once they are embedded, else none.
    """

    path: str
    stamp: Stamp
    file_type: str
    language: str | None
    sha256: str
    compressed: bytes
    chunks: tuple[Chunk, ...]
    tokens: tuple[str, ...]
    texts: tuple[str, ...]
    analysis: str
    vectors: tuple[bytes, ...] = ()
    skipped: str = ""


def analysis(chunk_bytes: int) -> str:
    """Return how files are cut now: what is stored of another analysis must be made anew."""
    return f"{CHUNKER_VERSION}-{chunk_bytes}"


def read_stable(root: ProjectRoot, path: str, most: int) -> tuple[bytes | None, Stamp]:
    """Read a file together with the stamp of what was read; None for one above `most` bytes.

    Raises:
        NotFound, InvalidPath: It has gone, or a symlink was swapped in.
    """
    data = b""
    for attempt in range(ATTEMPTS):
        with root.open(path) as file:
            before = stamp_of(os.fstat(file.fileno()))
            if before.size > most:
                return None, before
            data = file.read(most + 1)
            after = stamp_of(os.fstat(file.fileno()))
        if before == after and len(data) == before.size:
            return data, before
        if attempt + 1 == ATTEMPTS:
            break
    # It is being written: keep what was read under a stamp that the next look will not match.
    return data, Stamp(len(data), 0, 0, 0)


def text_problem(data: bytes) -> str:
    """Return why bytes are not text that can be given back exactly, "" for UTF-8 text."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):  # UTF-32's begins alike
        return "it is UTF-16 or UTF-32; convert the file to UTF-8"
    if b"\0" in data:
        return BINARY
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"byte {error.start} is not UTF-8; convert the file to UTF-8"
    return ""


def prepare(
    path: str,
    data: bytes | None,
    stamp: Stamp,
    *,
    chunk_bytes: int,
) -> Prepared:
    """Cut, tokenise and compress one file.

    Args:
        path: Canonical path in the collection.
        data: Its bytes; None when it is too large to be read.
        stamp: The stamp of those bytes.
        chunk_bytes: Target size of a chunk.
    """
    problem = "it is larger than max_file_bytes" if data is None else text_problem(data)
    kind, language, how = extension(path), language_name(path), analysis(chunk_bytes)
    if data is None or problem:
        return Prepared(path, stamp, kind, language, "", b"", (), (), (), how, skipped=problem)
    chunks = chunk_file(data, path, target=chunk_bytes)
    texts = [data[chunk.start : chunk.end].decode() for chunk in chunks]
    return Prepared(
        path=path,
        stamp=stamp,
        file_type=kind,
        language=language,
        sha256=hashlib.sha256(data).hexdigest(),
        compressed=zlib.compress(data, 1),
        chunks=tuple(chunks),
        tokens=tuple(
            document_tokens(text, path=path, symbols=chunk.symbols)
            for text, chunk in zip(texts, chunks, strict=True)
        ),
        texts=tuple(
            f"{' '.join(chunk.symbols)}\n{text}" for text, chunk in zip(texts, chunks, strict=True)
        ),
        analysis=how,
    )


def embedded(files: Sequence[Prepared], embedder: Embedder | None) -> list[Prepared]:
    """Return the files with their vectors: one call for all, since calls cost more than texts."""
    if embedder is None:
        return list(files)
    vectors = iter(encode_vectors(embedder.embed([text for file in files for text in file.texts])))
    return [
        evolve(file, vectors=tuple(islice(vectors, len(file.texts))), texts=()) for file in files
    ]
