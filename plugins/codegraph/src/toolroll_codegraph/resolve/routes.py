"""Requests of tests and clients, led to the functions whose routes have their paths.

`client.get("/api/items/1")` comes to the function below `@router.get("/{item_id}")`, whose router
has the prefix `/items`. Paths are compared from their ends: what is mounted where is not followed.
What is told so is weak evidence, and no more than a few functions are for one request.
"""

from __future__ import annotations

from itertools import pairwise
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from toolroll_codegraph.facts import CallColumn, CallFlag
from toolroll_codegraph.languages.registry import is_test
from toolroll_codegraph.languages.web import HOLDING, NAMED, NAMING, ROUTING, VERBS, WEB
from toolroll_codegraph.resolve.program import BOUND, CLASS, CONTAINER, EXTERNAL, FUNCTION, TEXT
from toolroll_codegraph.resolve.web_paths import segments, suits

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.solver import Solver

_CALLS: Final = Struct(f"{CallColumn.WIDTH}i")
_MOST: Final = 3
"""Routes that suit a request equally well: of more, none is told."""
_MOST_FLOWS: Final = 200
_PREFIXES: Final = ("prefix", "url_prefix")
_VIEWS: Final = ("view_func", "endpoint", "view")


class _Route(NamedTuple):
    """What is done with a path."""

    verb: str
    """Empty for any."""
    segments: tuple[str, ...]
    functions: tuple[int, ...]
    classes: tuple[int, ...]
    """Views that are classes, with a method for each verb."""
    file: int
    caller: int
    """Who adds the route."""
    name: str


class _Row(NamedTuple):
    """A call that extraction noted (`languages/web.py`), in the program's numbering."""

    word: str
    path: str
    receiver: int
    result: int
    given: tuple[int, ...]
    named: dict[str, int]
    file: int
    scope: int
    line: int


def find_requests(solver: Solver, classes: Classes) -> None:
    """Note the functions that requests come to, as calls that are possible."""
    names = solver.program.names
    words = {
        names[WEB + word]: word
        for word in VERBS | ROUTING | NAMED | NAMING | HOLDING
        if WEB + word in names
    }
    if words:
        _Requests(solver, classes, words).find()


