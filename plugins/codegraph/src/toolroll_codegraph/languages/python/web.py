"""Python's routes and requests: `@app.get("/items/{id}")`, `client.get(f"/items/{id}")`."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.python.written import (
    first_of,
    literal_of,
    path_of,
    route_name,
    text_under,
    verbs_of,
    words_of,
)
from toolroll_codegraph.languages.web import (
    ACTION,
    ANY,
    BEFORE,
    CLIENT,
    COMMAND,
    ENTRY,
    GAP,
    HOOK,
    HOOKED,
    INCLUDE,
    INSTEAD,
    INVOKING,
    LISTED,
    MAKING,
    MOUNTING,
    NAMING,
    REQUEST,
    RESOURCE,
    ROOT,
    SENDING,
    STANDING,
    TASK,
    VERBS,
    VIEW,
    Header,
    is_path,
    note_web,
    prefix_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node

    from toolroll_codegraph.languages.python.expressions import PythonExpressions

    _Note = Callable[[str, Header, Node | None], None]

_VERBS: Final = {verb.encode(): verb for verb in VERBS}
_METHODS: Final = {
    **_VERBS,
    **{b"add_" + word: verb for word, verb in _VERBS.items()},
    **{b"simulate_" + word: verb for word, verb in _VERBS.items()},
    **dict.fromkeys((b"add_api_route", b"add_route", b"add_url_rule", b"add_api_websocket_route",
                     b"api_route", b"route", b"view", b"websocket"), ANY),
    **dict.fromkeys((b"request", b"fetch", b"websocket_connect"), REQUEST),
}  # fmt: skip
"""Methods that have a path, of routers and of clients."""
_MAKING: Final = {
    **dict.fromkeys((b"FastAPI", b"Flask", b"Litestar", b"NinjaAPI", b"Quart", b"Sanic",
                     b"Starlette"), ROOT),
    **dict.fromkeys((b"APIRouter", b"App", b"Application", b"Blueprint", b"DefaultRouter",
                     b"Mount", b"Namespace", b"RouteTableDef", b"Router", b"SimpleRouter",
                     b"Typer"), MAKING),
    b"Api": STANDING,
    **dict.fromkeys((b"APIClient", b"ASGITransport", b"AsyncClient", b"Client", b"TestApp",
                     b"TestClient", b"TestServer", b"WSGITransport", b"aiohttp_client"), CLIENT),
}  # fmt: skip
"""What makes an object that has routes, or asks for them, by its last name."""
_MOUNTING: Final = {
    **dict.fromkeys((b"add_namespace", b"add_router", b"add_routes", b"add_subapp",
                     b"include_router", b"mount"), MOUNTING),
    **dict.fromkeys((b"blueprint", b"register_blueprint"), INSTEAD),
}  # fmt: skip
_LISTED: Final = {
    **dict.fromkeys((b"path", b"re_path", b"url"), LISTED),
    **dict.fromkeys((b"Route", b"WebSocketRoute"), ENTRY),
}  # fmt: skip
_NAMING: Final = frozenset((b"reverse", b"reverse_lazy", b"url_for", b"url_path_for"))
_OTHERS: Final = frozenset((b"include", b"as_view", b"action", b"register", b"add_resource"))
_SENDING: Final = frozenset((b"call_command", b"send_task", b"signature"))
_COMMANDS: Final = {
    **dict.fromkeys((b"add_command", b"add_typer", b"command", b"group"), COMMAND),
    b"callback": BEFORE, b"invoke": INVOKING,
}  # fmt: skip
_OF_GROUPS: Final = frozenset((b"callback", b"command", b"group"))
"""Methods that say something as decorators alone."""
WEB_WORDS: Final = frozenset(
    (
        *_METHODS,
        *_MAKING,
        *_MOUNTING,
        *_LISTED,
        *_NAMING,
        *_OTHERS,
        *_SENDING,
        *_COMMANDS,
        b"task",
        b"shared_task",
    )
)
"""Last names of what is called."""
_DECORATING: Final = frozenset((*_VERBS, b"route", b"websocket"))
"""Functions that decorate what a path leads to: `@get("/books")`."""
ALONE: Final = frozenset(
    (*_MAKING, *_DECORATING, b"as_view", b"action", b"callback", b"command", b"group")
)
"""Those that say something without any argument."""
_AFTER_OTHERS: Final = frozenset((b"add_route", b"request"))
"""What is given the path as its second argument where the first is none: a verb, or a view."""
_PATHS: Final = frozenset((b"path", b"rule", b"url", b"uri"))
_PREFIXES: Final = frozenset((b"base_url", b"path", b"prefix", b"url_prefix"))
_WORD_OF_CLIENT: Final = re.compile(rb"client\w*$", re.IGNORECASE)
_NAMED: Final = ("attribute", "identifier")


def note_request(
    builder: PythonExpressions, frame: Frame, node: Node, callee: int, result: int,
    positional: tuple[int, ...], keywords: tuple[int, ...],
) -> None:  # fmt: skip
    """Note what a call says of the web, if anything."""
    function = node.named_children[0]
    attribute = function.type == "attribute"
    word = (function.named_children[-1] if attribute else function).text or b""
    arguments = [it for it in node.named_children[-1].named_children if it.type != "comment"]
    plain = [it for it in arguments if it.type != "keyword_argument"]
    named = {
        it.named_children[0].text or b"": it.named_children[-1]
        for it in arguments
        if it.type == "keyword_argument"
    }
    receiver, line = (callee if attribute else -1), node.start_point[0] + 1

    def note(kind: str, header: Header, path: Node | None = None) -> None:
        given = -1 if path is None else _unwritten(builder, frame, path)
        note_web(builder, frame, line, kind, header, receiver, result, positional, keywords, given)

    if word in _MAKING:
        prefix = first_of(named, _PREFIXES)
        if word == b"Mount" and prefix is None and plain:
            prefix = plain[0]
        if _MAKING[word] != CLIENT or arguments:
            note(_MAKING[word], Header(prefix_of(prefix, path_of), literal_of(plain)), prefix)
        if word == b"Application" and plain:
            for path, view in _pairs(plain[0]):
                view = (builder.expression(frame, view),)
                note_web(builder, frame, line, ANY, Header(path), result, builder.slot(), view)
    elif word == b"as_view":
        note_web(builder, frame, line, VIEW, Header(), callee, result)
    elif word in _SENDING:
        if name := literal_of(plain):
            note(SENDING, Header(name))
    elif word in (b"task", b"shared_task"):
        if name := route_name(named):
            note(TASK, Header(name))
    elif word in _COMMANDS:
        if attribute and (word not in _OF_GROUPS or _decorates(node)):
            words = words_of(plain[1:] or [*named.values()]) if word == b"invoke" else b""
            place = 1 if word.startswith(b"add_") else 0
            note(_COMMANDS[word], Header(words, literal_of(plain[place:]) or route_name(named)))
    elif word == b"include":
        if plain and plain[0].type == "tuple":  # with the name of the app
            plain = plain[0].named_children
        note(INCLUDE, Header(literal_of(plain)))
    elif word in _NAMING:
        if name := literal_of(plain):
            note(NAMING, Header(name))
    elif word == b"action":
        if _decorates(node):
            each = text_under(named, b"url_path"), text_under(named, b"url_name"), verbs_of(named)
            detail = named.get(b"detail")
            several = detail is None or detail.text != b"True"
            note(ACTION, Header(each[0], each[1], each[2] + (b" *" if several else b"")))
    elif word in _MOUNTING and attribute:
        prefix = first_of(named, _PREFIXES)
        if prefix is None and word in (b"mount", b"add_router", b"add_subapp") and plain:
            prefix = plain[0]
        kind = MOUNTING if prefix is None else _MOUNTING[word]
        note(kind, Header(prefix_of(prefix, path_of)), prefix)
    elif word == b"register" and attribute:
        if len(plain) > 1 and (path := path_of(plain[0])) is not None:
            note(RESOURCE, Header(path, route_name(named)))
    elif word == b"add_resource":
        for path in map(path_of, plain[1:]):
            if path is not None:
                note(ANY, Header(path, route_name(named)))
    elif word in _LISTED and not attribute:
        path = path_of(plain[0]) if plain else None
        if path is not None:
            note(_LISTED[word], Header(path, route_name(named), verbs_of(named)))
    elif word in _METHODS and (attribute or (word in _DECORATING and _decorates(node))):
        _note_method(note, node, plain, named)


def _decorates(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "decorator"


def _note_method(note: _Note, node: Node, plain: list[Node], named: dict[bytes, Node]) -> None:
    """Note a route or request by the method of a router or client."""
    function = node.named_children[0]
    word = (function.text or b"").rpartition(b".")[2]
    verbs = verbs_of(named)
    first = plain[0] if plain else first_of(named, _PATHS)
    if word in _AFTER_OTHERS and len(plain) > 1 and not is_path(path_of(plain[0]) or b""):
        verbs = verbs or literal_of(plain).lower()
        first = plain[1]
    if word == b"fetch" or word == b"request":
        method = named.get(b"method")
        verbs = verbs or (b"" if method is None else (path_of(method) or b"").lower())
    if first is None:
        if word in _DECORATING and _decorates(node):
            note(_METHODS[word], Header(verbs=verbs), None)
        return
    path = path_of(first)
    header = Header(path or b"", route_name(named), verbs)
    if path is not None and (is_path(path) or path == b""):
        note(_METHODS[word], header, first)
    elif _is_naming(first):
        note(_METHODS[word], header, None)
    elif (
        path is None
        and function.type == "attribute"
        and first.type in (*_NAMED, "call")
        and _WORD_OF_CLIENT.search(function.named_children[0].text or b"")
    ):
        note(_METHODS[word], header._replace(path=GAP), first)


def _pairs(node: Node) -> Iterator[tuple[bytes, Node]]:
    """The paths and views of Tornado's `[(r"/", Main)]`."""
    for pair in node.named_children if node.type == "list" else ():
        if pair.type == "tuple" and pair.named_child_count > 1:
            path, view = pair.named_children[:2]
            if view.type in _NAMED and (text := path_of(path)) is not None:
                yield text, view


