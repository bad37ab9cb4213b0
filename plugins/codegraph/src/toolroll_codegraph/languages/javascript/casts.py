"""What the source says that a value is: `value as Type`, `<Type>value`, `value satisfies Type`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, TypeHint
from toolroll_codegraph.languages.javascript.conditions import JavaScriptConditions
from toolroll_codegraph.languages.javascript.literals import EXPRESSIONS

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMED: Final = ("type_identifier", "nested_type_identifier", "generic_type", "literal_type")
"""Types that may be a class, and those of `null` and `undefined`."""
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
        return value if node.type == "satisfies_expression" else self.cast(frame, value, told)

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
