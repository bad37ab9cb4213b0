"""Rails' routes, as `config/routes.rb` writes them: verbs, paths, names of helpers and actions."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from toolroll_codegraph.languages.inflections import plural, singular
from toolroll_codegraph.languages.ruby.devise import KINDS, devise_routes
from toolroll_codegraph.languages.ruby.factories import RubyFactories
from toolroll_codegraph.languages.web import GAP

if TYPE_CHECKING:
    from tree_sitter import Node

RESOURCES: Final = frozenset((b"resources", b"resource"))
_VERBS: Final = frozenset((b"get", b"post", b"put", b"patch", b"delete"))
_ROUTED: Final = frozenset((*_VERBS, b"match", b"root"))
_INSIDE: Final = frozenset((b"member", b"collection"))
_TARGET: Final = re.compile(rb"/?([a-z0-9_/]+)#([a-z0-9_]+)")
_OPTIONAL: Final = re.compile(rb"\([^()]*\)")
_ACTIONS: Final = (
    (b"index", b"get", b"many", b""), (b"create", b"post", b"many", b""),
    (b"new", b"get", b"many", b"new"), (b"show", b"get", b"one", b""),
    (b"edit", b"get", b"one", b"edit"), (b"update", b"patch put", b"one", b""),
    (b"destroy", b"delete", b"one", b""),
)  # fmt: skip
"""Each action of a resource: its verbs, what it is of, and what stands behind that."""


class Action(NamedTuple):
    """An action, and where its controller may be."""

    within: list[bytes]
    """Names of the modules around it, the outermost first, or of what it is nested in."""
    resource: bytes
    name: bytes


class Routed(NamedTuple):
    """A route."""

    verbs: bytes
    path: bytes
    name: bytes
    """Of the helper, without `_path`."""
    action: Action


class _Place(NamedTuple):
    """What is around a route."""

    path: bytes = b""
    name: bytes = b""
    modules: tuple[bytes, ...] = ()
    controller: bytes = b""
    inside: bytes = b""
    """`member` or `collection` of a resource."""
    many: tuple[bytes, bytes] = (b"", b"")
    """Path and name of the resource."""
    one: tuple[bytes, bytes] = (b"", b"")
    """Those of a member of it."""


class RubyRoutes(RubyFactories):
    """Reads routes."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.drawing = b".routes.draw" in source
        known = b"application.routes.draw" in source  # where an engine is mounted is another matter
        self._place = _Place() if known else _Place(GAP)

    @contextmanager
    def inside(self, text: bytes, told: list[Node]) -> Generator[None]:
        """Note what stands around the routes of a block."""
        before = self._place
        self._place = self._within(before, text, told)
        yield
        self._place = before

    def _within(self, place: _Place, text: bytes, told: list[Node]) -> _Place:
        first = None if not told or told[0].type == "pair" else self.literal_key(told[0])
        if text in _INSIDE:
            return place._replace(inside=text)
        if text in RESOURCES and first:
            return self._resource(place, text, told, first)
        if text not in (b"namespace", b"scope"):
            return place
        path, module, name = (self.option(told, it) for it in (b"path", b"module", b"as"))
        if text == b"namespace":
            path, module, name = (first if it is None else it for it in (path, module, name))
        return place._replace(
            path=_joined(place.path, first or b"" if path is None else path),
            modules=(*place.modules, *(module.split(b"/") if module else ())),
            name=place.name + (name + b"_" if name else b""),
            controller=self.option(told, b"controller") or place.controller, inside=b"",
        )  # fmt: skip

    def _resource(self, place: _Place, text: bytes, told: list[Node], name: bytes) -> _Place:
        """What is around the routes in a resource."""
        given = self.option(told, b"path")
        many = _joined(place.path, name if given is None else given)
        helper = place.name + (self.option(told, b"as") or name)
        controller = self.option(told, b"controller")
        module = self.option(told, b"module")
        one, single, nested = many, helper, many
        if text == b"resources":
            single = place.name + singular(helper.removeprefix(place.name))
            one, nested = many + b"/:id", b"%s/:%s_id" % (many, singular(name))
        return _Place(
            nested, single + b"_", (*place.modules, *([module] if module else [])),
            controller or (name if text == b"resources" else plural(name)), b"",
            (many, helper), (one, single),
        )  # fmt: skip

    def routed(self, text: bytes, told: list[Node]) -> Iterator[Routed]:
        """The routes that a call adds."""
        if text in RESOURCES:
            for child in told:
                name = None if child.type == "pair" else self.literal_key(child)
                if name is not None:
                    yield from self._of_resource(text, told, name)
        elif text in _ROUTED:
            yield from self._single(text, told)
        elif text == b"devise_for":
            yield from self._of_devise(told)

    def _of_resource(self, text: bytes, told: list[Node], name: bytes) -> Iterator[Routed]:
        place = self._resource(self._place, text, told, name)
        only, left_out = self._listed(told, b"only"), self._listed(told, b"except")
        for action, verbs, of, behind in _ACTIONS:
            if text == b"resource" and action == b"index":
                continue
            if (only is not None and action not in only) or action in (left_out or ()):
                continue
            path, helper = place.many if of == b"many" else place.one
            if action == b"new":
                helper = place.one[1]
            helper = behind + b"_" + helper if behind else helper
            within, last = self._controller(place.modules, place.controller)
            yield Routed(verbs, _joined(path, behind), helper, Action(within, last, action))

    def _of_devise(self, told: list[Node]) -> Iterator[Routed]:
        resource, place = self.literal_key(told[0]) or b"", self._place
        module, given = self.option(told, b"module"), self.option(told, b"path")
        own = self._pairs(told, b"controllers")
        if module:
            own = {kind: b"%s/%s" % (module, kind) for kind in KINDS} | own
        single = place.name + singular(resource)
        path = _joined(place.path, resource if given is None else given)
        for verbs, part, helper, controller, action in devise_routes(
            single, own, self._pairs(told, b"path_names")
        ):
            within, last = self._controller(place.modules, controller)
            yield Routed(verbs, _joined(path, part), helper, Action(within, last, action))

    def _pairs(self, told: list[Node], wanted: bytes) -> dict[bytes, bytes]:
        """The literals of a hash that a call is given under a name."""
        value = self._written(told, wanted)
        pairs = () if value is None or value.type != "hash" else value.named_children
        known = (
            (self.literal_key(pair.named_children[0]), self.literal_key(pair.named_children[-1]))
            for pair in pairs if pair.type == "pair"
        )  # fmt: skip
        return {key: item for key, item in known if key and item}

    def _single(self, text: bytes, told: list[Node]) -> Iterator[Routed]:
        place = self._place
        part = self.literal_key(told[0]) or b""
        target = self.option(told, b"to") or part
        if told[0].type == "pair":  # `get "about" => "pages#about"`
            key, value = told[0].named_children[0], told[0].named_children[-1]
            target = self.literal_key(value) or target
            part = self.literal_key(key) or b"" if key.type != "hash_key_symbol" else b""
        if text == b"root":
            part = b""
        inside = place.inside or self.option(told, b"on") or b""
        path, around = place.path, b""
        if inside in _INSIDE:
            path, around = place.one if inside == b"member" else place.many
        name = self.option(told, b"as") or _helper(part)
        if text == b"root":
            name = b"root"
        helper = b"_".join(it for it in (name, around) if it) if around else place.name + name
        verbs = text if text in _VERBS else b"get" if text == b"root" else b""
        for child in self._listed(told, b"via") or ():
            verbs += b" " + child
        found = _TARGET.fullmatch(target)
        controller, action = self.option(told, b"controller"), self.option(told, b"action")
        if found is not None:
            known, last = found[1], found[2]
        elif controller or place.controller:
            known, last = controller or place.controller, action or target.rpartition(b"/")[2]
        elif b"/" in target.strip(b"/"):
            known, _, last = target.strip(b"/").rpartition(b"/")
        else:
            return
        within, resource = self._controller(place.modules, known)
        yield Routed(verbs, _joined(path, part), helper, Action(within, resource, last))

    def _controller(self, modules: tuple[bytes, ...], name: bytes) -> tuple[list[bytes], bytes]:
        *within, last = name.split(b"/")
        return [*modules, *within], last

    def option(self, told: list[Node], wanted: bytes) -> bytes | None:
        """The literal that a call is given under a name."""
        value = self._written(told, wanted)
        return None if value is None else self.literal_key(value)

    def _listed(self, told: list[Node], wanted: bytes) -> list[bytes] | None:
        value = self._written(told, wanted)
        if value is None:
            return None
        if value.type == "symbol_array":
            return [self.text(child) for child in value.named_children]
        items = value.named_children if value.type == "array" else [value]
        return [key for key in map(self.literal_key, items) if key is not None]

    def _written(self, told: list[Node], wanted: bytes) -> Node | None:
        for child in told:
            if child.type == "pair" and self.literal_key(child.named_children[0]) == wanted:
                return child.named_children[-1]
        return None


def _joined(path: bytes, part: bytes) -> bytes:
    part = _OPTIONAL.sub(b"", part).strip(b"/")
    return path + b"/" + part if part else path


def _helper(part: bytes) -> bytes:
    """The name of a path's helper: what is written in it."""
    plain = _OPTIONAL.sub(b"", part)
    return b"_".join(it for it in plain.split(b"/") if it and it[:1] not in (b":", b"*"))
