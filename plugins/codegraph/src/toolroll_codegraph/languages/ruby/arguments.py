"""What Ruby's calls pass on: arguments, splats and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, Frame, ObjectKind, ParamKind
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
        children = [] if node is None else node.named_children
        if node is not None and node.type != "argument_list":
            children = [node]
        return self.argument_slots(frame, children, block, this)

    def argument_slots(
        self, frame: Frame, children: list[Node], block: Node | None, this: int = -1
    ) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """The same of arguments that may stand between brackets."""
        positional: list[int] = []
        keywords: list[int] = []
        passed = -1
        for child in children:
            kind = child.type
            if kind == "pair":
                keywords += self._keyword(frame, child)
            elif kind == "block_argument":
                passed = self.passed_block(frame, child)
            elif kind == "splat_argument":
                slot = self._taken_apart(frame, child, b"to_a", ParamKind.REST)
                if slot >= 0:
                    positional.append(-slot - 2)
            elif kind == "hash_splat_argument":
                keywords += (-1, self._taken_apart(frame, child, b"to_hash", ParamKind.KEYWORDS))
            elif kind == "forward_argument":
                given = self.given(frame, b"...", ParamKind.REST)
                if given >= 0:
                    positional.append(-given - 2)
                keywords += (-1, self.given(frame, b"...", ParamKind.KEYWORDS))
                passed = self.block_slot(frame)
            elif kind != "comment":
                positional.append(self.key(frame, child))
        if block is not None:
            inner = self.block(frame, block, block, this=this)
            passed, self.returned = inner.value, inner.ret
            self.left = self.left_with(inner)
        else:
            self.left = []
        if passed >= 0:
            positional.append(passed)
            return tuple(positional), tuple(keywords), CallFlag.BLOCK
        return tuple(positional), tuple(keywords), 0

    def key(self, frame: Frame, node: Node) -> int:
        """An argument; a range of numbers too takes a part of an array."""
        value = self.expression(frame, node)
        return (
            self.container(frame, ObjectKind.RANGE) if node.type == "range" and value < 0 else value
        )

    def given(self, frame: Frame, text: bytes, kind: int) -> int:
        """The slot of a parameter of the enclosing method; -1 where it has none."""
        known = self.name(text)
        for name, slot, shape in self.method_around(frame).params:
            if shape == kind and name == known:
                return slot
        return -1

    def _taken_apart(self, frame: Frame, node: Node, method: bytes, kind: int) -> int:
        """`*list`, `**options`, or `*` and `**` alone, which hand on what was given so."""
        if not node.named_children:
            return self.given(frame, b"", kind)
        return self.converted(frame, node, self.expression(frame, node), method)

    def _keyword(self, frame: Frame, node: Node) -> tuple[int, ...]:
        """`name: value`, `name:` and `key => value`: a hash, where the key is no literal."""
        key, value = node.named_children[0], node.named_children[-1]
        literal = self.literal_key(key)
        if literal is None:
            made = self.container(frame, ObjectKind.HASH)
            given = self.expression(frame, key), self.expression(frame, value)
            if given[0] < 0:
                self.store(made, self.any_key, given[1])
            else:  # an object, which is asked for its `hash`
                line, flags = node.start_point[0] + 1, CallFlag.IMPLICIT
                self.call(frame, line, made, self.name(b"[]="), given, flags=flags)
            return -1, made
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
        block = self.handed_block(arguments)
        if block is None:
            return False
        return not block.named_children or block.named_children[0].type != "simple_symbol"

    def handed_block(self, arguments: Node) -> Node | None:
        """`&block` at the end of arguments."""
        last = arguments.named_children[-1:]
        return last[0] if last and last[0].type == "block_argument" else None

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
