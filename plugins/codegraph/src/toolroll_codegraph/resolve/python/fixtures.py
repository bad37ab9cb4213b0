"""What pytest hands to tests: for a parameter, what the nearest fixture of that name gives.

pytest calls the fixture, for the test: nothing in the source looks like a call, so that the edge is
of low confidence; but what a change may break is found by it.
"""

from __future__ import annotations

from functools import partial
from posixpath import dirname
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, EXTERNAL, FUNCTION, TEXT
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.python.rules import PythonRules

_MAKING: Final = ("pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture")
_USING: Final = "pytest.mark.usefixtures"
USING: Final = "using fixtures"
"""The kind of a decorator that lets tests have fixtures."""
MAKING: Final = "fixture with parameters"
"""The kind of a decorator that makes a fixture of which there is one for each of several values."""
ASKING: Final = "asking for fixtures"
"""The kind of `request.getfixturevalue`."""
_FOR_ALL: Final = "pytest.fixture(autouse=True)"
"""The decorator of fixtures that nobody asks for."""
_MOST_PLACES: Final = 4
"""Files that import a fixture in which is looked for what it asks for."""


class PythonFixtures(PythonFeature):
    """Collects the fixtures, and gives what they give to who asks for them by name."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.functions = {
            **dict.fromkeys(_MAKING, partial(self._make, for_all=False)),
            _FOR_ALL: partial(self._make, for_all=True),
            _USING: self._mark,
        }
        name = rules.program.name
        self._autouse, self._request = name("autouse"), name("request")
        self._param, self._asking = name("param"), name("getfixturevalue")
        self._values: dict[int, int] = {}
        """Fixture → slot of the values that it is made for one by one."""
        self._asked_for: list[tuple[Call, int]] = []
        """Calls of `getfixturevalue`, and the function that makes it."""
        self._fixtures: dict[int, bool] = {}
        """The functions that are fixtures, and whether all tests near them have them."""
        self._used: dict[int, list[int]] = {}
        """Test, or class of such → slots of the names of further fixtures."""
        self._seen_from: dict[int, list[str]] = {}
        """Fixture → paths of other files that import it."""

    def _make(self, call: Call, arguments: list[int], *, for_all: bool) -> None:
        """`@fixture` and `@fixture(scope="module")`, which gives the decorator."""
        if not arguments:
            for_all = any(key == self._autouse for key, _ in call.named())
            made = self.solver.make(EXTERNAL, _FOR_ALL if for_all else _MAKING[0])
            values = self.rules.models.keyword(call, "params")
            if values >= 0:
                elements = self.rules.models.elements_of(call, values)
                made = self.solver.make(CONTAINER, MAKING, for_all, elements)
            self.solver.add(call.result, made)
        elif arguments[0] >= 0:
            self.solver.edge(arguments[0], call.result)
            self.solver.listen(arguments[0], (self._on_fixture, for_all))

    @handler
    def _on_fixture(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self._fixtures[value] = listener[1]
            for values in listener[2:]:
                self._values[value] = values

    def _mark(self, call: Call, arguments: list[int]) -> None:
        self.solver.add(call.result, self.solver.make(CONTAINER, USING, *arguments))

    def use(self, call: Call, value: int) -> None:
        """Decorate a test, or a class of such, with `usefixtures`; or a fixture with its values."""
        kind, *detail = self.solver.detail[value]
        for item in call.positional[:1]:
            if kind == ASKING:
                self._asked_for.append((call, detail[0]))
                continue
            self.solver.edge(item, call.result)
            if kind == MAKING:
                self.solver.listen(item, (self._on_fixture, *detail))
            else:
                self.solver.listen(item, (self._on_used, tuple(detail)))

    @handler
    def _on_used(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] in (FUNCTION, CLASS):
            self._used.setdefault(value, []).extend(listener[1])

    def settle(self) -> None:
        """Give tests, and fixtures that ask for others, what these give."""
        program, solver, asked = self.program, self.solver, self._asked()
        if not asked:
            return
        for_all: dict[tuple[str, int], list[int]] = {}
        for (path, owner, _), fixture in asked.items():
            if self._fixtures[fixture]:
                for_all.setdefault((path, owner), []).append(fixture)
        for function in range(program.scopes):
            if program.kind[function] != ScopeKind.FUNCTION:
                continue
            is_test = self._name(function).startswith("test")
            if not is_test and function not in self._fixtures:
                continue
            for name, slot, _ in program.params[function]:
                if name == self._request:
                    self._hand_request(function, slot)
                known = self._nearest(function, name, asked)
                if known is not None:
                    solver.suppose(function, known, program.first_line[function])
                    self._give(known, slot)
            for place in self._places(function) if is_test and for_all else ():
                for fixture in for_all.get(place, ()):
                    solver.suppose(function, fixture, program.first_line[function])
            for name in self._names(function) if is_test and self._used else ():
                known = self._nearest(function, name, asked)
                if known is not None:
                    solver.suppose(function, known, program.first_line[function])

        solver.run()
        for call, function in self._asked_for:
            for value in solver.points[call.positional[0]] or ():
                if solver.kind[value] == TEXT:
                    known = self._nearest(function, solver.key_name(value), asked)
                    if known is not None:
                        solver.suppose(function, known, call.line)
                        self._give(known, call.result)

    def _hand_request(self, function: int, slot: int) -> None:
        """What knows the fixture's value (`request.param`) and gives others by their names."""
        solver = self.solver
        request = self.rules.models.commands.named("request", function)
        solver.add(slot, request)
        ask = solver.make(CONTAINER, ASKING, function)
        solver.add(solver.field(request, self._asking), ask)
        if function in self._values:
            values = solver.slot()
            solver.listen(self._values[function], (self.rules.parametrized.on_value, -1, values))
            solver.edge(values, solver.field(request, self._param))

    def _names(self, function: int) -> Iterator[int]:
        """What decorators of a test, or of its class, let it have."""
        owner = self.program.owner_class(function)
        for used in (function, *(self.rules.classes.order(owner) if owner >= 0 else ())):
            for slot in self._used.get(used, ()):
                for value in self.solver.points[slot] or ():
                    if self.solver.kind[value] == TEXT:
                        yield self.solver.key_name(value)

    def _give(self, fixture: int, slot: int) -> None:
        program, solver = self.program, self.solver
        self.rules.models.callbacks.entered(program.ret[fixture], slot)
        for _, given, _ in program.params[fixture]:
            if given in solver.returned:  # it goes back to who calls, and pytest does
                solver.edge(given, slot)

    def _asked(self) -> dict[tuple[str, int, int], int]:
        """(path, class or -1, name) → fixture."""
        program = self.program
        asked = {
            (
                program.paths[program.file_of[function]],
                program.owner_class(function),
                program.name(self._name(function)),
            ): function
            for function in self._fixtures
        }
        names = {name for _, owner, name in asked if owner < 0}
        for index in range(len(program.by_path) if names else 0):
            path, module = program.paths[index], program.scope_base[index]
            for name, slot in self._imported(module, names):
                for value in self.solver.points[slot] or ():
                    if value in self._fixtures and program.file_of[value] != index:
                        asked.setdefault((path, -1, name), value)
                        self._seen_from.setdefault(value, []).append(path)
        return asked

    def _imported(self, module: int, names: set[int]) -> Iterator[tuple[int, int]]:
        """(name, slot) of what a module has under some names, also by imports with a star."""
        members, stars = self.program.members, self.rules.imports.stars
        pending, seen, left = [module], {module}, names.copy()
        while pending and left:
            known = members[pending[0]] or {}
            for name in sorted(left.intersection(known)):
                yield name, known[name]
            left -= known.keys()
            for source in reversed(stars.get(pending.pop(0), ())):  # the last one wins
                if source < self.program.scopes and source not in seen:
                    seen.add(source)
                    pending.append(source)

    def _name(self, function: int) -> str:
        return self.program.texts[self.program.scope_name[function]].rpartition(".")[2]

    def _nearest(
        self, function: int, name: int, asked: dict[tuple[str, int, int], int]
    ) -> int | None:
        """The fixture that a parameter stands for: of the class, the file, or a directory above."""
        found = (asked.get((path, owner, name)) for path, owner in self._places(function))
        return next((known for known in found if known not in (None, function)), None)

    def _places(self, function: int) -> Iterator[tuple[str, int]]:
        program = self.program
        owner, path = program.owner_class(function), program.paths[program.file_of[function]]
        for base in self.rules.classes.order(owner) if owner >= 0 else ():
            yield program.paths[program.file_of[base]], base
        # A fixture is asked for where it is imported, and may ask for what is seen there.
        for place in (path, *self._seen_from.get(function, list[str]())[:_MOST_PLACES]):
            yield place, -1
            directory: str = place
            while directory:
                directory = dirname(directory)
                yield f"{directory}/conftest.py".removeprefix("/"), -1
