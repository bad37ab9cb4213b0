"""Assignments, operators and texts of JavaScript and TypeScript to slots."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import NOTHING, PREFIX, CallFlag, Frame
from toolroll_codegraph.languages.javascript.casts import JavaScriptCasts
from toolroll_codegraph.languages.javascript.literals import EXPRESSIONS, FALSE, FUNCTIONS

if TYPE_CHECKING:
    from tree_sitter import Node

_TEXTS: Final = ("string", "template_string", "binary_expression", "number")
_NUMERIC: Final = frozenset(("-", "*", "/", "%", "**", "<", ">", "<=", ">="))
_WRAPPERS: Final = frozenset(
    (
        b"__name", b"asyncHandler", b"curry", b"debounce", b"forwardRef", b"memo", b"memoize",
        b"observer", b"once", b"throttle", b"useCallback",
    )
)  # fmt: skip
"""Functions that give back what does as much as the function that they get first."""
_SIZES: Final = (b".length", b".size")
_BEGINNING: Final = re.compile(rb"['\"`]([A-Za-z_$][\w$]{1,39})(?:['\"]\Z|\$\{)")


class JavaScriptExpressions(JavaScriptCasts):
    """What they join, name and ask for a text."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.called: dict[int, bytes] = {}
        """Function by its node → the name of what it stands in for where that is not there."""

    @EXPRESSIONS.on("assignment_expression")
    def assignment(self, frame: Frame, node: Node) -> int:
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        if left is None or right is None:
            return -1
        value = self.named_value(frame, right, self.target_name(left))
        if node.children[0].type == "using":
            self.target(frame, left, value, declare=True)
            self.disposed(frame, node, value)
        elif left.type == "member_expression" and right.type in FALSE:
            self.assign_member(frame, left, NOTHING)
        else:
            self.target(frame, left, value)
        return value

    def disposed(self, frame: Frame, node: Node, value: int) -> None:
        """What `using` declares is disposed of where its block ends."""
        waits = node.parent is not None and node.parent.type == "await_expression"
        waits = waits or any(child.type == "await" for child in node.children)
        line, flags = node.start_point[0] + 1, CallFlag.IMPLICIT
        for name in (b"@@asyncDispose", b"@@dispose") if waits else (b"@@dispose",):
            if value >= 0:
                self.call(frame, line, value, self.name(name), flags=flags)

    @EXPRESSIONS.on("augmented_assignment_expression")
    def augmented(self, frame: Frame, node: Node) -> int:
        left, right = node.named_children[0], node.named_children[-1]
        joins = node.children[1].type in ("||=", "&&=", "??=")
        before = self.expression(frame, left) if joins else self.changed(frame, left)
        value = self.named_value(frame, right, self.target_name(left))
        if joins:
            value = self.join((before, value))
            self.target(frame, left, value)
            return value
        return before

    @EXPRESSIONS.on("update_expression")
    def update(self, frame: Frame, node: Node) -> int:
        self.changed(frame, node.named_children[0])
        return -1

    def changed(self, frame: Frame, node: Node) -> int:
        """Read what is then written with a number or text: that may run a setter too."""
        first = node.named_children[0] if node.named_children else node
        if node.type != "member_expression" or first.type == "super":
            return self.expression(frame, node)
        base, last = self.expression(frame, first), node.named_children[-1]
        name, line = self.name(self.text(last)), last.start_point[0] + 1
        self.write(frame, base, name, -1, line)
        return self.load(frame, base, name, line)

    def target_name(self, node: Node) -> bytes:
        """What a function assigned here is called by its readers."""
        if node.type == "identifier":
            return self.text(node)
        if node.type == "member_expression":
            text = self.text(node)
            for prefix in (b"module.exports.", b"exports.", b"this."):
                text = text.removeprefix(prefix)
            text = text.replace(b".prototype.", b".")
            return text if text.replace(b".", b"").replace(b"$", b"").isalnum() or b"_" in text \
                else self.text(node.named_children[-1])  # fmt: skip
        return b""

    def named_value(self, frame: Frame, node: Node, name: bytes) -> int:
        """Evaluate a value; a function or class without a name of its own takes `name`."""
        node = self.bare_value(node)
        if name and node.type in FUNCTIONS and node.child_by_field_name("name") is None:
            return self.function_value(frame, node, name).value
        if name and node.type == "object":
            return self.object_literal(frame, node, name)
        if name and node.type == "class" and node.child_by_field_name("name") is None:
            return self.class_value(frame, node, name)
        if name and node.type == "binary_expression" and node.children[1].type in ("||", "??"):
            left, right = node.named_children[0], node.named_children[-1]
            if right.type in FUNCTIONS and self.text(left).rstrip(b")").endswith(name):
                self.called[right.id] = name  # `__read = (this && this.__read) || function …`
        if name and node.type == "call_expression":
            self.name_wrapped(node, name)
        return self.expression(frame, node)

    def name_wrapped(self, node: Node, name: bytes) -> None:
        """Give `name` to the function in `memo(() => …)`, by which all know what that returns."""
        function, given = map(node.child_by_field_name, ("function", "arguments"))
        if function is None or given is None:
            return
        inner = next((child for child in given.named_children if child.type != "comment"), None)
        if inner is None or self.text(function).rpartition(b".")[2] not in _WRAPPERS:
            return
        if inner.type in FUNCTIONS:
            self.called[inner.id] = name
        elif inner.type == "call_expression":
            self.name_wrapped(inner, name)

    def class_value(self, frame: Frame, node: Node, name: bytes) -> int:
        raise NotImplementedError

    @EXPRESSIONS.on(*FUNCTIONS)
    def function_expression(self, frame: Frame, node: Node) -> int:
        name = node.child_by_field_name("name")
        text = self.called.get(node.id, b"") if name is None else self.text(name)
        return self.function_value(frame, node, text).value

    @EXPRESSIONS.on("class")
    def class_expression(self, frame: Frame, node: Node) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return self.class_value(frame, node, b"<class>")
        value = self.class_value(frame, node, self.text(name))
        known = self.name(self.text(name))
        if known not in frame.versions:  # its methods know it by that name
            self.assign(frame, known, value)
        return value

    @EXPRESSIONS.on("ternary_expression")
    def ternary(self, frame: Frame, node: Node) -> int:
        return self.one_of(self.alternatives(frame, node))

    def alternatives(self, frame: Frame, node: Node) -> list[int]:
        """The slots of what an expression may give: of a ternary one each way's."""
        node = self.bare_value(node)
        if node.type != "ternary_expression":
            return [self.expression(frame, node)]
        condition, *ways = [child for child in node.named_children if child.type != "comment"]
        decided = self.decided(frame, condition)
        outcome = self.condition(frame, condition)
        found: list[int] = []
        for taken, known, way in zip((True, False), outcome, ways, strict=False):
            if decided is (not taken):
                self.unreached(partial(self.expression, frame, way))
            else:
                found += self.assume(frame, known, partial(self.alternatives, frame, way))
        return found

    @EXPRESSIONS.on("binary_expression")
    def binary(self, frame: Frame, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        if operator is None:
            return -1
        if operator.type in ("||", "&&") and node.named_child_count == 2:
            first, last = node.named_children
            value = self.expression(frame, first)
            if self.decided(frame, first) is (operator.type == "||"):
                self.unreached(partial(self.expression, frame, last))
                return value
            holds, fails = self.outcome(frame, first)
            known = holds if operator.type == "&&" else fails
            slots = [value, self.assume(frame, known, partial(self.expression, frame, last))]
        else:
            slots = [self.expression(frame, child) for child in node.named_children]
        if operator.type in ("||", "??"):
            joined = self.one_of(slots)
            if slots[0] in self.descriptors:
                self.descriptors[joined] = self.descriptors[slots[0]]
            return joined
        if operator.type == "instanceof" and slots[-1] >= 0:
            line, name = node.start_point[0] + 1, self.name(b"@@hasInstance")
            self.call(frame, line, slots[-1], name, (slots[0],), flags=CallFlag.IMPLICIT)
        if operator.type == "in":
            self.call(frame, node.start_point[0] + 1, slots[-1], self.has, (slots[0],),
                      flags=CallFlag.IMPLICIT)  # fmt: skip
        if operator.type in _NUMERIC:
            self.reckon(frame, node, slots)
        if operator.type == "+":
            first, last = node.named_children[0], node.named_children[-1]
            whole = self.joined_text(slots)
            if whole >= 0:
                return whole
            if "number" in (first.type, last.type):
                self.as_number(frame, node, slots[0 if last.type == "number" else -1])
            elif first.type in _TEXTS and last.type not in _TEXTS:
                self.as_text(frame, node, slots[-1])
            elif last.type in _TEXTS and first.type not in _TEXTS:
                self.as_text(frame, node, slots[0])
            if first.type not in _TEXTS and last.type not in _TEXTS:
                self.reckon(frame, node, slots)
            return slots[0] if first.type == "binary_expression" else self.beginning(first)
        return slots[-1] if operator.type == "&&" else -1

    @EXPRESSIONS.on("unary_expression")
    def unary(self, frame: Frame, node: Node) -> int:
        operand = node.named_children[-1]
        kind = node.children[0].type
        if kind == "delete" and operand.type in ("member_expression", "subscript_expression"):
            base = self.expression(frame, operand.named_children[0])
            last = operand.named_children[-1]
            key = self.text(last) if operand.type == "member_expression" else self.literal_key(last)
            slot = self.constant(key) if key is not None else self.expression(frame, last)
            line, flags = node.start_point[0] + 1, CallFlag.IMPLICIT
            self.call(frame, line, base, self.delete_property, (slot,), flags=flags)
            return -1
        value = self.expression(frame, operand)
        if kind in ("+", "-"):
            self.as_number(frame, node, value)
        return -1

    def reckon(self, frame: Frame, node: Node, slots: list[int]) -> None:
        """Ask both sides for numbers, unless one is plainly a number: then the other mostly is."""
        if min(slots) >= 0 and not self.source.endswith(_SIZES, node.start_byte, node.end_byte):
            for slot in slots:
                self.as_number(frame, node, slot)

    def as_number(self, frame: Frame, node: Node, value: int) -> None:
        """A value that is reckoned with or compared is asked for `valueOf`."""
        if value >= 0:
            line = node.start_point[0] + 1
            self.call(frame, line, value, self.to_number, flags=CallFlag.IMPLICIT)

    def beginning(self, node: Node) -> int:
        """A name of which only the beginning is written: `"on" + kind`, `on${kind}`."""
        found = None
        if node.type in ("string", "template_string"):
            found = _BEGINNING.match(self.source, node.start_byte, node.end_byte)
        return -1 if found is None else self.constant(found[1] + PREFIX.encode())

    @EXPRESSIONS.on("template_string")
    def template(self, frame: Frame, node: Node) -> int:
        parts: list[int] = []
        known = True
        for child in node.named_children:
            if child.type == "template_substitution":
                slot = self.expression(frame, child)
                self.as_text(frame, child, slot)
                known = known and self.text_of(slot) is not None
                parts.append(slot)
        if known and parts:
            fragments = [
                self.constant(self.text(child)) if child.type == "string_fragment" else parts.pop(0)
                for child in node.named_children
                if child.type in ("string_fragment", "template_substitution")
            ]
            return self.joined_text(fragments)
        return self.beginning(node) if parts else -1

    @EXPRESSIONS.on("sequence_expression", "await_expression",
                    "non_null_expression", "spread_element", "jsx_expression",
                    "computed_property_name", "template_substitution")  # fmt: skip
    def last(self, frame: Frame, node: Node) -> int:
        value = -1
        for child in node.named_children:
            if child.type != "comment":
                value = self.expression(frame, child)
        return value