def _is_naming(node: Node) -> bool:
    """Whether an argument is `reverse("name")` or the like."""
    function = node.named_children[0].text if node.type == "call" else None
    return (function or b"").rpartition(b".")[2] in _NAMING


def _unwritten(builder: PythonExpressions, frame: Frame, node: Node) -> int:
    """The slot of what a path begins with that isn't written there, -1 for none."""
    while node.named_children and node.type in ("string", "binary_operator"):
        inner = [it for it in node.named_children if not it.type.startswith("string_")]
        content = [it for it in node.named_children if it.type == "string_content"]
        if not inner or (content and content[0].start_byte < inner[0].start_byte):
            return -1
        node = inner[0].named_children[0] if inner[0].type == "interpolation" else inner[0]
    return builder.expression(frame, node) if node.type in _NAMED else -1


def note_hook(builder: PythonExpressions, frame: Frame, node: Node, result: int) -> None:
    """Note that a call runs what implements a hook: `manager.hook.add(item=item)`."""
    name = node.named_children[0].named_children[-1].text or b""
    note_web(builder, frame, node.start_point[0] + 1, HOOK, Header(name), -1, result)


def note_hooked(builder: PythonExpressions, inner: Frame, frame: Frame, node: Node) -> None:
    """Note that a function implements a hook: `@hookimpl`, `@hookimpl(specname="add")`."""
    name = next(islice(builder.name_ids, inner.name, None)).rpartition(b".")[2]
    for it in node.named_children[-1].named_children if node.type == "call" else ():
        if it.type == "keyword_argument" and it.named_children[0].text == b"specname":
            name = path_of(it.named_children[-1]) or name
    line = node.start_point[0] + 1
    note_web(builder, frame, line, HOOKED, Header(name), -1, inner.value, (inner.value,))
