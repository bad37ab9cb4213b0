"""The pairs that `Object.entries` lists: what stands beside a key is what the object has there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

_SAME: Final = frozenset((b"filter", b"reverse", b"slice", b"sort"))
"""Methods that return a list of the same pairs."""
_CALLING: Final = frozenset((b"every", b"filter", b"forEach", b"map", b"reduce", b"some"))


class Entries:
    """Of one file, which slots are lists of such pairs, and which patterns take one apart.

    With that `for (const [key, value] of Object.entries(from)) to[key] = value` copies like
    `for (const key in from) to[key] = from[key]`.
    """

    def __init__(self) -> None:
        self._lists: dict[int, int] = {}
        """Slot of a list → that of the object."""
        self._patterns: dict[int, int] = {}
        """Pattern (id of its node) → the slot of the object."""

    def note_call(
        self, name: bytes, word: bytes, callee: int, positional: tuple[int, ...], result: int
    ) -> None:
        """Note what a call returns, `name` being all that is called and `word` its last part."""
        if name == b"Object.entries" and positional and positional[0] >= 0:
            self._lists[result] = positional[0]
        elif callee in self._lists and word in _SAME:
            self._lists[result] = self._lists[callee]

    def note_callback(self, word: bytes, callee: int, arguments: Node | None) -> None:
        """`Object.entries(from).forEach(([key, value]) => …)`."""
        if callee not in self._lists or word not in _CALLING or arguments is None:
            return
        for function in arguments.named_children[:1]:
            given = function.child_by_field_name("parameters")
            for parameter in given.named_children if given is not None else ():
                pattern = parameter.child_by_field_name("pattern") or parameter
                self._patterns[pattern.id] = self._lists[callee]

    def note_loop(self, value: int, pattern: Node | None) -> None:
        """`for (const [key, value] of Object.entries(from))`."""
        if value in self._lists and pattern is not None:
            self._patterns[pattern.id] = self._lists[value]

    def taken(self, pattern: Node) -> int:
        """The slot of the object of whose pairs a pattern takes one apart, -1 if of none."""
        return self._patterns.get(pattern.id, -1)
