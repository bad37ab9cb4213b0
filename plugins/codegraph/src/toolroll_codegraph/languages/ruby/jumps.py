"""Ruby's `throw` and `Fiber.yield`: values that come back elsewhere than to who called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import Frame, ScopeFlag
from toolroll_codegraph.languages.ruby.evaluated import RubyEvaluation

if TYPE_CHECKING:
    from tree_sitter import Node


class RubyJumps(RubyEvaluation):
    """What leaves several blocks at once."""

    def pause(self, frame: Frame, arguments: Node) -> int:
        """`Fiber.yield value`: the blocks around it return the value, among others."""
        positional, _, _ = self.arguments(frame, arguments, None)
        scope: Frame | None = frame
        while scope is not None and scope.flags & ScopeFlag.BLOCK:
            if positional and positional[0] >= 0:
                self.copies += (positional[0], scope.ret)
            scope = scope.parent
        return -1

    def jump(self, frame: Frame, text: bytes, arguments: Node, block: Node | None) -> int:
        """`catch(:done) { … }` returns what its block does, or what `throw :done, value` throws."""
        tag = self.literal_key(arguments.named_children[0])
        positional, _, _ = self.arguments(frame, arguments, None)
        name = self.name(b"throw " + (tag or b""))
        if text == b"throw":
            if len(positional) > 1 and positional[1] >= 0:
                self.relations.append(("global", 0, name, positional[1], 1))
            return -1
        thrown = self.slot()
        self.relations.append(("global", 0, name, thrown, 0))
        if block is None:
            return thrown
        inner = self.block(frame, block, block)
        return self.join((thrown, inner.ret, *self.left_with(inner)))
