"""Headings of Markdown, as CommonMark reads them: not inside fences, comments or front matter."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

from toolroll.search.definitions import MAX_PARSED_BYTES, Definition
from toolroll.search.errors import EngineMissing

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["headings"]

_LINE_END: Final = re.compile(rb"\r\n?|\n")
_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*\r?\n")


def headings(data: bytes) -> list[Definition]:
    """Return the headings of a Markdown file; kind is h1 … h6 and depth the level less one."""
    if len(data) > MAX_PARSED_BYTES:
        return []
    text = data.decode(errors="replace").removeprefix("\ufeff")
    starts = _line_starts(data)
    # Front matter is blanked out, so that line numbers stay what they are.
    tokens = _parser().parse(_FRONT_MATTER.sub(lambda match: "\n" * match[0].count("\n"), text))
    found: list[tuple[int, int, str]] = []
    for i, token in enumerate(tokens):
        if token.type == "heading_open" and token.map is not None:
            line = token.map[0]
            if line < len(starts):
                found.append((starts[line], int(token.tag[1]), tokens[i + 1].content.strip()))
    ends = [*(start for start, _, _ in found[1:]), len(data)][: len(found)]
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


def _line_starts(data: bytes) -> list[int]:
    """Return the byte offset of each line; CommonMark also ends lines with a lone CR."""
    return [0, *(match.end() for match in _LINE_END.finditer(data))]
