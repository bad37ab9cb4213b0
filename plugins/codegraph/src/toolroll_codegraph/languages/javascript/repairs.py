"""What the languages allow and their tree-sitter grammars do not, made parseable.

In TypeScript (0.23) three things make most of the syntax errors that correct files report: variance
of type parameters (`interface Cache<in out Key>`), members of a type that begin with `<` or `(` on
a line of their own, without a semicolon before, and escaped backticks in the type of a text. All
are replaced byte by byte, so that every position stays. So is what newer TypeScript has (`export
type *`, `for (using file of files)`, modifiers behind others) and `&` in an element's attributes.
Where errors remain, the names given to types are left out: there most of what the grammar can't
read stands, and one may take the rest of a file with it.

To recover from errors takes several times as long as to parse what has none. A line that begins as
a generic signature does, `<A, B>(`, goes on with no expression: it is repaired before the first
parse. Other lines may well go on with the one before, and are repaired only where the parser fails.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.comments import with_closed_comments
from toolroll_codegraph.languages.grammar import NotInTime, parse

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

# Both begin with the few bytes a match can begin with: with a lookbehind instead they take thrice
# as long, a fifth of the time that a file's facts take.
_VARIANCE: Final = re.compile(rb"([<,]\s*)((?:in\s+out|in|out)\s)(?=\s*[A-Za-z_$])")
_COMMENTS: Final = rb"//[^\n]*(?:\n|\Z)|/\*(?s:.*?)(?:\*/|\Z)"
_END: Final = (
    _COMMENTS
    + rb"|(\s(?<=[\w>\])}\"']\s)(?<!=>\s)(?:\s|(?>"
    + _COMMENTS
    + rb"))*(?<=\n)[ \t]*)[ \t]"
)
"""Where a member may end: after its last byte, which is not that of an arrow, with the comments
before the next one. Other comments are matched to be passed over: no member ends in one, and each
is looked at a few times at most, however many there are."""
_MEMBER: Final = re.compile(_END + rb"(?=[<(])")
_ESCAPE: Final = re.compile(rb"\\(?s:.)")
_SIGNATURE: Final = rb"<(?:[A-Za-z_$]|\s*\n)(?:[^()]{1,600}+|\([^()]{0,300}+\)){0,5}(?<=>)\("
_SIGNATURE_LINE: Final = re.compile(rb"\n[ \t]+" + _SIGNATURE)
_SIGNATURE_MEMBER: Final = re.compile(_END + rb"(?=" + _SIGNATURE + rb")")
_ALIAS: Final = re.compile(
    rb"^([ \t]*)(?:export\s+)?(?:declare\s+)?type\s+[A-Za-z_$].*"
    rb"(?:\n(?:[ \t]*$|\1(?![\w$/@#'\"`(\[{]).*))*",
    re.M,
)
"""`type Name = …` with the lines that go on: further in, or beginning as no statement does."""
_VISIBLE: Final = re.compile(rb"\S")
_NEWER: Final = re.compile(
    rb"(?P<using>\bfor\s*(?:await\s*)?\(\s*)(?:await\s+)?using(?=\s+[\w$]+\s+of\b)"
    rb"|(?P<exports>\bexport\s+)type(?=\s*\*)"
    rb"|(?P<before>\b(?:abstract|static|override|readonly|public|private|protected)\s+)"
    rb"(?:accessor|override|abstract)(?=\s+[\w$#\['\"])"
)
"""What is not known where: `using` in the head of a loop, `type` of all that a module exports,
modifiers behind others."""
_ATTRIBUTE: Final = re.compile(rb"(?<==\")[^\"\n]*&[^\"\n]*(?=\")")
"""Where `&` begins the name of a character, which a semicolon has to end."""


def parse_javascript(source: bytes, dialect: str) -> tuple[Tree, bytes, str]:
    """Parse a file, repaired where that leaves fewer errors.

    What JavaScript's grammar can't read, exports under a keyword and Flow's types, the one of
    TypeScript with JSX often can.

    Returns:
        The tree, the source that was parsed, and the dialect that it was parsed as.
    """
    source = with_closed_comments(source, b"/*", b"*/", b"//")
    if dialect != "javascript":
        return *_parse_typescript(source, dialect), dialect
    tree = parse(dialect, source)
    if tree.root_node.has_error:
        with suppress(NotInTime):
            other, repaired = _parse_typescript(source, "tsx")
            if _lost(other.root_node) < _lost(tree.root_node):
                return other, repaired, "tsx"
    return tree, source, dialect


def _parse_typescript(source: bytes, dialect: str) -> tuple[Tree, bytes]:
    source = _VARIANCE.sub(lambda match: match[1] + b" " * len(match[2]), source)
    members = dialect != "tsx"  # there `<` on a new line is an element
    if members and _SIGNATURE_LINE.search(source):
        source = _SIGNATURE_MEMBER.sub(_ended, source)
    tree = parse(dialect, source)
    for repair in (_older, _split if members else _unescaped, _without_aliases):
        if not tree.root_node.has_error:
            break
        repaired = repair(source)
        if repaired != source:
            with suppress(NotInTime):
                other = parse(dialect, repaired)
                if _lost(other.root_node) < _lost(tree.root_node):
                    tree, source = other, repaired
    return tree, source


def _older(source: bytes) -> bytes:
    source = _NEWER.sub(_known, source)
    return _ATTRIBUTE.sub(lambda match: match[0].replace(b"&", b"_"), source)


def _known(match: re.Match[bytes]) -> bytes:
    kind = match.lastgroup or ""
    kept = match[kind] + (b"const" if kind == "using" else b"")
    return kept + b" " * (len(match[0]) - len(kept))


def _unescaped(source: bytes) -> bytes:
    return _ESCAPE.sub(_unquoted, source)


def _split(source: bytes) -> bytes:
    return _MEMBER.sub(_ended, _unescaped(source))


def _without_aliases(source: bytes) -> bytes:
    return _ALIAS.sub(lambda match: _VISIBLE.sub(b" ", match[0]), source)


def _ended(match: re.Match[bytes]) -> bytes:
    return match[0] if match[1] is None else match[1] + b";"


def _unquoted(match: re.Match[bytes]) -> bytes:
    return b"''" if match[0] == b"\\`" else match[0]


def _lost(root: Node) -> int:
    """How many bytes are in errors: one error may be all of a file that many would leave whole."""
    lost = 0
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            lost += 1 + node.end_byte - node.start_byte
        elif node.has_error:
            pending += node.children
    return lost
