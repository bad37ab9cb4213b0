"""TypeScript's types with their arguments, as texts in prefix notation.

`g12,2 n7 p3,0` is what slot 12 names, of two arguments: what slot 7 names, and the first parameter
of the file's list 3. `e` is what holds elements, `f` a function by its result, `k` a
part of a type by its key, `m4` a mapped type by what its values are for the key that is list 4,
`"name` a text, `|3` a union of three, `_` what is no object, `?` what nobody knows.

Relations keep them: `:` what a slot is declared as, `(` the arguments that a call gives (by its
result), `$` what each parameter of a scope is where nothing is given and what it extends, `^` what
a class or interface derives from, `@` what a name stands for, behind the same of its parameters
(the slot is for an object that tells the name from what it stands for).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.javascript.container_types import (
    MAPS,
    SEQUENCES,
    JavaScriptContainerTypes,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from tree_sitter import Node

SAME: Final = frozenset(
    b"Promise PromiseLike Awaited Readonly Partial Required NonNullable Omit Pick InstanceType "
    b"Extract Exclude NoInfer HydratedDocument".split()
)
"""Types of what their first argument is, as far as calls go."""
NOTHING: Final = "_"
UNKNOWN: Final = "?"
_ANYTHING: Final = (b"any", b"unknown", b"object")
_INSIDE: Final = frozenset([
    "type_annotation", "opting_type_annotation", "parenthesized_type", "readonly_type",
    "optional_type", "constraint", "default_type",
])  # fmt: skip
_NAMES: Final = frozenset(["type_identifier", "nested_type_identifier", "this"])
_JOINED: Final = frozenset(["union_type", "intersection_type"])
_PARTS: Final = "pkm"
"""Begin what tells more than the class that it names, as `g` does with arguments that tell one."""


class JavaScriptTypeTerms(JavaScriptContainerTypes):
    """Notes types that have arguments, and what is declared with parameters."""

    def __init__(self, source: bytes, language: str) -> None:
        super().__init__(source, language)
        self._file = source
        self._parameters: dict[int, dict[bytes, str]] = {}
        """Scope → its type parameters by name."""
        self._nearest: list[dict[bytes, str]] = []
        """Parameters of the names and mapped types that are read, which have no scope."""
        self._lists: dict[int, int] = {}
        """Where a list of parameters begins → its number, whatever stands before it."""
        self._terms: dict[int, int] = {}
        """Type in the source → the slot that it is evaluated to."""

    def type_value(self, frame: Frame, node: Node) -> int:
        """The slot of the class, interface or alias that a type names; -1 for others."""
        raise NotImplementedError

    def has_terms(self) -> bool:
        """Whether types of the file itself are read: those in comments have no arguments."""
        return self.language == "typescript" and self.source is self._file

    def object_type(self, frame: Frame, name: bytes, node: Node) -> int:
        """The slot of an object type, which is an interface."""
        raise NotImplementedError

    def known_type(self, frame: Frame, node: Node, name: bytes = b"") -> int:
        """As `type_value`, of each type once: some open a scope. An object type may have a name."""
        slot = self._terms.get(node.id) if self.has_terms() else None
        if slot is None:
            slot = self.object_type(frame, name, node) if name else self.type_value(frame, node)
            if self.has_terms():
                self._terms[node.id] = slot
        return slot

    @contextmanager
    def naming(self, node: Node) -> Generator[None]:
        """Read what a name stands for, with the type parameters of the name."""
        given = node.child_by_field_name("type_parameters") if self.has_terms() else None
        self._nearest.append({} if given is None else self._listed(given))
        yield
        self._nearest.pop()

    def declare_parameters(self, frame: Frame, node: Node) -> None:
        """Note the type parameters of a class, interface or function, in its own frame."""
        given = node.child_by_field_name("type_parameters") if self.has_terms() else None
        if given is not None:
            self._parameters[frame.index] = self._listed(given)
            terms = self._defaults(frame, given)
            self.relations.append(("$" + " ".join(terms), frame.index, self._number(given), 0, 0))

    def declare_bases(self, frame: Frame, inner: Frame, node: Node, base: int = -1) -> None:
        """Note the arguments of what a class or interface derives from, or implements."""
        if not self.has_terms():
            return
        given = node.child_by_field_name("type_arguments")
        if base < 0:
            term = self.term(frame, node)
        else:
            parts = [self.term(inner, part) for part in _parts(given)]
            term = " ".join([f"g{base},{len(parts)}", *parts])
        if given is not None or term[0] == "g":
            self.relations.append(("^" + term, inner.index, 0, 0, 0))

    def name_terms(self, frame: Frame, node: Node, value: Node) -> int:
        """Note what a name stands for, and the slot of an object of its own; -1 for none."""
        if not self.has_terms():
            return -1
        given = node.child_by_field_name("type_parameters")
        defaults = [] if given is None else self._defaults(frame, given)
        term = self.term(frame, value)
        if given is None and not _is_telling(term):
            return -1
        slot = self.slot()
        text = " ".join([*defaults, term])
        self.relations.append(("@" + text, self._number(given or node), 0, slot, 0))
        return slot

    def note_type(self, frame: Frame, slot: int, node: Node) -> None:
        """Note what a slot is declared as, where that has arguments or is one."""
        if self.has_terms():
            term = self.term(frame, node)
            if _is_telling(term):
                self.relations.append((":" + term, 0, 0, slot, 0))

    def note_arguments(self, frame: Frame, result: int, node: Node) -> None:
        """Note the type arguments of a call; those of `new` are of what it makes."""
        given = node.child_by_field_name("type_arguments") if self.has_terms() else None
        if given is None:
            return
        parts = [self.term(frame, part) for part in _parts(given)]
        if any(part not in (NOTHING, UNKNOWN) for part in parts):
            self.relations.append(("(" + " ".join(parts), 0, 0, result, 0))

    def _number(self, given: Node) -> int:
        """The number of a list of type parameters, or of what has one parameter of its own."""
        return self._lists.setdefault(given.start_byte, len(self._lists))

    def _listed(self, given: Node) -> dict[bytes, str]:
        found: dict[bytes, str] = {}
        for place, parameter in enumerate(_parts(given)):
            name = parameter.child_by_field_name("name")
            if name is not None:
                found[self.text(name)] = f"p{self._number(given)},{place}"
        return found

    def _defaults(self, frame: Frame, given: Node) -> list[str]:
        """What each parameter is where nothing is given, its default or else what it extends, and
        what it extends."""
        found: list[str] = []
        for parameter in _parts(given):
            bound = parameter.child_by_field_name("constraint")
            told = parameter.child_by_field_name("value") or bound
            for part in (told, bound):
                found.append(UNKNOWN if part is None else self.term(frame, part))
        return found

    def _parameter(self, frame: Frame, name: bytes) -> str | None:
        """The type parameter of a name, of the innermost that has it."""
        for known in reversed(self._nearest):
            if name in known:
                return known[name]
        around: Frame | None = frame
        while around is not None:
            known = self._parameters.get(around.index)
            if known is not None and name in known:
                return known[name]
            around = around.parent
        return None

    def term(self, frame: Frame, node: Node) -> str:
        """A type as a text."""
        kind = node.type
        if kind in _INSIDE:
            parts = _parts(node)
            return self.term(frame, parts[0]) if len(parts) == 1 else UNKNOWN
        if kind in _JOINED:
            return _union([self.term(frame, part) for part in _parts(node)])
        if kind == "conditional_type":
            ends = map(node.child_by_field_name, ("consequence", "alternative"))
            return _union([self.term(frame, end) for end in ends if end is not None])
        if kind == "type_identifier":
            parameter = self._parameter(frame, self.text(node))
            if parameter is not None:
                return parameter
        if kind == "generic_type":
            return self._generic(frame, node)
        if kind == "array_type":
            return _wrapped("e", self.term(frame, node.named_children[0]))
        if kind == "function_type":
            result = node.child_by_field_name("return_type")
            return _wrapped("f", UNKNOWN if result is None else self.term(frame, result))
        if kind == "lookup_type":
            of, key = node.named_children[0], node.named_children[-1]
            return _wrapped("k", self.term(frame, of), self.term(frame, key))
        if kind == "literal_type":
            inner = node.named_children[:1]
            text = self.text(inner[0])[1:-1] if inner and inner[0].type == "string" else b""
            return '"' + text.decode("utf-8", "replace") if text.split() == [text] else NOTHING
        if kind == "object_type":
            return self._object(frame, node)
        if kind in _NAMES or kind == "type_query":
            slot = self.known_type(frame, node)
            return f"n{slot}" if slot >= 0 else UNKNOWN
        if kind == "predefined_type" and self.text(node) not in _ANYTHING:
            return NOTHING
        return UNKNOWN

    def _generic(self, frame: Frame, node: Node) -> str:
        head, parts = node.named_children[0], _parts(node.named_children[1])
        name = self.text(head)
        if name in SAME and parts:
            if parts[0].type == "type_query" and name == b"InstanceType":
                slot = self.known_type(frame, parts[0].named_children[0])
                return f"n{slot}" if slot >= 0 else UNKNOWN
            return self.term(frame, parts[0])
        if name in SEQUENCES:
            return _wrapped("e", self.term(frame, parts[0])) if parts else UNKNOWN
        if name in MAPS:
            return _wrapped("e", self.term(frame, parts[1])) if len(parts) > 1 else UNKNOWN
        whole = name == b"ReturnType"
        slot = self.known_type(frame, node if whole else head)
        if slot < 0:
            return UNKNOWN
        terms = [] if whole else [self.term(frame, part) for part in parts]
        return " ".join([f"g{slot},{len(terms)}", *terms]) if terms else f"n{slot}"

    def _object(self, frame: Frame, node: Node) -> str:
        """An object type: a mapped one, a dictionary, or an interface without a name."""
        members = _parts(node)
        if len(members) == 1 and members[0].type == "index_signature":
            told = members[0].child_by_field_name("type")
            clause = members[0].named_children[0]
            if told is None:
                return UNKNOWN
            if clause.type != "mapped_type_clause":
                return _wrapped("e", self.term(frame, told))
            name = clause.child_by_field_name("name")
            place = self._number(clause)
            self._nearest.append({} if name is None else {self.text(name): f"p{place},0"})
            term = self.term(frame, told)
            self._nearest.pop()
            return _wrapped(f"m{place}", term)
        slot = self.known_type(frame, node)
        return f"o{slot}" if slot >= 0 else UNKNOWN


def _parts(node: Node | None) -> list[Node]:
    children = () if node is None else node.named_children
    return [child for child in children if child.type != "comment"]


def _wrapped(head: str, *terms: str) -> str:
    return terms[0] if terms[0] in (NOTHING, UNKNOWN) else " ".join((head, *terms))


def _union(terms: list[str]) -> str:
    known = [term for term in terms if term != NOTHING]
    if len(known) < 2:
        return known[0] if known else NOTHING
    return " ".join([f"|{len(known)}", *known])


def _is_telling(term: str) -> bool:
    begins = {token[0] for token in term.split()}
    return not begins.isdisjoint(_PARTS) or ("g" in begins and not begins.isdisjoint("no"))
