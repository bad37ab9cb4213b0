"""Correct Python that its grammar does not know.

Inside of brackets indentation means nothing, but the grammar ends the block around them where a
line that goes on behind an operator begins further left. All that follows would be the module's.
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
    rb"#[^\n]*|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)"
    rb"|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?|[()\[\]{}]|\n[ \t]*",
    re.DOTALL,
)
"""Comments, texts, brackets and the beginnings of lines. A text may lack its end, which ends all
of a long one: to look for it again behind each quotation mark inside would take for ever."""


def parse_python(source: bytes) -> tuple[Tree, bytes]:
    """Parse a file, repaired where that leaves fewer errors; returns what was parsed, too."""
    source = with_short_comments(source)
    tree = parse("python", source)
    if tree.root_node.has_error:
        repaired = _indented(source)
        if repaired != source:
            with suppress(NotInTime):
                other = parse("python", repaired)
                if count_errors(other.root_node) < count_errors(tree.root_node):
                    return other, repaired
    return tree, source


def _indented(source: bytes) -> bytes:
    """Indent each line inside of brackets at least as far as the line where they open."""
    parts: list[bytes] = []
    depth = end = 0
    margin = b""
    for token in _TOKEN.finditer(source):
        text = token[0]
        if text in b"([{":
            depth += 1
        elif text in b")]}":
            depth = max(depth - 1, 0)
        elif text[0] == 10:
            if not depth:
                margin = text[1:]
            elif not text[1:].startswith(margin):
                parts += (source[end : token.start()], b"\n", margin)
                end = token.end()
    parts.append(source[end:])
    return b"".join(parts)
