"""Python's operators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX, CallFlag, Frame
from toolroll_codegraph.facts.operators import DELETED, OPERATORS, REFLECTED
from toolroll_codegraph.languages.python.containers import EXPRESSIONS, PythonContainers
from toolroll_codegraph.languages.python.formats import (
    BEGINNING,
    BESIDE,
    PACKAGE,
    literal,
    percents,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from toolroll_codegraph.languages.python.formats import Field

_GAP: Final = re.compile(rb"(?:\{[^{}]*\}|%s)([A-Za-z0-9_]*)")
_REST: Final = re.compile(rb"""(?:(?:\{[^{}]*\}|%s)[A-Za-z0-9_]*)+["']""")
_BEFORE_PLUS: Final = re.compile(BEGINNING + rb"""["']\Z""")
_BESIDE: Final = re.compile(PACKAGE + rb""" *\+ *["']""" + BESIDE + rb"""["']\Z""")
_AROUND: Final = re.compile(rb"""[fF]["'](\w*)\{[\w.]+\}(\w*)["']""")
_SIGNS: Final = {b"-": b"__neg__", b"+": b"__pos__", b"~": b"__invert__"}


class PythonOperators(PythonContainers):
    """Operators call methods of their operands: `__add__`, `__contains__`, `__format__`."""

    def implicit(self, frame: Frame, line: int, source: int, name: bytes, item: int = -1) -> int:
        """Call a special method of what a slot holds, if that has it."""
        if source < 0:
            return -1
        arguments = () if item < 0 else (item,)
        return self.call(frame, line, source, self.name(name), arguments, flags=CallFlag.IMPLICIT)

    def delete(self, frame: Frame, node: Node) -> None:
        """Take an item, an attribute or a variable away, and with the last what it held."""
        if node.type == "identifier":
            self.implicit(frame, node.start_point[0] + 1, self.expression(frame, node), b"__del__")
        if node.type not in ("attribute", "subscript") or node.named_child_count < 2:
            return
        children = node.named_children
        base = self.expression(frame, children[0])
        key = self.expression(frame, children[1]) if node.type == "subscript" else -1
        name = b"__delitem__" if node.type == "subscript" else b"__delattr__"
        line = node.start_point[0] + 1
        self.implicit(frame, line, base, name, key)
        if node.type == "attribute":
            self.implicit(frame, line, base, DELETED + (children[1].text or b""))
        self.kept.clear()

    def interpolation(self, frame: Frame, node: Node) -> int:
        """Put a value into a text; the slot of that value."""
        value = -1
        name = b"__format__"
        for child in node.named_children:
            if child.type == "type_conversion":
                name = b"__repr__" if child.text == b"!r" else b"__str__"
            else:
                found = self.expression(frame, child)
                value = found if value < 0 else value
        self.implicit(frame, node.start_point[0] + 1, value, name)
        return value

    def formatted(
        self,
        frame: Frame,
        text: Node,
        fields: list[Field],
        positional: Sequence[int],
        keywords: Sequence[int] = (),
    ) -> None:
        """Put values into the fields of a text with `%` or `format`."""
        given: dict[int | bytes, int] = {}
        if all(value >= -1 for value in positional):  # after a spread no place is known
            given.update(enumerate(positional))
        named = dict(zip(keywords[::2], keywords[1::2], strict=True))
        line = text.start_point[0] + 1
        for key, attributes, method in fields:
            value = given.get(key, -1) if isinstance(key, int) else named.get(self.name(key), -1)
            for attribute in attributes if value >= 0 else ():
                value = self.load(frame, value, self.name(attribute), line)
            self.implicit(frame, line, value, method)

    def put(self, frame: Frame, children: list[Node], text: Node | None, values: int) -> None:
        """Put into a text that is translated, or unknown, what stands behind its `%`."""
        given, line = [values], children[0].start_point[0] + 1
        if children[-1].type == "tuple" and values >= 0:
            places = range(children[-1].named_child_count)
            given = [self.load(frame, values, self.name(b"[%d" % place), line) for place in places]
        fields = texts(len(given)) if text is None else percents(text.text or b"")
        self.formatted(frame, children[0], fields, given)

    def prefix(self, match: re.Match[bytes] | None, node: Node | None = None) -> int:
        """A text of which the beginning is known, for `getattr` of handlers.

        What is known behind it, between its gaps and at its end, is kept where all is known.
        """
        if match is None:
            return -1
        mark, known = PREFIX.encode(), [b""]
        rest = None if node is None else _REST.fullmatch(self.source, match.end(1), node.end_byte)
        if rest is not None:
            known = _GAP.findall(rest[0])
        behind = mark.join(known) + mark if known != [b""] else b""
        return self.constant(match[1] + mark + behind)

    @EXPRESSIONS.on("augmented_assignment")
    def augmented(self, frame: Frame, node: Node) -> int:
        target, value = node.named_children[0], node.named_children[-1]
        before = self.expression(frame, target)
        if target.type == "subscript" and before >= 0 and self.dynamic[-5:-4] == [before]:
            self.keep_key(*self.dynamic[-4:-2])
        added = self.expression(frame, value)
        if before >= 0:
            line = node.start_point[0] + 1
            operator = (node.children[1].text or b"")[:-1]
            plain = OPERATORS.get(operator, b"__add__")
            special = self.name(b"__i" + plain[2:])
            flags = CallFlag.IMPLICIT
            self.call(frame, line, before, special, (added,), flags=flags)
            result = self.call(frame, line, before, self.name(plain), (added,), flags=flags)
            if target.type in ("identifier", "attribute"):
                self.target(frame, target, self.join((before, result)))
        self.kept.clear()
        return -1

    @EXPRESSIONS.on("binary_operator", "comparison_operator")
    def operator(self, frame: Frame, node: Node) -> int:
        children = node.named_children
        operator = node.children[1].type
        left = self.expression(frame, children[0])
        text = literal(children[0]) if operator == "%" else None
        if text is not None and children[0].type != "call":
            items = children[1].named_children if children[1].type == "tuple" else children[1:]
            values = [self.expression(frame, child) for child in items]
            self.formatted(frame, text, percents(text.text or b""), values)
            return left
        right = -1
        for child in children[1:]:
            right = self.expression(frame, child)
        if operator == "%" and (text is not None or children[-1].type == "tuple"):
            self.put(frame, children, text, right)
        if operator in ("in", "not in"):
            left, right = right, left
        elif operator == "+" and (whole := self.added(left, right)) >= 0:
            return whole
        elif operator == "+" and self.source.startswith(b"__", node.start_byte) and (
            beside := self.prefix(_BESIDE.match(children[0].text or b""))
        ) >= 0:  # fmt: skip
            return beside
        elif operator == "+" and children[0].type == "string":
            begun = self.prefix(_BEFORE_PLUS.match(children[0].text or b""))
            if begun >= 0 or min(left, right) < 0:
                self.implicit(frame, node.start_point[0] + 1, right, b"__radd__")
                return begun
        elif self.lengths and (whole := self.joined(frame, operator, children, left, right)):
            return whole
        name = OPERATORS.get(operator.encode())
        if name is None:
            return -1
        line = node.start_point[0] + 1
        reflected = REFLECTED.get(name)
        number = children[0]
        while number.type == "unary_operator" and number.named_children:
            number = number.named_children[-1]
        if reflected is not None and (left < 0 or number.type in ("integer", "float")):
            return self.implicit(frame, line, right, reflected)
        if left < 0:
            return -1
        return self.call(frame, line, left, self.name(name), (right,), flags=CallFlag.IMPLICIT)

    @EXPRESSIONS.on("unary_operator")
    def unary(self, frame: Frame, node: Node) -> int:
        value = self.expression(frame, node.named_children[-1])
        name = _SIGNS.get(node.children[0].text or b"")
        return -1 if name is None else self.implicit(frame, node.start_point[0] + 1, value, name)

    def fragments(self, node: Node, known: dict[Node, int]) -> int:
        """The text that a formatted one is, where all that is put into it is known."""
        return self.joined_text(
            known[child] if child in known else self.constant(child.text or b"")
            for child in node.named_children
            if child in known or child.type == "string_content"
        )

    def around(self, frame: Frame, node: Node, value: int) -> int:
        """The text that `f"_{name}"` is, of a name that others give."""
        whole = _AROUND.fullmatch(node.text or b"")
        if whole is None or value < 0 or not whole[1] + whole[2]:
            return -1
        line, add = node.start_point[0] + 1, self.name(b"__add__")
        if whole[1]:
            first = self.constant(whole[1])
            value = self.call(frame, line, first, add, (value,), flags=CallFlag.IMPLICIT)
        if whole[2]:
            last = self.constant(whole[2])
            value = self.call(frame, line, value, add, (last,), flags=CallFlag.IMPLICIT)
        return value
