"""Headings of texts that are no Markdown: underlined ones, and those of HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Final

__all__ = ["tagged", "underlined"]

_RULE: Final = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
"""A line of one punctuation character, as reStructuredText draws it."""
_LEVELS: Final = {"h1": 0, "h2": 1, "h3": 2, "h4": 3, "h5": 4, "h6": 5}


def underlined(text: str) -> list[tuple[int, str]]:
    """Return the titles that are underlined at full length, each with its level from 0.

    As in reStructuredText, levels are told by the order in which their characters appear, and a
    title with a line above it, too, is of another level than one without.
    """
    lines = text.splitlines()
    styles: list[tuple[str, bool]] = []
    found: list[tuple[int, str]] = []
    for i, (title, below) in enumerate(pairwise(lines)):
        if not _RULE.fullmatch(below) or _RULE.fullmatch(title) or not title.strip():
            continue
        over = i > 0 and _RULE.fullmatch(lines[i - 1]) is not None
        indented = title[0].isspace() and not over  # a table, or text under a rule of its own
        if indented or len(below.rstrip()) < len(title.strip()):
            continue
        style = (below[0], over and lines[i - 1][0] == below[0])
        if style not in styles:
            styles.append(style)
        found.append((styles.index(style), title.strip()))
    return found


def tagged(text: str) -> list[tuple[int, str]]:
    """Return the headings h1 … h6 of HTML with their text, each with its level from 0."""
    parser = _Headings()
    parser.feed(text)
    parser.close()
    return parser.found


class _Headings(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._open = ""
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _LEVELS:
            self._open, self._text = tag, []

    def handle_data(self, data: str) -> None:
        if self._open:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag != self._open:
            return
        if title := " ".join("".join(self._text).split()):
            self.found.append((_LEVELS[tag], title))
        self._open = ""
