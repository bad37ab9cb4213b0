"""Routes and requests of the web, as files write them: a path, and what is done with it.

Each is noted as a call of nothing, behind the call itself, with the path, the slots of the receiver
and of what the call returns, and the other arguments.
"""

from __future__ import annotations

from typing import Final

from toolroll_codegraph.facts import CallFlag, FactBuilder, Frame

WEB: Final = "{web} "
"""What stands before a word in the name of such a call, which no source can write."""
VERBS: Final = frozenset(("delete", "get", "head", "options", "patch", "post", "put"))
ROUTING: Final = frozenset(
    ("add_api_route", "add_route", "add_url_rule", "all", "api_route", "as_view", "route",
     "websocket")
)  # fmt: skip
"""Methods that have a path for any verb, or for those of another argument, and Django's that makes
a view of a class."""
NAMED: Final = frozenset(("fetch", "path", "re_path", "Route"))
"""Functions that take a path: a request of JavaScript's, routes of Django and Starlette."""
NAMING: Final = frozenset(("include", "reverse", "reverse_lazy", "url_for"))
"""Functions that take the name of a module with routes, or of a route."""
HOLDING: Final = frozenset(("APIRouter", "Blueprint"))
"""Classes of what has routes behind a prefix, as FastAPI's and Flask's."""
GAP: Final = b"{}"
"""What stands in a path for what isn't written down."""


def is_path(text: bytes) -> bool:
    """Whether a text is a path from the root, or an address."""
    return text.startswith(b"/") or b"://" in text


def note_web(
    builder: FactBuilder, frame: Frame, line: int, word: bytes, path: bytes, receiver: int,
    result: int, positional: tuple[int, ...] = (), keywords: tuple[int, ...] = (),
) -> None:  # fmt: skip
    """Note a route or request; `positional` are the arguments behind the path."""
    given = (builder.constant(path), receiver, result, *positional)
    name = builder.name(WEB.encode() + word)
    builder.call(frame, line, -1, name, given, keywords, CallFlag.IMPLICIT)
