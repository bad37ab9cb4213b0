"""Types that are written with arguments in Python, `Repo[Row]`, and the parameters of generic ones.

What a `list[T]` is depends on who is asked: the receiver of a method says what its `T` stands for.
Such types are kept as trees. A name in one is the slot of that name; anything else is a slot of its
own, of whose parts relations tell (`Part`). Source: PEP 484 (generics) and PEP 695 (`class A[T]`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ScopeKind
from toolroll_codegraph.facts.model import Part
from toolroll_codegraph.languages.builder import SourceBuilder
from toolroll_codegraph.languages.grammar import parser_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

FORWARD: Final = re.compile(rb"[A-Za-z_][\w.]*")
SEQUENCES: Final = frozenset(
    b"list List Sequence Iterable Iterator Generator set Set frozenset FrozenSet tuple Tuple "
    b"Collection AsyncIterator AsyncIterable AsyncGenerator deque Deque MutableSequence".split()
)
TUPLES: Final = frozenset([b"tuple", b"Tuple"])
MAPPINGS: Final = frozenset(
    b"dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict".split()
)
TRANSPARENT: Final = frozenset(
    b"Optional Union Annotated Final ClassVar Awaitable Coroutine Required NotRequired "
    b"Mapped".split()
)
CLASSES: Final = (b"type", b"Type")
NOT_A_CLASS: Final = (b"Literal", b"Callable", *CLASSES)
PLAIN: Final = frozenset(
    b"None str int float complex bool bytes bytearray Literal type Type list List dict Dict "
    b"set Set frozenset FrozenSet tuple Tuple deque Deque "
    b"defaultdict DefaultDict OrderedDict".split()
)
"""What no class of a project is, unless it derives from it."""
OPEN: Final = frozenset(b"Any object Self Incomplete Unused".split())
_FIRST: Final = frozenset([b"Annotated", b"Generator", b"AsyncGenerator"])
"""Of whose arguments the first tells what is held."""
_LISTING: Final = (b"Generic", b"Protocol")
"""Bases that only list the parameters of a class."""
_GUARDS: Final = (b"TypeGuard", b"TypeIs")
"""Of these the second tells of what type its argument is not, too."""
_NAME: Final = re.compile(rb"[A-Za-z_]\w*")
_IMPORTED: Final = re.compile(rb"_?(?:[A-Z]{1,3}\d?|T_?\w*|\w*(?:T|Type|_co|_contra|_T))\Z")
"""How names of type variables look: of imported ones the values tell whether they are any."""
_Parts = list[tuple[int, int, int]]
"""(`Part`, key or position, slot) of the parts of a type."""


class PythonTypeArguments(SourceBuilder):
    """Notes types with arguments, and which parameters classes and functions have."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source, "python")
        self.type_variables: dict[tuple[int, int], int] = {}
        """(scope, name) → slot of what a parameter of a class or function may be: `[T: Row]`."""
        self.variables: set[int] = set()
        """Names that `TypeVar` has made."""
        self.applied: set[int] = set()
        """Slots of classes with arguments."""
        self._own: dict[tuple[int, int], int] = {}
        """(scope, name) → slot of a type variable: `class Box[T]`."""
        self._depending: dict[tuple[bytes, int, int], bool] = {}
        """What `depends` has found, by the text and by how many names there were then."""
        self._arguments: set[int] = set()
        """Names that bases of classes are given: `class Rows(Store[Key, T])`."""

    def note_variable(self, frame: Frame, slot: int, bound: int) -> None:
        """Note that a slot has a type variable, with the tree of its bound or -1."""
        self.relations.append(("variable", frame.index, bound, slot, 0))

    def own_variable(self, frame: Frame, name: int, bound: int, alias: int) -> None:
        """Note a parameter in brackets behind a class's or function's name."""
        slot = self._own[frame.index, name] = self.slot()
        self.type_variables[frame.index, name] = alias
        self.note_variable(frame, slot, bound)
        if frame.kind == ScopeKind.CLASS:
            place = sum(scope == frame.index for scope, _ in self._own) - 1
            self.relations.append(("parameter", frame.index, place, slot, 0))

    def type_variable(self, frame: Frame, name: int) -> int | None:
        """The slot of what a parameter of a class or function may be; None for other names."""
        around = self._with(frame, name)
        return None if around is None else self.type_variables[around.index, name]

    def _with(self, frame: Frame, name: int) -> Frame | None:
        around: Frame | None = frame if self.type_variables else None
        while around is not None and (around.index, name) not in self.type_variables:
            around = around.parent
        return around

    def annotating(self, frame: Frame, name: int) -> int:
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

    # trees

    def note_base(self, frame: Frame, node: Node, slot: int) -> None:
        """Note the arguments of a class's base, which a slot holds: `class Rows(Store[Row])`."""
        head = (node.named_children[0].text or b"").rpartition(b".")[2]
        for place, argument in enumerate(arguments_of(node)):
            for name in _NAME.findall(argument.text or b""):
                self._arguments.add(self.name(name))
            tree = self.written(frame, argument)
            if head in _LISTING:
                self.relations.append(("parameter", frame.index, place, tree, 0))
            elif tree >= 0:
                self.relations.append(("argument", frame.index, place, tree, slot))

    def note_type(self, kind: str, frame: Frame, scope: int, name: int, node: Node) -> int:
        """Note the type of a result or an attribute if it depends on who is asked; its tree."""
        tree = self.written(frame, node) if self.depends(frame, node) else -1
        if tree >= 0:
            self.relations.append((kind, scope, name, tree, 0))
        return tree

    def note_guard(self, frame: Frame, node: Node) -> None:
        """Note a function that tells of what type its argument is: `-> TypeIs[Row]`."""
        while node.type in ("type", "parenthesized_expression") and node.named_children:
            node = node.named_children[0]
        if node.type == "string":
            inside = quoted((node.text or b"").strip(b"\"'"))
            if inside is not None and inside.type == "subscript":
                self.note_guard(frame, inside)
        elif node.type in ("generic_type", "subscript"):
            head = (node.named_children[0].text or b"").rpartition(b".")[2]
            tree = self.choice(frame, arguments_of(node)) if head in _GUARDS else -1
            if tree >= 0:
                self.relations.append(("guards", frame.index, _GUARDS.index(head), tree, 0))

    def depends(self, frame: Frame, node: Node) -> bool:
        """Whether an annotation may name a type variable."""
        text = node.text or b""
        known = len(self.variables) + len(self._arguments) + len(self.type_variables)
        key = text, known, frame.index if self.type_variables else 0
        found = self._depending.get(key)
        if found is None:
            found = self._depending[key] = self._names_variable(frame, text)
        return found

    def _names_variable(self, frame: Frame, annotation: bytes) -> bool:
        modules, classes = self.frames[0].versions, self.frames
        for text in dict.fromkeys(_NAME.findall(annotation)):
            name = self.name(text)
            if name in self.variables or self._with(frame, name) is not None:
                return True
            if (name in self._arguments or _IMPORTED.match(text)) and name in modules:
                own = any(it.name == name and it.kind == ScopeKind.CLASS for it in classes)
                if not own and text not in PLAIN:
                    return True
        return False

    def written(self, frame: Frame, node: Node) -> int:
        """The tree of a type; -1 where it names no class."""
        while node.type in ("type", "parenthesized_expression") and node.named_children:
            node = node.named_children[0]
        kind = node.type
        if kind in ("identifier", "attribute", "member_type"):
            return self._named(frame, (node.text or b"").split(b"."))
        if kind == "string":
            inside = quoted((node.text or b"").strip(b"\"'"))
            return -1 if inside is None else self.written(frame, inside)
        if kind in ("union_type", "binary_operator"):
            return self.choice(frame, node.named_children)
        return self._generic(frame, node) if kind in ("generic_type", "subscript") else -1

    def _named(self, frame: Frame, parts: list[bytes]) -> int:
        name = self.name(parts[0])
        around = self._with(frame, name)
        if around is not None:
            return self._own[around.index, name]
        if parts[-1] in OPEN or (parts[-1] in PLAIN and name not in self.frames[0].versions):
            return -1
        return self.load_path(frame, self.annotating(frame, name), parts[1:], frame.line)

    def _generic(self, frame: Frame, node: Node) -> int:
        head, arguments = node.named_children[0], arguments_of(node)
        base = (head.text or b"").rpartition(b".")[2]
        if base in _FIRST:
            arguments = arguments[:1]
        if base in TRANSPARENT:
            return self.choice(frame, arguments[-1:] if base == b"Coroutine" else arguments)
        if base in CLASSES:
            return self._whole([(Part.CLASS, 0, self.choice(frame, arguments))])
        if base in MAPPINGS:
            return self._whole([(Part.VALUE, 0, self.choice(frame, arguments[1:]))])
        if base in TUPLES and b"..." not in [argument.text for argument in arguments]:
            return self._tuple([self.written(frame, argument) for argument in arguments])
        if base in SEQUENCES:
            return self._whole([(Part.ELEMENT, 0, self.choice(frame, arguments))])
        if base in NOT_A_CLASS:
            return -1
        given = [
            (Part.ARGUMENT, place, self.written(frame, argument))
            for place, argument in enumerate(arguments)
        ]
        if all(slot < 0 for _, _, slot in given):
            return self.written(frame, head)
        return self._whole([(Part.HEAD, 0, self.written(frame, head)), *given])

    def _tuple(self, trees: list[int]) -> int:
        if max(trees, default=-1) < 0:
            return -1
        return self._whole([
            (Part.PLACE, self.name(b"[%d" % place), tree if tree >= 0 else self.slot())
            for place, tree in enumerate(trees)
        ])  # fmt: skip

    def choice(self, frame: Frame, nodes: Sequence[Node]) -> int:
        """The tree of what is of one of some types."""
        found = [tree for tree in (self.written(frame, node) for node in nodes) if tree >= 0]
        return found[0] if len(found) == 1 else self._whole([(Part.CHOICE, 0, it) for it in found])

    def _whole(self, parts: _Parts) -> int:
        """The slot of a type of such parts; those of which nothing is known are left out."""
        parts = [part for part in parts if part[2] >= 0]
        if not parts:
            return -1
        whole = self.slot()
        for form, key, slot in parts:
            self.relations.append(("part", form, key, whole, slot))
        return whole


def arguments_of(node: Node) -> list[Node]:
    """The arguments of a type: `[K, V]` of `Store[K, V]`."""
    arguments = node.named_children[1:]
    if arguments and arguments[0].type == "type_parameter":
        arguments = arguments[0].named_children
    if len(arguments) == 1 and arguments[0].type == "tuple":
        arguments = arguments[0].named_children
    return [argument for argument in arguments if argument.type != "comment"]


def quoted(text: bytes) -> Node | None:
    """The expression that an annotation in quotes is."""
    statement = parser_for("python").parse(text).root_node.named_children[:1]
    return statement[0].named_children[0] if statement and statement[0].named_children else None
