"""JavaScript's routes and requests: `app.get("/users/:id", show)`, `request(app).get(…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import FactBuilder, Frame
from toolroll_codegraph.languages.web import GAP, ROUTING, VERBS, is_path, note_web

if TYPE_CHECKING:
    from tree_sitter import Node

WEB_WORDS: Final = frozenset(word.encode() for word in VERBS | ROUTING | {"fetch"})
"""Last names of what is called."""


def note_request(
    builder: FactBuilder, frame: Frame, node: Node, line: int, word: bytes, callee: int,
    result: int, positional: tuple[int, ...],
) -> None:  # fmt: skip
    """Note a call whose first argument is a path."""
    arguments = node.child_by_field_name("arguments")
    told = [] if arguments is None else arguments.named_children
    path = _path(told[0]) if told else None
    if path is not None and is_path(path):
        receiver = -1 if word == b"fetch" else callee
        note_web(builder, frame, line, word, path, receiver, result, positional[1:])


def _path(node: Node) -> bytes | None:
    """The text of a string or template, with gaps for what is filled in; None for all else."""
    if node.type not in ("string", "template_string"):
        return None
    text = node.text or b""
    for child in reversed(node.named_children):
        if child.type == "template_substitution":
            begin, end = child.start_byte - node.start_byte, child.end_byte - node.start_byte
            text = text[:begin] + GAP + text[end:]
    return text[1:-1]
