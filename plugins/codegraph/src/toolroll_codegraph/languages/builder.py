"""What the walks through the syntax trees of all languages have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolroll_codegraph.facts import ANY_KEY, FactBuilder, Frame

if TYPE_CHECKING:
    from tree_sitter import Node


class SourceBuilder(FactBuilder):
    """Builds the facts of a file from the nodes of its source."""

    expressions: list[Any]
    """Handlers by kind of node."""

    def __init__(self, source: bytes, language: str) -> None:
        super().__init__(language)
        self.source = source
        self.any_key = self.name(ANY_KEY.encode())

    def text(self, node: Node) -> bytes:
        return self.source[node.start_byte : node.end_byte]

    def expression(self, frame: Frame, node: Node) -> int:
        """Evaluate an expression to the slot of its value, -1 when it is never of interest."""
        handler = self.expressions[node.kind_id]
        if handler is not None:
            return handler(self, frame, node)
        for child in node.named_children:
            self.expression(frame, child)
        return -1