class _Requests:
    def __init__(self, solver: Solver, classes: Classes, words: dict[int, str]) -> None:
        self._solver = solver
        self._classes = classes
        self._program = solver.program
        self._words = words
        self._tests = [is_test(path) for path in self._program.paths]
        self._routes: list[_Route] = []
        self._requests: list[_Row] = []
        self._prefixes: dict[int, str] = {}
        """Slot of what has routes → what stands before their paths."""
        self._pending: dict[int, list[_Row]] = {}
        """Result of what may be a decorator → the rows that it stands for."""
        self._named: dict[int, str] = {}
        """Result of `reverse("name")` → the name."""
        self._modules: dict[int, str] = {}
        """Result of `include("shop.urls")` → the module."""
        self._serving: set[int] = set()
        """Slots of what has routes: it is asked nothing."""
        self._views: dict[int, list[int]] = {}
        """Result of `Items.as_view()` → the class."""
        self._mounted: list[tuple[str, _Row]] = []
        """(module, route) of what is included under the path of a route."""

    def find(self) -> None:
        """Collect routes and requests, and lead these to those."""
        self._look()
        self._mount()
        for row in self._requests:
            self._answer(row)

    # rows

    def _look(self) -> None:
        program, operations = self._program, self._solver.operations
        own_files = len(program.by_path)
        for identifier, (row, following) in enumerate(
            pairwise(_CALLS.iter_unpack(operations.calls))
        ):
            _, scope, line, source, name, flags, begin, count = row
            decorates = flags & CallFlag.DECORATOR and self._pending
            if name < 0 and not decorates:
                continue
            index = operations.call_file[identifier]
            if index >= own_files:
                break  # copies
            base, rename = program.slot_base[index], program.renames[index]
            word = self._words.get(rename[name]) if name >= 0 else None
            if word is None and not decorates:
                continue
            end = following[CallColumn.START]
            given, keywords = operations.arguments_in(begin, count, end, base, rename)
            if word is None:
                for pending in self._pending.pop(source + base, ()):
                    self._add(pending, given)
                continue
            pairs = iter(keywords)
            named = {
                program.texts[key]: slot for key, slot in zip(pairs, pairs, strict=True) if key >= 0
            }
            path = self._text(given[0])
            found = _Row(word, path, given[1], given[2], given[3:], named, index,
                         scope + program.scope_base[index], line)  # fmt: skip
            self._take(found)
        for rows in self._pending.values():
            self._requests += [row for row in rows if self._is_request(row)]

    def _take(self, row: _Row) -> None:
        if row.word in HOLDING:
            self._spread(row.result, row.path)
        elif row.word == "as_view":
            values = self._solver.points[row.receiver] or () if row.receiver >= 0 else ()
            self._views[row.result] = [it for it in values if self._solver.kind[it] == CLASS]
        elif row.word == "include":
            self._modules[row.result] = row.path
        elif row.word in NAMING:
            self._named[row.result] = row.path
        elif row.word == "fetch":
            self._requests.append(row)
        elif module := next((self._modules[it] for it in row.given if it in self._modules), ""):
            self._mounted.append((module, row))
        elif not self._add(row, (*row.given, *(row.named.get(it, -1) for it in _VIEWS))):
            self._pending.setdefault(row.result, []).append(row)

    def _spread(self, slot: int, prefix: str) -> None:
        """Note a prefix for a slot and where its value goes."""
        operations, seen, waiting = self._solver.operations, {slot}, [slot]
        while waiting and len(seen) < _MOST_FLOWS:
            here = waiting.pop()
            self._prefixes[here] = prefix
            begin, end = operations.flow_start[here : here + 2]
            for further in operations.flow[begin:end]:
                if further not in seen:
                    seen.add(further)
                    waiting.append(further)

    def _add(self, row: _Row, given: tuple[int, ...]) -> bool:
        """Add a route if something that can be called is among the arguments."""
        solver, scopes = self._solver, self._program.scopes
        functions: list[int] = []
        views: list[int] = []
        for slot in given:
            for value in (solver.points[slot] or ()) if slot >= 0 else ():
                kind = solver.kind[value]
                function = solver.detail[value][0] if kind == BOUND else value
                if kind in (FUNCTION, BOUND) and function < scopes:
                    functions.append(self._program.original(function))
                elif kind == CLASS:
                    views.append(value)
                elif kind == CONTAINER:  # `{handler: show}`
                    functions += self._handlers(value)
        views += [view for slot in given for view in self._views.get(slot, ())]
        if not functions and not views:
            return False
        if row.receiver >= 0:
            self._serving.add(row.receiver)
        before = segments(self._prefixes.get(row.receiver, ""))
        name = self._text(row.named.get("name", row.named.get("endpoint", -1)))
        verb = row.word if row.word in VERBS else ""
        caller = self._program.caller[row.scope]
        self._routes.append(_Route(verb, before + segments(row.path), tuple(functions),
                                   tuple(views), row.file, caller, name))  # fmt: skip
        return True

    def _handlers(self, options: int) -> list[int]:
        slot = self._solver.fields_of(options).get(self._program.names.get("handler", -1), -1)
        return self._functions(slot)

    def _functions(self, slot: int) -> list[int]:
        """The functions of the program that a slot has."""
        program, functions = self._program, self._solver.functions(slot)
        return [program.original(it) for it in functions if it < program.scopes]

    def _text(self, slot: int) -> str:
        values = (self._solver.points[slot] or ()) if slot >= 0 else ()
        texts = [it for it in values if self._solver.kind[it] == TEXT]
        return self._solver.key_text(texts[0]) if len(texts) == 1 else ""

    def _mount(self) -> None:
        """Put the path of what includes a module's routes before theirs."""
        paths = self._program.paths
        for module, row in self._mounted:
            end, before = module.replace(".", "/") + ".py", segments(row.path)
            self._routes = [
                route._replace(segments=before + route.segments)
                if f"/{paths[route.file]}".endswith(f"/{end}")
                else route
                for route in self._routes
            ]

    # requests

    def _is_request(self, row: _Row) -> bool:
        """Whether a call may be one of a library's client, with a path or the name of a route."""
        if row.word not in VERBS or row.receiver in self._serving:
            return False
        if not row.path and not self._route_name(row):
            return False
        solver = self._solver
        values = (solver.points[row.receiver] or ()) if row.receiver >= 0 else ()
        return all(solver.kind[value] == EXTERNAL for value in values)

    def _route_name(self, row: _Row) -> str:
        return self._named.get(row.given[0], "") if row.given else ""

    def _answer(self, row: _Row) -> None:
        """Note calls of what the routes that suit a request best lead to."""
        verb, name = row.word if row.word in VERBS else "", self._route_name(row)
        if name:
            last = name.rpartition(":")[2].rpartition(".")[2]
            found = [route for route in self._routes if self._is_named(route, last)]
        else:
            found = self._suiting(verb, segments(row.path), row.file)
        caller = self._program.caller[row.scope]
        for near in ([it for it in found if it.caller == caller],
                     [it for it in found if it.file == row.file]):  # fmt: skip
            found = near if near and len(found) > 1 else found
        for route in found if len(found) <= _MOST else ():
            for function in (*route.functions, *self._methods(route, verb)):
                self._solver.suppose(row.scope, function, row.line)

    def _is_named(self, route: _Route, name: str) -> bool:
        program = self._program
        names = {program.texts[program.scope_name[it]] for it in route.functions}
        return name == route.name if route.name else name in names

    def _methods(self, route: _Route, verb: str) -> list[int]:
        """What a view that is a class does with a verb."""
        found: list[int] = []
        for view in route.classes:
            found += self._functions(self._classes.find(view, self._program.name(verb)))
        return found

    def _suiting(self, verb: str, asked: tuple[str, ...], asking: int) -> list[_Route]:
        best, found = -1, list[_Route]()
        for route in self._routes:
            if route.verb and verb and route.verb != verb:
                continue
            if self._tests[route.file] and route.file != asking:
                continue  # a test's own
            well = suits(route.segments, asked)
            if well > best:
                best, found = well, []
            if well == best >= 0:
                found.append(route)
        return found
