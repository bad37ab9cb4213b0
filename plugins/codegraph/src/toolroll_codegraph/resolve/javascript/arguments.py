"""Passing arguments to JavaScript's parameters: positions, rest, `arguments` and spreads."""

from __future__ import annotations

from collections.abc import Callable, Container

from toolroll_codegraph.facts import ANY_KEY, ObjectKind, ParamKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE
from toolroll_codegraph.resolve.solver import Solver


class JavaScriptArguments:
    """Gives each parameter what stands at its position."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.program = solver.program
        self.any_key = solver.program.name(ANY_KEY)
        self.conditional: Container[int] = ()
        """Parameters that are returned under a test."""
        self.pass_on: Callable[[int, int, Call], None] | None = None
        """Gives a call back what it hands to one of these."""
        self.iterate: Callable[[Call, int], None] | None = None
        """Gives a call what iterating a value gives."""

    def give(self, call: Call, function: int) -> None:
        solver = self.solver
        name = self.program.name
        positional = call.positional
        index = 0
        for _, slot, shape in self.program.params[function]:
            if shape == ParamKind.POSITIONAL:
                if index < len(positional):
                    item = positional[index]
                    if item < -1:
                        self._spread(call, function, index)
                        return
                    solver.give(call, item, slot)
                    if slot in self.conditional and self.pass_on is not None:
                        self.pass_on(item, slot, call)
                else:
                    solver.passing.give_none(call, (slot,))
                index += 1
            else:
                start = index if shape == ParamKind.REST else 0
                key = (function, "rest" if start else "arguments")
                made = solver.container(key, ObjectKind.ARRAY)
                solver.add(slot, made)
                for place, item in enumerate(positional[start:]):
                    if item >= 0:
                        solver.edge(item, solver.field(made, name(f"[{place}")))
                    elif item < -1:
                        solver.listen(-item - 2, (self._on_rest, made, call))

    def give_none(self, call: Call, function: int) -> None:
        """What is not given leaves a default."""
        slots = (slot for _, slot, _ in self.program.params[function])
        self.solver.passing.give_none(call, slots)

    def _spread(self, call: Call, function: int, index: int) -> None:
        """From a spread on, anything may be at any position: what is spread may be empty."""
        solver, first = self.solver, index
        for item in call.positional[index:]:
            if item < -1:
                solver.listen(-item - 2, (self._on_spread, function, index, call))
                continue
            if item >= 0:
                for _, slot, shape in self.program.params[function][first:]:
                    if shape == ParamKind.POSITIONAL:
                        solver.give(call, item, slot)
            first += 1
        for _, slot, _ in self.program.params[function][index:]:
            solver.passing.give_back(call, slot, slot)
            if slot in self.conditional and self.pass_on is not None:
                self.pass_on(slot, slot, call)

    def _on_rest(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == INSTANCE:
            self._spread_object(value, listener[2], [self.solver.field(listener[1], self.any_key)])
        if self.solver.kind[value] == CONTAINER:
            self.solver.every_field(
                value, (self.solver.copy_to, self.solver.field(listener[1], self.any_key))
            )

    def _on_spread(self, value: int, listener: Listener) -> None:
        function: int = listener[1]
        first: int = listener[2]
        slots = [slot for _, slot, shape in self.program.params[function] if shape == 0]
        if self.solver.kind[value] == INSTANCE:
            self._spread_object(value, listener[3], slots[first:])
        if self.solver.kind[value] != CONTAINER:
            return
        for place, slot in enumerate(slots[first:]):
            field = self.solver.field(value, self.program.name(f"[{place}"))
            self.solver.edge(field, slot)
            self.solver.edge(self.solver.field(value, self.any_key), slot)
        for _, slot, shape in self.program.params[function]:
            if shape != ParamKind.POSITIONAL:
                self.solver.add(slot, value)

    def _spread_object(self, value: int, call: Call, targets: list[int]) -> None:
        """`f(...names)` where that is an object that iterates itself."""
        element = self.solver.slot()
        for target in targets:
            self.solver.edge(element, target)
        if self.iterate is not None:
            self.iterate(self.solver.derived_call(call, element, ()), value)
