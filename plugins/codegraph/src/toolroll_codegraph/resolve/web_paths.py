"""Paths of routes and of requests: their segments, and which of them suit each other."""

from __future__ import annotations

import re
from typing import Final

from toolroll_codegraph.languages.web import GAP

_ANY: Final = "*"
"""A segment of a route that takes any text."""
_REST: Final = "**"
"""One that takes all that follow."""
_UNKNOWN: Final = GAP.decode()
_ADDRESS: Final = re.compile(r"^[\w+.-]*://[^/]*")
_PLACEHOLDER: Final = re.compile(r"[{<*]|^:|^\[|\(\?P?<")
_GREEDY: Final = re.compile(r":path\}|<path:|^\*|\*$|^\[\.\.\.")
_MOST_BEFORE: Final = 4
"""Segments before those of a route that what it is mounted under may have."""


def segments(path: str) -> tuple[str, ...]:
    """The parts of a path, with what stands for any text."""
    plain = _ADDRESS.sub("", path).partition("?")[0].partition("#")[0].strip("^$")
    return tuple(_segment(part) for part in plain.split("/") if part)


def _segment(part: str) -> str:
    if _UNKNOWN in part:
        return _UNKNOWN
    if _PLACEHOLDER.search(part):
        return _REST if _GREEDY.search(part) else _ANY
    return part


def suits(route: tuple[str, ...], asked: tuple[str, ...]) -> int:
    """How well a route suits a request: -1 not at all, else more for each segment that is equal."""
    if route and route[-1] == _REST and len(asked) >= len(route):
        asked = (*asked[: len(route) - 1], _UNKNOWN)
    before = len(asked) - len(route)
    if not 0 <= before <= _MOST_BEFORE:
        return -1
    equal = 0
    for wanted, given in zip(route, asked[before:], strict=True):
        if wanted in (_ANY, _REST):
            continue
        if wanted != given:
            return -1
        equal += 1
    if before and not equal:
        return -1
    return equal * 2 * _MOST_BEFORE + _MOST_BEFORE - before
