"""What annotations say of the elements of a container, wherever such an element is taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ScopeKind
from toolroll_codegraph.languages.python.signatures import PythonSignatures
from toolroll_codegraph.languages.python.type_arguments import MAPPINGS, SEQUENCES, TUPLES, quoted

if TYPE_CHECKING:
    from tree_sitter import Node

_OPTIONAL: Final = frozenset([b"Optional", b"Final", b"ClassVar", b"Annotated", b"Mapped"])
_SAME: Final = frozenset([b"list", b"tuple", b"set", b"sorted", b"reversed", b"iter", b"frozenset"])
"""Functions that give the elements they are given."""


class Elements:
    """The annotations of an element: of it as a whole, or of each of its parts."""

    def __init__(self, whole: Node | None, parts: list[Node | None] | None = None) -> None:
        self.whole = whole
        self.parts = parts if whole is None else _parts(whole)


class PythonDeclared(PythonSignatures):
    """Keeps elements to the classes that the annotation of what they are taken from names.

    Only while a name has the one value that was annotated: what it is bound to later may be
    anything else.
    """

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._declared: dict[tuple[int, int], Node] = {}
        """(scope, name) → the annotation of a parameter, variable or attribute."""
        self.generic: dict[tuple[int, int], Node] = {}
        """(scope, name) → the annotation of a parameter that may name type variables."""

    def declare(self, frame: Frame, target: Node, annotation: Node) -> None:
        """Note the annotation of a name or an attribute of a method's receiver."""
        owner, name = self._place(frame, target)
        node = _plain(annotation)
        if owner is not None and node is not None and node.type in ("generic_type", "subscript"):
            self._declared[owner.index, name] = node

    def note_attribute(
        self, frame: Frame, target: Node, annotation: Node, *, applied: bool = False
    ) -> None:
        """Note the type of an attribute, if it depends on who is asked or has arguments."""
        owner, name = self._place(frame, target)
        if owner is not None and owner.kind == ScopeKind.CLASS:
            tree = -1
            if applied or self.depends(frame, annotation):
                tree = self.written(frame, annotation)
            if tree >= 0:
                self.relations.append(("typed", owner.index, name, tree, 0))

    def note_kept(self, frame: Frame, target: Node, value: Node) -> None:
        """Note the type of an attribute that has what the constructor is given."""
        name = self.name(value.text or b"")
        annotation = self.generic.get((frame.index, name))
        if (
            annotation is not None
            and frame.name == self.name(b"__init__")
            and len(frame.versions[name]) == 1
        ):
            self.note_attribute(frame, target, annotation)

    def _place(self, frame: Frame, node: Node) -> tuple[Frame | None, int]:
        """The scope that a variable or an attribute belongs to, and its name."""
        if node.type == "identifier":
            return frame, self.name(node.text or b"")
        if node.type == "attribute" and node.named_child_count == 2:
            base, attribute = node.named_children
            method: Frame | None = frame
            while method is not None and method.this < 0:
                method = method.parent
            if method is not None and method.is_receiver(self.name(base.text or b"")):
                return method.parent, self.name(attribute.text or b"")
        return None, -1

    def _declaration(self, frame: Frame, node: Node) -> Node | None:
        owner, name = self._place(frame, node)
        found = None if owner is None else self._declared.get((owner.index, name))
        if found is None or owner is None:
            return None
        several = owner.kind != ScopeKind.CLASS and len(owner.versions.get(name, ())) > 1
        return None if several else found

    def elements(self, frame: Frame, node: Node) -> Elements | None:
        """What is known of the elements that iterating over an expression gives."""
        if not self._declared:
            return None
        while node.type in ("boolean_operator", "parenthesized_expression") and node.named_children:
            node = node.named_children[0]  # `rows or ()`
        if node.type == "call":
            return self._elements_of_call(frame, *node.named_children[:2])
        declared = self._declaration(frame, node)
        arguments = None if declared is None else _arguments(declared)
        if declared is None or not arguments:
            return None
        base = _base(declared)
        if base in MAPPINGS or (base in SEQUENCES and (base not in TUPLES or _is_long(arguments))):
            return Elements(arguments[0])
        return None

    def _elements_of_call(self, frame: Frame, function: Node, given: Node) -> Elements | None:
        if function.type == "identifier" and given.named_child_count:
            first = self.elements(frame, given.named_children[0])
            if first is None or function.text in _SAME:
                return first
            return Elements(None, [None, first.whole]) if function.text == b"enumerate" else None
        if function.type != "attribute" or given.named_child_count:
            return None
        declared = self._declaration(frame, function.named_children[0])
        if declared is None or _base(declared) not in MAPPINGS:
            return None
        key, value, *_ = [*_arguments(declared), None, None]
        method = function.named_children[-1].text
        if method == b"items":
            return Elements(None, [key, value])
        return Elements(value) if method == b"values" else None

    def item(self, frame: Frame, node: Node) -> Node | None:
        """The annotation of what a subscript of an expression gives."""
        declared = self._declaration(frame, node) if self._declared else None
        if declared is None:
            return None
        base, arguments = _base(declared), _arguments(declared)
        if base in MAPPINGS:
            return arguments[1] if len(arguments) == 2 else None
        return arguments[0] if base in SEQUENCES and base not in TUPLES and arguments else None

    def limited(self, frame: Frame, value: int, annotation: Node | None) -> int:
        """A value as far as an annotation admits it."""
        if annotation is None or value < 0:
            return value
        slot = self.slot()
        self.annotate(frame, slot, annotation)
        self.relations.append(("limited", frame.index, 0, slot, value))
        return slot


def _plain(node: Node) -> Node | None:
    """An annotation without what says that it may be missing."""
    while node.type in ("type", "parenthesized_expression") and node.named_children:
        node = node.named_children[0]
    if node.type == "string":
        expression = quoted((node.text or b"").strip(b"\"'"))
        return None if expression is None else _plain(expression)
    if node.type in ("union_type", "binary_operator"):
        parts = [part for part in map(_plain, node.named_children) if part is not None]
        return parts[0] if len(parts) == 1 else None
    if node.type == "none":
        return None
    if node.type in ("generic_type", "subscript") and _base(node) in _OPTIONAL:
        arguments = _arguments(node)
        first = arguments[0] if arguments else None
        return None if first is None else _plain(first)
    return node


def _base(node: Node) -> bytes:
    return (node.named_children[0].text or b"").rpartition(b".")[2]


def _arguments(node: Node) -> list[Node | None]:
    arguments = node.named_children[1:]
    if arguments and arguments[0].type == "type_parameter":
        arguments = arguments[0].named_children
    return [*arguments]


def _is_long(arguments: list[Node | None]) -> bool:
    """Whether a tuple has any number of elements of one kind."""
    return len(arguments) == 2 and arguments[1] is not None and arguments[1].text == b"..."


def _parts(node: Node) -> list[Node | None] | None:
    """The annotations of the parts of a tuple."""
    node = _plain(node) or node
    if node.type not in ("generic_type", "subscript") or _base(node) not in TUPLES:
        return None
    arguments = _arguments(node)
    return None if _is_long(arguments) else arguments
