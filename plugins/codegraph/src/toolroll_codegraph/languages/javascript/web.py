"""JavaScript's routes and requests: `app.get("/users/:id", show)`, `request(app).get(…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.web import (
    ANY,
    CLASS,
    CLIENT,
    FURTHER,
    GAP,
    MAKING,
    MOUNTING,
    OUTERMOST,
    OWN,
    PLUGIN,
    REQUEST,
    ROOT,
    VERBS,
    Header,
    is_path,
    note_web,
    prefix_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from toolroll_codegraph.languages.javascript.calls import JavaScriptCalls

    _Note = Callable[[str, Header, Node | None], None]

_VERBS: Final = {verb.encode(): verb for verb in VERBS} | {b"del": "delete"}
_METHODS: Final = _VERBS | {b"all": ANY, b"ws": ANY}
_MAKING: Final = {
    **dict.fromkeys((b"Fastify", b"Koa", b"express", b"fastify"), ROOT),
    **dict.fromkeys((b"Elysia", b"Hono", b"OpenAPIHono", b"Router"), MAKING),
    **dict.fromkeys((b"create", b"extend"), CLIENT),
}  # fmt: skip
"""What makes an object that has routes, or asks for them, by its last name."""
_MOUNTING: Final = {
    **dict.fromkeys((b"mount", b"use"), MOUNTING), **dict.fromkeys((b"group", b"register"), PLUGIN),
}  # fmt: skip
_BEHIND: Final = {b"basePath": FURTHER, b"prefix": OWN}
_ASKING: Final = frozenset((b"$fetch", b"axios", b"fetch", b"inject", b"request", b"useFetch"))
_CLIENTS: Final = frozenset((b"agent", b"request", b"supertest"))
"""Functions that are given an app, to ask it."""
_DECORATORS: Final = {
    **{verb.capitalize().encode(): verb for verb in VERBS}, b"All": ANY, b"Controller": CLASS,
}  # fmt: skip
WEB_WORDS: Final = frozenset(
    (*_METHODS, *_MAKING, *_MOUNTING, *_BEHIND, *_ASKING, *_CLIENTS, *_DECORATORS, b"route",
     b"setGlobalPrefix")
)  # fmt: skip
"""Last names of what is called."""
_PREFIXES: Final = frozenset((b"basePath", b"path", b"prefix"))
_BASES: Final = frozenset((b"baseURL", b"baseUrl", b"prefixUrl"))
_PATHS: Final = frozenset((b"path", b"url"))
_NAMED: Final = ("identifier", "member_expression")


def note_request(
    builder: JavaScriptCalls, frame: Frame, node: Node, line: int, word: bytes, callee: int,
    result: int, positional: tuple[int, ...],
) -> None:  # fmt: skip
    """Note what a call says of the web, if anything."""
    arguments = node.child_by_field_name("arguments")
    told = [] if arguments is None else [it for it in arguments.named_children
                                         if it.type != "comment"]  # fmt: skip
    first = told[0] if told else None
    path = None if first is None else _path(first)
    function = node.child_by_field_name("function")
    receiver = callee if function is not None and function.type == "member_expression" else -1

    def note(kind: str, header: Header, path: Node | None = None) -> None:
        given = -1 if path is None else _unwritten(builder, frame, path)
        note_web(builder, frame, line, kind, header, receiver, result, positional, (), given)

    if word in _DECORATORS:
        if node.parent is not None and node.parent.type == "decorator":
            if path is None:
                path = prefix_of(_option(told, _PREFIXES), _path)
            note(_DECORATORS[word], Header(path))
    elif word in _MAKING:
        prefix = _option(told, _BASES if _MAKING[word] == CLIENT else _PREFIXES)
        if _MAKING[word] != CLIENT or prefix is not None:
            note(_MAKING[word], Header(prefix_of(prefix, _path)), prefix)
    elif word in _CLIENTS and path is None and told and told[0].type != "object":
        note(CLIENT, Header())
    elif receiver < 0 and word not in _ASKING:
        return  # `get(path)` of one's own
    elif word in _METHODS and receiver in builder.routed:
        path, receiver = builder.routed[receiver]
        note(_METHODS[word], Header(path))
        builder.routed[result] = path, receiver
    elif word in _METHODS:
        if path is not None and is_path(path):
            note(_METHODS[word], Header(path), first)
    elif word in _MOUNTING:
        prefix = _option(told, _PREFIXES) if path is None else first
        if told:
            note(_MOUNTING[word], Header(prefix_of(prefix, _path)), prefix)
    elif word == b"route":
        if path is not None and len(told) == 1:
            builder.routed[result] = path, receiver
        elif path is not None:
            note(MOUNTING, Header(path), first)
        elif (written := _option(told, _PATHS)) is not None:
            path = _path(written) or GAP
            note(ANY, Header(path, verbs=_verbs(told)), written)
    elif word in _BEHIND:
        if path is not None:
            note(_BEHIND[word], Header(path), first)
    elif word == b"setGlobalPrefix":
        note(OUTERMOST, Header(prefix_of(first, _path)), first)
    else:
        _note_asking(note, told, path)


def _note_asking(note: _Note, told: list[Node], path: bytes | None) -> None:
    """Note a request by a function, or one that an object tells: `axios({url, method})`."""
    written: Node | None = told[0] if told else None
    if path is None:
        written = _option(told[:1], _PATHS)
        path = None if written is None else _path(written)
    if path is not None and is_path(path):
        verbs = _verbs(told) or (b"" if _is_open(told) else b"get")
        note(REQUEST, Header(path, verbs=verbs), written)


def _is_open(told: list[Node]) -> bool:
    """Whether options are given that aren't written there."""
    return len(told) > 1 and told[1].type != "object"


def _verbs(told: list[Node]) -> bytes:
    method = _option(told, frozenset((b"method",)))
    listed = [] if method is None else [method, *method.named_children]
    return b" ".join(verb.lower() for verb in map(_path, listed) if verb)


def _option(told: list[Node], names: frozenset[bytes]) -> Node | None:
    """What an object among the arguments has under one of these names."""
    for argument in told:
        for pair in argument.named_children if argument.type == "object" else ():
            key = pair.child_by_field_name("key")
            if pair.type == "pair" and key is not None and (key.text or b"").strip(b"'\"") in names:
                return pair.child_by_field_name("value")
    return None


def _path(node: Node) -> bytes | None:
    """The text of a string or template, with gaps for what is filled in; None for all else."""
    if node.type == "binary_expression" and node.children[1].type == "+":
        parts = [_path(node.children[0]), _path(node.children[2])]
        return None if parts == [None, None] else b"".join(part or GAP for part in parts)
    if node.type not in ("string", "template_string"):
        return None
    text = node.text or b""
    for child in reversed(node.named_children):
        if child.type == "template_substitution":
            begin, end = child.start_byte - node.start_byte, child.end_byte - node.start_byte
            text = text[:begin] + GAP + text[end:]
    return text[1:-1]


def _unwritten(builder: JavaScriptCalls, frame: Frame, node: Node) -> int:
    """The slot of what a path begins with that isn't written there, -1 for none."""
    while node.type in ("binary_expression", "template_string"):
        start = node.children[0 if node.type == "binary_expression" else 1]
        node = start.named_children[0] if start.type == "template_substitution" else start
    return builder.expression(frame, node) if node.type in _NAMED else -1
