"""What annotations in Python say of a value: the classes that it may be of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ObjectKind, ScopeKind, TypeHint
from toolroll_codegraph.languages.python.type_arguments import (
    CLASSES,
    FORWARD,
    MAPPINGS,
    NOT_A_CLASS,
    OPEN,
    PLAIN,
    SEQUENCES,
    TRANSPARENT,
    TUPLES,
    PythonTypeArguments,
    quoted,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_LATER: Final = frozenset(b"Awaitable Coroutine".split())


class PythonAnnotations(PythonTypeArguments):
    """Notes the classes that annotations name."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.in_parameter = False
        """Whether a type variable stands for its bound: who is returned a `T`, or reads one, gets
        more than that."""

    def annotate(self, frame: Frame, slot: int, node: Node) -> None:
        """Note that a slot holds an instance of the annotated class, and whether of no other."""
        if slot < 0:
            return
        before = len(self.types)
        if not self.annotated(frame, slot, node):
            return
        told = False
        for row in range(before, len(self.types), 3):
            if self.types[row] == slot and self.types[row + 2] == TypeHint.DECLARED:
                self.types[row + 2] = TypeHint.LIMIT
                told = True
        if not told:
            self.types += (slot, -1, TypeHint.LIMIT)

    def annotated(self, frame: Frame, slot: int, node: Node) -> bool:
        """Note the classes that an annotation names; True if it can be no others."""
        while node.type in ("type", "parenthesized_expression") and node.named_children:
            node = node.named_children[0]
        kind = node.type
        if kind in ("identifier", "attribute", "member_type"):
            return self.annotated_name(frame, slot, (node.text or b"").split(b"."))
        if kind == "string":
            return self.annotated_text(frame, slot, (node.text or b"").strip(b"\"'"))
        if kind in ("union_type", "binary_operator"):
            return all([self.annotated(frame, slot, child) for child in node.named_children])
        if kind in ("generic_type", "subscript"):
            return self.annotated_generic(frame, slot, node)
        if kind == "none":
            self.types += (slot, -1, TypeHint.DECLARED)
        return kind == "none"

    def annotated_name(self, frame: Frame, slot: int, parts: list[bytes]) -> bool:
        name = parts[-1]
        if name in OPEN:
            return False
        if name in PLAIN and self.name(name) not in self.frames[0].versions:
            self.types += (slot, -1, TypeHint.DECLARED)
            return True
        known = self.type_variable(frame, self.name(parts[0]))
        if not self.in_parameter and (known is not None or self.name(parts[0]) in self.variables):
            return False
        if known is None:
            known = self.annotating(frame, self.name(parts[0]))
        known = self.load_path(frame, known, parts[1:], frame.line)
        if known >= 0:
            self.types += (slot, known, TypeHint.DECLARED)
        return known >= 0

    def type_parameters(self, frame: Frame, node: Node) -> None:
        """Note the parameters of a class or function: `class Box[T: Row]`."""
        for child in node.named_children:
            inner = child.named_children[0]
            parts = [part.named_children[0] for part in inner.named_children if part.named_children]
            if inner.type == "constrained_type" and len(parts) == 2:
                allowed = parts[1].named_children if parts[1].type == "tuple" else parts[1:]
                known, bound = self.alias(frame, *allowed), self.choice(frame, allowed)
                self.own_variable(frame, self.name(parts[0].text or b""), bound, known)
            elif inner.type == "identifier":
                self.own_variable(frame, self.name(inner.text or b""), -1, -1)

    def alias(self, frame: Frame, *nodes: Node) -> int:
        """What a name is that stands for types: `Rows = list[Row]`, `type Rows = list[Row]`."""
        made, inside = self.container(frame, ObjectKind.ALIAS), self.slot()
        for node in nodes:
            self.annotated(frame, inside, node)
        self.store(made, self.any_key, inside)
        return made

    def annotated_text(self, frame: Frame, slot: int, text: bytes) -> bool:
        """An annotation in quotes."""
        if FORWARD.fullmatch(text):
            return self.annotated_name(frame, slot, text.split(b"."))
        node = quoted(text)
        return node is not None and self.annotated(frame, slot, node)

    def quoted_class(self, frame: Frame, node: Node, value: int) -> int:
        """The class that a text names, where the type is an argument: `cast("Reader", value)`."""
        text = (node.text or b"").strip(b"\"'")
        if node.type != "string" or not FORWARD.fullmatch(text):
            return value
        first, *parts = text.split(b".")
        return self.load_path(frame, self.read(frame, self.name(first)), parts, frame.line)

    def annotated_generic(self, frame: Frame, slot: int, node: Node) -> bool:
        head, *arguments = node.named_children
        if arguments and arguments[0].type == "type_parameter":
            arguments = arguments[0].named_children
        base = (head.text or b"").rpartition(b".")[2]
        if base in TRANSPARENT:
            if base == b"Annotated":
                self.annotations(frame, slot, arguments[1:])
                arguments = arguments[:1]
            elif base == b"Coroutine":
                arguments = arguments[-1:]
            told = [self.annotated(frame, slot, argument) for argument in arguments]
            return all(told) and base not in _LATER
        if base in SEQUENCES or base in MAPPINGS:
            mapping = base in MAPPINGS
            container = self.container(
                frame, ObjectKind.MAPPING if mapping else ObjectKind.SEQUENCE
            )
            several = base in TUPLES and b"..." not in [argument.text for argument in arguments]
            element = self.slot()
            for index, argument in enumerate(arguments[-1:] if mapping else arguments):
                if several:
                    element = self.slot()
                    self.store(container, self.name(b"[%d" % index), element)
                self.annotate(frame, element, argument)
            if not several:
                self.store(container, self.any_key, element)
            if mapping and len(arguments) == 2:
                self._annotate_keys(frame, container, arguments[0], element)
            self.copies += (container, slot)
            return base in PLAIN
        if base in CLASSES and len(arguments) == 1:
            inside = self.slot()
            self.annotated(frame, inside, arguments[0])
            self.types += (slot, inside, TypeHint.CLASS)
        elif base == b"Callable" and len(arguments) == 2:
            self._annotated_callable(frame, slot, *arguments)
        elif base not in NOT_A_CLASS:
            return self._annotated_applied(frame, slot, node)
        return base in PLAIN

    def _annotated_applied(self, frame: Frame, slot: int, node: Node) -> bool:
        """Note a class with arguments, as a class of its own: `Repo[Row]`."""
        before = len(self.types)
        told = self.annotated(frame, slot, node.named_children[0])
        if len(self.types) == before + 3 and self.types[before + 1] >= 0:
            known, tree = self.types[before + 1], self.written(frame, node)
            if tree >= 0 and tree != known:
                applied = self.types[before + 1] = self.slot()
                self.applied.add(applied)
                self.relations.append(("applied", tree, 0, applied, known))
        return told

    def _annotated_callable(self, frame: Frame, slot: int, given: Node, gives: Node) -> None:
        """Note what `Callable[[Row], Cell]` is called with, and what it returns."""
        made, result = self.container(frame, ObjectKind.CALLABLE), self.slot()
        self.annotate(frame, result, gives)
        self.store(made, self.any_key, result)
        while given.type == "type" and given.named_children:
            given = given.named_children[0]
        for index, node in enumerate(given.named_children if given.type == "list" else ()):
            parameter = self.slot()
            self.annotate(frame, parameter, node)
            self.store(made, self.name(b"[%d" % index), parameter)
        self.types += (slot, made, TypeHint.OBJECT)

    def annotate_rest(self, frame: Frame, slot: int, node: Node, *, mapping: bool) -> None:
        """Note what `*rows: Row` or `**rows: Row` collects."""
        before = len(self.types)
        element = self.slot()
        self.annotate(frame, element, node)
        if any(known >= 0 for known in self.types[before + 1 :: 3]):
            kind = ObjectKind.MAPPING if mapping else ObjectKind.SEQUENCE
            made = self.container(frame, kind)
            self.store(made, self.any_key, element)
            self.types += (slot, made, TypeHint.OBJECT)

    def _annotate_keys(self, frame: Frame, mapping: int, node: Node, element: int) -> None:
        """Note what the keys of a mapping are, where an annotation names a class of them."""
        before, key = len(self.types), self.slot()
        self.annotate(frame, key, node)
        if any(known >= 0 for known in self.types[before + 1 :: 3]):
            self.dynamic += (-1, mapping, key, element, 0)

    def annotations(self, frame: Frame, slot: int, nodes: list[Node]) -> None:
        """What else an annotation says: `Annotated[Session, Depends(session)]`.

        Where it is a parameter's, it is evaluated around the function.
        """
        around = frame if frame.parent is None or frame.kind != ScopeKind.FUNCTION else frame.parent
        for node in nodes:
            while node.type == "type":
                node = node.named_children[0]
            if node.type == "call" and (value := self.expression(around, node)) >= 0:
                self.relations.append(("annotated", 0, 0, slot, value))


