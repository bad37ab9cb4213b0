"""From a file's bytes to what is indexed of it: chunks with exact spans, their terms and hashes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from typing import Final

from attrs import field, frozen

from toolroll.search import CHUNKER_VERSION, TOKENIZER_VERSION, chunk_file, document_tokens

__all__ = ["TOKENIZER", "Piece", "cut", "spread"]

TOKENIZER: Final = f"toolroll-{TOKENIZER_VERSION}-{CHUNKER_VERSION}"
"""How the terms of a chunk are made; the chunker says which names it defines."""


@frozen
class Piece:
    """A chunk of a file as it will be stored.

    Attributes:
        start: First byte.
        end: Byte behind the last one.
        text: Exactly what the file holds there.
        digest: SHA-256 of the bytes, in hex.
        terms: How often each token occurs; the words of the path count too.
    """

    start: int
    end: int
    text: str = field(repr=False)
    digest: str
    terms: dict[str, int] = field(repr=False)


def cut(data: bytes, path: str, target: int, *, plain: bool = False) -> list[Piece]:
    """Cut a file into pieces that tile it; an empty file has none.

    Args:
        data: Valid UTF-8.
        path: The file's path: its extension says where cuts make sense.
        target: Most bytes of a piece.
        plain: Cut at line ends only, whatever the extension.
    """
    pieces: list[Piece] = []
    for chunk in chunk_file(data, "" if plain else path, target=target):
        part = data[chunk.start : chunk.end]
        text = part.decode()
        tokens = document_tokens(text, path=path, symbols=chunk.symbols)
        pieces.append(
            Piece(
                chunk.start,
                chunk.end,
                text,
                hashlib.sha256(part).hexdigest(),
                dict(Counter(tokens.split())),
            )
        )
    return pieces


def spread(terms: Mapping[str, int]) -> str:
    """Return counted tokens as the text that lexical engines take; BM25 knows no order."""
    return " ".join(token for token, count in sorted(terms.items()) for _ in range(count))
