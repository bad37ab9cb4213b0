"""Paths of routes and of requests: their segments, and which of them suit each other."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from toolroll_codegraph.languages.web import GAP

ANY: Final = "*"
"""A segment of a route that takes any text."""
REST: Final = "**"
"""One that takes all that follow."""
UNKNOWN: Final = GAP.decode()
_ADDRESS: Final = re.compile(r"^[\w+.-]*://[^/]*")
_PLACEHOLDER: Final = re.compile(r"[{<*(]|^:|^\[|\\[dw]")
_GREEDY: Final = re.compile(r":path\}|<path:|^\*|\*$|^\[\[?\.\.\.|\(\.[*+]\)")
_MOST_BEFORE: Final = 4
"""Segments before those of a route that what it is mounted under may have."""
_EQUAL: Final = 2 * _MOST_BEFORE
MERELY: Final = _MOST_BEFORE
"""How well a route suits that has as many segments, and none of them the same."""


class Path(NamedTuple):
    """A path of a route or request, or of what stands before."""

    segments: tuple[str, ...]
    whole: bool
    """Whether nothing stands before these segments."""
    passed: tuple[int, ...] = ()
    """Functions that what is asked for under it comes through."""
    root: int = -1
    """The app, or what else is outermost, in which it is a path."""
    inner: bool = False
    """Whether that is mounted too, so that only who asks that app alone asks so."""


def segments(path: str) -> tuple[str, ...]:
    """The parts of a path, with what stands for any text."""
    plain = _ADDRESS.sub("", path).partition("#")[0].removeprefix("^").rstrip("$")
    if "(?" not in plain:
        plain = plain.partition("?")[0]
    return tuple(_segment(part) for part in plain.split("/") if part)


def _segment(part: str) -> str:
    if UNKNOWN in part:
        return UNKNOWN
    if _PLACEHOLDER.search(part):
        return REST if _GREEDY.search(part) else ANY
    return part.replace("\\", "")


def suits(route: Path, asked: Path) -> int:
    """How well a route suits a request: -1 not at all, else more for each segment that is equal.

    Where what stands before the one or the other is not known, they are compared from their ends.
    """
    wanted, given = route.segments, asked.segments
    if wanted and wanted[-1] == REST and len(given) >= len(wanted):
        given = (*given[: len(wanted) - 1], UNKNOWN)
    before = len(given) - len(wanted)
    if (before > 0 and route.whole) or (before < 0 and asked.whole) or abs(before) > _MOST_BEFORE:
        return -1
    equal = _equal(wanted[max(-before, 0) :], given[max(before, 0) :])
    anything = before or (wanted[-1:] == (REST,) and not route.whole)
    if equal < 0 or (anything and not equal):
        return -1
    return equal * _EQUAL + _MOST_BEFORE - abs(before)


def _equal(wanted: tuple[str, ...], given: tuple[str, ...]) -> int:
    """How many segments of a request are those of a route, -1 if one differs."""
    equal = 0
    for one, other in zip(wanted, given, strict=True):
        if one in (ANY, REST):
            continue
        if one != other:
            return -1
        equal += 1
    return equal
