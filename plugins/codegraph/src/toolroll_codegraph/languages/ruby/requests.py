"""Rails' routes and the requests of its tests, which come to the actions of controllers.

`resources :users` hands over what `UsersController` has of the seven actions; `get users_path`,
`post "/users"` and, where a controller is described, `get :show` call one. Nothing is told that no
controller has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame
from toolroll_codegraph.languages.inflections import plural
from toolroll_codegraph.languages.ruby.factories import camel_case
from toolroll_codegraph.languages.ruby.routes import Action, RubyRoutes
from toolroll_codegraph.languages.web import ANY, GAP, REQUEST, Header, note_web

if TYPE_CHECKING:
    from tree_sitter import Node

_VERBS: Final = {
    b"get": (b"index", b"show"), b"head": (b"index", b"show"), b"visit": (b"index", b"show"),
    b"post": (b"create", b"create"), b"put": (b"update", b"update"),
    b"patch": (b"update", b"update"), b"delete": (b"destroy", b"destroy"),
}  # fmt: skip
"""What a request asks of a collection, and of one of its members."""
_HELPER: Final = re.compile(rb"(new_|edit_)?([a-z0-9_]+)_(?:path|url)")
_MEMBER: Final = b"{id}"
"""A segment of a path that names one of many."""


class RubyRequests(RubyRoutes):
    """Reads routes and requests."""

    def bare_call(
        self, frame: Frame, text: bytes, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        told = [] if arguments is None else arguments.named_children
        line = node.start_point[0] + 1
        if self.drawing:
            for route in self.routed(text, told) if told else ():
                controller = self._hand_over(frame, line, route.action)
                header = Header(route.path, route.name, route.verbs)
                self._note(frame, line, ANY, header, [(route.action.name, controller)])
            with self.inside(text, told):
                return super().bare_call(frame, text, node, arguments, block)
        value = super().bare_call(frame, text, node, arguments, block)
        if not told or text not in _VERBS:
            return value
        described, in_tests = self.tested(frame)
        if told[0].type == "simple_symbol" and described >= 0:
            self._act(frame, line, described, self.text(told[0])[1:])
        if in_tests:
            self._request(frame, line, text, told[0])
        return value

    def _request(self, frame: Frame, line: int, verb: bytes, target: Node) -> None:
        """Note a request, with the actions that it may come to where no route tells it."""
        header = self._asked(verb, target)
        if header is not None:
            actions = [
                (action.name, self._controller_of(frame, line, action))
                for action in self._requested(verb, target)
            ]
            self._note(frame, line, REQUEST, header, actions)

    def _note(
        self, frame: Frame, line: int, word: str, header: Header, actions: list[tuple[bytes, int]]
    ) -> None:
        keywords = tuple(part for name, slot in actions for part in (self.name(name), slot))
        note_web(self, frame, line, word, header, -1, self.slot(), (), keywords)

    def _asked(self, verb: bytes, target: Node) -> Header | None:
        """The path of a request, or the name of the helper that gives it."""
        verbs = b"get" if verb == b"visit" else verb
        helper = target.child_by_field_name("method") if target.type == "call" else target
        if target.type == "string":
            parts = [GAP if child.type == "interpolation" else self.text(child)
                     for child in target.named_children]  # fmt: skip
            return Header(b"".join(parts), verbs=verbs)
        if helper is not None and helper.type == "identifier":
            text = self.text(helper)
            if text.endswith((b"_path", b"_url")):
                return Header(name=text.rpartition(b"_")[0], verbs=verbs)
        return None

    def tested(self, frame: Frame) -> tuple[int, bool]:
        """The slot of the class that tests around are of, or -1, and whether there are any."""
        raise NotImplementedError

    # what a route hands over, and a request calls

    def _controller_of(self, frame: Frame, line: int, action: Action) -> int:
        """The slot of a controller: of the first that there is, from the innermost module out."""
        last = camel_case(action.resource) + b"Controller"
        within = [camel_case(name) for name in action.within]
        names = [b".".join((*within[start:], last)) for start in range(len(within) + 1)]
        return self.constant_named(b"|".join(names), frame, line)

    def _hand_over(self, frame: Frame, line: int, action: Action) -> int:
        """Hand an action over; the slot of its controller."""
        flags, found = CallFlag.IMPLICIT, self._controller_of(frame, line, action)
        key = self.constant(action.name)
        method = self.call(frame, line, found, self.name(b"instance_method"), (key,), flags=flags)
        self.call(frame, line, -1, -1, (method,), flags=flags)
        return found

    def _act(self, frame: Frame, line: int, controller: int, action: bytes) -> None:
        flags = CallFlag.IMPLICIT
        made = self.call(frame, line, controller, self.name(b"allocate"), flags=flags)
        self.call(frame, line, made, self.name(action), flags=flags)

    # requests

    def _requested(self, verb: bytes, target: Node) -> Iterator[Action]:
        """The actions that a request may come to."""
        helper = target.child_by_field_name("method") if target.type == "call" else target
        if target.type == "string":
            yield from _of_path(verb, self._segments(target))
        elif helper is not None and helper.type == "identifier":
            found = _HELPER.fullmatch(self.text(helper))
            if found is not None:
                yield _of_helper(verb, found[1], found[2])

    def _segments(self, target: Node) -> list[bytes]:
        parts = [
            _MEMBER if child.type == "interpolation" else self.text(child)
            for child in target.named_children
        ]
        path = b"".join(parts).partition(b"?")[0]
        plain = [part.partition(b".")[0] for part in path.split(b"/") if part]
        return [_MEMBER if _MEMBER in part or part.isdigit() else part for part in plain]


def _of_helper(verb: bytes, prefix: bytes | None, name: bytes) -> Action:
    """`users_path`, `edit_admin_user_path`: the action of a named route."""
    *within, last = name.split(b"_")
    several = last.endswith(b"s") and not last.endswith(b"ss")
    action = prefix.rstrip(b"_") if prefix else _VERBS[verb][not several]
    return Action(within, last if several else plural(last), action)


def _of_path(verb: bytes, segments: list[bytes]) -> Iterator[Action]:
    """`/admin/users/1`: the action of a resource, or one of its own behind it."""
    names = [part for part in segments if part != _MEMBER]
    if not names:
        return
    of_member = segments[-1] == _MEMBER
    if names[-1] in (b"new", b"edit") and len(names) > 1 and not of_member:
        yield Action(names[:-2], names[-2], names[-1])
        return
    yield Action(names[:-1], names[-1], _VERBS[verb][of_member])
    if len(names) > 1 and not of_member:
        yield Action(names[:-2], names[-2], names[-1])
