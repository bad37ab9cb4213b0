"""Requests of tests and clients, led to the functions whose routes have their paths.

`client.get("/api/items/1")` comes to the function below `@router.get("/{item_id}")`, where the
router is mounted at `/api/items`. Where it is mounted is followed (`routers.py`); where nothing
tells, paths are compared from their ends. What is told so is weak evidence, and no more than a few
functions are for one request.
"""

from __future__ import annotations

from itertools import product
from posixpath import basename, commonpath, dirname, join
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.registry import is_test
from toolroll_codegraph.languages.web import REQUEST, VERBS
from toolroll_codegraph.resolve.program import EXTERNAL, INSTANCE
from toolroll_codegraph.resolve.web.paths import ANY, MERELY, REST, UNKNOWN, Path, segments, suits
from toolroll_codegraph.resolve.web.routers import Routers, joined
from toolroll_codegraph.resolve.web.rows import Rows
from toolroll_codegraph.resolve.web.sending import Sending
from toolroll_codegraph.resolve.web.tokens import Tokens
from toolroll_codegraph.resolve.web.views import Route, Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.solver import Solver
    from toolroll_codegraph.resolve.web.rows import Row

_MOST: Final = 3
"""Routes that suit a request equally well: of more, none is told."""
_CLIENT: Final = "Client"
_MOST_PATHS: Final = 3
"""Texts that the path of one request may be."""


