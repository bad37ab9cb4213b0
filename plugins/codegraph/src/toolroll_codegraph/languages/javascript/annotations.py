"""What TypeScript's annotations say of a value's class."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    RESULT,
    Frame,
    ImportKind,
    ObjectKind,
    ScopeFlag,
    ScopeKind,
    TypeHint,
)
from toolroll_codegraph.languages.javascript.container_types import CONTAINERS
from toolroll_codegraph.languages.javascript.type_terms import SAME, JavaScriptTypeTerms

if TYPE_CHECKING:
    from tree_sitter import Node

_REPOSITORIES: Final = {
    "typeorm": (b"Repository", b"TreeRepository", b"MongoRepository"),
    "@mikro-orm/core": (b"EntityRepository",), "mongoose": (b"Model",),
    "mongodb": (b"Collection",),
}  # fmt: skip
"""By the package that has them: what reads and writes objects of its first argument."""
_JOINED: Final = frozenset([
    "type_annotation", "union_type", "intersection_type", "readonly_type", "parenthesized_type",
    "optional_type",
])  # fmt: skip
_CLASSES: Final = frozenset([
    "type_identifier", "identifier", "nested_type_identifier", "generic_type", "array_type",
])  # fmt: skip
"""Types that may be a class, or hold one's instances."""

_PARAMETER: Final = re.compile(rb"[A-Z][0-9]?|T[A-Z]\w*")
"""What names of type parameters look like."""


