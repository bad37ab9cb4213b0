"""Enums, namespaces and ambient declarations of TypeScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import Frame, ObjectKind, ScopeKind
from toolroll_codegraph.languages.javascript.control_flow import JavaScriptControlFlow
from toolroll_codegraph.languages.javascript.modules import STATEMENTS

if TYPE_CHECKING:
    from tree_sitter import Node


class JavaScriptNamespaces(JavaScriptControlFlow):
    """What TypeScript adds to the statements."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.blocks: dict[tuple[int, ...], list[Frame]] = {}
        """The scope and the names of a namespace → its blocks, which know each other's names."""

    @STATEMENTS.on("enum_declaration")
    def enumeration(self, frame: Frame, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        made, number = self.container(frame, ObjectKind.RECORD), 0
        for child in body.named_children:
            key, value = child, None
            if child.type == "enum_assignment":
                key, value = child.named_children[0], child.named_children[-1]
            known = None if value is None else self.literal_key(value)
            if value is None and number >= 0:
                known = b"[%d" % number
            elif known is None and value is not None:
                self.expression(frame, value)
            number = int(known[1:]) + 1 if known and known[1:].isdigit() else -1
            member = self.property_name(frame, key)
            if member is not None and known is not None:
                self.store(made, self.name(member), self.constant(known))
        self.assign(frame, self.name(self.text(name)), made)

    @STATEMENTS.on("internal_module", "module")
    def namespace(self, frame: Frame, node: Node) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None or body is None:
            return
        # `namespace Outer.Inner` is one namespace inside of another.
        texts = [self.text(name)] if name.type == "string" else self.text(name).split(b".")
        self._namespace(frame, node, texts, body, joins=name.type != "string")

    def _namespace(
        self, frame: Frame, node: Node, texts: list[bytes], body: Node, *, joins: bool
    ) -> None:
        known_as = self.name(texts[0].strip())
        inner = self.open_frame(ScopeKind.NAMESPACE, known_as, frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        blocks = self.blocks.setdefault((*self._path(frame), known_as), [])
        for block in blocks:  # what it was given before is known here
            for known in list(block.versions):
                self.assign(inner, known, self.summary(block, known))
        blocks.append(inner)
        if len(texts) > 1:
            self._namespace(inner, node, texts[1:], body, joins=joins)
        else:
            self.block(inner, body)
        for known in list(inner.versions):
            static = self.name(b"." + next(
                text for text, index in self.name_ids.items() if index == known
            ))  # fmt: skip
            inner.members[static] = self.summary(inner, known)
        if joins:  # the function, class or namespace of its name
            known = frame.env.get(known_as, -1)
            self.assign(frame, known_as, self.join((known, inner.value)))

    def _path(self, frame: Frame) -> list[int]:
        """The names of the namespaces around, from the outermost one, in a scope."""
        path: list[int] = []
        scope: Frame | None = frame
        while scope is not None and scope.kind == ScopeKind.NAMESPACE:
            path.insert(0, scope.name)
            scope = scope.parent
        return [0 if scope is None else scope.index, *path]

    @STATEMENTS.on("import_alias")
    def import_alias(self, frame: Frame, node: Node) -> None:
        """`import Short = Outer.Inner`."""
        alias, source = node.named_children[0], node.named_children[-1]
        self.assign(frame, self.name(self.text(alias)), self.qualified(frame, source))

    def qualified(self, frame: Frame, node: Node) -> int:
        if node.type != "nested_identifier":
            return self.expression(frame, node)
        base = self.qualified(frame, node.named_children[0])
        name = self.name(self.text(node.named_children[-1]))
        return self.load(frame, base, name, node.start_point[0] + 1)

    @STATEMENTS.on("ambient_declaration")
    def ambient(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            if child.type == "interface_declaration":
                self.inner(frame, child)
