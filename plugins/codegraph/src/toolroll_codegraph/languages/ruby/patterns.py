"""What Ruby's patterns ask of a value and bind of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame
from toolroll_codegraph.languages.ruby.conditions import OfClasses
from toolroll_codegraph.languages.ruby.nodes import NODES
from toolroll_codegraph.languages.ruby.values import RubyValues

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES: Final = ("constant", "scope_resolution")
_INSIDE: Final = ("array_pattern", "find_pattern", "hash_pattern")
GUARDS: Final = ("if_guard", "unless_guard")


class RubyPatterns(RubyValues):
    """`in` clauses, `=>` and `in` without `case`."""

    def pattern(self, frame: Frame, node: Node, subject: int) -> None:
        if node.type == "identifier":
            self.set_local(frame, self.name(self.text(node)), subject)
        elif node.type in ("array_pattern", "find_pattern") and subject >= 0:
            self.take_apart(frame, node, self.within(self.demanded(frame, node), subject))
        elif node.type == "hash_pattern" and subject >= 0:
            self.take_keys(frame, node, self.within(self.demanded(frame, node), subject))
        elif node.type == "as_pattern":
            matched = self.within(self.demanded(frame, node), subject)
            for child in node.named_children:
                named = child.type == "identifier"
                self.pattern(frame, child, matched if named else subject)
        elif node.type in _CLASSES:
            if subject >= 0:
                self.asked(frame, node, subject)
        elif node.type in GUARDS:
            self.expression(frame, node.named_children[0])
        else:
            inner = subject if node.type in ("in_clause", "alternative_pattern") else -1
            for child in node.named_children:
                self.pattern(frame, child, inner)

    def demanded(self, frame: Frame, node: Node) -> OfClasses:
        """The classes of which a value has to be for a pattern; none where it may be of any."""
        if node.type in _CLASSES:
            slot = self.constant_slot(frame, node)
            return [(slot, self.text(node))] if slot >= 0 else []
        if node.type in _INSIDE:
            inner = node.child_by_field_name("class")
        elif node.type == "as_pattern":
            inner = node.child_by_field_name("value")
        elif node.type == "alternative_pattern":
            each = [self.demanded(frame, child) for child in node.named_children]
            return [found for part in each for found in part] if all(each) else []
        else:
            inner = None
        return [] if inner is None else self.demanded(frame, inner)

    def takes_all(self, node: Node) -> bool:
        """Whether a pattern asks for nothing but classes."""
        if node.type == "as_pattern":
            return self.takes_all(node.named_children[0])
        if node.type == "alternative_pattern":
            return all(self.takes_all(child) for child in node.named_children)
        return node.type in _CLASSES

    def asked(self, frame: Frame, node: Node, subject: int) -> None:
        """A constant in a pattern asks its `===`."""
        value, line = self.constant_slot(frame, node), node.start_point[0] + 1
        if value >= 0:
            name = self.name(b"===")
            self.call(frame, line, value, name, (subject,), flags=CallFlag.IMPLICIT)

    def take_apart(self, frame: Frame, node: Node, subject: int) -> None:
        """`in [a, b]` asks an object for `deconstruct`; an array is its own."""
        line = node.start_point[0] + 1
        parts = self.call(frame, line, subject, self.name(b"deconstruct"), flags=CallFlag.IMPLICIT)
        named = node.child_by_field_name("class")
        items = [child for child in node.named_children if child != named]
        placed = node.type == "array_pattern"
        for index, child in enumerate(items):
            if child.type == "splat_parameter":
                placed = False
                if child.named_children:
                    rest = self.join((parts, subject))
                    self.set_local(frame, self.name(self.text(child.named_children[0])), rest)
                continue
            key = self.name(b"[%d" % index) if placed else self.any_key
            slots = [self.load(frame, base, key, line) for base in (parts, subject)]
            self.pattern(frame, child, self.join(slots))

    def take_keys(self, frame: Frame, node: Node, subject: int) -> None:
        """`in {a:, b: pattern}` asks an object for `deconstruct_keys`; a hash is its own."""
        line, name = node.start_point[0] + 1, self.name(b"deconstruct_keys")
        parts = self.call(frame, line, subject, name, (-1,), flags=CallFlag.IMPLICIT)
        for child in node.named_children:
            key = child.child_by_field_name("key")
            if child.type != "keyword_pattern" or key is None:
                continue
            text = self.text(key).rstrip(b":")
            field = self.name(b"[" + text)
            value = self.join([self.load(frame, base, field, line) for base in (parts, subject)])
            inner = child.child_by_field_name("value")
            if inner is None:
                self.set_local(frame, self.name(text), value)
            else:
                self.pattern(frame, inner, value)

    @NODES.on("test_pattern", "match_pattern")
    def test_pattern(self, frame: Frame, node: Node) -> int:
        subject, pattern = node.named_children[0], node.named_children[-1]
        self.pattern(frame, pattern, self.expression(frame, subject))
        return -1
