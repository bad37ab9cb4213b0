"""The markup of components: its tags, and the code in which its expressions are written down.

That code is JavaScript with JSX in which every expression stands in its own line, so that it is
read as any other file is: `<UserCard :user="find(id)">` becomes `<UserCard user={find(id)}/>`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

VOID: Final = frozenset(
    (b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta",
     b"param", b"source", b"track", b"wbr")
)  # fmt: skip
_RAW: Final = (b"script", b"style")
_NAME: Final = re.compile(rb"[^\s/>\"'=<{]+")
_SPACE: Final = re.compile(rb"[\s/]*")
_EQUALS: Final = re.compile(rb"\s*=\s*")
_BARE: Final = re.compile(rb"[^\s\"'=<>`]+")
_TOKEN: Final = re.compile(
    rb"[{}`]|(?<![\w])'(?:[^'\\\n]++|\\.)*'|\"(?:[^\"\\\n]++|\\.)*\"|(?<![:\w\"'])//[^\n]*"
    rb"|/\*(?s:.*?)(?:\*/|\Z)"
)
"""What may hold braces, or ends there. An apostrophe behind a letter is one of a text."""
_TEXT_TOKEN: Final = re.compile(rb"\\.|`|\$\{", re.S)
_DEEPEST: Final = 40
_MOST_OPEN: Final = 1_000
"""Elements in elements."""
_NO_NAME: Final = re.compile(rb"[^\w$-]")
_SEPARATOR: Final = re.compile(rb"-(\w)")


class Attribute(NamedTuple):
    """`name="value"`, or `{value}` without a name."""

    name: bytes
    value: tuple[int, int] | None
    """Where it is, without what encloses it."""
    braces: bool
    """Whether it is one expression in braces."""
    start: int


class Tag(NamedTuple):
    """A tag, or `{…}` in a text, which has no name."""

    name: bytes
    start: int
    end: int
    attributes: tuple[Attribute, ...]
    closing: bool
    empty: bool
    """Whether nothing can be inside of it."""


class Unclosed(Exception):
    """What begins there never ends: nothing behind it is told."""


def end_of_braces(source: bytes, start: int, end: int) -> int:
    """Where the expression that begins there is closed by a brace."""
    return _closed(source, start, end, 0)


def _closed(source: bytes, position: int, end: int, depth: int) -> int:
    if depth > _DEEPEST:
        raise Unclosed
    nested = 0
    while (found := _TOKEN.search(source, position, end)) is not None:
        position, token = found.end(), found[0]
        if token == b"{":
            nested += 1
        elif token == b"}":
            if not nested:
                return found.start()
            nested -= 1
        elif token == b"`":
            position = _end_of_text(source, position, end, depth)
    raise Unclosed


def _end_of_text(source: bytes, position: int, end: int, depth: int) -> int:
    while (found := _TEXT_TOKEN.search(source, position, end)) is not None:
        position = found.end()
        if found[0] == b"`":
            return position
        if found[0] == b"${":
            position = _closed(source, position, end, depth + 1) + 1
    raise Unclosed


def read_markup(source: bytes, start: int, end: int, opening: bytes) -> Iterator[Tag]:
    """The tags and expressions of a markup, in their order; `opening` begins those of a text.

    What follows something unclosed is left out.
    """
    search = re.compile(rb"<(?:!--|[/!]?[A-Za-z])|" + re.escape(opening)).search
    double = opening == b"{{"
    position = start
    try:
        while (found := search(source, position, end)) is not None:
            position = found.end()
            if found[0] == opening:
                close = source.find(b"}}", position, end) if double else end_of_braces(
                    source, position, end
                )  # fmt: skip
                if close < 0:
                    return
                yield Tag(b"", position, close, (), False, True)
                position = close + len(opening)
            elif found[0][1:2] == b"!":
                mark = b"-->" if found[0] == b"<!--" else b">"
                close = source.find(mark, position, end)
                position = end if close < 0 else close + len(mark)
            else:
                tag = _tag(source, found.start(), end, braces=not double)
                yield tag
                position = tag.end
                if tag.name in _RAW and not tag.closing and not tag.empty:
                    close = source.find(b"</" + tag.name, position, end)
                    position = end if close < 0 else close
    except Unclosed:
        return


def _tag(source: bytes, start: int, end: int, *, braces: bool) -> Tag:
    closing = source[start + 1 : start + 2] == b"/"
    named = _NAME.match(source, start + 1 + closing, end)
    if named is None:
        raise Unclosed
    name, position = named[0], named.end()
    attributes: list[Attribute] = []
    while True:
        space = _SPACE.match(source, position, end)
        position = position if space is None else space.end()
        if position >= end:
            raise Unclosed
        byte = source[position : position + 1]
        if byte == b">":
            empty = source[position - 1 : position] == b"/" or name in VOID
            return Tag(name, start, position + 1, tuple(attributes), closing, empty)
        if byte == b"{" and braces:
            close = end_of_braces(source, position + 1, end)
            attributes.append(Attribute(b"", (position + 1, close), True, position))
            position = close + 1
            continue
        key = _NAME.match(source, position, end)
        if key is None:
            position += 1
            continue
        equals = _EQUALS.match(source, key.end(), end)
        position, value, whole = key.end(), None, False
        if equals is not None:
            position, value, whole = _value(source, equals.end(), end, braces=braces)
        attributes.append(Attribute(key[0], value, whole, key.start()))


def _value(
    source: bytes, start: int, end: int, *, braces: bool
) -> tuple[int, tuple[int, int] | None, bool]:
    """Where what follows it begins, where the value is, and whether that is in braces."""
    byte = source[start : start + 1]
    if byte in (b'"', b"'") or (byte == b"`" and braces):
        close = source.find(byte, start + 1, end)
        if close < 0:
            raise Unclosed
        return close + 1, (start + 1, close), False
    if byte == b"{" and braces:
        close = end_of_braces(source, start + 1, end)
        return close + 1, (start + 1, close), True
    bare = _BARE.match(source, start, end)
    return (start, None, False) if bare is None else (bare.end(), bare.span(), False)


class Code:
    """Code that is written down, with each part in the line that it has in the markup."""

    def __init__(self, source: bytes, checked: Callable[[bytes], bool] | None) -> None:
        """`checked` tells whether code has no syntax error; where it has, it is left out."""
        self.source = source
        self._checked = checked
        self._parts: list[bytes] = []
        self._line = self._counted = self._at = 0
        self._open: list[tuple[bytes, int, bytes]] = []
        """What was opened for a tag or block: its name, how many braces that takes, and what is
        written behind these."""
        self._variables = 0

    def line_of(self, position: int) -> int:
        if position < self._counted:
            self._at -= self.source.count(b"\n", position, self._counted)
        else:
            self._at += self.source.count(b"\n", self._counted, position)
        self._counted = position
        return self._at

    def add(self, text: bytes, position: int) -> None:
        """Write text in the line of a position, or as soon behind it as may be."""
        lines = self.line_of(position) - self._line
        if lines > 0:
            self._parts.append(b"\n" * lines)
            self._line += lines
        self._parts.append(text)
        self._line += text.count(b"\n")

    def is_correct(self, text: bytes) -> bool:
        return self._checked is None or self._checked(text)

    def expression(
        self, before: bytes, text: bytes, after: bytes, position: int, *, empty: bytes = b"0"
    ) -> None:
        """Write an expression in parentheses between two texts."""
        whole = b"(" + text + b"\n)" if b"//" in text else b"(" + text + b")"
        if not text.strip() or not self.is_correct(whole):
            whole = empty
        self.add(before + whole + after, position)

    def header(self, text: bytes, position: int) -> None:
        """Write what begins a block; it begins without that, if that is not correct."""
        self.add(text if self.is_correct(text + b"}") else b"{", position)

    def variable(self) -> bytes:
        """A name that is not used yet."""
        self._variables += 1
        return b"$shown%d" % self._variables

    def enter(self, name: bytes, braces: int, after: bytes = b"") -> None:
        """Note what is open until its end is told, how many blocks of code end with it, and what
        is written then."""
        if len(self._open) >= _MOST_OPEN:
            raise Unclosed
        self._open.append((name, braces, after))

    def close(self, name: bytes, position: int) -> None:
        """End the innermost block of a name, with all that were left open in it."""
        if all(known != name for known, _, _ in self._open):
            return
        while self._open:
            known, braces, after = self._open.pop()
            self.add(b"}" * braces + after, position)
            if known == name:
                return

    def innermost(self, beginning: bytes) -> bytes:
        """The innermost that is open whose name begins so, empty if none is."""
        names = (name for name, _, _ in reversed(self._open) if name.startswith(beginning))
        return next(names, b"")

    def text(self) -> bytes:
        """All that was written, with what is open closed."""
        return b"".join(self._parts) + b"}" * sum(braces for _, braces, _ in self._open)


def camel_case(name: bytes) -> bytes:
    return _SEPARATOR.sub(lambda found: found[1].upper(), name)


def property_name(name: bytes) -> bytes:
    """The name as JSX allows it."""
    name = _NO_NAME.sub(b"_", camel_case(name))
    return name if name[:1].isalpha() or name[:1] in b"_$" else b"_" + name
