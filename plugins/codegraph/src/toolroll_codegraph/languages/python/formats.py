"""What a text does with the values that are put into it: `"{0.name!r}".format(x)`, `"%s" % x`."""

from __future__ import annotations

import re
import string
from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

BEGINNING: Final = rb"""["']([A-Za-z_]\w*_|[a-z]{4,}|\.*(?:[A-Za-z_]\w*\.)+|\.{1,2})"""
"""How a text begins that may name a handler or a module."""
PACKAGE: Final = rb"__(?:name|package)__"
BESIDE: Final = rb"(\.(?:[A-Za-z_]\w*\.)*)"
"""What stands behind the name of a package: to import that is to import what is inside."""
_PERCENT: Final = re.compile(
    rb"%(?:\((?P<name>[^()]*)\))?[#0 +-]*(?P<width>\*|\d*)(?:\.(?P<digits>\*|\d*))?[hlL]?"
    rb"(?P<how>\w|%)"
)
_TRANSLATING: Final = re.compile(rb"(?:\w+\.)*(?:_|u?gettext(?:_lazy|_noop)?)\Z")
_PATH: Final = re.compile(r"(\w*)((?:\.\w+)*)")
"""A field without items: what is in a value may be anything."""
_NAMES: Final = re.compile(rb"\w+(?:\s*,\s*\w+)+\s*,?\s*\Z")
_PARSE: Final = string.Formatter().parse


class Field(NamedTuple):
    """A place in a text."""

    key: int | bytes
    """Which value comes there: its position, or its name."""
    attributes: tuple[bytes, ...]
    """What of the value does, one attribute of another."""
    method: bytes
    """What that is asked for its text."""


def literal(node: Node) -> Node | None:
    """The text that an expression is, in parentheses, in pieces or translated: `_("%s")`."""
    while node.type in ("parenthesized_expression", "call"):
        inner = node.named_children
        if node.type == "call":
            if len(inner) < 2 or not _TRANSLATING.match(inner[0].text or b""):
                return None
            inner = inner[1].named_children
        if len(inner) != 1:
            return None
        node = inner[0]
    return node if node.type in ("string", "concatenated_string") else None


def braces(text: bytes) -> list[Field]:
    """The fields of a text with `format`; none if Python would not take it."""
    try:
        return [*_braces(text.decode("utf-8", "replace"), count())]
    except ValueError:
        return []


def _braces(text: str, numbers: Iterator[int]) -> Iterator[Field]:
    for _, name, spec, conversion in _PARSE(text):
        if name is None:
            continue
        path = _PATH.fullmatch(name)
        place = next(numbers) if name[:1] in ("", ".", "[") else -1
        if path is not None:
            first = int(path[1]) if path[1].isdecimal() else path[1].encode()
            attributes = tuple(part.encode() for part in path[2].split(".")[1:])
            yield Field(first if path[1] else place, attributes, _method(conversion))
        if spec:
            yield from _braces(spec, numbers)


def _method(conversion: str | None) -> bytes:
    if conversion is None:
        return b"__format__"
    return b"__str__" if conversion == "s" else b"__repr__"


def texts(number: int) -> list[Field]:
    """What a text of which nothing is known does with so many values."""
    return [Field(place, (), b"__str__") for place in range(number)]


def percents(text: bytes) -> list[Field]:
    """The fields of a text with `%`: those with a name ask the one value for its item."""
    fields: list[Field] = []
    place = 0
    for found in _PERCENT.finditer(text):
        if found["how"] == b"%":
            continue
        if found["name"] is not None:
            return [Field(0, (), b"__getitem__")]
        place += (found["width"] == b"*") + (found["digits"] == b"*")
        method = b"__repr__" if found["how"] in (b"r", b"a") else b"__str__"
        fields.append(Field(place, (), method))
        place += 1
    return fields


def names_parameters(node: Node, text: bytes) -> bool:
    """Whether a text names several parameters of a test: `parametrize("make, kind", …)`."""
    given = node.parent
    call = given.parent if given is not None and b"," in text else None
    if call is None or call.type != "call" or not _NAMES.match(text):
        return False
    return (call.named_children[0].text or b"").endswith(b"parametrize")
