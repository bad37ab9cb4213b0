"""Where what is decorated begins: the graph has its line, below the decorators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolroll_codegraph.languages.registry import language_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["first_lines"]

_INSIDE = ("module", "lambda")
"""A lambda may be part of a decorator, and code outside of functions begins where the file does."""


def first_lines(text: bytes, rows: Sequence[Any]) -> dict[int, int]:
    """The first line of each function and class of a file, or of its decorators."""
    begins = {row.id: row.start_line for row in rows}
    lines = text.split(b"\n")
    ends = {row.end_line for row in rows if row.kind != "module"}
    starts = {row.start_line for row in rows if row.kind not in _INSIDE}
    for row in rows:
        if language_of(row.path) == "ruby":  # what begins so there are variables of an object
            continue
        for number in range(min(row.start_line, len(lines)) - 1, 0, -1):
            line = lines[number - 1].strip()
            if not line or number in ends or number in starts:
                break
            if line.startswith(b"@"):
                begins[row.id] = number
    return begins
