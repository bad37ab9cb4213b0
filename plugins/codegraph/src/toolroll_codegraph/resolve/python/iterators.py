"""`map`, `zip` and what `itertools` has: functions of functions and of what is iterated over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import PythonModels

ROW: Final = "row"
"""Marks the tuples that `zip`, `enumerate` and `items` give."""


class PythonIterators:
    """Calls of such functions."""

    def __init__(self, models: PythonModels) -> None:
        self.models = models
        self.solver = models.solver
        self.program = models.program

    def map(self, call: Call, name: str, function: int, sources: list[int]) -> None:
        elements = [self.models.elements_of(call, source) for source in sources]
        if name == "reduce":
            self.models.apply(call, function, [elements[0]] * 2 if elements else [], call.result)
            return
        container = self.models.result(call)
        slot = self.solver.field(container, self.models.any_key)
        if name == "filter":
            self.models.apply(call, function, elements, -1)
            self.solver.edge(elements[0], slot) if elements else None
        else:
            self.models.apply(call, function, elements, slot)

    def filter(self, call: Call, name: str, arguments: list[int]) -> None:
        """`itertools` functions that take a function and what it is called with."""
        if name == "accumulate":
            function = arguments[1] if len(arguments) > 1 else self.models.keyword(call, "func")
            elements = self.models.elements_of(call, arguments[0]) if arguments else -1
            total = self.solver.field(self.models.result(call), self.models.any_key)
            self.solver.edge(elements, total)
            self.models.apply(call, function, [total, elements], total)
        elif name == "groupby":
            key = arguments[1] if len(arguments) > 1 else self.models.keyword(call, "key")
            elements = self.models.elements_of(call, arguments[0]) if arguments else -1
            row = self.solver.container((ROW, call.result, call.scope, call.line), 0)
            group = self.solver.container(("group", call.result, call.scope, call.line), 0)
            self.models.apply(
                call, key, [elements], self.solver.field(row, self.program.name("[0"))
            )
            self.solver.edge(elements, self.solver.field(group, self.models.any_key))
            self.solver.add(self.solver.field(row, self.program.name("[1")), group)
            self.solver.add(self.solver.field(self.models.result(call), self.models.any_key), row)
        elif len(arguments) > 1:
            elements = self.models.elements_of(call, arguments[1])
            slot = self.solver.field(self.models.result(call), self.models.any_key)
            if name == "starmap" and elements >= 0:
                self.models.apply(call, arguments[0], [-elements - 2], slot)
            else:
                self.models.apply(call, arguments[0], [elements], -1)
                self.solver.edge(elements, slot)

    def sum(self, call: Call, arguments: list[int]) -> None:
        """Add the elements to what is there at first, one after another."""
        start = arguments[1] if len(arguments) > 1 else self.models.keyword(call, "start")
        elements = self.models.elements_of(call, arguments[0]) if arguments else -1
        special = self.program.name("__add__")
        inner = self.solver.derived_call(call, call.result, (elements,), special)
        self.solver.listen(elements, (self._on_summand, call, start < 0))
        self.solver.edge(start, call.result)
        self.solver.listen(call.result, (self._on_sum, inner))

    @handler
    def _on_summand(self, value: int, listener: Listener) -> None:
        _, call, from_zero = listener
        kind = self.solver.kind[value]
        if kind == CONTAINER:  # lists: one with the elements of all
            slot = self.solver.field(self.models.result(call), self.models.any_key)
            self.models.elements(value, slot)
        elif kind == INSTANCE and from_zero:  # `__radd__` of 0 mostly returns the first itself
            self.solver.add(call.result, value)

    @handler
    def _on_sum(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == INSTANCE:
            self.models.rules.call_method(listener[1], value)

    def zip(self, call: Call, name: str, sources: list[int]) -> None:
        row = self.solver.container((ROW, call.result, call.scope, call.line), 0)
        shift = 1 if name == "enumerate" else 0
        for index, source in enumerate(sources):
            field = self.solver.field(row, self.program.name(f"[{index + shift}"))
            self.solver.edge(self.models.elements_of(call, source), field)
        self.solver.add(self.solver.field(self.models.result(call), self.models.any_key), row)
