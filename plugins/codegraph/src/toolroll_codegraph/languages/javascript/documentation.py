"""What JSDoc comments say of types: `@param {Type} name`, `@returns {Type}`, `@type {Type}`, and
`@typedef {Type} Name`, which gives one a name.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from toolroll_codegraph.languages.grammar import parser_for
from toolroll_codegraph.languages.javascript.annotations import JavaScriptAnnotations

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node, Tree

    from toolroll_codegraph.facts import Frame

_T = TypeVar("_T")
RESULT_TAG: Final = b"@returns"
TYPE_TAG: Final = b"@type"
_BEGINNING: Final = re.compile(
    rb"(\s*)(?:export\s+)?(?:default\s+)?"
    rb"(?:(?:const|let|var)\s+[\w$]+\s*=\s*|[\w$.]+\s*=\s*|[\w$]+\s*:\s*)?"
)
"""What may stand between a comment and the function that it is about."""
_TAG: Final = re.compile(
    rb"@(?:(param|arg|argument|returns?|type)|(?:param|arg) +([\w$]+))[ \t]*(?=\{)"
)
"""YUIDoc has the name first: `@param name {Type}`."""
_TYPEDEF: Final = re.compile(rb"@typedef\s+(?=\{)")
_NAME: Final = re.compile(rb"\s*\[?\s*([\w$]+)(?![\w$.])")
_MARGIN: Final = re.compile(rb"\n[ \t]*\*")
"""Where each line of a comment begins."""
_CAPITAL: Final = re.compile(rb"[A-Z]")
"""Classes' names begin so; most types in comments, as `{number}`, are none."""
_OPEN: Final = {ord("{"): 1, ord("}"): -1}


class JavaScriptDocumentation(JavaScriptAnnotations):
    """Types of JavaScript, which has them in comments; TypeScript's own say more."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self._documented: dict[int, bytes] = {}
        """Where something begins → the comment before it."""
        self._named: list[bytes] = []
        """Declarations of the types that comments name."""
        if dialect == "javascript" and (b"@typedef" in source or _TAG.search(source)):
            self._find_comments()
        self._types: dict[bytes, Tree] = {}

    def _find_comments(self) -> None:
        source, end = self.source, 0
        while (start := source.find(b"/**", end)) >= 0:
            end = source.find(b"*/", start + 3) + 2
            if end < 2:
                return  # nothing closes it
            comment = source[start:end]
            for match in _TYPEDEF.finditer(comment):
                text, behind = _braced(comment, match.end())
                if text is None:
                    break
                if (name := _NAME.match(comment, behind)) is not None:
                    self._named.append(b"type %b = %b;" % (name[1], text))
            if _TAG.search(comment):
                behind = _BEGINNING.match(source, end)
                if behind is not None:
                    self._documented[behind.end(1)] = self._documented[behind.end()] = comment

    def documented(self, node: Node) -> dict[bytes, bytes]:
        """The types that the comment before a declaration tells: by parameter, then by tag."""
        comment = self._documented.get(node.start_byte)
        return _tags(comment) if comment is not None else {}

    def annotate_text(self, frame: Frame, slot: int, text: bytes | None) -> None:
        """Note what a type in a comment says of a slot's value."""
        self.with_type(text, partial(self.annotate, frame, slot))

    def with_type(self, text: bytes | None, use: Callable[[Node], _T]) -> _T | None:
        """Read a type in a comment, if it may name a class, and use it."""
        if not text or not _CAPITAL.search(text):
            return None
        source = b"let _: " + text.strip(b" \t?!=").removeprefix(b"...").replace(b".<", b"<")
        declarators = self._parsed(source).named_children  # none of a text that is no type
        annotation = declarators[0].child_by_field_name("type") if declarators else None
        if annotation is None or annotation.has_error:
            return None
        self.source, own = source, self.source
        found = use(annotation)
        self.source = own
        return found

    def documented_value(self, frame: Frame, value: int, told: bytes | None) -> int:
        """A value of which a comment tells the type too: a slot for both."""
        if told is None:
            return value
        typed = self.slot()
        if value >= 0:
            self.copies += (value, typed)
        self.annotate_text(frame, typed, told)
        return typed

    def name_types(self, frame: Frame) -> None:
        """Give a file the types that its comments name."""
        own = self.source
        for source in self._named:
            declaration = self._parsed(source)
            if not declaration.has_error and declaration.type == "type_alias_declaration":
                self.source = source
                self.type_alias(frame, declaration)
        self.source = own

    def type_alias(self, frame: Frame, node: Node, /) -> bool | None:
        """Give a type a name."""
        raise NotImplementedError

    def _parsed(self, source: bytes) -> Node:
        """The first statement of a text in TypeScript, the whole of it where there is none."""
        tree = self._types.get(source)
        if tree is None:
            tree = self._types[source] = parser_for("typescript").parse(source)
        return next(iter(tree.root_node.named_children), tree.root_node)


def _braced(comment: bytes, start: int) -> tuple[bytes | None, int]:
    """What is in the braces that begin somewhere, None if nothing closes them; and their end."""
    depth, end = 1, start + 1
    while depth and end < len(comment):
        depth += _OPEN.get(comment[end], 0)
        end += 1
    return (None if depth else _MARGIN.sub(b"\n", comment[start + 1 : end - 1])), end


def _tags(comment: bytes) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    others: dict[bytes, bytes] = {}
    end = 0
    while (match := _TAG.search(comment, end)) is not None:
        text, end = _braced(comment, match.end())
        if text is None:
            break
        tag = match[1]
        if tag is None:
            found[match[2]] = text
        elif tag.startswith(b"return"):
            others[RESULT_TAG] = text
        elif tag == b"type":
            others[TYPE_TAG] = text
        else:
            name = _NAME.match(comment, end)
            if name is not None:
                found[name[1]] = text
    return found | others
