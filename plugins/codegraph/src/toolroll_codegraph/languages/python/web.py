"""Python's routes and requests: `@app.get("/items/{id}")`, `client.get(f"/items/{id}")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import FactBuilder, Frame
from toolroll_codegraph.languages.web import (
    GAP,
    HOLDING,
    NAMED,
    NAMING,
    ROUTING,
    VERBS,
    is_path,
    note_web,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_HOLDING: Final = frozenset(word.encode() for word in HOLDING)
_NAMING: Final = frozenset(word.encode() for word in NAMING)
WEB_WORDS: Final = frozenset(word.encode() for word in VERBS | ROUTING | NAMED | NAMING | HOLDING)
"""Last names of what is called."""
_METHODS: Final = frozenset(word.encode() for word in VERBS | ROUTING)
_PREFIXES: Final = (b"prefix", b"url_prefix")


def note_request(
    builder: FactBuilder, frame: Frame, node: Node, callee: int, result: int,
    positional: tuple[int, ...], keywords: tuple[int, ...],
) -> None:  # fmt: skip
    """Note what a call with arguments says of the web, if anything."""
    function, arguments = node.named_children[0], node.named_children[-1].named_children
    name = function.named_children[-1] if function.type == "attribute" else function
    word, line = name.text or b"", node.start_point[0] + 1
    if word in _HOLDING:
        prefix = _keyword(arguments, _PREFIXES)
        if prefix is not None:
            note_web(builder, frame, line, word, prefix, -1, result)
        return
    if word == b"as_view":
        note_web(builder, frame, line, word, b"", callee, result)
        return
    method = word in _METHODS
    if method and function.type != "attribute":
        return  # `get(path)` of one's own
    first, receiver = (arguments[0] if arguments else None), callee if method else -1
    path = None if first is None else _path(first)
    if path is not None and (not method or is_path(path) or path == b""):
        note_web(builder, frame, line, word, path, receiver, result, positional[1:], keywords)
    elif method and first is not None and _is_naming(first):
        note_web(builder, frame, line, word, b"", receiver, result, positional, keywords)


def _is_naming(node: Node) -> bool:
    """Whether an argument is `reverse("name")` or the like."""
    function = node.named_children[0].text if node.type == "call" else None
    return (function or b"").rpartition(b".")[2] in _NAMING


def _keyword(arguments: list[Node], names: tuple[bytes, ...]) -> bytes | None:
    for argument in arguments:
        if argument.type == "keyword_argument" and argument.named_children[0].text in names:
            return _path(argument.named_children[-1])
    return None


def _path(node: Node) -> bytes | None:
    """The text of a string, with gaps for what is filled in; None for anything else."""
    if node.type != "string":
        return None
    parts: list[bytes] = []
    for child in node.named_children:
        if child.type == "interpolation":
            parts.append(GAP)
        elif child.type == "string_content":
            parts.append(child.text or b"")
    return b"".join(parts)
