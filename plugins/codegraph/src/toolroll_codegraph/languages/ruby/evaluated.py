"""Ruby text that is evaluated, and strings whose gaps are filled from a list."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.grammar import parser_for
from toolroll_codegraph.languages.ruby.declarations import RubyDeclarations

if TYPE_CHECKING:
    from tree_sitter import Node

EVALUATING: Final = frozenset((b"class_eval", b"module_eval", b"instance_eval", b"eval"))
_LOOPS: Final = frozenset((b"each", b"map", b"each_with_index", b"each_with_object", b"each_pair"))
_TEXTS: Final = ("string", "heredoc_beginning")
_MOST_TEXTS: Final = 32
"""So many texts come of one that is written in a loop."""
_MOST_PRODUCTS: Final = 64
"""So many come of one that is written in a loop over each item of one list with each of others."""
_GAP: Final = b"_gap_"
"""What stands where it isn't known what a text gets."""
_FILLED: Final = re.compile(rb"(\w*?)_gap_of_(\w+)_gap_(\w*[?!=]?)")
"""A name with what stands where a variable fills it."""
_VARIABLE: Final = re.compile(rb"[a-z_]\w*")
_CHANGES: Final[dict[bytes, Callable[[bytes], bytes]]] = {
    b"capitalize": bytes.capitalize, b"upcase": bytes.upper, b"downcase": bytes.lower,
    **dict.fromkeys((b"to_s", b"to_sym"), bytes),
}  # fmt: skip


