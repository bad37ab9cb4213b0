"""Python's literals and comprehensions: tuples, lists, sets and dictionaries to containers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import OWN_NAME, CallFlag, Frame, ObjectKind
from toolroll_codegraph.languages.grammar import Dispatch
from toolroll_codegraph.languages.python.sequences import PythonSequences, told_apart
from toolroll_codegraph.languages.python.spelled import note_text

if TYPE_CHECKING:
    from tree_sitter import Node

_ROWS: Final = {
    "tuple": ObjectKind.SEQUENCE, "list": ObjectKind.SEQUENCE, "dictionary": ObjectKind.MAPPING,
}  # fmt: skip
_LONG_TABLE: Final = 16
_STAR: Final = ord("*")
Handler = Callable[[Any, Frame, Any], int]
EXPRESSIONS: Final[Dispatch[Handler]] = Dispatch("python")


class PythonContainers(PythonSequences):
    """Fills containers, and takes elements out where something is iterated over."""

    own_methods: dict[int, frozenset[bytes]]
    """Class → the names of the methods in its body."""

    def target(self, frame: Frame, node: Node, value: int) -> None:
        """Bind an assignment target."""
        raise NotImplementedError

    def condition(self, frame: Frame, node: Node) -> Any:
        """Evaluate a test; what is known where it holds, and where it does not."""
        raise NotImplementedError

    def learn(self, frame: Frame, known: Any) -> None:
        """Bind a name to what a test has left of its value."""
        raise NotImplementedError

    def literal_key(self, node: Node) -> bytes | None:
        """The text of a plain string or integer literal, of `None` and the like, of several."""
        text = node.text or b""
        if node.type in ("integer", "none", "true", "false"):
            return text
        if node.type == "string" and text[:1] in (b'"', b"'"):
            return told_apart(text[1:-1])
        if node.type == "tuple":
            return self.literal_keys(node.named_children)
        return None

    def literal_keys(self, nodes: list[Node]) -> bytes | None:
        """The key that a tuple of literals is."""
        parts = [self.literal_key(node) for node in nodes]
        known = [part for part in parts if part is not None]
        return b"(%s)" % b",".join(known) if len(known) == len(parts) else None

    def key_of(self, node: Node, base: int, key: Node) -> bytes | None:
        """The key of an item as it is written; of a list, its position."""
        known = self.literal_key(key)
        return self.position(node, base, key) if known is None and base >= 0 else known

    @EXPRESSIONS.on("parenthesized_expression", "type", "list_splat", "dictionary_splat")
    def inner(self, frame: Frame, node: Node) -> int:
        value = -1
        for child in node.named_children:
            value = self.expression(frame, child)
        return value

    @EXPRESSIONS.on("dictionary")
    def dictionary(self, frame: Frame, node: Node) -> int:
        container = self.fill_dictionary(frame, node, self.container(frame, ObjectKind.MAPPING))
        self.literals.add(container)
        return container

    def fill_dictionary(self, frame: Frame, node: Node, container: int) -> int:
        pairs = [child.named_children[-1] for child in node.named_children if child.type == "pair"]
        row = self.row(frame, pairs)
        for child in node.named_children:
            if child.type == "pair":
                first, second = child.named_children[0], child.named_children[-1]
                key = self.literal_key(first)
                if key is not None and b"." in key and first.type == "string":
                    note_text(self, frame, first, key)
                slot = (
                    self.hashed(frame, first, self.expression(frame, first)) if key is None else -1
                )
                value = self.expression(frame, second) if row < 0 else self.fill(frame, second, row)
                if key is not None:
                    self.store(container, self.name(b"[" + key), value)
                elif slot >= 0 and value >= 0:
                    self.dynamic += (-1, container, slot, value, 0)
                else:
                    self.store(container, self.any_key, value)
                    self.keep_key(container, slot)
            elif child.type == "dictionary_splat":
                value = self.inner(frame, child)
                if value >= 0:
                    name, replaced = self.name(b"update"), self.given_later(node, child)
                    line = child.start_point[0] + 1
                    self.call(frame, line, container, name, (value,), replaced, flags=2)
        return container

    def hashed(self, frame: Frame, node: Node, slot: int) -> int:
        """Ask a key of a dictionary, or an element of a set, for its hash."""
        if slot >= 0 and node.type not in ("string", "lambda") and not self.is_spread(node):
            line, name = node.start_point[0] + 1, self.name(b"__hash__")
            self.call(frame, line, slot, name, flags=CallFlag.IMPLICIT)
        return slot

    def keep_key(self, container: int, key: int) -> None:
        """Let a dictionary have a key, whatever is under it."""
        if container >= 0 and key >= 0:
            self.dynamic += (-1, container, key, self.slot(), 0)

    def given_later(self, node: Node, spread: Node) -> tuple[int, ...]:
        """The keys that a dictionary gives another value behind what it spreads."""
        found: list[int] = []
        for child in node.named_children:
            if child.type == "pair" and child.start_byte > spread.start_byte:
                key = self.literal_key(child.named_children[0])
                if key is not None:
                    found += (self.name(b"[" + key), -1)
        return tuple(found)

    @EXPRESSIONS.on("list", "tuple", "set", "expression_list")
    def sequence(self, frame: Frame, node: Node) -> int:
        container = self.fill_sequence(frame, node, self.container(frame, ObjectKind.SEQUENCE))
        self.literals.add(container)
        return container

    def row(self, frame: Frame, nodes: list[Node]) -> int:
        """One container for all rows of a long table, -1 where there is no such table.

        A slot holds only so many containers: of a table of hundreds the last would be lost.
        """
        if len(nodes) < _LONG_TABLE or len({node.type for node in nodes}) > 1:
            return -1
        kind = _ROWS.get(nodes[0].type)
        return -1 if kind is None else self.container(frame, kind)

    def fill(self, frame: Frame, node: Node, row: int) -> int:
        fill = self.fill_dictionary if node.type == "dictionary" else self.fill_sequence
        return fill(frame, node, row)

    def fill_sequence(self, frame: Frame, node: Node, container: int) -> int:
        items = [child for child in node.named_children if child.type != "comment"]
        row = self.row(frame, items)
        slots = [
            self.expression(frame, child) if row < 0 else self.fill(frame, child, row)
            for child in items
        ]
        indexed = node.type != "set"
        if any(map(self.is_spread, items)):
            slots, indexed = self.spread(frame, items, slots, indexed=indexed)
        if node.type == "set":
            for child, slot in zip(items, slots, strict=False):
                self.hashed(frame, child, slot)
        for index, slot in enumerate(slots):
            self.store(container, self.name(b"[%d" % index) if indexed else self.any_key, slot)
        if indexed and row < 0:
            self.measure(container, len(slots))
        return container

    def is_spread(self, item: Node) -> bool:
        """Whether an item stands for those of what is behind its star, which binds least of all.

        To the grammar it may be a part of the first operand: `[*rows()]` calls `*rows`.
        """
        return self.source[item.start_byte] == _STAR

    def spread(
        self, frame: Frame, nodes: list[Node], slots: list[int], *, indexed: bool
    ) -> tuple[list[int], bool]:
        """The items with those of `*others` among them, and whether their positions are known."""
        found: list[int] = []
        for node, slot in zip(nodes, slots, strict=True):
            if not self.is_spread(node):
                found.append(slot)
                continue
            whole = node.named_children[0] if node.type == "list_splat" else node
            parts = self.items_of(frame, whole, slot)
            if parts is None:
                parts, indexed = [self.element(frame, slot, node)], False
            found += parts
        return found, indexed

    @EXPRESSIONS.on(
        "list_comprehension",
        "set_comprehension",
        "generator_expression",
        "dictionary_comprehension",
    )
    def comprehension(self, frame: Frame, node: Node) -> int:
        mapping = node.type == "dictionary_comprehension"
        container = self.container(frame, ObjectKind.MAPPING if mapping else ObjectKind.SEQUENCE)

        def walk() -> bool:
            body, *clauses = node.named_children
            for clause in clauses:
                if clause.type == "for_in_clause":
                    left, right = clause.named_children[0], clause.named_children[-1]
                    source = self.expression(frame, right)
                    self.bind(frame, left, self.element(frame, source, clause), right)
                elif clause.named_children:
                    self.learn(frame, self.condition(frame, clause.named_children[0])[0])
            key = None
            if mapping and body.type == "pair":
                key, body = body.named_children[0], body.named_children[-1]
                self.keep_key(container, self.hashed(frame, key, self.expression(frame, key)))
            value = self.expression(frame, body)
            if node.type == "set_comprehension":
                self.hashed(frame, body, value)
            if key is not None and self.is_own_name(frame, key, value):
                self.dynamic += (-1, container, value, value, OWN_NAME)
            else:
                self.store(container, self.any_key, value)
            return True

        self.branch(frame, walk)
        return container

    def bind(self, frame: Frame, target: Node, value: int, source: Node) -> None:
        """Bind an element to what a loop names, as far as annotations of its source admit it."""
        known = self.elements(frame, source)
        if known is None:
            self.target(frame, target, value)
            return
        value = self.limited(frame, value, known.whole)
        targets = target.named_children
        if known.parts is None or len(targets) != len(known.parts) or target.type == "identifier":
            self.target(frame, target, value)
            return
        line = target.start_point[0] + 1
        for index, (part, annotation) in enumerate(zip(targets, known.parts, strict=True)):
            item = self.load(frame, value, self.name(b"[%d" % index), line)
            self.target(frame, part, self.limited(frame, item, annotation))

    def is_own_name(self, frame: Frame, key: Node, value: int) -> bool:
        """Whether a key is the name of what is put there: `table[value.__name__] = value`."""
        if value < 0 or key.type != "attribute" or key.named_children[-1].text != b"__name__":
            return False
        named = key.named_children[0]
        return named.type == "identifier" and self.expression(frame, named) == value

    def element(self, frame: Frame, source: int, node: Node) -> int:
        """One element of what is iterated over."""
        return self.iterated(frame, node.start_point[0] + 1, source, b"__iter__")
