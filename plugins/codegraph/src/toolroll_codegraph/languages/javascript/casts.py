"""What the source says that a value is: `value as Type`, `<Type>value`, `value satisfies Type`, and
in JavaScript `/** @type {Type} */ (value)`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, TypeHint
from toolroll_codegraph.languages.javascript.conditions import JavaScriptConditions
from toolroll_codegraph.languages.javascript.documentation import TYPE_TAG
from toolroll_codegraph.languages.javascript.literals import EXPRESSIONS, FUNCTIONS

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMED: Final = (
    "type_identifier", "nested_type_identifier", "generic_type", "literal_type",
    "member_expression",
)  # fmt: skip
"""Types that may be a class, and those of `null` and `undefined`."""
_LITERALS: Final = (*FUNCTIONS, "object", "array", "class")
"""What is no object of another class, whatever it is cast to."""
_NOTHING: Final = (b"null", b"undefined")


class JavaScriptCasts(JavaScriptConditions):
    """Tells values whose class is known by what they are cast to."""

    @EXPRESSIONS.on("as_expression", "satisfies_expression", "type_assertion")
    def typed(self, frame: Frame, node: Node) -> int:
        value_node, told = node.named_children[0], node.named_children[-1]
        if node.type == "type_assertion":
            value_node, told = told, value_node.named_children[-1]
        value = self.expression(frame, value_node)
        if value_node.id == told.id:  # `as const`
            return value
        if value < 0:
            value = self.slot()
            self.annotate(frame, value, told)
            return value
        if node.type == "satisfies_expression" or value_node.type in _LITERALS:
            return value
        return self.cast(frame, value, told)

    @EXPRESSIONS.on("parenthesized_expression")
    def parenthesized(self, frame: Frame, node: Node) -> int:
        value = self.last(frame, node)
        told = self.documented(node).get(TYPE_TAG)
        if told is None:
            return value
        if value < 0:
            return self.documented_value(frame, value, told)
        found = self.with_type(told, partial(self.cast, frame, value))
        return value if found is None else found

    def last(self, frame: Frame, node: Node, /) -> int:
        """Evaluate what is inside of parentheses."""
        raise NotImplementedError

    def bare_value(self, node: Node) -> Node:
        """A value without parentheses around it, but for those that tell its type."""
        while node.type == "parenthesized_expression" and node.named_child_count == 1:
            if self.documented(node):
                break
            node = node.named_children[0]
        return node

    def cast(self, frame: Frame, value: int, told: Node) -> int:
        """`value as Type`: no object of a class beside those that the type names."""
        known: list[int] = []
        for named in self.named_types(told):
            if named.type not in _NAMED:
                return value
            if self.text(named) not in _NOTHING:
                known.append(self.type_value(frame, named))
        if not known or min(known) < 0:
            return value
        slot = self.slot()
        test = "| " * (len(known) - 1) + " ".join(f"c{item}" for item in known)
        self.relations.append((f"?{test}", 1, 0, slot, value))
        for item in known:
            self.types += (slot, item, TypeHint.DECLARED)
        return slot
