"""The routes of a program: their paths, and the functions and classes that they lead to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from toolroll_codegraph.languages.web import (
    ACTION,
    ANY,
    CLASS,
    ENTRY,
    LISTED,
    OUTERMOST,
    RESOURCE,
    VERBS,
    VIEW,
)
from toolroll_codegraph.resolve.program import BOUND, CONTAINER, FUNCTION, INSTANCE
from toolroll_codegraph.resolve.program import CLASS as CLASS_VALUE
from toolroll_codegraph.resolve.web.paths import ANY as ANY_SEGMENT
from toolroll_codegraph.resolve.web.paths import Path, segments
from toolroll_codegraph.resolve.web.routers import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.solver import Solver
    from toolroll_codegraph.resolve.web.routers import Routers
    from toolroll_codegraph.resolve.web.rows import Row, Rows

_VIEWS: Final = ("view_func", "endpoint", "view")
_MOST_IN_LITERAL: Final = 16
_OF_COLLECTION: Final = {"get": ("list", "get_queryset"), "post": ("create", "perform_create")}
_OF_MEMBER: Final = {
    "get": ("retrieve", "get_queryset"), "put": ("update", "perform_update"),
    "patch": ("partial_update", "update", "perform_update"),
    "delete": ("destroy", "perform_destroy"),
}  # fmt: skip
"""What REST framework calls first of what a view has, or else what that calls in turn."""
_PARTS: Final = frozenset(("get_queryset", "perform_create", "perform_destroy", "perform_update"))
"""Those of them that a method calls which the view inherits."""
_FILE: Final = re.compile(
    r"(?:^|/)(?:(?:app/(?P<next>.*/)?route|routes/(?P<kit>.*/)?\+server"
    r"|pages/(?P<page>api/.*?)(?:/index)?)\.[cm]?[jt]sx?$)"
)
"""Next.js's and SvelteKit's files that are routes."""
_GROUP: Final = re.compile(r"\([^/]*\)/|@[^/]*/")


class Route(NamedTuple):
    """What is done with a path."""

    verbs: tuple[str, ...]
    """None for any."""
    paths: tuple[Path, ...]
    functions: tuple[int, ...]
    classes: tuple[int, ...]
    """Views that are classes, with a method for each verb."""
    file: int
    caller: int
    """Who adds the route."""
    names: tuple[str, ...] = ()
    space: str = ""
    """What may stand before the names."""
    actions: Mapping[str, tuple[str, ...]] | None = None
    """Verb → the methods of the classes that may do it, if others than are called like it."""
    listed: bool = False
    """Whether it is an object, as Django's: the app of many tests is made of such."""


