"""Ruby literals and operators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX, CallFlag, Frame, ObjectKind
from toolroll_codegraph.languages.ruby.assignment import RubyAssignment
from toolroll_codegraph.languages.ruby.conditions import Known
from toolroll_codegraph.languages.ruby.nodes import NODES

if TYPE_CHECKING:
    from tree_sitter import Node

_GAP_IN_NAME: Final = re.compile(rb"@\*|_*[A-Za-z]\w*\*\w*[?!=]?|_*\*(\w*[A-Za-z]{3}\w*[?!=]?|=)")
"""A name of which enough is known: its beginning, a long end, or that it writes."""
_SHORT_END: Final = re.compile(rb"_*\*\w{0,3}[?!]?")
"""A name that is known where its gap is filled, and else says nothing."""
_BETWEEN: Final = re.compile(rb"_+(?:\w*_)?")
"""What may stand between two gaps of a name."""
_FORM: Final = re.compile(rb"([^%]*)%[sdi]([^%]*)")
"""`"Version%i" % number`: a text with one gap."""
_NO_VALUES: Final = ("heredoc_body", "delimited_symbol", "bare_symbol")


class RubyValues(RubyAssignment):
    """Makes slots of what is written down."""

    @NODES.on("comment", "integer", "float", "nil", "true", "false", "regex", "rational",
               "complex", "uninterpreted", "empty_statement",
               "encoding", "line", "string_content", "escape_sequence",
    )  # fmt: skip
    def opaque(self, frame: Frame, node: Node) -> int:
        for child in node.named_children:
            if child.type == "interpolation":
                self.expression(frame, child)
        return self.constant(self.text(node)) if node.type == "integer" else -1

    @NODES.on("character", "heredoc_beginning", "file")
    def unread_text(self, frame: Frame, _: Node) -> int:
        """A text of which nothing is known but its class."""
        return self.container(frame, ObjectKind.STRING)

    @NODES.on("string", "subshell", "heredoc_body", "delimited_symbol", "chained_string",
               "bare_string", "bare_symbol")  # fmt: skip
    def string(self, frame: Frame, node: Node) -> int:
        children = node.named_children
        if len(children) == 1 and children[0].type == "string_content":
            text = self.text(children[0])
            filled = self.filled_later(frame, text)
            if filled >= 0:
                return filled
            return -1 if text.endswith(PREFIX.encode()) else self.constant(text)
        value, first = -1, -1
        for child in children:
            if child.type == "interpolation":
                first, value = value, self.body(frame, child)
                if value >= 0:
                    name = self.name(b"to_s")
                    line = child.start_point[0] + 1
                    self.call(frame, line, value, name, flags=CallFlag.IMPLICIT)
            elif child.type in ("string", "heredoc_body"):
                self.expression(frame, child)
        texts = self.texts_of(node) if self.items and children else []
        if texts:
            return self.join([self.constant(text) for text in texts])
        name = self.gap_in_name(children, value)
        name = self.gaps_in_name(children, first, value) if name < 0 <= first else name
        return name if name >= 0 or node.type in _NO_VALUES else self.unread_text(frame, node)

    def gap_in_name(self, children: list[Node], value: int) -> int:
        """`"visit_#{kind}"`, `"#{name}_part"`, `"@#{name}"`: how a name begins and ends.

        What the gap is filled with may be known yet.
        """
        gaps = [child.type == "interpolation" for child in children]
        if not any(gaps):
            return -1
        beginning = b"" if gaps[0] else self.text(children[0])
        end = b"" if gaps[-1] else self.text(children[-1])
        return self.named_so(beginning, end, value, alone=gaps.count(True) == 1)

    def gaps_in_name(self, children: list[Node], first: int, value: int) -> int:
        """`"#{prefix}_#{kind}"`: a name that begins with what a slot has."""
        gaps = [child.type == "interpolation" for child in children]
        if gaps != [True, False, True] or not _BETWEEN.fullmatch(self.text(children[1])):
            return -1
        slot, gap = self.slot(), PREFIX.encode()
        text = gap + self.text(children[1]) + gap + gap
        self.relations.append(("joined", 0, self.name(text), slot, first))
        if value >= 0:
            self.relations.append(("filled", 0, 0, slot, value))
        return slot

    def named_so(self, beginning: bytes, end: bytes, value: int, *, alone: bool = False) -> int:
        """The text that a name with a gap is."""
        name, gap = beginning + b"*" + end, PREFIX.encode()
        text = beginning + gap + (end + gap if end else b"")
        if _GAP_IN_NAME.fullmatch(name) is not None:
            slot = self.constant(text)
        elif value >= 0 and alone and _SHORT_END.fullmatch(name) is not None:
            slot = self.slot()
        else:
            return -1
        if value >= 0:
            self.relations.append(("joined", 0, self.name(text), slot, value))
        return slot

    @NODES.on("simple_symbol")
    def symbol(self, frame: Frame, node: Node) -> int:
        text = self.text(node)[1:]
        filled = self.filled_later(frame, text)
        return filled if filled >= 0 else self.constant(text)

    @NODES.on("array", "right_assignment_list", "string_array", "symbol_array")
    def array(self, frame: Frame, node: Node) -> int:
        container = self.container(frame, ObjectKind.SEQUENCE)
        placed = True
        for index, child in enumerate(node.named_children):
            value, line = self.expression(frame, child), child.start_point[0] + 1
            if child.type == "splat_argument":
                placed, value = False, self.converted(frame, child, value, b"to_a")
                name = self.name(b"concat")
                self.call(frame, line, container, name, (value,), flags=CallFlag.IMPLICIT)
            else:
                self.store(container, self.name(b"[%d" % index) if placed else self.any_key, value)
        return container

    @NODES.on("hash")
    def hash(self, frame: Frame, node: Node) -> int:
        container = self.container(frame, ObjectKind.HASH)
        for child in node.named_children:
            line = child.start_point[0] + 1
            if child.type != "pair":
                value = self.expression(frame, child)
                if child.type == "hash_splat_argument":
                    given = (self.converted(frame, child, value, b"to_hash"),)
                    name = self.name(b"merge!")
                    self.call(frame, line, container, name, given, flags=CallFlag.IMPLICIT)
                continue
            key, source = child.named_children[0], child.named_children[-1]
            if source is key or source == key:
                value = self.local(frame, self.name(self.text(key)))
                value = -1 if value is None else value
            else:
                value = self.expression(frame, source)
            literal = self.literal_key(key)
            made = self.expression(frame, key) if literal is None else -1
            if made >= 0:  # an object, which is asked for its `hash`
                given, name = (made, value), self.name(b"[]=")
                self.call(frame, line, container, name, given, flags=CallFlag.IMPLICIT)
                continue
            self.store(
                container, self.any_key if literal is None else self.name(b"[" + literal), value
            )
        return container

    @NODES.on("binary")
    def binary(self, frame: Frame, node: Node) -> int:
        children = node.named_children
        left = self.expression(frame, children[0])
        operator = node.child_by_field_name("operator")
        text = b"" if operator is None else self.text(operator)
        if text in (b"&&", b"and", b"||", b"or"):
            known = self.outcome(frame, children[0])[text in (b"||", b"or")]
            if known is not None:
                return self.join((left, self.where(frame, known, children[-1])))
        right = self.expression(frame, children[-1])
        if text in (b"||", b"or", b"&&", b"and"):
            return self.join((left, right))
        if left < 0:
            return -1
        flags = CallFlag.IMPLICIT
        line = node.start_point[0] + 1
        result = self.call(frame, line, left, self.name(text), (right,), (), flags)
        if text not in (b"+", b"%") or children[0].type != "string" or right < 0:
            return result
        beginning, end = self.literal_key(children[0]) or b"", b""
        if text == b"%":
            form = _FORM.fullmatch(beginning)
            if form is None:
                return result
            beginning, end = form.groups()
        return self.join((result, self.named_so(beginning, end, right, alone=text == b"%")))

    def where(self, frame: Frame, known: Known, node: Node) -> int:
        """An expression that is evaluated only where a variable is of a class."""
        values: list[int] = []

        def walk() -> bool:
            self.narrow(frame, *self.typed(frame, known))
            values.append(self.expression(frame, node))
            return False

        branch = self.branch(frame, walk)
        self.forget(branch)
        self.merge(frame, [branch, {}])
        return values[0]

    @NODES.on("unary")
    def unary(self, frame: Frame, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        text = b"" if operator is None else self.text(operator)
        if text == b"defined?":
            return -1
        value = -1
        for child in node.named_children:
            value = self.expression(frame, child)
        if value >= 0 and text in (b"-", b"+", b"!", b"~"):
            name = self.name(text if text in (b"!", b"~") else text + b"@")
            line = node.start_point[0] + 1
            return self.call(frame, line, value, name, flags=CallFlag.IMPLICIT)
        return -1

    @NODES.on("range")
    def range(self, frame: Frame, node: Node) -> int:
        """A range compares its ends; what runs over it asks the first for `succ`."""
        ends = [self.expression(frame, child) for child in node.named_children]
        first = node.child_by_field_name("begin")
        if first is None or first.type == "integer" or ends[0] < 0:
            return -1
        line, given = node.start_point[0] + 1, (ends[-1],)
        self.call(frame, line, ends[0], self.name(b"<=>"), given, flags=CallFlag.IMPLICIT)
        made = self.container(frame, ObjectKind.RANGE)
        for value in ends:
            self.store(made, self.any_key, value)
        return made

    @NODES.on("element_reference")
    def element_reference(self, frame: Frame, node: Node) -> int:
        children = node.named_children
        base, line = self.expression(frame, children[0]), node.start_point[0] + 1
        block = node.child_by_field_name("block")
        inside = children[1:] if block is None else children[1:-1]
        given, named, flags = self.argument_slots(frame, inside, block)
        if base < 0:
            return -1
        flags |= CallFlag.IMPLICIT
        return self.call(frame, line, base, self.name(b"[]"), given, named, flags)