class JavaScriptAnnotations(JavaScriptTypeTerms):
    """Facts of JavaScript and TypeScript, and of the types that are written in them."""

    def __init__(self, source: bytes, dialect: str) -> None:
        typed = dialect in ("typescript", "tsx")
        super().__init__(source, "typescript" if typed else "javascript")
        self.imported_types: dict[str, int] = {}
        """What types import from other files → its slot."""
        self.function_types: dict[bytes, int] = {}
        """Name of a class → the interface of functions that return one."""

    def annotate(self, frame: Frame, slot: int, node: Node, hint: int = TypeHint.DECLARED) -> None:
        """Note that a slot holds an instance of the annotated class or interface."""
        if slot < 0:
            return
        for named in self.named_types(node):
            if self.annotate_inside(frame, slot, named):
                continue
            known = self.known_type(frame, named)
            if known >= 0:
                self.types += (slot, known, hint)
            if named.type == "generic_type" and self._is_repository(named):
                objects = named.named_children[1].named_children[:1]
                self.annotate_elements(frame, slot, objects, ObjectKind.REPOSITORY)
        self.note_type(frame, slot, node)

    def _is_repository(self, node: Node) -> bool:
        name = self.text(node.named_children[0])
        return any(
            name in names and any(row[3] == package for row in self.imports)
            for package, names in _REPOSITORIES.items()
        )

    def named_types(self, node: Node) -> list[Node]:
        """The types that a value may have one of: those a union joins, what a promise gives."""
        kind = node.type
        if kind in _JOINED:
            parts = node.named_children
        elif kind == "conditional_type":
            ends = map(node.child_by_field_name, ("consequence", "alternative"))
            parts = [end for end in ends if end is not None]
        elif kind == "generic_type" and self.text(node.named_children[0]) in SAME:
            parts = node.named_children[1].named_children[:1]
            if parts[0].type == "type_query":  # `InstanceType<typeof Name>`
                parts = parts[0].named_children
        elif kind == "type_identifier" and _PARAMETER.fullmatch(self.text(node)):
            return self._bound(node)
        else:
            return [node]
        return [named for part in parts for named in self.named_types(part)]

    def _bound(self, node: Node) -> list[Node]:
        """What a type parameter extends, as `T` in `<T extends Base>`; other nodes themselves."""
        around, text = node.parent, self.text(node)
        while around is not None:
            declared = around.child_by_field_name("type_parameters")
            for parameter in declared.named_children if declared is not None else ():
                name = parameter.child_by_field_name("name")  # none in a comment, or an error
                if name is not None and self.text(name) == text:
                    bound = parameter.child_by_field_name("constraint")
                    inside = bound.named_children if bound is not None else ()
                    return [known for part in inside for known in self.named_types(part)]
            around = around.parent
        return [node]

    def type_value(self, frame: Frame, node: Node) -> int:
        """The slot of the class, interface or alias that a type names; -1 for others."""
        kind = node.type
        if kind == "generic_type":
            head = node.named_children[0]
            if self.text(head) == b"ReturnType":
                return self.returned_type(frame, node)
            if self.text(head) in CONTAINERS:
                return self.type_of_values(frame, node)
            return self.type_value(frame, head)
        if kind in ("type_identifier", "identifier"):
            name = self.name(self.text(node))
            self.type_names.add(name)
            return self.read(frame, name)
        if kind == "this":
            return self.receiver(frame)
        if kind == "member_expression":  # `import("./file").Type`
            known = self.type_value(frame, node.named_children[0])
            name = self.name(self.text(node.named_children[-1]))
            return self.load(frame, known, name, frame.line) if known >= 0 else -1
        if kind == "call_expression":
            return self.import_type(frame, node)
        if kind in ("nested_type_identifier", "nested_identifier"):
            head, *rest = self.text(node).split(b".")
            return self.load_path(frame, self.read(frame, self.name(head)), rest, frame.line)
        if kind == "object_type":
            members = [member for member in node.named_children if member.type != "comment"]
            if all(member.type == "call_signature" for member in members):
                told = (self.function_type(frame, member) for member in members)
                return next((known for known in told if known >= 0), -1)
            if self._elements(node) is not None:
                return self.type_of_values(frame, node)
            return self.object_type(frame, b"<type>", node) if self._tells(node) else -1
        if kind == "function_type":
            return self.function_type(frame, node)
        return self.type_of_values(frame, node)

    def function_type(self, frame: Frame, node: Node) -> int:
        """`() => Thing`: an interface that tells only what calling it returns; -1 for none.

        All that return the same share one, of what the module declares: there are many.
        """
        result = node.child_by_field_name("return_type")
        named = [] if result is None else self.named_types(result)
        if result is None or len(named) != 1 or named[0].type not in _CLASSES:
            return -1
        head = named[0].named_children[0] if named[0].type == "generic_type" else named[0]
        text = self.text(head)
        if _PARAMETER.fullmatch(text) or text in CONTAINERS:
            return -1
        known = self.function_types.get(text)
        if known is None:
            outside = frame
            while outside.parent is not None:
                outside = outside.parent
            inner = self.open_type(outside, b"<type>", node)
            self._typed_member(inner, RESULT.encode(), head)
            inner.versions.clear()
            known = self.function_types[text] = inner.value
        return known

    def import_type(self, frame: Frame, node: Node) -> int:
        """`import("./file")` as a type: a module, or what it exports in place of itself."""
        function, arguments = node.named_children[0], node.named_children[-1]
        given = arguments.named_children[:1]
        if function.type != "import" or not given or given[0].type != "string":
            return -1
        specifier = self.text(given[0])[1:-1].decode("utf-8", "replace")
        slot = self.imported_types.get(specifier)
        if slot is None:
            slot = self.imported_types[specifier] = self.slot()
            row = (slot, ImportKind.REQUIRE, 0, specifier, -1, frame.line, frame.index)
            self.imports.append(row)
        return slot

    def object_type(self, frame: Frame, name: bytes, node: Node) -> int:
        """The slot of an object type, which is an interface."""
        inner = self.open_type(frame, name, node)
        self.typed_members(inner, node)
        return inner.value

    def _tells(self, node: Node) -> bool:
        """Whether a property of an object type has a type that may be a class."""
        for member in node.named_children:
            annotation, _ = _annotation(member)
            if annotation is not None and self._may_be_class(annotation):
                return True
        return False

    def _may_be_class(self, annotation: Node) -> bool:
        return any(
            named.type in _CLASSES or (named.type == "object_type" and self._tells(named))
            for named in self.named_types(annotation)
        )

    def open_type(self, frame: Frame, name: bytes, node: Node) -> Frame:
        """An interface is a class without bodies: receivers typed with it find implementations."""
        inner = self.open_frame(ScopeKind.CLASS, self.name(name), frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        inner.flags |= ScopeFlag.INTERFACE
        inner.this = self.slot()
        return inner

    def typed_members(self, inner: Frame, body: Node) -> None:
        """Note the types of an interface's or object type's properties, and what methods return."""
        for member in body.named_children:
            key = member.child_by_field_name("name")
            annotation, suffix = _annotation(member)
            if annotation is None or (key is None and member.type != "call_signature"):
                continue
            name = b"" if key is None else self.text(key).strip(b"\"'")
            self._typed_member(inner, name + suffix, annotation)
        inner.versions.clear()

    def _typed_member(self, inner: Frame, name: bytes, annotation: Node) -> None:
        typed = self.slot()
        self.annotate(inner, typed, annotation)
        self.write(inner, inner.this, self.name(name), typed, annotation.start_point[0] + 1)

    def annotate_made(self, frame: Frame, slot: int, node: Node) -> None:
        """`new Map<string, Thing>()`: what a container is made for."""
        given = node.child_by_field_name("type_arguments")
        constructor = node.child_by_field_name("constructor")
        if given is not None and constructor is not None and self.text(constructor) in CONTAINERS:
            last = given.named_children[-1:]
            if any(map(self._may_be_class, last)):
                self.annotate_elements(frame, slot, last)


def _annotation(member: Node) -> tuple[Node | None, bytes]:
    """The type of a property, or what a method returns and the end of its name for that."""
    if member.type in ("method_signature", "call_signature"):
        return member.child_by_field_name("return_type"), RESULT.encode()
    found = member.child_by_field_name("type")
    inner = found.named_children[:1] if found is not None else []
    if inner and inner[0].type == "function_type":
        return inner[0].child_by_field_name("return_type"), RESULT.encode()
    return found, b""
