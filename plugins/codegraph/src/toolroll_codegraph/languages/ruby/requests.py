"""Rails' routes and the requests of its tests, which come to the actions of controllers.

`resources :users` hands over what `UsersController` has of the seven actions; `get users_path`,
`post "/users"` and, where a controller is described, `get :show` call one. Nothing is told that no
controller has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from toolroll_codegraph.facts import CallFlag, Frame
from toolroll_codegraph.languages.ruby.factories import RubyFactories, camel_case

if TYPE_CHECKING:
    from tree_sitter import Node

_VERBS: Final = {
    b"get": (b"index", b"show"), b"head": (b"index", b"show"), b"visit": (b"index", b"show"),
    b"post": (b"create", b"create"), b"put": (b"update", b"update"),
    b"patch": (b"update", b"update"), b"delete": (b"destroy", b"destroy"),
}  # fmt: skip
"""What a request asks of a collection, and of one of its members."""
_ROUTED: Final = frozenset((*_VERBS, b"match", b"root"))
_RESOURCES: Final = frozenset((b"resources", b"resource"))
_ACTIONS: Final = (b"index", b"show", b"new", b"create", b"edit", b"update", b"destroy")
_HELPER: Final = re.compile(rb"(new_|edit_)?([a-z0-9_]+)_(?:path|url)")
_TARGET: Final = re.compile(rb"([a-z0-9_/]+)#([a-z0-9_]+)")
_MEMBER: Final = b"{id}"
"""A segment of a path that names one of many."""
_PLURAL: Final = (
    (re.compile(rb"([^aeiou])y$"), rb"\1ies"),
    (re.compile(rb"(s|x|ch|sh)$"), rb"\1es"),
)


class _Action(NamedTuple):
    """An action, and where its controller may be."""

    within: list[bytes]
    """Names of the modules around it, the outermost first, or of what it is nested in."""
    resource: bytes
    name: bytes


class RubyRequests(RubyFactories):
    """Reads routes and requests."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._routes = b".routes.draw" in source
        self._modules: list[bytes] = []
        """The namespaces of routes that are read."""
        self._resource = b""
        """The resource around them."""

    def bare_call(
        self, frame: Frame, text: bytes, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        told = [] if arguments is None else arguments.named_children
        if not told or (not self._routes and text not in _VERBS):
            return super().bare_call(frame, text, node, arguments, block)
        line = node.start_point[0] + 1
        if self._routes:
            routed = list(self._routed(text, told))
            for action in routed:
                self._hand_over(frame, line, action)
            with self._inside(text, told, routed):
                return super().bare_call(frame, text, node, arguments, block)
        value = super().bare_call(frame, text, node, arguments, block)
        described, in_tests = self.tested(frame)
        if told[0].type == "simple_symbol" and described >= 0:
            self._act(frame, line, described, self.text(told[0])[1:])
        for action in self._requested(text, told[0]) if in_tests else ():
            self._act(frame, line, self._controller(frame, line, action), action.name)
        return value

    def tested(self, frame: Frame) -> tuple[int, bool]:
        """The slot of the class that tests around are of, or -1, and whether there are any."""
        raise NotImplementedError

    # what a route hands over, and a request calls

    def _controller(self, frame: Frame, line: int, action: _Action) -> int:
        """The slot of a controller: of the first that there is, from the innermost module out."""
        last = camel_case(action.resource) + b"Controller"
        within = [camel_case(name) for name in action.within]
        names = [b".".join((*within[start:], last)) for start in range(len(within) + 1)]
        return self.constant_named(b"|".join(names), frame, line)

    def _hand_over(self, frame: Frame, line: int, action: _Action) -> None:
        flags, found = CallFlag.IMPLICIT, self._controller(frame, line, action)
        key = self.constant(action.name)
        method = self.call(frame, line, found, self.name(b"instance_method"), (key,), flags=flags)
        self.call(frame, line, -1, -1, (method,), flags=flags)

    def _act(self, frame: Frame, line: int, controller: int, action: bytes) -> None:
        flags = CallFlag.IMPLICIT
        made = self.call(frame, line, controller, self.name(b"allocate"), flags=flags)
        self.call(frame, line, made, self.name(action), flags=flags)

    # routes

    @contextmanager
    def _inside(self, text: bytes, told: list[Node], routed: list[_Action]) -> Iterator[None]:
        """Note the module that `namespace :admin do … end` has its controllers in."""
        before = self._modules, self._resource
        module = self.literal_key(told[0]) if text == b"namespace" else None
        if text == b"scope":
            module = self._option(told, b"module")
        if module:
            self._modules = [*self._modules, *module.split(b"/")]
        elif text in _RESOURCES:
            self._resource = next((action.resource for action in routed), b"")
        yield
        self._modules, self._resource = before

    def _routed(self, text: bytes, told: list[Node]) -> Iterator[_Action]:
        if text in _RESOURCES:
            controller = self._option(told, b"controller")
            module = self._option(told, b"module")
            within = [*self._modules, *([module] if module else [])]
            for child in told:
                name = None if child.type == "pair" else self.literal_key(child)
                if name is not None:
                    plain = controller or (name if text == b"resources" else plural(name))
                    yield from (_Action(within, plain, action) for action in _ACTIONS)
        elif text in _ROUTED:
            target = self._option(told, b"to") or self.literal_key(told[0]) or b""
            if told[0].type == "pair":  # `get "about" => "pages#about"`
                target = self.literal_key(told[0].named_children[-1]) or target
            found = _TARGET.fullmatch(target)
            controller, action = self._option(told, b"controller"), self._option(told, b"action")
            if found is None and (controller or self._resource):
                *within, last = (controller or self._resource).split(b"/")
                yield _Action([*self._modules, *within], last, action or target)
            elif found is not None:
                *within, last = found[1].split(b"/")
                yield _Action([*self._modules, *within], last, found[2])

    def _option(self, told: list[Node], wanted: bytes) -> bytes | None:
        for child in told:
            if child.type == "pair" and self.literal_key(child.named_children[0]) == wanted:
                return self.literal_key(child.named_children[-1])
        return None

    # requests

    def _requested(self, verb: bytes, target: Node) -> Iterator[_Action]:
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


def _of_helper(verb: bytes, prefix: bytes | None, name: bytes) -> _Action:
    """`users_path`, `edit_admin_user_path`: the action of a named route."""
    *within, last = name.split(b"_")
    several = last.endswith(b"s") and not last.endswith(b"ss")
    action = prefix.rstrip(b"_") if prefix else _VERBS[verb][not several]
    return _Action(within, last if several else plural(last), action)


def _of_path(verb: bytes, segments: list[bytes]) -> Iterator[_Action]:
    """`/admin/users/1`: the action of a resource, or one of its own behind it."""
    names = [part for part in segments if part != _MEMBER]
    if not names:
        return
    of_member = segments[-1] == _MEMBER
    if names[-1] in (b"new", b"edit") and len(names) > 1 and not of_member:
        yield _Action(names[:-2], names[-2], names[-1])
        return
    yield _Action(names[:-1], names[-1], _VERBS[verb][of_member])
    if len(names) > 1 and not of_member:
        yield _Action(names[:-2], names[-2], names[-1])


def plural(name: bytes) -> bytes:
    """The plural by the commonest of Rails' inflections."""
    for pattern, changed in _PLURAL:
        found, count = pattern.subn(changed, name)
        if count:
            return found
    return name + b"s"
