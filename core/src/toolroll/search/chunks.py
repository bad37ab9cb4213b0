"""Cutting a file into chunks: byte spans over the stored bytes that together are the file.

Cuts lie at definitions in code, at headings in Markdown, at blank lines or line ends elsewhere, and
never inside a character. Spans neither overlap nor leave a gap, so joining them gives the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attrs import frozen

from toolroll.search.definitions import Definition, definitions, likely_definitions
from toolroll.search.headings import headings
from toolroll.search.languages import language_name

__all__ = ["CHUNKER_VERSION", "TARGET_BYTES", "Chunk", "chunk_file", "likely_symbols"]

CHUNKER_VERSION: Final = 3
"""Stored with what was cut, which is cut anew under another version.

It grows with every change of where files are cut, and of which names are found in them.
"""

TARGET_BYTES: Final = 1500
"""Most bytes of a chunk, unless the caller says otherwise."""

WHOLE_FILE: Final = 1.5
"""A file up to this many times the target stays whole: cutting it costs more than it gives."""


@frozen
class Chunk:
    """One span of a file.

    Args:
        start: First byte.
        end: Byte behind the last one.
        first_line: Line of the first byte, counted from 1; lines end with LF.
        last_line: Line of the last byte.
        symbols: Names that are defined here, or the headings that begin here.
    """

    start: int
    end: int
    first_line: int
    last_line: int
    symbols: tuple[str, ...] = ()


def chunk_file(data: bytes, path: str, *, target: int = TARGET_BYTES) -> list[Chunk]:
    """Cut a file into chunks of about `target` bytes; an empty file has none.

    A file of up to 1.5 times the target is one chunk; in larger ones no chunk exceeds the target.

    Args:
        data: UTF-8 text; with other bytes the spans are still whole, but cut anywhere.
        path: Path of the file; its name decides how to look for cuts.
        target: Most bytes of a chunk; at least 4, the longest character.
    """
    if not data:
        return []
    marks = _marks(data, path)
    if len(data) <= target * WHOLE_FILE:
        symbols = tuple(dict.fromkeys(mark.name for mark in marks))
        return [Chunk(0, len(data), 1, _lines(data, 0, len(data)) + 1, symbols)]
    spans = list(_pack(data, marks, max(target, 4)))
    chunks: list[Chunk] = []
    line = 1
    at = 0
    for start, end in spans:
        names: list[str] = []
        while at < len(marks) and marks[at].start < end:
            names.append(marks[at].name)
            at += 1
        last = line + _lines(data, start, end)
        chunks.append(Chunk(start, end, line, last, tuple(dict.fromkeys(names))))
        line = last + (data[end - 1] == 0x0A)
    return chunks


def likely_symbols(data: bytes, path: str) -> tuple[str, ...]:
    """Return about what `Chunk.symbols` of a chunk would be, from its bytes alone.

    For where symbols are not stored: quick enough for every candidate of a query.
    """
    is_markdown = language_name(path) == "markdown"
    found = headings(data) if is_markdown else likely_definitions(data, path)
    return tuple(dict.fromkeys(mark.name for mark in found))


def _lines(data: bytes, start: int, end: int) -> int:
    """Count the line ends inside a span; one on its last byte still belongs to its line."""
    return data.count(b"\n", start, end - 1)


def _marks(data: bytes, path: str) -> list[Definition]:
    if language_name(path) == "markdown":
        return headings(data)
    return definitions(data, path)


def _pack(data: bytes, marks: list[Definition], target: int) -> Iterator[tuple[int, int]]:
    """Fill chunks with whole sections; a full enough chunk ends before an outer definition."""
    cuts = {_section_start(data, mark.start): mark.depth for mark in reversed(marks)}
    bounds = sorted(cuts.keys() - {0})
    start = end = 0
    for bound, following in zip([0, *bounds], [*bounds, len(data)], strict=True):
        outer = cuts.get(bound, 1) == 0 and bound - start >= target // 2
        if bound > start and (outer or following - start > target):
            yield from _split(data, start, bound, target)
            start = bound
        end = following
    yield from _split(data, start, end, target)


_LEADING: Final = re.compile(rb"[ \t]*(?:#(?!include|define|if|endif)|//|/\*|\*|@|--|;;|%%)")


def _section_start(data: bytes, start: int) -> int:
    """Return where the line of `start` begins, or the comments right above it."""
    begin = data.rfind(b"\n", 0, start) + 1
    while begin:
        above = data.rfind(b"\n", 0, begin - 1) + 1
        if not _LEADING.match(data, above, begin):
            break
        begin = above
    return begin


def _split(data: bytes, start: int, end: int, target: int) -> Iterator[tuple[int, int]]:
    """Cut a span that is too long: at a blank line, a line end, a space, or else anywhere."""
    while (left := end - start) > target:
        even = left // -(-left // target)  # so that no crumb is left over at the end
        cut = _cut(data, start, start + min(target, even + even // 4))
        yield start, cut
        start = cut
    if end > start:
        yield start, end


def _cut(data: bytes, start: int, limit: int) -> int:
    half = start + (limit - start) // 2
    for separator in (b"\n\n", b"\r\n\r\n", b"\n", b" "):
        found = data.rfind(separator, half if separator != b"\n" else start, limit)
        if found >= 0:
            return found + len(separator)
    cut = limit
    while cut > start + 1 and cut > limit - 4 and data[cut] & 0xC0 == 0x80:
        cut -= 1  # step back to the first byte of a character
    return cut
