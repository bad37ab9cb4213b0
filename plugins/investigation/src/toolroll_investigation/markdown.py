"""Putting text that nobody vetted into Markdown without letting it out of its place."""

from __future__ import annotations

import re

_BACKTICKS = re.compile(r"`+")
_FENCE = re.compile(r"`{3,}")
_SPACE = re.compile(r"\s+")


def fenced(text: str) -> str:
    """The text as a code block, between fences longer than any run of backticks in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def cell(text: object) -> str:
    """The text on one line, with what would end a table cell or start markup defused."""
    line = _SPACE.sub(" ", str(text)).strip()
    for mark, safe in (("\\", "\\\\"), ("|", "\\|"), ("<", "&lt;"), ("![", "!\\[")):
        line = line.replace(mark, safe)
    return line


def cut(text: str, length: int) -> str:
    """At most `length` characters of the text, with an ellipsis where something is missing."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def number(value: float) -> str:
    """The number as short as it can be written: `0.85`, and `1` for 1.0."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def code(text: str) -> str:
    """The text as inline code on one line."""
    line = _SPACE.sub(" ", text).strip()
    longest = max((len(run) for run in _BACKTICKS.findall(line)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def quoted(text: str) -> str:
    """The text as a block quote; what would start markup at the head of a line is defused."""
    lines = (cell(line) for line in text.strip().splitlines() or ["(no message)"])
    return "\n".join(f"> {line}" for line in lines)


def tidy(text: str) -> str:
    """The text with one empty line between blocks; code blocks stay as they are."""
    kept: list[str] = []
    fence = ""
    # Only line feeds separate lines here: what others a log holds stay as they are.
    for line in text.strip().split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark.group()
        elif fence and line.strip() == fence:
            fence = ""
        if line.strip() or fence or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept) + "\n"
