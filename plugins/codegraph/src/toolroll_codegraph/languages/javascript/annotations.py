"""What TypeScript's annotations say of a value's class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ANY_KEY, FactBuilder, Frame, ObjectKind

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTAINERS: Final = frozenset(
    b"Array ReadonlyArray Set Iterable Iterator Promise AsyncIterable Generator".split()
)


class JavaScriptAnnotations(FactBuilder):
    """Facts of JavaScript and TypeScript, and of the types that are written in them."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__("typescript" if dialect in ("typescript", "tsx") else "javascript")
        self.source = source
        self.any_key = self.name(ANY_KEY.encode())

    def text(self, node: Node) -> bytes:
        return self.source[node.start_byte : node.end_byte]

    def annotate(self, frame: Frame, slot: int, node: Node) -> None:
        """Note that a slot holds an instance of the annotated class or interface."""
        if slot < 0:
            return
        kind = node.type
        if kind in ("type_identifier", "identifier"):
            known = self.read(frame, self.name(self.text(node)))
            if known >= 0:
                self.types += (slot, known, 0)
        elif kind in ("nested_type_identifier", "nested_identifier"):
            head, *rest = self.text(node).split(b".")
            known = self.read(frame, self.name(head))
            for part in rest:
                known = self.load(frame, known, self.name(part), frame.line)
            if known >= 0:
                self.types += (slot, known, 0)
        elif kind in ("type_annotation", "union_type", "intersection_type", "readonly_type",
                      "parenthesized_type", "optional_type"):  # fmt: skip
            for child in node.named_children:
                self.annotate(frame, slot, child)
        elif kind == "array_type":
            self.annotate_elements(frame, slot, node.named_children)
        elif kind == "generic_type":
            head, *rest = node.named_children
            arguments = rest[0].named_children if rest else []
            name = self.text(head)
            if name == b"Promise":
                for child in arguments:
                    self.annotate(frame, slot, child)
            elif name in _CONTAINERS or name in (b"Map", b"Record", b"ReadonlyMap"):
                self.annotate_elements(frame, slot, arguments[-1:])
            elif name in (b"Readonly", b"Partial", b"Required", b"NonNullable", b"Omit", b"Pick"):
                for child in arguments[:1]:
                    self.annotate(frame, slot, child)
            else:
                self.annotate(frame, slot, head)

    def annotate_elements(self, frame: Frame, slot: int, nodes: list[Node]) -> None:
        container = self.container(frame, ObjectKind.ARRAY)
        element = self.slot()
        for node in nodes:
            self.annotate(frame, element, node)
        self.store(container, self.any_key, element)
        self.copies += (container, slot)
