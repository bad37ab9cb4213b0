"""What a test tells of an attribute: `isinstance(self.item, Item)`, until it may be another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.python.operators import PythonOperators

if TYPE_CHECKING:
    from tree_sitter import Node

_PATH: Final = re.compile(rb"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")
_FIRST: Final = -2
"""Numbers from here down stand for attributes among the names of a scope."""


class PythonPaths(PythonOperators):
    """Attributes that tests were about, as if each were a variable of its scope.

    A method that is called on the object may assign the attribute, as `self.advance()` does, and
    so may another round of a loop: then all that is ever assigned counts again.
    """

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.paths: dict[tuple[int, int], dict[int, int]] = {}
        """(scope, object) → attribute → what stands for it among the names."""
        self.last_path = _FIRST

    def path(self, frame: Frame, node: Node, value: int) -> int:
        """Let a name stand for an attribute that a test is about; -1 where none may."""
        if node.type != "attribute" or not _PATH.match(node.text or b""):
            return -1
        first, last = node.named_children[0], node.named_children[-1]
        base = self.expression(frame, first)
        if base < 0:
            return -1
        known = self.paths.setdefault((frame.index, base), {})
        name = known.setdefault(self.member_name(frame, last.text or b""), self.last_path)
        if name == self.last_path:
            self.last_path -= 1
        if name not in frame.env:
            self.rebind(frame, name, value)
        return name

    def rebind(self, frame: Frame, name: int, slot: int) -> None:
        """Bind a name here without making it a variable of its scope."""
        frame.journal.append((name, frame.env.get(name)))
        frame.env[name] = slot
        if frame.loops:
            frame.fresh[name] = slot, len(frame.loops)

    def told_attribute(self, frame: Frame, base: int, name: int) -> int:
        """What tests have left of an attribute; -1 where none was about it."""
        attributes = self.paths.get((frame.index, base))
        known = attributes.get(name) if attributes is not None else None
        if known is None:
            return -1
        slot = frame.env.get(known, -1)
        lasting = not frame.loops or frame.fresh.get(known) == (slot, len(frame.loops))
        return slot if lasting else -1

    def forget_attributes(self, frame: Frame, base: int, line: int, name: int = -1) -> None:
        """Let an object's attributes, or the one that is named, be what they are anywhere."""
        for attribute, known in self.paths.get((frame.index, base), {}).items():
            if known in frame.env and name in (-1, attribute):
                self.rebind(frame, known, self.load(frame, base, attribute, line))

    def member_name(self, frame: Frame, text: bytes) -> int:
        """The name of a member."""
        raise NotImplementedError