class Requests:
    """Finds what requests come to, in two steps: values flow in the first alone."""

    def __init__(self, solver: Solver, classes: Classes) -> None:
        self._solver = solver
        self._classes = classes
        self._program = solver.program
        self._rows = Rows(solver)
        self._tokens = Tokens(solver, self._rows)
        self._tests = [is_test(path) for path in self._program.paths]
        self._by_end: dict[tuple[int, str], list[_Found]] = {}
        """(file that asks, last segment of a route's path) → path and route."""
        self._by_name: dict[str, list[Route]] = {}
        self._imported: dict[int, set[int]] = {}
        """File → those that it imports."""
        self._used: dict[int, set[int]] = {}
        """The same, of tests, by way of others too."""
        self._roots: set[int] = set()
        """What any route is in."""

    def flow(self) -> None:
        """Let apps and routers come to where routes are added to them."""
        self._tokens.flow()

    def find(self) -> None:
        """Note the functions that requests come to, as calls that are possible."""
        if not len(self._rows):
            return
        solver = self._solver
        Sending(solver, self._classes, self._rows, self._tokens).find()
        self._routers = Routers(solver, self._rows, self._tokens)
        self._views = Views(solver, self._classes, self._rows, self._routers)
        for route in self._views.routes():
            for path in route.paths:
                end = path.segments[-1] if path.segments else ""
                place = route.file if self._is_own(route) else _SHARED
                self._by_end.setdefault((place, end), []).append((path, route))
                self._roots.add(path.root)
            for name in route.names:
                self._by_name.setdefault(name, []).append(route)
        if self._by_end or self._program.family == "ruby":
            pairs = iter(solver.rules.imports.found)
            for file, imported in set(zip(pairs, pairs, strict=True)):
                self._imported.setdefault(file, set()).add(imported)
            for row in self._rows.of((*sorted(VERBS), REQUEST)):
                if self._is_request(row):
                    self._answer(row)

    def _is_request(self, row: Row) -> bool:
        """Whether a call may be one of a library's client."""
        if row.result in self._views.results:
            return False
        if row.word == REQUEST:
            return True
        solver = self._solver
        values = (solver.points[row.receiver] or ()) if row.receiver >= 0 else ()
        return all(solver.kind[value] == EXTERNAL or self._is_client(value) for value in values)

    def _is_client(self, value: int) -> bool:
        """Whether an object is of a class of the program's own that is called a client."""
        program, owner = self._program, value - self._program.scopes
        if self._solver.kind[value] != INSTANCE or owner >= program.scopes:
            return False
        names = (program.texts[program.scope_name[it]] for it in self._classes.order(owner))
        return any(name.endswith(_CLIENT) for name in names)

    def _answer(self, row: Row) -> None:
        """Note calls of what the routes that suit a request best lead to."""
        verbs = (row.word,) if row.word in VERBS else row.verbs
        names = self._names(row)
        if names:
            found = [(_NOWHERE, route) for name in names for route in self._of_name(name, verbs)]
        else:
            found = [it for path in self._asked(row) for it in self._suiting(path, verbs, row)]
        if not found and self._program.family == "ruby":  # no route tells it
            for function in self._views.actions(row):
                self._solver.suppose(row.scope, function, row.line)
            return
        found = self._nearest(list({id(it[1]): it for it in found}.values()), row)
        for path, route in found if len(found) <= _MOST else ():
            methods = [it for verb in verbs or ("get",) for it in self._views.methods(route, verb)]
            for function in dict.fromkeys((*path.passed, *route.functions, *methods)):
                self._solver.suppose(row.scope, function, row.line)

    def _nearest(self, found: list[_Found], row: Row) -> list[_Found]:
        """Of routes that suit equally well those that are nearest to who asks."""
        if len(found) < 2:
            return found
        caller, asking = self._program.caller[row.scope], self._program.paths[row.file]
        for near in ([it for it in found if it[1].caller == caller],
                     [it for it in found if it[1].file == row.file]):  # fmt: skip
            if near:
                return near
        depths = [
            len(commonpath(("/" + dirname(asking), "/" + dirname(self._program.paths[it.file]))))
            for _, it in found
        ]
        return [it for it, depth in zip(found, depths, strict=True) if depth == max(depths)]

    # by name

    def _names(self, row: Row) -> list[str]:
        """The names of the routes whose paths a request has."""
        if self._program.family == "ruby":
            return [row.name] if row.name else []
        slots = (*row.given[:1], row.unwritten) if not row.path.strip(UNKNOWN) else ()
        return [name for slot in slots for name in self._tokens.named(slot)]

    def _of_name(self, name: str, verbs: tuple[str, ...]) -> list[Route]:
        space, _, last = name.replace(".", ":").rpartition(":")
        found = self._by_name.get(last, [])
        found = [it for it in found if _does(it, verbs)] or found
        inner = space.rpartition(":")[2]
        return [it for it in found if self._is_in(it, inner)] if space else found

    def _is_in(self, route: Route, space: str) -> bool:
        """Whether a name with something before it may be that of a route."""
        parts = self._program.paths[route.file].split("/")
        return space == route.space or space in parts or space in self._routers.spaces(route.file)

    # by path

    def _asked(self, row: Row) -> Iterator[Path]:
        """The paths that a request may have."""
        text, routers = row.path, self._routers
        tokens = self._tokens.of(row.receiver)
        before = [path for token in tokens for path in routers.of_client(token)]
        before = before or [Path((), whole=True)]
        texts = [text]
        if text.startswith(UNKNOWN):
            rest = text.removeprefix(UNKNOWN)
            slot = row.unwritten
            if slot < 0 and not rest and row.given:
                slot = row.given[0]  # what a call returns: `client.get(self.url())`
            texts = [it + rest for it in self._rows.texts(slot)]
            if not 0 < len(texts) <= _MOST_PATHS:
                if path := segments(rest):
                    yield Path(path, whole=False)
                return
        for one in texts:
            path = segments(one)
            if path or (one and UNKNOWN not in one):
                for known in before:
                    yield joined(known, Path(path, whole=True))

    def _suiting(self, path: Path, verbs: tuple[str, ...], row: Row) -> list[_Found]:
        """The routes that suit a path best: of the app that is asked, or of who knows which.

        What is asked over a network may go through what puts more before it: if no whole path
        suits, the end of it is compared.
        """
        apps = self._apps(row)
        found = self._best(path, verbs, row, lambda known: known.root in apps) if apps else []
        found = found or self._best(
            path, verbs, row, lambda known: not (known.inner or (apps and known.whole))
        )
        if not found and ("://" in row.path or not self._tests[row.file]):
            found = self._best(path, verbs, row, lambda known: not known.inner, loose=True)
        return found

    def _best(
        self, path: Path, verbs: tuple[str, ...], row: Row, admits: Callable[[Path], object], *,
        loose: bool = False,
    ) -> list[_Found]:  # fmt: skip
        best, found = 0, list[_Found]()
        ends = (path.segments[-1] if path.segments else "", ANY, REST)
        files = (_SHARED, row.file, *self._imported.get(row.file, ()))
        places = product(files, ends)
        for known, route in (it for place in places for it in self._by_end.get(place, ())):
            well = suits(known._replace(whole=False) if loose else known, path)
            if well < max(best, 1) or not admits(known) or not _does(route, verbs):
                continue
            if not self._reaches(row, route) or not (
                well > MERELY or known.root in self._apps(row) or self._is_near(row, route)
            ):
                continue
            if well > best:
                best, found = well, []
            found.append((known, route))
        return found

    def _is_near(self, row: Row, route: Route) -> bool:
        """Whether a path that says nothing, as `/`, may be that of a route: one that is used where
        it is asked for, as far as one can see."""
        if self._program.family == "ruby" or route.listed or "://" in row.path:
            return True
        if not self._tests[row.file]:
            return True
        known = self._used.get(row.file)
        if known is None:
            known = self._used[row.file] = self._using(row.file)
        return route.file in known

    def _using(self, file: int) -> set[int]:
        """The files that a test imports, by way of others too, with what gives its fixtures."""
        program = self._program
        directory: str = dirname(program.paths[file])
        waiting: list[int] = [file]
        while True:
            waiting.append(program.by_path.get(join(directory, "conftest.py"), file))
            if not directory:
                break
            directory = dirname(directory)
        found = set(waiting)
        while waiting:
            further = [it for it in self._imported.get(waiting.pop(), ()) if it not in found]
            found.update(further)
            waiting += further
        return found

    def _apps(self, row: Row) -> set[int]:
        """The apps that a request is sent to, of those that are known to have any routes."""
        found = {
            app for token in self._tokens.of(row.receiver) for app in self._routers.apps(token)
        }
        return found & self._roots

    def _is_own(self, route: Route) -> bool:
        """Whether a route is a test's own, which no other asks for unless it imports that."""
        path = self._program.paths[route.file]
        return self._tests[route.file] and (not route.listed or is_test(basename(path)))

    def _reaches(self, row: Row, route: Route) -> bool:
        """Whether a route is no other test's."""
        if not self._tests[route.file] or self._is_own(route):
            return True
        if route.file in self._imported.get(row.file, ()):
            return True
        paths = self._program.paths
        return paths[row.file].startswith(dirname(paths[route.file]) + "/")


_Found = tuple[Path, Route]
_NOWHERE: Final = Path((), whole=False)
_SHARED: Final = -1
"""In place of a file: any."""


def _does(route: Route, verbs: tuple[str, ...]) -> bool:
    """Whether a route may be asked with one of these verbs, or any of none."""
    return not route.verbs or not verbs or not set(verbs).isdisjoint(route.verbs)
