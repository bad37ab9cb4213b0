"""Correct Python that its grammar does not know, or tells apart where nothing differs.

Inside of brackets indentation means nothing, but the grammar ends the block around them where a
line that goes on behind an operator begins further left. All that follows would be the module's.
Comments and the backslashes of continued lines are nodes wherever they stand, between an operand
and its operator too, where those who read the tree expect none. A bracket that is unpacked in a
list without brackets, `return first, *[second]`, is an error to it: it becomes an item of the list.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.comments import with_short_comments
from toolroll_codegraph.languages.grammar import NotInTime, count_errors, parse

if TYPE_CHECKING:
    from tree_sitter import Tree

_TOKEN: Final = re.compile(
    rb"#[^\n]*"
    rb"|\"\"\"(?:[^\"\\]++|\\.|\"(?!\"\"))*(?:\"\"\"|\Z)"
    rb"|'''(?:[^'\\]++|\\.|'(?!''))*(?:'''|\Z)"
    rb"|\"(?:[^\"\\\n]++|\\.)*\"?|'(?:[^'\\\n]++|\\.)*'?|\(|\)|\[|\]|\{|\}|\\\r?\n",
    re.DOTALL,
)
"""Comments, texts, brackets and continued lines. A text may lack its end, which ends all of a long
one: to look for it again behind each quotation mark inside would take for ever. Each begins with a
byte of its own, or else a search would try all of them at every byte. No group is possessive,
here or elsewhere: Python before 3.11.5 loses its place in such ones."""
_LINED: Final = re.compile(_TOKEN.pattern + rb"|\n[ \t]*", re.DOTALL)
"""The beginnings of lines besides."""
_UNPACKED: Final = re.compile(rb",[ \t]*(\*)[ \t]*\Z")
_LONGEST_GAP: Final = 16
"""Bytes between a comma and a bracket with a star between them."""
_CONTINUED: Final = re.compile(rb"\\\r?\n")
_LINE_FEED, _COMMENT, _BACKSLASH = b"\n#\\"


def parse_python(source: bytes) -> tuple[Tree, bytes]:
    """Parse a file, repaired where that leaves fewer errors; returns what was parsed, too."""
    source = _joined(with_short_comments(source))
    tree = parse("python", source)
    if tree.root_node.has_error:
        repaired = _repaired(source)
        if repaired != source:
            with suppress(NotInTime):
                other = parse("python", repaired)
                if count_errors(other.root_node) < count_errors(tree.root_node):
                    return other, repaired
    return tree, source


def _joined(source: bytes) -> bytes:
    """Leave out comments inside of brackets, and join lines that a backslash continues.

    The line feeds come behind the next bracket that opens, or else behind the statement: all that
    follows stays on its line.
    """
    continued = _CONTINUED.search(source) is not None
    if b"#" not in source and not continued:
        return source
    parts: list[bytes] = []
    depth = owed = end = 0
    for token in (_LINED if continued else _TOKEN).finditer(source):
        kind = token[0][0]
        if kind in b"([{":
            depth += 1
            if owed:
                parts += (source[end : token.end()], b"\n" * owed)
                owed, end = 0, token.end()
        elif kind in b")]}":
            depth = max(depth - 1, 0)
        elif kind == _BACKSLASH or (kind == _COMMENT and depth):
            parts += (source[end : token.start()], b" \n" if depth and kind == _BACKSLASH else b" ")
            owed += kind == _BACKSLASH and not depth
            end = token.end()
        elif kind == _LINE_FEED and owed and not depth:
            parts += (source[end : token.start()], b"\n" * owed)
            owed, end = 0, token.start()
    parts.append(source[end:])
    return b"".join(parts)


def _repaired(source: bytes) -> bytes:
    """Indent each line inside of brackets at least as far as the line where they open, and leave
    out the star before a bracket in a list without brackets."""
    parts: list[bytes] = []
    depth = end = 0
    margin = b""
    for token in _LINED.finditer(source):
        text, start = token[0], token.start()
        if text in b"([{":
            star = _UNPACKED.search(source, max(start - _LONGEST_GAP, end), start)
            if star and not depth:
                parts += (source[end : star.start(1)], b" ")
                end = star.end(1)
            depth += 1
        elif text in b")]}":
            depth = max(depth - 1, 0)
        elif text[0] == _LINE_FEED:
            if not depth:
                margin = text[1:]
            elif not text[1:].startswith(margin):
                parts += (source[end:start], b"\n", margin)
                end = token.end()
    parts.append(source[end:])
    return b"".join(parts)
