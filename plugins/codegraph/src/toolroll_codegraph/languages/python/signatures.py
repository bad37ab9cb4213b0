"""Parameters and annotations of Python functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    ANY_KEY,
    FactBuilder,
    Frame,
    ObjectKind,
    ParamKind,
    ScopeFlag,
    ScopeKind,
    TypeHint,
)
from toolroll_codegraph.languages.grammar import parser_for

if TYPE_CHECKING:
    from tree_sitter import Node

_FORWARD: Final = re.compile(rb"[A-Za-z_][\w.]*")
SEQUENCES: Final = frozenset(
    b"list List Sequence Iterable Iterator Generator set Set frozenset FrozenSet tuple Tuple "
    b"Collection AsyncIterator AsyncIterable AsyncGenerator deque Deque MutableSequence".split()
)
TUPLES: Final = frozenset([b"tuple", b"Tuple"])
MAPPINGS: Final = frozenset(
    b"dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict".split()
)
_TRANSPARENT: Final = frozenset(
    b"Optional Union Annotated Final ClassVar Awaitable Coroutine Required NotRequired "
    b"Mapped".split()
)
_LATER: Final = frozenset(b"Awaitable Coroutine".split())
_NOT_A_CLASS: Final = (b"Literal", b"Callable", b"type", b"Type")
_PLAIN: Final = frozenset(
    b"None str int float complex bool bytes bytearray Literal type Type list List dict Dict "
    b"set Set frozenset FrozenSet tuple Tuple deque Deque "
    b"defaultdict DefaultDict OrderedDict".split()
)
"""What no class of a project is, unless it derives from it."""
_OPEN: Final = frozenset(b"Any object Self Incomplete Unused".split())


class PythonSignatures(FactBuilder):
    """What a signature says: a slot for each parameter, and the class an annotation names."""

    def __init__(self, source: bytes) -> None:
        super().__init__("python")
        self.source = source
        self.any_key = self.name(ANY_KEY.encode())
        self.defaults: dict[int, dict[int, tuple[int, int]]] = {}
        """Function → its parameters that have a default: (name, slot of that)."""

    def expression(self, frame: Frame, node: Node) -> int:
        """Evaluate an expression to a slot."""
        raise NotImplementedError

    def parameters(self, frame: Frame, inner: Frame, node: Node) -> None:
        """Give every parameter a slot; defaults are evaluated in the enclosing scope."""
        keyword_only = False
        for child in node.named_children:
            kind, target, shape = child.type, child, ParamKind.POSITIONAL
            if kind == "keyword_separator":
                keyword_only = True
                continue
            if kind == "positional_separator":
                inner.params = [(name, slot, ParamKind.UNNAMED) for name, slot, _ in inner.params]
                continue
            if kind == "comment":
                continue
            if kind in ("default_parameter", "typed_default_parameter", "typed_parameter"):
                target = child.named_children[0]
            if target.type == "list_splat_pattern":
                shape, keyword_only = ParamKind.REST, True
            elif target.type == "dictionary_splat_pattern":
                shape = ParamKind.KEYWORDS
            elif keyword_only:
                shape = ParamKind.KEYWORD
            if target.type != "identifier":
                if not target.named_children:
                    continue
                target = target.named_children[0]
            name = self.name(target.text or b"")
            slot = self.slot()
            inner.params.append((name, slot, int(shape)))
            self.assign(inner, name, slot)
            if shape in (ParamKind.REST, ParamKind.KEYWORDS):
                self.steady.add(slot)
            default = child.child_by_field_name("value")
            if default is None and shape == ParamKind.POSITIONAL:
                inner.flags += ScopeFlag.REQUIRED
            elif default is not None:
                value = self.expression(frame, default)
                if value >= 0:
                    self.copies += (value, slot)
                    self.defaults.setdefault(inner.index, {})[slot] = name, value
                    self.relations.append(("default", inner.index, 0, slot, value))

    # annotations

    def annotate(self, frame: Frame, slot: int, node: Node) -> None:
        """Note that a slot holds an instance of the annotated class, and whether of no other."""
        if slot < 0:
            return
        before = len(self.types)
        if not self.annotated(frame, slot, node):
            return
        told = False
        for row in range(before, len(self.types), 3):
            if self.types[row] == slot:
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
        if name in _OPEN:
            return False
        if name in _PLAIN and self.name(name) not in self.frames[0].versions:
            self.types += (slot, -1, TypeHint.DECLARED)
            return True
        known = self._annotating(frame, self.name(parts[0]))
        for part in parts[1:]:
            known = self.load(frame, known, self.name(part), frame.line)
        if known >= 0:
            self.types += (slot, known, TypeHint.DECLARED)
        return known >= 0

    def _annotating(self, frame: Frame, name: int) -> int:
        """A name in an annotation, which may name a class further down: Python reads it later."""
        around: Frame | None = frame
        while around is not None and around.kind == ScopeKind.CLASS and name not in around.env:
            around = around.parent
        if around is None or name in around.env or around.kind == ScopeKind.FUNCTION:
            return self.read(frame, name)
        slot = self.slot()

        def read() -> None:
            self.copies += (self.read(frame, name), slot)

        self.deferred.append(read)
        return slot

    def alias(self, frame: Frame, node: Node) -> int:
        """What a name is that stands for a type: `Rows = list[Row]`, `type Rows = list[Row]`."""
        made, inside = self.container(frame, ObjectKind.ALIAS), self.slot()
        self.annotated(frame, inside, node)
        self.store(made, self.any_key, inside)
        return made

    def annotated_text(self, frame: Frame, slot: int, text: bytes) -> bool:
        """An annotation in quotes."""
        if _FORWARD.fullmatch(text):
            return self.annotated_name(frame, slot, text.split(b"."))
        node = quoted(text)
        return node is not None and self.annotated(frame, slot, node)

    def quoted_class(self, frame: Frame, node: Node, value: int) -> int:
        """The class that a text names, where the type is an argument: `cast("Reader", value)`."""
        text = (node.text or b"").strip(b"\"'")
        if node.type != "string" or not _FORWARD.fullmatch(text):
            return value
        first, *parts = text.split(b".")
        known = self.read(frame, self.name(first))
        for part in parts:
            known = self.load(frame, known, self.name(part), frame.line)
        return known

    def annotated_generic(self, frame: Frame, slot: int, node: Node) -> bool:
        head, *arguments = node.named_children
        if arguments and arguments[0].type == "type_parameter":
            arguments = arguments[0].named_children
        base = (head.text or b"").rpartition(b".")[2]
        if base in _TRANSPARENT:
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
            self.copies += (container, slot)
            return base in _PLAIN
        if base not in _NOT_A_CLASS:
            return self.annotated(frame, slot, head)
        return base in _PLAIN

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


def is_type(node: Node) -> bool:
    """Whether an expression looks like a type that a name is to stand for, and no one class."""
    if node.type == "subscript":
        base = (node.named_children[0].text or b"").rpartition(b".")[2]
        return base in _TRANSPARENT or base in SEQUENCES or base in MAPPINGS
    if node.type != "binary_operator" or node.children[1].type != "|":
        return False
    operands = node.named_children
    optional = any(operand.type == "none" for operand in operands)
    return all(_may_be_type(operand, optional=optional) for operand in operands)


def _may_be_type(node: Node, *, optional: bool) -> bool:
    if node.type in ("identifier", "attribute"):
        name = (node.text or b"").rpartition(b".")[2]
        return optional or name in _PLAIN or (name[:1].isupper() and not name.isupper())
    return node.type in ("none", "string") or is_type(node)


def quoted(text: bytes) -> Node | None:
    """The expression that an annotation in quotes is."""
    statement = parser_for("python").parse(text).root_node.named_children[:1]
    return statement[0].named_children[0] if statement and statement[0].named_children else None


def is_abstract(body: Node) -> bool:
    """A body that only documents, passes or raises NotImplementedError is to be overridden."""
    for statement in body.named_children:
        kind = statement.type
        if kind == "raise_statement":
            return b"NotImplemented" in (statement.text or b"")
        if kind == "expression_statement":
            only = statement.named_children[0].type if statement.named_children else ""
            if only not in ("string", "ellipsis"):
                return False
        elif kind not in ("pass_statement", "comment"):
            return False
    return True
