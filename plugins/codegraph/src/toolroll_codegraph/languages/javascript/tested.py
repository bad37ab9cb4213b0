"""What a JavaScript test asks of a variable.

A test is written as a text in prefix notation, which the resolver asks of each value: `i12` whether
it is an instance of what slot 12 holds, `t:function` what `typeof` says of it, `a` whether it is an
array, `h:name` whether it has a member, `f:name` whether that can be called, `p12,0` what the
function in slot 12 says of its first argument, `m12:name` what it says of a member, `v` whether it
is something at all, `?` what a run alone tells; `! t`, `& t t` and `| t t` join them. Of a cast
`c12` asks whether the value may be of the type in slot 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.javascript.asking import (
    MOST_TOKENS,
    THERE,
    UNKNOWN,
    arguments_of,
    bare,
    negated,
)
from toolroll_codegraph.languages.javascript.counting import JavaScriptCounting
from toolroll_codegraph.languages.javascript.literals import FALSE
from toolroll_codegraph.languages.javascript.truths import EQUAL

if TYPE_CHECKING:
    from tree_sitter import Node

_PATH: Final = ("identifier", "member_expression", "this")
_ASKS: Final = re.compile(rb"_?(?:is|has|can)(?:[A-Z_]|\Z)")
"""How methods begin that answer whether an argument is something."""
_CALLED: Final = ("function", "object")
_MARK: Final = re.compile(r"_?is[A-Z_]|@@|__")
"""How members begin that say what an object is, whatever else it has."""


class JavaScriptTested(JavaScriptCounting):
    """Writes tests as texts for the resolver."""

    def _subjects(self, node: Node) -> Iterator[bytes]:
        """The variables that a test is about."""
        node = bare(node)
        kind = node.type
        if kind == "unary_expression" and node.children[0].type == "!":
            yield from self._subjects(node.named_children[-1])
        elif kind == "binary_expression" and node.named_child_count == 2:
            operator, (first, last) = node.children[1].type, node.named_children
            if operator in ("&&", "||"):
                yield from self._subjects(first)
                yield from self._subjects(last)
            elif operator in EQUAL or operator in ("instanceof", "in"):
                for side in (first, last):
                    side = bare(side)
                    if side.type == "unary_expression" and side.children[0].type == "typeof":
                        side = bare(side.named_children[-1])
                    yield from self._root(side)
        elif kind == "call_expression":
            for argument in arguments_of(node):
                if argument.type == "identifier":
                    yield self.text(argument)
                else:
                    yield from self._subjects(argument)
        else:
            yield from self._root(node)

    def _root(self, node: Node) -> Iterator[bytes]:
        if node.type in ("member_expression", "subscript_expression"):
            node = bare(node.named_children[0])
        if node.type == "identifier":
            yield self.text(node)

    def test(self, frame: Frame, node: Node, name: bytes, *, whole: bool = False) -> str:
        """What a condition asks of a variable; `whole` where all that it asks counts."""
        node = bare(node)
        kind = node.type
        found = UNKNOWN
        if kind == "identifier" and self.text(node) == name:
            found = THERE
        elif kind == "unary_expression" and node.children[0].type == "!":
            found = negated(self.test(frame, node.named_children[-1], name, whole=whole))
        elif kind == "binary_expression" and node.named_child_count == 2:
            found = self._binary_test(frame, node, name, whole)
        elif kind == "call_expression":
            found = self._call_test(frame, node, name, whole)
        elif kind in ("member_expression", "subscript_expression"):
            member = self._member_of(frame, node, name)
            if member == "__esModule":  # what is imported has it in many ways
                member = ""
            if member and (whole or _MARK.match(member)):
                found = f"h:{member}"
        return found if found.count(" ") < MOST_TOKENS else UNKNOWN

    def _binary_test(self, frame: Frame, node: Node, name: bytes, whole: bool) -> str:
        operator, (first, last) = node.children[1].type, node.named_children
        if operator in ("&&", "||"):
            left = self.test(frame, first, name, whole=whole)
            right = self.test(frame, last, name, whole=whole)
            if left == right == UNKNOWN:
                return UNKNOWN
            return f"{'&' if operator == '&&' else '|'} {left} {right}"
        if operator == "instanceof":
            if bare(first).type == "identifier" and self.text(bare(first)) == name:
                slot = self._operand(frame, last)
                return f"i{slot}" if slot >= 0 else UNKNOWN
        elif operator == "in":
            key = self._key(frame, first)
            if key and bare(last).type == "identifier" and self.text(bare(last)) == name:
                return f"h:{key}" if whole or _MARK.match(key) else UNKNOWN
        elif operator in EQUAL:
            found = self._type_test(frame, bare(first), bare(last), name, whole)
            return found if EQUAL[operator] else negated(found)
        return UNKNOWN

    def _type_test(self, frame: Frame, first: Node, last: Node, name: bytes, whole: bool) -> str:
        """`typeof name === "function"`, `typeof name.member === "function"`, `=== true`."""
        if first.type in ("string", "true", *FALSE):
            first, last = last, first
        if last.type in ("null", "undefined") and first.type == "identifier":
            return f"! {THERE}" if self.text(first) == name else UNKNOWN
        if last.type == "true" and first.type in ("member_expression", "subscript_expression"):
            return self.test(frame, first, name, whole=whole)
        if (
            last.type != "string"
            or first.type != "unary_expression"
            or first.children[0].type != "typeof"
        ):
            return UNKNOWN
        subject, kind = bare(first.named_children[-1]), self.text(last)[1:-1].decode()
        if subject.type == "identifier" and self.text(subject) == name:
            return f"t:{kind}" if kind.isalpha() else UNKNOWN
        member = self._member_of(frame, subject, name) if kind in _CALLED else ""
        return f"f:{member}" if member else UNKNOWN

    def _call_test(self, frame: Frame, node: Node, name: bytes, whole: bool) -> str:
        function = node.child_by_field_name("function")
        arguments = arguments_of(node)
        if function is None:
            return UNKNOWN
        while function.type in ("parenthesized_expression", "sequence_expression"):
            function = function.named_children[-1]
        text = self.text(function)
        if text == b"Boolean" and len(arguments) == 1:
            return self.test(frame, arguments[0], name, whole=whole)
        for place, argument in enumerate(arguments):
            if argument.type == "spread_element":
                break
            if argument.type == "identifier" and self.text(argument) == name:
                if text == b"Array.isArray":
                    return "a" if place == 0 else UNKNOWN
                slot = self._operand(frame, function, asks=True)
                return f"p{slot},{place}" if slot >= 0 else UNKNOWN
            member = self._member_of(frame, argument, name)
            if member and whole and not place:
                slot = self._operand(frame, function, asks=True)  # `isFunction(value.next)`
                return f"m{slot}:{member}" if slot >= 0 else UNKNOWN
        return UNKNOWN

    def _operand(self, frame: Frame, node: Node, *, asks: bool = False) -> int:
        """The slot of a class, or a function that `asks`, by its name or path; -1 for others."""
        around = node = bare(node)
        while around.type == "member_expression":
            around = bare(around.named_children[0])
        if around.type not in _PATH or node.type not in _PATH:
            return -1
        last = node.named_children[-1] if node.type == "member_expression" else node
        if asks and not _ASKS.match(self.text(last)):
            return -1
        return self.expression(frame, node)

    def _member_of(self, frame: Frame, node: Node, name: bytes) -> str:
        """The member of a variable that is read, empty for anything else."""
        node = bare(node)
        if node.type not in ("member_expression", "subscript_expression"):
            return ""
        base = bare(node.named_children[0])
        if base.type != "identifier" or self.text(base) != name:
            return ""
        if node.type == "member_expression":
            return self.text(node.named_children[-1]).decode("utf-8", "replace")
        index = node.child_by_field_name("index")
        return "" if index is None else self._key(frame, index)

    def _key(self, frame: Frame, node: Node) -> str:
        """A name that is written, or that a constant holds; empty where a run tells."""
        key = self.literal_key(node)
        if key is None and node.type == "identifier":
            key = self.constant_text(frame, self.name(self.text(node)))
        text = (key or b"").decode("utf-8", "replace")
        return "" if not text or " " in text or text.startswith("[") else text

    def constant_text(self, frame: Frame, name: int) -> bytes | None:
        """The text that a variable has all the time."""
        scope = frame.binder(name)
        versions = [] if scope is None else scope.versions[name]
        return self.text_of(versions[0]) if len(versions) == 1 else None
