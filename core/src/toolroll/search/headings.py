"""Headings of Markdown, as CommonMark reads them: not inside fences, comments or front matter."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from toolroll.search.definitions import MAX_PARSED_BYTES, Definition
from toolroll.search.errors import EngineMissing

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["headings"]


def headings(data: bytes) -> list[Definition]:
    """Return the headings of a Markdown file; kind is h1 … h6 and depth the level less one."""
    if len(data) > MAX_PARSED_BYTES:
        return []
    text = data.decode(errors="replace")
    starts = _line_starts(text)
    skipped = _front_matter_lines(text)
    tokens = _parser().parse("\n" * skipped + "".join(text.splitlines(True)[skipped:]))
    found: list[tuple[int, int, str]] = []
    for i, token in enumerate(tokens):
        if token.type == "heading_open" and token.map is not None:
            line = token.map[0]
            if line < len(starts):
                found.append((starts[line], int(token.tag[1]), tokens[i + 1].content.strip()))
    ends = [start for start, _, _ in found[1:]] + [len(data)]
    return [
        Definition(name, f"h{level}", start, end, level - 1)
        for (start, level, name), end in zip(found, ends, strict=True)
    ]


@functools.cache
def _parser() -> MarkdownIt:
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise EngineMissing("reading Markdown", "markdown-it-py") from error
    # Inline text is not needed: only the block rules run.
    return MarkdownIt("commonmark").disable("inline")


def _line_starts(text: str) -> list[int]:
    """Return the byte offset of each line."""
    starts: list[int] = []
    at = 0
    for line in text.splitlines(keepends=True):
        starts.append(at)
        at += len(line.encode(errors="replace"))
    return starts


def _front_matter_lines(text: str) -> int:
    """Return how many lines of YAML front matter the text begins with."""
    lines = text.splitlines()
    if not lines or lines[0].rstrip() != "---":
        return 0
    for i, line in enumerate(lines[1:], start=1):
        if line.rstrip() in {"---", "..."}:
            return i + 1
    return 0
