"""Where a Ruby text assigns variables, or nearly so: it is looked through once, however deep its
blocks are in one another."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

_ASSIGNED: Final = re.compile(
    rb"(?<![\w@$.:])([a-z_]\w*(?:\s*,\s*[a-z_]\w*)*)\s*(?:\|\||&&|[-+*/%|&^]|<<)?=(?![=~>])"
)
_LAYER: Final = re.compile(rb"\b(\w+)\s*=\s*\w+\.new\(\s*\1\b")


class _Places:
    """What a pattern finds in a text, in order."""

    def __init__(self, pattern: re.Pattern[bytes], source: bytes) -> None:
        self._starts: list[int] = []
        self._names: list[bytes] = []
        for found in pattern.finditer(source):
            for name in found[1].split(b","):
                self._starts.append(found.start())
                self._names.append(name.strip())

    def within(self, node: Node) -> set[bytes]:
        first = bisect_left(self._starts, node.start_byte)
        return set(self._names[first : bisect_left(self._starts, node.end_byte, first)])


class Assigned:
    """The variables that the parts of one text assign."""

    def __init__(self, source: bytes) -> None:
        self._all = _Places(_ASSIGNED, source)
        self._layers = _Places(_LAYER, source)

    def within(self, node: Node) -> list[bytes]:
        return sorted(self._all.within(node))

    def layered(self, node: Node) -> set[bytes]:
        """Those that are made around themselves, as in `app = layer.new(app)`."""
        return self._layers.within(node)
