"""Ruby's assignments: to variables, attributes and elements, alone or several at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ObjectKind
from toolroll_codegraph.languages.ruby.calls import RubyCalls
from toolroll_codegraph.languages.ruby.nodes import NODES

if TYPE_CHECKING:
    from tree_sitter import Node

_SEVERAL: Final = (
    "destructured_left_assignment", "destructured_parameter", "left_assignment_list",
)  # fmt: skip


class RubyAssignment(RubyCalls):
    """Binds what is assigned; attributes and elements are set by calls."""

    def constant_assignment(self, frame: Frame, left: Node, right: Node) -> int:
        """Bind a constant, which may be a new class."""
        raise NotImplementedError

    @NODES.on("assignment")
    def assignment(self, frame: Frame, node: Node) -> int:
        left, right = node.named_children[0], node.named_children[-1]
        kind = left.type
        if kind in ("constant", "scope_resolution"):
            return self.constant_assignment(frame, left, right)
        if kind == "left_assignment_list":
            return self.multiple(frame, left, right)
        value = self.expression(frame, right)
        if kind == "identifier":
            self.keep_rows(frame, right, value)
        self.target(frame, left, value)
        return value

    def multiple(self, frame: Frame, left: Node, right: Node) -> int:
        targets = left.named_children
        several = right.type == "right_assignment_list"
        if several and all(child.type != "splat_argument" for child in right.named_children):
            sources = [self.expression(frame, item) for item in right.named_children]
            self.place(frame, targets, sources)
            return -1
        method = b"to_a" if right.type == "splat_argument" else b"to_ary"
        value = self.expression(frame, right)
        if not several:
            value = self.converted(frame, right, value, method)
        self.destructure(frame, targets, value)
        return value

    def place(self, frame: Frame, targets: list[Node], sources: list[int]) -> None:
        """Assign as many values as are written down: `first, *others, last = 1, 2, 3, 4`."""
        behind = 0
        for index, target in enumerate(targets):
            if target.type == "rest_assignment":
                behind = max(len(sources) - len(targets), -1)
                if target.named_children:
                    others = self.container(frame, ObjectKind.SEQUENCE)
                    for source in sources[index : index + behind + 1]:
                        self.store(others, self.any_key, source)
                    self.target(frame, target.named_children[0], others)
                continue
            at = index + behind
            self.target(frame, target, sources[at] if at < len(sources) else -1)

    def destructure(self, frame: Frame, targets: list[Node], value: int) -> None:
        rest = len(targets)
        for index, target in enumerate(targets):
            if target.type in ("rest_assignment", "splat_parameter"):
                rest = index
                if target.named_children:
                    self.target(frame, target.named_children[0], value)
                continue
            place = index if index < rest else index - len(targets)
            key = self.name(b"[%d" % place)
            self.target(frame, target, self.load(frame, value, key, target.start_point[0] + 1))

    def target(self, frame: Frame, node: Node, value: int) -> None:
        kind = node.type
        if kind == "identifier":
            self.set_local(frame, self.name(self.text(node)), value)
        elif kind in ("instance_variable", "class_variable"):
            name = self.name(self.text(node))
            self.write(frame, self.receiver(frame), name, value, node.start_point[0] + 1)
        elif kind == "global_variable":
            row = ("global", 0, self.name(self.text(node)), value, 1)
            if value >= 0:
                self.relations.append(row)
        elif kind == "call":
            receiver = node.child_by_field_name("receiver")
            method = node.child_by_field_name("method")
            if receiver is not None and method is not None:
                base = self.expression(frame, receiver)
                name = self.name(self.text(method) + b"=")
                flags = CallFlag.SAFE_NAME if receiver.type == "self" else 0
                self.call(frame, node.start_point[0] + 1, base, name, (value,), flags=flags)
        elif kind == "element_reference":
            base, *keys = (self.expression(frame, child) for child in node.named_children)
            name = self.name(b"[]=")
            arguments = (*keys, value)
            flags = CallFlag.IMPLICIT
            self.call(frame, node.start_point[0] + 1, base, name, arguments, (), flags)
        elif kind in _SEVERAL:
            self.destructure(frame, node.named_children, value)

    @NODES.on("operator_assignment")
    def operator_assignment(self, frame: Frame, node: Node) -> int:
        left, right = node.named_children[0], node.named_children[-1]
        operator = node.child_by_field_name("operator")
        text = b"" if operator is None else self.text(operator)
        if left.type == "constant":
            value = self.constant_assignment(frame, left, right)
            return value
        if left.type == "identifier" and self.local(frame, self.name(self.text(left))) is None:
            before = -1
        else:
            before = self.expression(frame, left)
        value = self.expression(frame, right)
        if text in (b"||=", b"&&="):
            given, value = value, self.join((before, value))
            if left.type != "identifier":  # which has what it had already
                self.target(frame, left, given)
                return value
        elif before >= 0:
            flags = CallFlag.IMPLICIT
            name = self.name(text[:-1])
            value = self.call(frame, node.start_point[0] + 1, before, name, (value,), (), flags)
        self.target(frame, left, value)
        return value
