"""Object and array literals of JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import CallFlag, Frame, ObjectKind, ScopeFlag
from toolroll_codegraph.languages.grammar import Dispatch
from toolroll_codegraph.languages.javascript.patterns import JavaScriptPatterns, positions

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS: Final = frozenset(
    ("function_expression", "arrow_function", "generator_function", "function")
)
FALSE: Final = ("false", "null", "undefined")
"""Values that no test finds."""
_PLAIN: Final = (*FALSE, "number", "string", "template_string", "regex")
_MODIFIERS: Final = ("accessibility_modifier", "override_modifier", "decorator", "comment")
"""What may stand before the `get`, `set`, `static` or `async` of a method."""
STAR: Final = b"\xe2\x88\x97"
"""A star at the end of a text."""
Handler = Callable[[Any, Frame, Any], int]
EXPRESSIONS: Final[Dispatch[Handler]] = Dispatch("javascript")
"""How each kind of expression is evaluated, filled by every module of expressions."""


class JavaScriptLiterals(JavaScriptPatterns):
    """Makes containers of literals; functions inside an object have a `this` of their own."""

    def identifier(self, frame: Frame, node: Node, /) -> int:
        """The slot of a name."""
        raise NotImplementedError

    def function_value(self, frame: Frame, node: Node, name: bytes, flags: int = 0) -> Frame:
        """Open the scope of a function."""
        raise NotImplementedError

    @EXPRESSIONS.on("object")
    def object_expression(self, frame: Frame, node: Node) -> int:
        return self.object_literal(frame, node, b"")

    def object_literal(self, frame: Frame, node: Node, owner: bytes) -> int:
        container = self.container(frame, ObjectKind.RECORD)
        prefix = owner + b"." if owner else b""
        for child in node.named_children:
            kind = child.type
            if kind == "pair":
                key, source = child.named_children[0], child.named_children[-1]
                name = self.property_name(frame, key)
                label = b"" if name is None else prefix + name.replace(STAR, b"*")
                inner = self.named_value(frame, source, label)
                if source.type in FUNCTIONS:
                    self.receive_literal(inner)
                if name is None:
                    self.computed_store(frame, container, key, inner)
                elif inner >= 0:
                    self.store(container, self.name(name), inner)
                elif source.type not in _PLAIN:
                    self.write(frame, container, self.name(name), inner, 0)
            elif kind == "shorthand_property_identifier":
                self.store(container, self.name(self.text(child)), self.identifier(frame, child))
            elif kind == "method_definition":
                self.object_method(frame, container, child, prefix)
            elif kind == "spread_element":
                value = self.expression(frame, child.named_children[0])
                if value >= 0:
                    line, copy = child.start_point[0] + 1, self.name(b"...")
                    later, flags = self.given_later(frame, node, child), CallFlag.IMPLICIT
                    self.call(frame, line, container, copy, (value,), later, flags=flags)
        return container

    def given_later(self, frame: Frame, node: Node, spread: Node) -> tuple[int, ...]:
        """The properties that an object gives another value behind what it spreads."""
        found: list[int] = []
        for child in node.named_children:
            if child.start_byte > spread.start_byte:
                key: Node | None = child
                if child.type in ("pair", "method_definition"):
                    field = "key" if child.type == "pair" else "name"
                    key = child.child_by_field_name(field)
                elif child.type != "shorthand_property_identifier":
                    continue
                if key is not None and key.type != "computed_property_name":
                    name = self.text(child) if key is child else self.property_name(frame, key)
                    if name is not None:
                        found += (self.name(name), -1)
        return tuple(found)

    def object_method(self, frame: Frame, container: int, node: Node, prefix: bytes) -> None:
        key = node.child_by_field_name("name")
        name = None if key is None else self.property_name(frame, key)
        flags = accessor_flags(node)
        inner = self.function_value(frame, node, prefix + (name or b"<computed>"), flags)
        self.receive_literal(inner.value)
        if b"super" in self.text(node):  # looks there, whatever it is called on
            self.copies += (container, inner.this)
        if name is not None:
            self.store(container, self.name(name), inner.value)
        elif key is not None:
            self.computed_store(frame, container, key, inner.value)

    def computed_store(self, frame: Frame, container: int, key: Node, value: int) -> None:
        slot = self.expression(frame, key.named_children[0]) if key.named_children else -1
        if slot >= 0 and value >= 0:
            self.dynamic += (-1, container, slot, value, 0)
        else:
            self.store(container, self.any_key, value)

    def receive_literal(self, function: int) -> None:
        """`this` of a function written inside an object literal is what it is called on."""
        for frame in reversed(self.frames):
            if frame.value == function:
                if not frame.flags & ScopeFlag.ARROW:
                    frame.this = self.slot()
                return

    def property_name(self, frame: Frame, key: Node) -> bytes | None:
        if key.type in ("property_identifier", "private_property_identifier"):
            return self.text(key)
        literal = self.literal_key(key)
        if literal is not None:
            return literal
        return self.literal_key(key.named_children[0] if key.named_children else key)

    @EXPRESSIONS.on("array")
    def array(self, frame: Frame, node: Node) -> int:
        container = self.container(frame, ObjectKind.ARRAY)
        indexed = True
        for index, child in enumerate(positions(node)):
            if child is None:
                continue
            if child.type == "spread_element":
                indexed = False
                source = self.expression(frame, child.named_children[0])
                value = self.element(frame, source, child)
            else:
                value = self.expression(frame, child)
            self.store(container, self.name(b"[%d" % index) if indexed else self.any_key, value)
        return container

    def element(self, frame: Frame, source: int, node: Node, flags: int = 0) -> int:
        if source < 0:
            return -1
        flags |= CallFlag.IMPLICIT | CallFlag.ITERATE
        line, name = node.start_point[0] + 1, self.name(b"@@iterator")
        return self.call(frame, line, source, name, flags=flags)


def accessor_flags(node: Node) -> int:
    flags = 0
    for child in node.children:
        kind = child.type
        if kind == "get":
            flags |= ScopeFlag.PROPERTY
        elif kind == "set":
            flags |= ScopeFlag.PROPERTY | ScopeFlag.SETTER
        elif kind == "static":
            flags |= ScopeFlag.STATIC
        elif kind == "async":
            flags |= ScopeFlag.ASYNC
        elif child.is_named and kind not in _MODIFIERS:
            break
    return flags
