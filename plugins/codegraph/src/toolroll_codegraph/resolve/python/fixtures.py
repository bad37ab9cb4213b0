"""What pytest hands to tests: for a parameter, what the nearest fixture of that name gives.

pytest calls the fixture, so that there is no edge; but what it returns or yields goes on.
"""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, EXTERNAL, FUNCTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.python.rules import PythonRules

_MAKING: Final = ("pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture")


class PythonFixtures:
    """Collects the fixtures, and gives what they give to who asks for them by name."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.functions = dict.fromkeys(_MAKING, self._make)
        self._fixtures: dict[int, None] = {}
        """The functions that are fixtures."""

    def _make(self, call: Call, arguments: list[int]) -> None:
        """`@fixture` and `@fixture(scope="module")`, which gives the decorator."""
        if not arguments:
            self.solver.add(call.result, self.solver.make(EXTERNAL, _MAKING[0]))
        elif arguments[0] >= 0:
            self.solver.edge(arguments[0], call.result)
            self.solver.listen(arguments[0], (self._on_fixture,))

    @handler
    def _on_fixture(self, value: int, _: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self._fixtures[value] = None

    def settle(self) -> None:
        """Give tests, and fixtures that ask for others, what these give."""
        program, asked = self.program, self._asked()
        if not asked:
            return
        for function in range(program.scopes):
            if program.kind[function] != ScopeKind.FUNCTION:
                continue
            if function in self._fixtures or self._name(function).startswith("test"):
                for name, slot, _ in program.params[function]:
                    known = self._nearest(function, name, asked)
                    if known is not None:
                        self._give(known, slot)

    def _give(self, fixture: int, slot: int) -> None:
        program, solver = self.program, self.solver
        solver.listen(program.ret[fixture], (self._on_given, slot))
        for _, given, _ in program.params[fixture]:
            if given in solver.returned:  # it goes back to who calls, and pytest does
                solver.edge(given, slot)

    def _asked(self) -> dict[tuple[str, int, int], int]:
        """(path, class or -1, name) → fixture."""
        program = self.program
        return {
            (
                program.paths[program.file_of[function]],
                program.owner_class(function),
                program.name(self._name(function)),
            ): function
            for function in self._fixtures
        }

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
        yield path, -1
        while path:
            path = dirname(path)
            yield f"{path}/conftest.py".removeprefix("/"), -1

    @handler
    def _on_given(self, value: int, listener: Listener) -> None:
        """What a fixture returns, or yields for as long as the test runs."""
        kind, slot = self.solver.kind[value], listener[1]
        if kind == CONTAINER and self.solver.detail[value][0] == ObjectKind.GENERATOR:
            self.rules.models.elements(value, slot)
        else:
            self.solver.add(slot, value)
