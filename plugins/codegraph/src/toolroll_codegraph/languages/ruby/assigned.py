"""Where a Ruby text assigns variables, or nearly so: it is looked through once, however deep its
blocks are in one another."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

_ASSIGNED: Final = re.compile(
    rb"=(?<![=~>]=)(?:\|\||&&|[-+*/%|&^]|<<)?\s*+(\w*[a-z_](?:\s*,\s*\w*[a-z_])*)(?![\w@$.:])"
)
"""Names, an operator and the sign of an assignment, read backwards: there are far fewer signs to
begin with than words, and so it takes a tenth of the time."""
_LAYER: Final = re.compile(rb"\b(\w++)\s*+=\s*+\w++\.new\(\s*+\1\b")


class _Places:
    """Names in a text, in the order in which they were found."""

    def __init__(self, found: Iterable[tuple[int, bytes]]) -> None:
        """Of (where they begin, names with commas between them)."""
        self._starts: list[int] = []
        self._names: list[bytes] = []
        for start, names in found:
            for name in names.split(b","):
                self._starts.append(start)
                self._names.append(name.strip())

    def within(self, node: Node) -> set[bytes]:
        first = bisect_left(self._starts, node.start_byte)
        return set(self._names[first : bisect_left(self._starts, node.end_byte, first)])


class Assigned:
    """The variables that the parts of one text assign."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        found = [(len(source) - it.end(), it[1][::-1]) for it in _ASSIGNED.finditer(source[::-1])]
        self._all = _Places(reversed(found))

    @cached_property
    def _layers(self) -> _Places:
        return _Places((found.start(), found[1]) for found in _LAYER.finditer(self._source))

    def within(self, node: Node) -> list[bytes]:
        return sorted(self._all.within(node))

    def layered(self, node: Node) -> set[bytes]:
        """Those that are made around themselves, as in `app = layer.new(app)`."""
        return self._layers.within(node)
