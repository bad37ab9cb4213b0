"""What Ruby's calls pass on: arguments, splats and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, Frame, ParamKind
from toolroll_codegraph.languages.ruby.blocks import RubyBlocks
from toolroll_codegraph.languages.ruby.nodes import NODES

if TYPE_CHECKING:
    from tree_sitter import Node


class RubyArguments(RubyBlocks):
    """An argument list is slots: positional ones, keywords with their names, a block at the end."""

    def arguments(
        self, frame: Frame, node: Node | None, block: Node | None, this: int = -1
    ) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Positional slots, keyword slots and the flag that the last positional is a block."""
        positional: list[int] = []
        keywords: list[int] = []
        passed = -1
        children = [] if node is None else node.named_children
        if node is not None and node.type != "argument_list":
            children = [node]
        for child in children:
            kind = child.type
            if kind == "pair":
                keywords += self._keyword(frame, child)
            elif kind == "block_argument":
                passed = self.passed_block(frame, child)
            elif kind == "splat_argument":
                slot = self.converted(frame, child, self.expression(frame, child), b"to_a")
                if slot >= 0:
                    positional.append(-slot - 2)
            elif kind == "hash_splat_argument":
                slot = self.expression(frame, child)
                keywords += (-1, self.converted(frame, child, slot, b"to_hash"))
            elif kind == "forward_argument":
                for name, slot, shape in self.outside_blocks(frame).params:
                    if shape == ParamKind.REST and self.name(b"...") == name:
                        positional.append(-slot - 2)
            elif kind != "comment":
                positional.append(self.expression(frame, child))
        if block is not None:
            inner = self.block(frame, block, block, this=this)
            passed, self.returned = inner.value, inner.ret
        if passed >= 0:
            positional.append(passed)
            return tuple(positional), tuple(keywords), CallFlag.BLOCK
        return tuple(positional), tuple(keywords), 0

    def _keyword(self, frame: Frame, node: Node) -> tuple[int, ...]:
        """`name: value`, `name:` and `key => value`, of which only a literal key is a keyword."""
        key, value = node.named_children[0], node.named_children[-1]
        literal = self.literal_key(key)
        if literal is None:
            self.expression(frame, key)
            self.expression(frame, value)
            return ()
        name = self.name(literal)
        if value == key:
            slot = self.local(frame, name)
            return name, -1 if slot is None else slot
        return name, self.expression(frame, value)

    def own_arguments(self, scope: Frame) -> tuple[list[int], list[int]]:
        """What a method was given, to be passed on as it is: positional and keyword slots."""
        positional: list[int] = []
        keywords: list[int] = []
        for name, slot, shape in scope.params:
            if shape == ParamKind.POSITIONAL:
                positional.append(slot)
            elif shape == ParamKind.REST:
                positional.append(-slot - 2)
            elif shape == ParamKind.KEYWORD:
                keywords += (name, slot)
            elif shape == ParamKind.KEYWORDS:
                keywords += (-1, slot)
        return positional, keywords

    def converted(self, frame: Frame, node: Node, value: int, method: bytes) -> int:
        """What is taken apart may be an object that turns itself into an array or hash."""
        if value < 0:
            return value
        line, name = node.start_point[0] + 1, self.name(method)
        return self.join((value, self.call(frame, line, value, name, flags=CallFlag.IMPLICIT)))

    def hands_block(self, arguments: Node) -> bool:
        """Whether a call is handed what is no symbol as its block: `map(&method(:name))`."""
        last = arguments.named_children[-1:]
        if not last or last[0].type != "block_argument":
            return False
        return not last[0].named_children or last[0].named_children[0].type != "simple_symbol"

    def passed_block(self, frame: Frame, node: Node) -> int:
        """`&value` asks an object for `to_proc`, here and not where the block runs."""
        if not node.named_children:
            return self.block_slot(frame)
        child = node.named_children[0]
        value = self.expression(frame, child)
        if value < 0 or child.type in ("simple_symbol", "lambda"):
            return value
        if child.type == "identifier" and value == self.given_block(frame):
            return value
        line = node.start_point[0] + 1
        return self.call(frame, line, value, self.name(b"to_proc"), flags=CallFlag.IMPLICIT)

    @NODES.on("block_argument")
    def block_value(self, frame: Frame, node: Node) -> int:
        return self.passed_block(frame, node)

    @NODES.on("splat_argument", "hash_splat_argument")
    def splat(self, frame: Frame, node: Node) -> int:
        return self.expression(frame, node.named_children[0]) if node.named_children else -1
