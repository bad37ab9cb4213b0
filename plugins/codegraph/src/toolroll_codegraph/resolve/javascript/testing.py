"""Tests of Jest and Vitest: what a table gives to each of its tests, and functions of mocks.

`it.each([[1, make]])("…", (n, build) => build())` calls `make`; `jest.fn(make)` is `make`, as far
as calls go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_MODULES: Final = ("vitest", "@jest/globals")
_TESTING: Final = ("describe", "it", "suite", "test")
_MOCKING: Final = ("jest", "vi")
GLOBALS: Final = {name: f"{_MODULES[0]}.{name}" for name in (*_TESTING, *_MOCKING)}
"""What is there without an import."""
_KINDS: Final = ("", ".only", ".skip", ".concurrent")
_EACH: Final = "tests of a table"
_MOST: Final = 8
"""So many values of a row are told apart."""


class JavaScriptTesting(JavaScriptLibrary):
    """Runs tests for the rows of their tables."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self._places = [models.program.name(f"[{place}") for place in range(_MOST)]
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            **{
                f"{module}.{name}{kind}.each": self._each
                for module in _MODULES
                for name in _TESTING
                for kind in _KINDS
            },
            **{f"{module}.{name}.fn": self.same for module in _MODULES for name in _MOCKING},
        }
        self.called: dict[str, Callable[[Call, int], None]] = {_EACH: self._run}

    def _each(self, call: Call, table: int, second: int) -> None:
        if table >= 0:
            self.solver.add(call.result, self.solver.make(CONTAINER, _EACH, table))

    def _run(self, call: Call, value: int) -> None:
        if len(call.positional) < 2:
            return
        elements = self.solver.slot()
        self.solver.listen(self.solver.detail[value][1], (self._on_table, elements))
        given = tuple(self.solver.slot() for _ in self._places)
        self.models.callback(call, call.positional[1], given, -1, quiet=True)
        self.solver.listen(elements, (self._on_row, given))

    @handler
    def _on_table(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.models.elements(value, listener[1])

    @handler
    def _on_row(self, value: int, listener: Listener) -> None:
        """A row is what the parameters are given, and what is no row the first of them."""
        given: tuple[int, ...] = listener[1]
        if self.solver.kind[value] != CONTAINER or self.solver.detail[value][0] != ObjectKind.ARRAY:
            self.solver.add(given[0], value)
            return
        fields = self.solver.fields_of(value)
        for name, slot in zip(self._places, given, strict=True):
            if name in fields:
                self.solver.edge(fields[name], slot)
