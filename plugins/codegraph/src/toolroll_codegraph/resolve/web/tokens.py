"""Apps, routers and clients of libraries, as values: they flow to where they are used.

To the rules of a language they are objects from outside, of which nothing is known. They flow last,
when all else has: what they meet on their way runs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.web import (
    CLIENT,
    FURTHER,
    MAKING,
    MOUNTING,
    NAMING,
    PLUGIN,
    ROOT,
    STANDING,
    VERBS,
)
from toolroll_codegraph.resolve.program import BOUND, EXTERNAL, FUNCTION
from toolroll_codegraph.resolve.rules import Rules

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.solver import Solver
    from toolroll_codegraph.resolve.web.rows import Row, Rows

_OBJECT: Final = "{web}"
"""In the detail of a value: it stands for what a call returns."""
_NAME: Final = "{web} name"
"""The same of the path of a route with a name."""
_PARTS: Final = frozenset(("asgi_client", "router", "routes", "test_client", "urls"))
"""Attributes and methods that give something with the same routes."""
_CHAINED: Final = frozenset(
    (*VERBS, "all", "del", "group", "listen", "mount", "register", "routes", "use", "ws",
     "allowedMethods", "middleware", "callback", "test_client")
)  # fmt: skip
"""Methods that return their receiver, or what has its routes."""


class Tokens:
    """Makes values of what has routes or asks for them, and lets them flow."""

    def __init__(self, solver: Solver, rows: Rows) -> None:
        self._solver = solver
        self.handed: dict[tuple[int, int], int] = {}
        """(what a mounting call returns, function that it is given) → what the function gets."""
        self.made = False
        """Whether there are any."""
        for row in rows.of((MAKING, ROOT, STANDING, CLIENT, FURTHER)):
            self._add(row.result, _OBJECT, row.result)
        for row in rows.of((NAMING,)):
            self._add(row.result, _NAME, row.path)
        for row in rows.of((PLUGIN, MOUNTING)):
            self._hand(row)

    def _add(self, slot: int, kind: str, detail: object) -> int:
        made = self._solver.make(EXTERNAL, kind, detail)
        self._solver.add(slot, made)
        self.made = True
        return made

    def _hand(self, row: Row) -> None:
        """Give a function that adds routes to its parameter something to add them to."""
        program, solver = self._solver.program, self._solver
        for slot in row.given:
            for value in (solver.points[slot] or ()) if slot >= 0 else ():
                kind = solver.kind[value]
                function = solver.detail[value][0] if kind == BOUND else value
                if kind not in (FUNCTION, BOUND) or function >= program.scopes:
                    continue
                parameters = program.params[function]
                if row.word == MOUNTING and len(parameters) != 1:
                    continue  # it is asked before what is mounted is
                for _, parameter, _ in parameters[:1]:
                    key = row.result, program.original(function)
                    self.handed[key] = self._add(parameter, _OBJECT, key)

    def flow(self) -> None:
        """Let them go where they go, running nothing."""
        solver = self._solver
        if self.made:
            rules, solver.rules = solver.rules, _Passing(solver)
            solver.run()
            solver.rules = rules

    def of(self, slot: int) -> list[int]:
        """Those that a slot has."""
        values = (self._solver.points[slot] or ()) if slot >= 0 else ()
        return [value for value in values if self.is_one(value)]

    def is_one(self, value: int) -> bool:
        """Whether a value is an app, router or client."""
        return self._solver.kind[value] == EXTERNAL and self._solver.detail[value][0] == _OBJECT

    def named(self, slot: int) -> list[str]:
        """The names of the routes whose paths a slot has."""
        solver = self._solver
        values = (solver.points[slot] or ()) if slot >= 0 else ()
        return [
            solver.detail[value][1]
            for value in values
            if solver.kind[value] == EXTERNAL and solver.detail[value][0] == _NAME
        ]


class _Passing(Rules):
    """What is asked of values while apps and routers flow."""

    def __init__(self, solver: Solver) -> None:
        super().__init__(solver, solver.rules.classes)
        self.imports = solver.rules.imports

    def _is_ours(self, value: int) -> bool:
        return self.kind[value] == EXTERNAL and self.solver.detail[value][0] == _OBJECT

    def call_value(self, call: Call, value: int) -> None:
        """Nothing has routes because it is called."""

    def call_method(self, call: Call, value: int) -> None:
        if self._is_ours(value) and self.program.texts[call.name] in _CHAINED:
            self.solver.add(call.result, value)

    def load(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        if self._is_ours(value) and self.program.texts[name] in _PARTS:
            self.solver.add(target, value)

    def store(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        """Nothing has routes because something is kept in it."""
