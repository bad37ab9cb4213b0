"""What arguments say of paths, names and verbs: texts, with gaps for what isn't written there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.web import GAP

if TYPE_CHECKING:
    from tree_sitter import Node

_ROUTE_NAMES: Final = frozenset((b"name", b"endpoint", b"basename", b"url_name"))
_FILLED: Final = re.compile(rb"%\(\w+\)[sd]|%[sd]")


def first_of(named: dict[bytes, Node], names: frozenset[bytes]) -> Node | None:
    return next((value for name, value in named.items() if name in names), None)


def literal_of(plain: list[Node]) -> bytes:
    """The text of the first argument, nothing where it is none."""
    return (path_of(plain[0]) or b"") if plain else b""


def text_under(named: dict[bytes, Node], name: bytes) -> bytes:
    return (path_of(named[name]) or b"") if name in named else b""


def route_name(named: dict[bytes, Node]) -> bytes:
    found = first_of(named, _ROUTE_NAMES)
    return b"" if found is None else path_of(found) or b""


def verbs_of(named: dict[bytes, Node]) -> bytes:
    """What `methods=["GET", "POST"]` lists."""
    listed = named.get(b"methods")
    found = () if listed is None else (path_of(child) for child in listed.named_children)
    return b" ".join(verb.lower() for verb in found if verb)


def path_of(node: Node) -> bytes | None:
    """The text of a string, with gaps for what is filled in; None for anything else."""
    if node.type == "string":
        parts: list[bytes] = []
        for child in node.named_children:
            if child.type == "interpolation":
                parts.append(GAP)
            elif child.type == "string_content":
                parts.append(child.text or b"")
        return b"".join(parts)
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        return path_of(node.named_children[0])
    if node.type == "binary_operator":
        left, right = node.named_children[0], node.named_children[-1]
        if node.children[1].type == "%":
            filled = path_of(left)
            return None if filled is None else _FILLED.sub(GAP, filled)
        if node.children[1].type == "+":
            parts = [GAP if part is None else part for part in (path_of(left), path_of(right))]
            return None if parts == [GAP, GAP] else b"".join(parts)
    if node.type == "call" and (node.named_children[0].text or b"").endswith(b".format"):
        return path_of(node.named_children[0].named_children[0])
    return None


def words_of(told: list[Node]) -> bytes:
    """What a command line asks for: `["users", "add"]`, `"users add"`."""
    first = told[0] if told else None
    listed = first.named_children if first is not None and first.type == "list" else told[:1]
    return b" ".join(GAP if text is None else text for text in map(path_of, listed))