def stands_for(node: Node) -> list[Node]:
    """The types that `TypeVar("T", bound=Row)` or `NewType("Name", Row)` lets a name stand for."""
    name = (node.named_children[0].text or b"").rpartition(b".")[2] if node.type == "call" else b""
    if name not in (b"TypeVar", b"NewType"):
        return []
    given = [child for child in node.named_children[-1].named_children if child.type != "comment"]
    named = [child.named_children for child in given if child.type == "keyword_argument"]
    bounds = [value for key, value in named if key.text == b"bound"]
    return bounds or [child for child in given[1:] if child.type != "keyword_argument"]


def is_type(node: Node) -> bool:
    """Whether an expression looks like a type that a name is to stand for, and no one class."""
    if node.type == "subscript":
        base = (node.named_children[0].text or b"").rpartition(b".")[2]
        return base in TRANSPARENT or base in SEQUENCES or base in MAPPINGS
    if node.type != "binary_operator" or node.children[1].type != "|":
        return False
    operands = node.named_children
    optional = any(operand.type == "none" for operand in operands)
    return all(_may_be_type(operand, optional=optional) for operand in operands)


def _may_be_type(node: Node, *, optional: bool) -> bool:
    if node.type in ("identifier", "attribute"):
        name = (node.text or b"").rpartition(b".")[2]
        return optional or name in PLAIN or (name[:1].isupper() and not name.isupper())
    return node.type in ("none", "string") or is_type(node)
