"""Ruby in templates: ERB as the Ruby that it holds, every piece of it in its place.

What Builder, Jbuilder and Rabl read is Ruby as it is. In ERB `<% code %>`, `<%= value %>` and
`<%== value %>` are code, with `-` inside of the tags or without; `<%# … %>` and what stands outside
of tags are none, nor is the `<%` that `<%%` writes. Ruby's own ERB and Erubi, which Rails has, read
the same of what both accept.
Source: https://docs.ruby-lang.org/en/master/ERB.html (Tags); Erubi's README.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_ERB: Final = ".erb"
_SUFFIXES: Final = (_ERB, ".builder", ".jbuilder", ".rabl")
_TAG: Final = re.compile(rb"<%(?:%|(#|[-=|]?=?)(.*?)(?:[-=]?%>|\Z))", re.DOTALL)
_BLANKS: Final = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))
_LOCALS: Final = re.compile(rb"<%#\s*locals:\s*\((.*?)\)\s*-?%>", re.DOTALL)
_KEYWORD: Final = re.compile(rb"([a-z_]\w*):(?!:)")


def is_template(path: str) -> bool:
    """Whether a file is a template: who fills it in says what `self` is there."""
    return path.endswith(_SUFFIXES)


class Code(NamedTuple):
    """The code of a template."""

    source: bytes
    """As long as the template, and in the same lines and columns."""
    written: set[int]
    """Where expressions begin whose values are written into the text."""
    certain: frozenset[bytes]
    """The variables that it has whoever renders it."""
    in_views: bool
    """Whether it is where Rails looks for templates."""


def code_of(path: str, template: bytes) -> Code:
    """The code of a template."""
    source, written = _of_erb(template) if path.endswith(_ERB) else (template, set[int]())
    return Code(source, written, _certain(path, template), "/views/" in f"/{path}")


def _of_erb(template: bytes) -> tuple[bytes, set[int]]:
    """A semicolon ends each tag, in place of the `%`. What nothing ends is code to the end."""
    parts: list[bytes] = []
    written: set[int] = set()
    end = 0
    for tag in _TAG.finditer(template):
        if tag[1] is None:  # the text goes on, and tags in it are tags
            continue
        parts.append(template[end : tag.start()].translate(_BLANKS))
        end = tag.end()
        if tag[1] == b"#":
            parts.append(tag[0].translate(_BLANKS))
            continue
        if b"=" in tag[1]:
            written.add(tag.end(2) - len(tag[2].lstrip()))
        closing = template[tag.end(2) : end]
        parts += (b" " * (tag.start(2) - tag.start()), tag[2], b" ; "[3 - len(closing) :])
    parts.append(template[end:].translate(_BLANKS))
    return b"".join(parts), written


def _certain(path: str, template: bytes) -> frozenset[bytes]:
    """A partial has a variable of its own name; and there are those of Rails'
    `<%# locals: (user:, admin: false) -%>`."""
    name = path.rpartition("/")[2].partition(".")[0]
    own = [name[1:].encode()] if name.startswith("_") else []
    found = _LOCALS.search(template)
    return frozenset([*own, *(_KEYWORD.findall(found[1]) if found else ())])
