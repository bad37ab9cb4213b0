"""Lists and tuples of known length: negative indices, slices, what is put together of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ObjectKind
from toolroll_codegraph.languages.python.items import PythonItems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

_MOST: Final = 16
_CHANGED: Final = (
    rb"%s(?:\s*(?:\.(?:append|extend|insert|pop|remove|clear|sort|reverse)\b|[+*]=)"
    rb"|\[[^\]\n]*:[^\]\n]*\]\s*=[^=])"
)
"""Where a name's list gets longer or shorter, or is put in another order."""
_READERS: Final = frozenset(
    b"len print sorted list tuple set enumerate zip reversed iter map filter any all".split()
)
"""Functions that leave a list as it is."""


def number(node: Node) -> int | None:
    """The integer that is written there."""
    text = (node.text or b"").replace(b" ", b"")
    if node.type not in ("integer", "unary_operator") or not text.lstrip(b"-").isdigit():
        return None
    return int(text)


def bounds(node: Node) -> list[int | None] | None:
    """Start, end and step of a slice; None where one of them is no number."""
    found: list[int | None] = [None]
    for child in node.children:
        if child.type == ":":
            found.append(None)
        elif child.type != "comment":
            found[-1] = number(child)
            if found[-1] is None:
                return None
    return found + [None] * (3 - len(found))


def told_apart(text: bytes) -> bytes:
    """A text as a key: of digits it is another than the number."""
    return b"'" + text if text.isdigit() else text


class PythonSequences(PythonItems):
    """Follows each item by its position, as long as nothing makes a list shorter or longer."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.lengths: dict[int, int] = {}
        """Slots of lists and tuples that the source makes, with how many items they have."""
        self._changed: dict[bytes, bool] = {}

    def text_of(self, slot: int) -> bytes | None:
        text = super().text_of(slot)
        return text[1:] if text and told_apart(text[1:]) == text else text

    def joined_text(self, slots: Iterable[int]) -> int:
        whole = super().joined_text(slots)
        text = super().text_of(whole)
        return self.constant(told_apart(text)) if text and text.isdigit() else whole

    def added(self, left: int, right: int) -> int:
        """The slot of the sum of two numbers or texts, -1 where one of them is not known."""
        numbers = [super(PythonSequences, self).text_of(slot) for slot in (left, right)]
        plain = [text for text in numbers if text is not None and text.isdigit()]
        if len(plain) == len(numbers):
            return self.constant(b"%d" % sum(map(int, plain)))
        return -1 if plain else self.joined_text((left, right))

    def length(self, node: Node, slot: int) -> int:
        """How many items the value of an expression has for as long as it lives; -1: unknown."""
        length = self.lengths.get(slot, -1)
        if length >= 0 and node.type == "identifier":
            name = node.text or b""
            changed = self._changed.get(name)
            if changed is None:
                taken = b"del %s[" % name in self.source
                changed = taken or re.search(_CHANGED % name, self.source) is not None
                self._changed[name] = changed
            return -1 if changed else length
        return length

    def items_of(self, frame: Frame, node: Node, slot: int) -> list[int] | None:
        """The slots of all items, where their number is known."""
        length, line = self.length(node, slot), node.start_point[0] + 1
        if length < 0:
            return None
        return [self.load(frame, slot, self.name(b"[%d" % index), line) for index in range(length)]

    def keys(self, frame: Frame, nodes: Sequence[Node]) -> int:
        """The slot of what stands between brackets: of several expressions a tuple of all."""
        slots = [self.expression(frame, node) for node in nodes]
        if len(slots) == 1 or max(slots, default=-1) < 0:
            return slots[0] if slots else -1
        return self.sequence_of(frame, slots)

    def sequence_of(self, frame: Frame, items: Iterable[int]) -> int:
        """A new list of these items."""
        made, count = self.container(frame, ObjectKind.SEQUENCE), 0
        for item in items:
            self.store(made, self.name(b"[%d" % count), item)
            count += 1
        self.measure(made, count)
        return made

    def measure(self, container: int, length: int) -> None:
        if length <= _MOST:
            self.lengths[container] = length

    def hand_over(self, arguments: Node, slot: int) -> None:
        """Forget how long a list is that a function is given: it may change it."""
        call = arguments.parent
        if call is None or call.named_children[0].text not in _READERS:
            del self.lengths[slot]

    def position(self, node: Node, base: int, key: Node) -> bytes | None:
        """The position that a negative index means."""
        index = number(key) if key.type == "unary_operator" else None
        if index is None:
            return None
        length = self.length(node, base)
        return b"%d" % (length + index) if 0 <= length + index < length else None

    def part(self, frame: Frame, node: Node, base: int, key: Node) -> int:
        """A slice: of what is known item by item a list of its own."""
        limits = bounds(key)
        if base in self.lengths and limits is not None and limits[2] != 0:
            items = self.items_of(frame, node, base)
            if items is not None:
                return self.sequence_of(frame, items[slice(*limits)])
        name = b"[?:"
        if limits is not None and limits[2] in (None, 1):
            start, end = limits[0] or 0, limits[1]
            if start >= 0:
                name = b"[%d:" % start if end is None or end < 0 else b"[%d:%d:" % (start, end)
        return self.load(frame, base, self.name(name), node.start_point[0] + 1)

    def joined(
        self, frame: Frame, operator: str, nodes: list[Node], left: int, right: int
    ) -> int | None:
        """`a + b` and `a * 2` of what is known item by item; None for all else."""
        if left not in self.lengths:
            return None
        times = number(nodes[-1]) if operator == "*" else None
        if operator == "+" and right in self.lengths:
            items, more = (
                self.items_of(frame, node, slot)
                for node, slot in zip((nodes[0], nodes[-1]), (left, right), strict=True)
            )
            return None if items is None or more is None else self.sequence_of(frame, items + more)
        if times is None or not 0 <= times <= _MOST:
            return None
        items = self.items_of(frame, nodes[0], left)
        if items is None or len(items) * times > _MOST:
            return None
        return self.sequence_of(frame, items * times)
