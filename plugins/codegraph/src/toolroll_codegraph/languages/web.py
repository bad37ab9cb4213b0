"""Routes and requests of the web, as files write them: a path, and what is done with it.

Each is noted as a call of nothing, behind the call itself, with the slots of the receiver and of
what the call returns, and the other arguments. The path stands among the names of the keywords:
so it is known in programs too that are too large for texts to be values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from toolroll_codegraph.facts import CallFlag, FactBuilder, Frame

if TYPE_CHECKING:
    from tree_sitter import Node

WEB: Final = "{web} "
"""What stands before a word in the name of such a call, which no source can write."""
VERBS: Final = frozenset(("delete", "get", "head", "options", "patch", "post", "put"))
ANY: Final = "route"
"""The word of a route for any verb, or for those that its header names."""
REQUEST: Final = "request"
"""The word of what is a request whatever it is given."""
LISTED: Final = "listed"
"""The word of a route that is an object, to be put into a list of such."""
ENTRY: Final = "entry"
"""The same of a library whose lists are handed to an app, not to be found by their file."""
MAKING: Final = "make"
"""The word of a call that makes what has routes: an app, a router, a blueprint."""
ROOT: Final = "root"
"""The same of an app that is mounted nowhere, unless the source says so."""
STANDING: Final = "standing"
"""The same of what has routes for an app that it is given."""
CLIENT: Final = "client"
"""The same of what requests are made with."""
MOUNTING: Final = "mount"
"""The word of a call that puts what it is given behind a path of its receiver's."""
INSTEAD: Final = "mount as"
"""The same where the path stands in place of the one that what is mounted was made with."""
PLUGIN: Final = "plugin"
"""The same where functions are given that add routes to what they are handed."""
OWN: Final = "own"
"""The word of a call that gives its receiver a path."""
FURTHER: Final = "further"
"""The word of a call that returns its receiver behind a further path."""
RESOURCE: Final = "resource"
"""The word of a route whose class has a method for each of the usual actions."""
OUTERMOST: Final = "outermost"
"""The word of a path that stands before all others."""
CLASS: Final = "class"
"""The word of a decorator of a class whose methods have routes."""
INCLUDE: Final = "include"
VIEW: Final = "as_view"
ACTION: Final = "action"
NAMING: Final = "reverse"
"""The word of a call with the name of a route, for its path."""
SENDING: Final = "send"
"""The word of a call with the name of a task or command, which it runs."""
TASK: Final = "task"
"""The word of a decorator that names a task."""
COMMAND: Final = "command"
"""The word of what adds a command, or a group of such, to another group."""
BEFORE: Final = "callback"
"""The word of a decorator of what runs before the commands of a group."""
INVOKING: Final = "invoke"
"""The word of a call that runs what a command line asks for."""
HOOK: Final = "hook"
"""The word of a call of all that implement a hook."""
HOOKED: Final = "hookimpl"
"""The word of a decorator of such a function."""
WORDS: Final = (
    *sorted(VERBS), ANY, REQUEST, LISTED, ENTRY, MAKING, ROOT, STANDING, CLIENT, MOUNTING, INSTEAD,
    PLUGIN, OWN, FURTHER, RESOURCE, OUTERMOST, CLASS, INCLUDE, VIEW, ACTION, NAMING,
    SENDING, TASK, COMMAND, BEFORE, INVOKING, HOOK, HOOKED,
)  # fmt: skip
GAP: Final = b"{}"
"""What stands in a path for what isn't written down."""
SEPARATOR: Final = "\t"
"""Between the parts of a header."""


class Header(NamedTuple):
    """What a file says of a route or request."""

    path: bytes = b""
    name: bytes = b""
    """Of the route, or of what has routes."""
    verbs: bytes = b""
    """Those of the route or request, with blanks between; none for any."""


def is_path(text: bytes) -> bool:
    """Whether a text is a path from the root, or an address, whatever it begins with."""
    return text.startswith((b"/", GAP + b"/")) or b"://" in text


def prefix_of(written: Node | None, path_of: Callable[[Node], bytes | None]) -> bytes:
    """The text of a prefix: nothing without one, a gap for one that isn't written here."""
    if written is None:
        return b""
    found = path_of(written)
    return GAP if found is None else found


def note_web(
    builder: FactBuilder, frame: Frame, line: int, word: str, header: Header, receiver: int,
    result: int, positional: tuple[int, ...] = (), keywords: tuple[int, ...] = (),
    unwritten: int = -1,
) -> None:  # fmt: skip
    """Note a route or request; `unwritten` is the slot of what its path begins with as a gap."""
    text = SEPARATOR.encode().join(part.replace(b"\t", b" ") for part in header)
    name, flags = builder.name(WEB.encode() + word.encode()), CallFlag.IMPLICIT | CallFlag.NOTE
    given, keywords = (receiver, result, *positional), (builder.name(text), unwritten, *keywords)
    builder.call(frame, line, -1, name, given, keywords, flags)