class Views:
    """Collects the routes."""

    def __init__(self, solver: Solver, classes: Classes, rows: Rows, routers: Routers) -> None:
        self._solver = solver
        self._classes = classes
        self._program = solver.program
        self._rows = rows
        self._routers = routers
        self._made = {row.result: self._of_kind(row.receiver, CLASS_VALUE)
                      for row in rows.of((VIEW,))}  # fmt: skip
        """Result of `Items.as_view()` → the class."""
        self._prefixes = dict(self._of_classes())
        """Class whose methods have routes → what stands before their paths."""
        self.results: set[int] = set()
        """What the calls that add routes return."""

    def routes(self) -> Iterator[Route]:
        """All routes."""
        for row in self._rows.of((*sorted(VERBS), ANY, LISTED, ENTRY)):
            given = (*row.given, *(row.named.get(it, -1) for it in _VIEWS))
            found = self._route(row, given)
            if found is None and (applied := self._rows.applied.get(row.result)):
                found = self._route(row, applied)
            if found is not None:
                self.results.add(row.result)
                yield found
        yield from self._resources()
        if self._program.family == "scripts":
            yield from self._files()

    # single routes

    def _route(self, row: Row, given: tuple[int, ...]) -> Route | None:
        """A route if something that can be called is among the arguments."""
        functions: list[int] = []
        views: list[int] = []
        for slot in given:
            self._look(slot, functions, views)
            views += self._made.get(slot, ())
        if self._program.family == "ruby":
            functions += self.actions(row)
        if not functions and not views:
            return None
        nodes = self._routers.tokens.of(row.receiver) or self._routers.holders(row.result)
        if row.word == LISTED and not nodes:
            nodes = [-1 - row.file]
        path = self._routers.path(row)
        verbs = (row.word,) if row.word in VERBS else row.verbs
        return Route(
            verbs, tuple(joined(it, path) for it in self._before(nodes, functions)),
            tuple(functions), tuple(views), row.file, self._program.caller[row.scope],
            (row.name,) if row.name else tuple(map(self._name, functions)),
            next((self._routers.name(it) for it in nodes), ""), listed=row.word == LISTED,
        )  # fmt: skip

    def _look(self, slot: int, functions: list[int], views: list[int]) -> None:
        """Add the functions and classes that a slot has."""
        solver, program = self._solver, self._program
        for value in (solver.points[slot] or ()) if slot >= 0 else ():
            kind = solver.kind[value]
            function = solver.detail[value][0] if kind == BOUND else value
            if kind in (FUNCTION, BOUND) and function < program.scopes:
                functions.append(program.original(function))
            elif kind == CLASS_VALUE:
                views.append(value)
            elif kind == INSTANCE and value < 2 * program.scopes:
                if any(self._method(value - program.scopes, f"on_{verb}") for verb in VERBS):
                    views.append(value - program.scopes)
            elif kind == CONTAINER:  # `{handler: show}`, `[check, show]`
                fields = solver.fields_of(value)
                handler = program.names.get("handler", -1)
                for name, inner in list(fields.items())[:_MOST_IN_LITERAL]:
                    if name == handler or program.texts[name].startswith("["):
                        functions += self._rows.functions(inner)

    def _before(self, nodes: list[int], functions: list[int]) -> tuple[Path, ...]:
        """What stands before the path of a route."""
        routers = self._routers
        if not nodes:
            for function in functions:
                owner = self._program.owner_class(function)
                if owner in self._prefixes:
                    return (self._prefixes[owner],)
                for node in (function, owner):
                    if node >= 0 and routers.is_mounted(node):
                        own = self._own_path(node)
                        return tuple(joined(before, own) for before in routers.before(node))
            return (Path((), whole=self._program.family == "ruby"),)
        return tuple(dict.fromkeys(path for node in nodes for path in routers.before(node)))

    def _own_path(self, owner: int) -> Path:
        """The `path` of a controller that is mounted itself."""
        found: list[str] = []
        if self._solver.kind[owner] == CLASS_VALUE:
            name = self._program.names.get("path", -1)
            found = self._rows.texts(self._classes.find(owner, name))
        return Path(segments(found[0]) if len(found) == 1 else (), whole=True)

    def _of_classes(self) -> Iterator[tuple[int, Path]]:
        outer = [segments(row.path) for row in self._rows.of((OUTERMOST,))]
        before = outer[0] if len(outer) == 1 else ()
        for row in self._rows.of((CLASS,)):
            for slot in self._rows.applied.get(row.result, ()):
                for value in self._of_kind(slot, CLASS_VALUE):
                    yield value, Path(before + segments(row.path), whole=False)

    def _of_kind(self, slot: int, kind: int) -> list[int]:
        values = (self._solver.points[slot] or ()) if slot >= 0 else ()
        return [value for value in values if self._solver.kind[value] == kind]

    def _name(self, function: int) -> str:
        return self._program.texts[self._program.scope_name[function]].rpartition(".")[2]

    def _method(self, view: int, name: str) -> list[int]:
        known = self._program.names.get(name, -1)
        return self._rows.functions(self._classes.find(view, known)) if known >= 0 else []

    def actions(self, row: Row) -> list[int]:
        """The actions of Rails' controllers that a route or request names."""
        return [
            function
            for name, slot in row.named.items()
            for controller in self._of_kind(slot, CLASS_VALUE)
            for function in self._method(controller, name)
        ]

    def methods(self, route: Route, verb: str) -> list[int]:
        """What the views of a route that are classes do with a verb."""
        names = (verb, f"on_{verb}") if route.actions is None else route.actions.get(verb, ())
        found: list[int] = []
        for view in route.classes:
            whole = False
            for name in names:
                if methods := self._method(view, name):
                    found += methods
                    whole = name not in _PARTS
                    break
            if route.listed or route.actions is not None:
                found += self._solver.rules.served(view, verb, inherited=not whole)
        return found

    # routes of classes and files

    def _resources(self) -> Iterator[Route]:
        """`router.register("users", Users)`: the actions of a class of REST framework."""
        rows = [row for row in self._rows.of((RESOURCE,))]
        extra = self._actions() if rows else {}
        for row in rows:
            tokens = self._routers.tokens.of(row.receiver)
            views = [view for slot in row.given[1:2] for view in self._of_kind(slot, CLASS_VALUE)]
            if not tokens or not views:
                continue
            path = self._routers.path(row)
            before = tuple(joined(it, path) for it in self._before(tokens, []))
            stems = self._stems(row, views[0])
            caller = self._program.caller[row.scope]

            def route(
                verbs: tuple[str, ...], behind: tuple[str, ...], functions: tuple[int, ...],
                name: str, actions: Mapping[str, tuple[str, ...]] | None,
                row: Row = row, before: tuple[Path, ...] = before, views: list[int] = views,
                stems: tuple[str, ...] = stems, caller: int = caller,
            ) -> Route:  # fmt: skip
                paths = tuple(it._replace(segments=it.segments + behind) for it in before)
                names = tuple(f"{stem}-{name}" for stem in stems)
                return Route(verbs, paths, functions, () if functions else tuple(views), row.file,
                             caller, names, actions=actions)  # fmt: skip

            yield route((), (), (), "list", _OF_COLLECTION)
            yield route((), (ANY_SEGMENT,), (), "detail", _OF_MEMBER)
            for function, noted in extra.items():
                if any(self._program.owner_class(function) in self._classes.order(it)
                       for it in views):  # fmt: skip
                    called = self._name(function)
                    several = "*" in noted.verbs
                    behind = segments(noted.path or called)
                    verbs = tuple(it for it in noted.verbs if it != "*") or ("get",)
                    name = noted.name or called.replace("_", "-")
                    behind = behind if several else (ANY_SEGMENT, *behind)
                    yield route(verbs, behind, (function,), name, None)

    def _actions(self) -> dict[int, Row]:
        """Methods with `@action` → what that says."""
        return {
            function: row
            for row in self._rows.of((ACTION,))
            for slot in self._rows.applied.get(row.result, ())
            for function in self._rows.functions(slot)
        }

    def _stems(self, row: Row, view: int) -> tuple[str, ...]:
        """What the names of a class's routes may begin with: the name of the model, in truth."""
        if row.name:
            return (row.name,)
        called = self._name(view).removesuffix("ViewSet").removesuffix("View").lower()
        last = row.path.strip("/").rpartition("/")[2].lower()
        return tuple(dict.fromkeys((called, last.removesuffix("s"), last)))

    def _files(self) -> Iterator[Route]:
        """Files that are routes: what they export is called like the verbs."""
        program = self._program
        for path, index in program.by_path.items():
            found = _FILE.search(path)
            if found is None:
                continue
            module = program.scope_base[index]
            place = _GROUP.sub("", found["next"] or found["kit"] or found["page"] or "")
            paths = (Path(segments(place), whole=True),)
            members = program.members[module] or {}
            if found["page"]:
                functions = self._default(module)
                if functions:
                    yield Route((), paths, tuple(functions), (), index, module)
                continue
            for verb in sorted(VERBS):
                slot = members.get(program.names.get(verb.upper(), -1), -1)
                functions = self._rows.functions(slot)
                if functions and verb.upper() in program.exported[index]:
                    yield Route((verb,), paths, tuple(functions), (), index, module)

    def _default(self, module: int) -> list[int]:
        """What a module exports under no name."""
        program = self._program
        members = program.members[module] or {}
        names = (program.names.get(name, -1) for name in ("default", "module.exports"))
        return [it for name in names for it in self._rows.functions(members.get(name, -1))]
