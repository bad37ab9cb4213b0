"""Types of TypeScript that name no class: containers, and those of other values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ANY_KEY, ANY_NUMBER, RESULT, Frame, ObjectKind, TypeHint
from toolroll_codegraph.languages.builder import SourceBuilder

if TYPE_CHECKING:
    from tree_sitter import Node

SEQUENCES: Final = frozenset(
    b"Array ReadonlyArray Set ReadonlySet Iterable Iterator AsyncIterable AsyncIterator Generator "
    b"AsyncGenerator IterableIterator AsyncIterableIterator ArrayLike WeakSet".split()
)
"""Whose first argument is what their elements are."""
MAPS: Final = frozenset(b"Map ReadonlyMap WeakMap Record".split())
"""Whose second argument is that."""
CONTAINERS: Final = SEQUENCES | MAPS


class JavaScriptContainerTypes(SourceBuilder):
    """Notes what is inside of containers, and takes types from values and other types."""

    def __init__(self, source: bytes, language: str) -> None:
        super().__init__(source, language)
        self.any_key, self.any_number = self.name(ANY_KEY.encode()), self.name(ANY_NUMBER.encode())
        self.type_names: set[int] = set()
        """Names of types, which may be declared behind where they are used."""

    def annotate(self, frame: Frame, slot: int, node: Node, hint: int = TypeHint.DECLARED) -> None:
        """Note that a slot holds an instance of the annotated class or interface."""
        raise NotImplementedError

    def receiver(self, frame: Frame) -> int:
        """The slot of `this`."""
        raise NotImplementedError

    def annotate_inside(self, frame: Frame, slot: int, node: Node) -> bool:
        """Note what is inside of a container of an annotated type; False for another type."""
        if node.type == "tuple_type":
            self._annotate_tuple(frame, slot, node)
            return True
        elements = self._elements(node)
        if elements is None:
            return False
        keyed = self.is_dictionary(node) or self.text(node).startswith(b"Record<")
        kind = ObjectKind.RECORD if keyed else ObjectKind.ARRAY
        self.annotate_elements(frame, slot, elements, kind)
        return True

    def _elements(self, node: Node) -> list[Node] | None:
        """What the elements of a container are annotated with; None for another type."""
        if node.type == "array_type":
            return node.named_children
        if node.type == "generic_type":
            name, given = self.text(node.named_children[0]), node.named_children[1].named_children
            return given[:1] if name in SEQUENCES else given[1:2] if name in MAPS else None
        if self.is_dictionary(node):
            members = [member for member in node.named_children if member.type != "comment"]
            told = members[0].child_by_field_name("type")
            return None if told is None else told.named_children
        return None

    def is_dictionary(self, node: Node) -> bool:
        """`{ [name: string]: Thing }`."""
        members = [member.type for member in node.named_children if member.type != "comment"]
        bodies = ("object_type", "interface_body")
        return node.type in bodies and members == ["index_signature"]

    def _annotate_tuple(self, frame: Frame, slot: int, node: Node) -> None:
        container = self.container(frame, ObjectKind.ARRAY)
        for place, part in enumerate(it for it in node.named_children if it.type != "comment"):
            told = part.child_by_field_name("type") or part
            element = self.slot()
            if part.type == "rest_type":  # `...Thing[]`: what is inside of that
                self.annotate(frame, container, part.named_children[0])
                continue
            self.annotate(frame, element, told)
            self.store(container, self.name(b"[%d" % place), element)
        self.copies += (container, slot)

    def annotate_elements(
        self, frame: Frame, slot: int, nodes: list[Node], kind: int = ObjectKind.ARRAY
    ) -> None:
        container = self.container(frame, kind)
        element = self.slot()
        for node in nodes:
            self.annotate(frame, element, node)
        self.store(container, self.any_key, element)
        self.copies += (container, slot)

    def type_of_values(self, frame: Frame, node: Node) -> int:
        """A type that is none of a class: of a container, of another value, of a part of it."""
        inside = self.slot()
        if node.type == "type_query":
            value = self._queried(frame, node)
            if value < 0:
                return -1
            self.copies += (value, inside)
        elif node.type == "lookup_type":
            value = self._part(frame, node)
            if value < 0:
                return -1
            self.copies += (value, inside)
        elif not self.annotate_inside(frame, inside, node):
            return -1
        return self._alias(frame, inside)

    def _alias(self, frame: Frame, inside: int) -> int:
        """A type whose values are those of a slot."""
        made = self.container(frame, ObjectKind.ALIAS)
        self.store(made, self.any_key, inside)
        return made

    def returned_type(self, frame: Frame, node: Node) -> int:
        """`ReturnType<typeof make>`, or of the type of a function."""
        given = node.named_children[1].named_children[:1]
        if not given:
            return -1
        inside = self.slot()
        if given[0].type == "type_query":
            value = self._queried(frame, given[0])
            if value < 0:
                return -1
            self.types += (inside, value, TypeHint.RETURNED)
        else:
            function = self.slot()
            self.annotate(frame, function, given[0])
            result = self.load(frame, function, self.name(RESULT.encode()), frame.line)
            self.copies += (result, inside)
        return self._alias(frame, inside)

    def _queried(self, frame: Frame, node: Node) -> int:
        """The value that `typeof` names in a type."""
        named = node.named_children[:1]
        if not named or named[0].type not in ("identifier", "member_expression", "this"):
            return -1
        head = named[0]
        while head.type == "member_expression":
            head = head.named_children[0]
        if head.type == "identifier":
            self.type_names.add(self.name(self.text(head)))
        return self.expression(frame, named[0])

    def _part(self, frame: Frame, node: Node) -> int:
        """`Type["name"]`, `Type[number]`, `Type[keyof Type]`: what a property or an element is."""
        of, index = node.named_children[0], node.named_children[-1]
        owner = self.slot()
        self.annotate(frame, owner, of)
        name = self.any_key
        inner = index.named_children[:1] if index.type == "literal_type" else []
        if inner and inner[0].type == "string":
            name = self.name(self.text(inner[0])[1:-1])
        elif index.type != "index_type_query" and self.text(index) != b"number":
            return -1
        return self.load(frame, owner, name, frame.line)
