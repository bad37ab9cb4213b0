"""What TypeScript allows and its grammar (tree-sitter-typescript 0.23) does not, made parseable.

Two things make most of the syntax errors that correct files report: variance of type parameters
(`interface Cache<in out Key>`) and members of a type that begin with `<` or `(` on a line of their
own, without a semicolon before. Both are replaced byte by byte, so that every position stays.

To recover from errors takes several times as long as to parse what has none. A line that begins as
a generic signature does, `<A, B>(`, goes on with no expression: it is repaired before the first
parse. Other lines may well go on with the one before, and are repaired only where the parser fails.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.grammar import count_errors, parser_for

if TYPE_CHECKING:
    from tree_sitter import Tree

# Both begin with the few bytes a match can begin with: with a lookbehind instead they take thrice
# as long, a fifth of the time that a file's facts take.
_VARIANCE: Final = re.compile(rb"([<,]\s*)((?:in\s+out|in|out)\s)(?=\s*[A-Za-z_$])")
_COMMENT: Final = rb"(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)"
_END: Final = (
    rb"([ \t\n](?<=[\w>\])}\"'][ \t\n])(?<!=>[ \t\n])(?:(?<=\n)|(?<=[ \t])[ \t]*\n)[ \t]*"
    rb"(?:" + _COMMENT + rb"[ \t]*\n[ \t]*)*)[ \t]"
)
"""Where a member may end: after its last byte, which is not that of an arrow, with the comments
before the next one."""
_MEMBER: Final = re.compile(_END + rb"(?=[<(])")
_SIGNATURE: Final = rb"<[A-Za-z_$][^()\n]*>\("
_SIGNATURE_LINE: Final = re.compile(rb"\n[ \t]+" + _SIGNATURE)
_SIGNATURE_MEMBER: Final = re.compile(_END + rb"(?=" + _SIGNATURE + rb")")


def parse_typescript(source: bytes, dialect: str) -> tuple[Tree, bytes]:
    """Parse a file, repaired where that leaves fewer errors; returns what was parsed, too."""
    if dialect == "javascript":
        return parser_for(dialect).parse(source), source
    source = _VARIANCE.sub(lambda match: match[1] + b" " * len(match[2]), source)
    if dialect == "tsx":  # there `<` on a new line is an element
        return parser_for(dialect).parse(source), source
    if _SIGNATURE_LINE.search(source):
        source = _SIGNATURE_MEMBER.sub(rb"\1;", source)
    tree = parser_for(dialect).parse(source)
    if not tree.root_node.has_error:
        return tree, source
    repaired = _MEMBER.sub(rb"\1;", source)
    if repaired != source:
        other = parser_for(dialect).parse(repaired)
        if count_errors(other.root_node) < count_errors(tree.root_node):
            return other, repaired
    return tree, source