class RubyEvaluation(RubyDeclarations):
    """`%w[a b].each { |name| class_eval "def #{name} … end" }` is read once for each name."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.lists: dict[bytes, list[tuple[bytes, ...]]] = {}
        """Constant → the rows of a list of names that it was given."""
        self.kept_rows: dict[int, list[tuple[bytes, ...]]] = {}
        """Slot that a variable was given → the same."""
        self.items: dict[bytes, tuple[bytes, ...]] = {}
        """Parameter of a block that runs over such a list → what it is in turn."""
        self.evaluated: int | None = None
        """The receiver that text is evaluated on, -1 for the class around it."""
        self.handing = False
        """Whether the text is a library's, unless the project has a method that does so instead."""

    # lists of names

    def rows(self, frame: Frame, node: Node) -> list[tuple[bytes, ...]] | None:
        """The rows of a list or hash of names, each a name alone or a key with its value."""
        kind = node.type
        if kind == "constant":
            return self.lists.get(self.text(node))
        if kind == "identifier" and self.kept_rows:
            value = self.local(frame, self.name(self.text(node)))
            return None if value is None else self.kept_rows.get(value)
        if kind == "call":  # `[…].freeze`
            receiver = node.child_by_field_name("receiver")
            if receiver is None or node.child_by_field_name("block") is not None:
                return None
            method = node.child_by_field_name("method")
            product = method is not None and self.text(method) == b"product"
            return self._combined(frame, receiver, node) if product else self.rows(frame, receiver)
        if kind not in ("array", "string_array", "symbol_array", "hash"):
            return None
        found: list[tuple[bytes, ...]] = []
        for child in node.named_children:
            parts = child.named_children if child.type in ("pair", "array") else [child]
            row = [self._plain(part) for part in parts]
            if None in row or len(found) >= _MOST_TEXTS:
                return None
            found.append(tuple(text for text in row if text is not None))
        return found or None

    def _combined(self, frame: Frame, receiver: Node, call: Node) -> list[tuple[bytes, ...]] | None:
        """The rows of `list.product(others)`: each item of one with each of the others."""
        arguments = call.child_by_field_name("arguments")
        found = self.rows(frame, receiver)
        for child in arguments.named_children if arguments is not None else ():
            others = self.rows(frame, child)
            if found is None or others is None or len(found) * len(others) > _MOST_PRODUCTS:
                return None
            found = [row + other for row in found for other in others]
        return found

    def keep_rows(self, frame: Frame, node: Node, value: int) -> None:
        """Note that a variable is assigned a list of names."""
        rows = self.rows(frame, node) if value >= 0 else None
        if rows is not None:
            self.kept_rows[value] = rows

    def _plain(self, node: Node) -> bytes | None:
        if node.type in ("bare_string", "bare_symbol"):
            return self.text(node)
        return self.literal_key(node)

    def over_items(
        self, frame: Frame, receiver: Node, method: bytes, block: Node
    ) -> dict[bytes, tuple[bytes, ...]]:
        """What the parameters of a block are in turn, where that is written down."""
        parameters = block.child_by_field_name("parameters")
        rows = self.rows(frame, receiver) if method in _LOOPS and parameters is not None else None
        if rows is None or parameters is None:
            return self.items
        names = [self.text(child) for child in parameters.named_children]
        known = dict(self.items)
        for index, name in enumerate(names):
            column = [row[index] if index < len(row) else None for row in rows]
            if None not in column:
                known[name] = tuple(text for text in column if text is not None)
        return known

    def texts_of(self, node: Node) -> list[bytes]:
        """Every text that a string with gaps may be; none where a gap isn't known."""
        parts: list[bytes | tuple[bytes, ...]] = []
        for child in node.named_children:
            part = self._turns(child) if child.type == "interpolation" else self.text(child)
            if part is None:
                return []
            parts.append(part)
        return self._filled(parts)

    def _gap(self, node: Node) -> bytes:
        """What fills a gap."""
        return self.text(node)[2:-1].strip()

    def _turns(self, node: Node) -> tuple[bytes, ...] | None:
        """What fills a gap in turn: a variable of a loop, as it is or changed as texts are."""
        name, *changes = self._gap(node).split(b".")
        column = self.items.get(name)
        if column is None or not _CHANGES.keys() >= {*changes}:
            return None
        for change in changes:
            column = tuple(_CHANGES[change](item) for item in column)
        return column

    def _filled(self, parts: list[bytes | tuple[bytes, ...]]) -> list[bytes]:
        """A text for each turn of the loop: one loop's variables go together."""
        turns = {len(part) for part in parts if isinstance(part, tuple)}
        if len(turns) > 1:
            return []
        return [
            b"".join(part if isinstance(part, bytes) else part[turn] for part in parts)
            for turn in range(next(iter(turns), 0))
        ]

    # text that is evaluated

    def evaluate_text(self, frame: Frame, method: bytes, base: int, arguments: Node) -> None:
        """Read the text given to `class_eval` and the like as the code that it becomes."""
        text = arguments.named_children[0] if arguments.named_children else None
        while text is not None and text.type == "call":  # `<<~RUBY.strip`
            text = text.child_by_field_name("receiver")
        if text is None or text.type not in _TEXTS or self.evaluated is not None:
            return
        if text.type == "heredoc_beginning":
            text = self._heredoc(text)
        if text is None:
            return
        line, base = text.start_point[0], -1 if method == b"eval" else base
        around = self._around(frame, method, base, line)
        for source in self._sources(text):
            self._read(around, base, b"\n" * line + source)

    def evaluate_source(self, frame: Frame, line: int, source: bytes) -> None:
        if self.evaluated is None:
            self.handing = True
            self._read(frame, -1, b"\n" * (line - 1) + source)
            self.handing = False

    def _read(self, frame: Frame, base: int, source: bytes) -> None:
        before = self.source, self.deferred
        self.source, self.deferred, self.evaluated = source, [], base
        root = parser_for("ruby").parse(source).root_node
        if not root.has_error:
            self.body(frame, root)
            self.run_deferred()
        self.source, self.deferred = before
        self.evaluated = None

    def _around(self, frame: Frame, method: bytes, base: int, line: int) -> Frame:
        if method != b"instance_eval" or base < 0:
            return frame
        inner = self.open_frame(ScopeKind.LAMBDA, self.lambda_name(frame), frame, line + 1)
        inner.end, inner.this, inner.ret = line + 1, base, self.slot()
        inner.flags |= ScopeFlag.BLOCK
        return inner

    def _heredoc(self, beginning: Node) -> Node | None:
        """The body of a heredoc, which follows somewhere after the line it begins on."""
        label = self.text(beginning).lstrip(b"<-~").strip(b"\"'`")
        around = beginning.parent
        while around is not None:
            for child in around.named_children:
                known = child.type == "heredoc_body" and child.start_byte > beginning.start_byte
                if known and self.text(child.named_children[-1]) == label:
                    return child
            around = around.parent
        return None

    def _sources(self, text: Node) -> list[bytes]:
        """The code that a text becomes, once for each turn of the loop around it."""
        parts: list[bytes | tuple[bytes, ...]] = []
        for child in text.named_children:
            if child.type == "interpolation":
                name = self._gap(child).removesuffix(b".to_s")
                variable = b"_gap_of_%s_gap_" % name if _VARIABLE.fullmatch(name) else _GAP
                parts.append(self._turns(child) or variable)
            elif child.type == "escape_sequence":
                parts.append(self.text(child)[1:].replace(b"n", b"\n"))
            elif child.type != "heredoc_end":
                parts.append(self.text(child))
        plain = [part for part in parts if isinstance(part, bytes)]
        return [b"".join(plain)] if len(plain) == len(parts) else self._filled(parts)

    def define_evaluated(self, frame: Frame, owner: Frame, node: Node, singleton: bool) -> Frame:
        """A method that is defined by text belongs to where the text stands, as a block does."""
        identifier = node.child_by_field_name("name")
        text = b"" if identifier is None else self.text(identifier)
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        base = self.evaluated if self.evaluated is not None else -1
        singleton = singleton or (base < 0 and owner.state == 1)  # in `class << self`
        inner = self.open_frame(ScopeKind.LAMBDA, self.name(text), frame, line)
        inner.end, inner.this = end, self.slot()
        self.of_texts.add(inner.index)
        of_object = not (singleton or self.handing)  # what is handed on runs where it is called
        inner.flags |= ScopeFlag.BLOCK | (ScopeFlag.METHOD if of_object else 0)
        filled = self.filled_later(frame, text)
        if _GAP in text and min(base, filled) < 0:
            return inner
        if base < 0:
            self._define_by_text(frame, owner, text, inner.value, singleton)
        else:
            method = self.name(b"define_singleton_method" if singleton else b"define_method")
            given = (self.constant(text) if filled < 0 else filled, inner.value)
            self.call(frame, line, base, method, given, flags=CallFlag.IMPLICIT)
        return inner

    def _define_by_text(
        self, frame: Frame, owner: Frame, text: bytes, value: int, singleton: bool
    ) -> None:
        if self.handing:
            name = self.name(b"." + text if singleton else text)
            self.relations.append(("handed", owner.index, name, value, 0))
            return
        later = int(self.in_method(frame))
        self.alternatives += later
        self.define(owner, text, value, singleton)
        self.alternatives -= later

    def filled_later(self, frame: Frame, text: bytes) -> int:
        """The slot of a name in evaluated text that a variable around it fills, or -1."""
        found = None if self.evaluated is None else _FILLED.fullmatch(text)
        if found is None:
            return -1
        value = self.local(frame, self.name(found[2]))
        return -1 if value is None else self.named_so(found[1], found[3], value, alone=True)

    def named_so(self, beginning: bytes, end: bytes, value: int, *, alone: bool = False) -> int:
        """The text that a name with a gap is."""
        raise NotImplementedError
