"""JSX elements: calls of components with their properties."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ObjectKind
from toolroll_codegraph.languages.javascript.calls import JavaScriptCalls
from toolroll_codegraph.languages.javascript.literals import EXPRESSIONS

if TYPE_CHECKING:
    from tree_sitter import Node

_PRAGMA: Final = re.compile(rb"@jsx\s+([\w$.]+)")
_TAGS: Final = ("jsx_opening_element", "jsx_closing_element", "jsx_text", "comment")


class JavaScriptElements(JavaScriptCalls):
    """`<Widget size={1}/>` calls the component, or the factory where that is of the project."""

    @EXPRESSIONS.on("jsx_element", "jsx_self_closing_element")
    def element_value(self, frame: Frame, node: Node) -> int:
        opening = node.child_by_field_name("open_tag") or node
        name = opening.child_by_field_name("name")
        line = node.start_point[0] + 1
        factory = self.factory(frame, node)
        native = name is None or (name.type == "identifier" and self.text(name)[:1].islower())
        properties = -1
        if factory is not None or not native:
            properties = self.container(frame, ObjectKind.RECORD)
        component = -1 if name is None or native else self.expression(frame, name)
        for child in opening.named_children:
            if child != name:
                self.attribute(frame, properties, child)
        children: list[int] = []
        if opening != node:
            inner = [child for child in node.named_children if child.type not in _TAGS]
            children = [self.expression(frame, child) for child in inner]
        self.store(properties, self.name(b"children"), self.children(frame, children))
        if factory is not None:
            positional = (component, properties, *children)
            return self.call(frame, line, factory[0], factory[1], positional)
        if native:
            return -1
        flags = CallFlag.NEW | CallFlag.ELEMENT
        made = self.call(frame, line, component, -1, (properties,), flags=flags)
        self.store(made, self.name(b"props"), properties)
        return made

    def attribute(self, frame: Frame, properties: int, node: Node) -> None:
        """`name={value}` or `{...values}`."""
        if node.type == "jsx_attribute":
            children = node.named_children
            value = self.expression(frame, children[1]) if len(children) > 1 else -1
            self.store(properties, self.name(self.text(children[0])), value)
            if value >= 0 and self.hands_over(properties, children[0]):
                line, flags = node.start_point[0] + 1, CallFlag.IMPLICIT
                self.call(frame, line, -1, -1, (value,), flags=flags)
            return
        value = self.expression(frame, node)
        inner = node.named_children[:1] if node.type == "jsx_expression" else []
        spread = inner and inner[0].type == "spread_element"
        if spread and min(properties, value) >= 0:
            line, flags = node.start_point[0] + 1, CallFlag.IMPLICIT
            self.call(frame, line, properties, self.name(b"..."), (value,), flags=flags)

    def hands_over(self, properties: int, name: Node) -> bool:
        """Whether who shows an element runs what it is given: `onClick={save}` of what the page has
        itself."""
        return properties < 0

    def children(self, frame: Frame, values: list[int]) -> int:
        """The `children` of the properties: one value, or an array of them."""
        values = [value for value in values if value >= 0]
        if len(values) < 2:
            return values[0] if values else -1
        made = self.container(frame, ObjectKind.ARRAY)
        for value in values:
            self.store(made, self.any_key, value)
        return made

    def factory(self, frame: Frame, node: Node) -> tuple[int, int] | None:
        """The slot and method that make an element, None where a library does."""
        pragma = self.pragma
        if pragma is None:
            found = _PRAGMA.search(self.source)
            pragma = self.pragma = b"React.createElement" if found is None else found[1]
        owner, *names = pragma.split(b".")
        known = self.module.env.get(self.name(owner), -1)
        if known < 0 or any(row[0] == known and not row[3].startswith(".") for row in self.imports):
            return None
        slot, line = self.read(frame, self.name(owner)), node.start_point[0] + 1
        return self.load_path(frame, slot, names[:-1], line), self.name(names[-1]) if names else -1
