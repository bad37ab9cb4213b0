"""Ruby's blocks, lambdas and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ParamKind, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.ruby.assigned import Assigned
from toolroll_codegraph.languages.ruby.conditions import RubyConditions

if TYPE_CHECKING:
    from tree_sitter import Node

EVALUATED: Final = 3
"""State of a block without parameters: `instance_eval` may give it a receiver of its own."""


class RubyBlocks(RubyConditions):
    """Blocks run in line; what they and methods are given gets a slot for each parameter."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.broken: dict[tuple[int, int], list[int]] = {}
        """Block, with the number of its open loops → what `break` gives there."""
        self.left: list[int] = []
        """What the block of the last call that was read gives by `break`."""
        self._assigned: dict[bytes, Assigned] = {}
        """Text that is read, the file's or one that it evaluates → what is assigned there."""

    def block(self, frame: Frame, node: Node, body: Node | None, this: int = -1) -> Frame:
        """A block or lambda runs in line: it sees and changes the variables around it."""
        line = node.start_point[0] + 1
        inner = self.open_frame(ScopeKind.LAMBDA, self.lambda_name(frame), frame, line)
        inner.end = node.end_point[0] + 1
        inner.flags |= ScopeFlag.BLOCK
        inner.this = this
        inner.ret = self.slot()
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            self.parameters(inner, parameters)
        plain = parameters is None and node.type == "do_block"
        if this < 0 and (plain or not self.in_method(frame)):  # may run on another receiver
            inner.this, inner.state = self.slot(), EVALUATED
            outer = self.receiver(frame)
            if outer >= 0:
                self.copies += (outer, inner.this)
        if parameters is None and body is not None:
            for name in (b"it", b"_1", b"_2"):
                if name in self.text(body):
                    slot = self.slot()
                    if name != b"it" or self.local(frame, self.name(name)) is None:
                        inner.params.append((self.name(name), slot, ParamKind.POSITIONAL))
                        self.assign(inner, self.name(name), slot)
                        if name == b"it":
                            break
        inside = None
        if body is not None:
            inside = body.child_by_field_name("body") or (body if node is not body else None)
        if inside is not None:
            carried = self._carried(frame, inner, inside)
            value = self.body(inner, inside)
            if value >= 0:
                self.copies += (value, inner.ret)
            layers = self._assigned[self.source].layered(inside) if carried else ()
            for scope, text, slot in carried:
                self._carry(scope, text, slot, node if text in layers else None)
        return inner

    def _carry(self, scope: Frame, text: bytes, slot: int, layered: Node | None) -> None:
        """Let a variable that a block assigns be what it was assigned when the block runs again.

        Of `app = layer.new(app)` the last object that is made is around all others.
        """
        name = self.name(text)
        last = scope.env[name]
        if last in (slot, -1):
            return
        self.copies += (last, slot)
        if layered is not None and layered.parent is not None:
            run = self.text(layered.parent)[: layered.start_byte - layered.parent.start_byte]
            outside = self.slot()
            row = ("layered", int(b"reverse" in run[-24:]), outside, slot, last)
            self.relations.append(row)
            self.assign(scope, name, outside)

    def _carried(self, frame: Frame, inner: Frame, body: Node) -> list[tuple[Frame, bytes, int]]:
        """Variables from around a block that it assigns, each with a slot of all it may be there.

        Whoever runs the block again finds in it what it has assigned before.
        """
        if self.source not in self._assigned:
            self._assigned[self.source] = Assigned(self.source)
        names = {self.name(text): text for text in self._assigned[self.source].within(body)}
        holders: dict[int, Frame] = {}
        scope: Frame | None = frame
        while scope is not None:
            for name in scope.env.keys() & names.keys():
                holders.setdefault(name, scope)
            scope = scope.parent if scope.flags & ScopeFlag.BLOCK else None
        found: list[tuple[Frame, bytes, int]] = []
        for name, text in names.items():
            holder = holders.get(name)
            if holder is not None and name not in inner.env:
                before, slot = holder.env[name], self.slot()
                if before >= 0:
                    self.copies += (before, slot)
                self.assign(holder, name, slot)
                found.append((holder, text, slot))
        return found

    def left_with(self, block: Frame) -> list[int]:
        """What a block that is read makes the call return by `break`, in place of its result."""
        return self.broken.pop((block.index, 0), [])

    def procedure(self, frame: Frame, node: Node, body: Node | None) -> int:
        """A lambda, which `break` leaves as `return` does."""
        inner = self.block(frame, node, body)
        for value in self.left_with(inner):
            if value >= 0:
                self.copies += (value, inner.ret)
        return inner.value

    def given_block(self, frame: Frame) -> int:
        """The slot of the block parameter of the enclosing method; -1 where it has none."""
        for _, slot, shape in self.method_around(frame).params:
            if shape == ParamKind.BLOCK:
                return slot
        return -1

    def block_slot(self, frame: Frame) -> int:
        """The slot of the block the enclosing method was given."""
        slot = self.given_block(frame)
        if slot < 0:
            slot = self.slot()
            added = self.name(b"&"), slot, ParamKind.BLOCK
            self.method_around(frame).params.append(added)
        return slot

    def parameters(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            kind = child.type
            if kind == "comment" or node.field_name_for_named_child(0) == "locals":
                continue
            name_node = child.child_by_field_name("name")
            if kind == "identifier":
                name_node = child
            text = b"" if name_node is None else self.text(name_node)
            if kind == "forward_parameter":
                text = b"..."
            name, slot = self.name(text), self.slot()
            shape = {
                "splat_parameter": ParamKind.REST,
                "forward_parameter": ParamKind.REST,
                "keyword_parameter": ParamKind.KEYWORD,
                "hash_splat_parameter": ParamKind.KEYWORDS,
                "block_parameter": ParamKind.BLOCK,
            }.get(kind, ParamKind.POSITIONAL)
            frame.params.append((name, slot, shape))
            if kind == "forward_parameter":
                frame.params.append((name, self.slot(), ParamKind.KEYWORDS))
            if text:
                self.assign(frame, name, slot)
            if kind == "destructured_parameter":
                self.target(frame, child, slot)
            default = child.child_by_field_name("value")
            if default is None and shape == ParamKind.POSITIONAL:
                frame.flags += ScopeFlag.REQUIRED
            if default is not None:
                value = self.expression(frame, default)
                if value >= 0:
                    self.copies += (value, slot)
                    if frame.name == self.name(b"initialize"):
                        self.relations.append(("default", frame.index, 0, slot, value))
