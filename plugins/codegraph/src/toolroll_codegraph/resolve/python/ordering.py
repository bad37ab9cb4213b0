"""What Python compares and adds up: `sorted`, `min`, `max`, `sum`, heaps and sorted lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

_INSERTING: Final = ("bisect.insort", "bisect.insort_left", "bisect.insort_right")
_FINDING: Final = ("bisect.bisect", "bisect.bisect_left", "bisect.bisect_right")


class PythonOrdering:
    """Calls of such functions: of their `key`, or of a special method of each element."""

    def __init__(self, models: PythonModels) -> None:
        self.models = models
        self.solver = models.solver
        self.program = models.program
        self.functions: dict[str, Model] = {
            "sorted": self._sort,
            "min": self._least,
            "max": self._greatest,
            "sum": self._sum,
            "heapq.heapify": self._heapify,
            "heapq.heappush": self._push,
            "heapq.heappop": self._pop,
            "heapq.heappushpop": self._exchange,
            "heapq.heapreplace": self._exchange,
            "heapq.nlargest": self._best,
            "heapq.nsmallest": self._best,
            "heapq.merge": self._merge,
            **dict.fromkeys(_INSERTING, self._push),
            **dict.fromkeys(_FINDING, self._find),
        }
        self._append = self.program.name("append")

    def _compare(self, call: Call, items: list[int], special: str = "__lt__") -> None:
        """Compare what slots hold, by a key where one is given."""
        key = self.models.keyword(call, "key")
        for item in items:
            if key >= 0:
                self.models.apply(call, key, [item], -1)
            else:
                self.models.conversions.convert(call, item, special)

    def _sort(self, call: Call, arguments: list[int]) -> None:
        self._heapify(call, arguments)
        for source in arguments[:1]:
            self.models.conversions.convert(call, source, "__len__")
        self.models.collect(call, arguments[:1])

    def _heapify(self, call: Call, arguments: list[int]) -> None:
        for source in arguments[:1]:
            self._compare(call, [self.models.elements_of(call, source)])

    def _least(self, call: Call, arguments: list[int]) -> None:
        self._choose(call, arguments, "__lt__")

    def _greatest(self, call: Call, arguments: list[int]) -> None:
        self._choose(call, arguments, "__gt__")

    def _choose(self, call: Call, arguments: list[int], special: str) -> None:
        """Compare several arguments, or the elements of one, and return any of them."""
        if not arguments and call.positional:
            arguments = [-call.positional[0] - 2]  # `max(*values)` is `max(values)`
        if len(arguments) == 1:
            arguments = [self.models.elements_of(call, arguments[0])]
        self._compare(call, arguments, special)
        for item in arguments:
            self.solver.edge(item, call.result)

    def _push(self, call: Call, arguments: list[int]) -> None:
        self._heapify(call, arguments)
        if len(arguments) > 1:
            pushed = self.solver.derived_call(call, -1, tuple(arguments[1:]), self._append)
            self.solver.listen(arguments[0], (self._on_heap, pushed))

    @handler
    def _on_heap(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.models.method(listener[1], value)

    def _pop(self, call: Call, arguments: list[int]) -> None:
        for source in arguments[:1]:
            elements = self.models.elements_of(call, source)
            self._compare(call, [elements])
            self.solver.edge(elements, call.result)

    def _exchange(self, call: Call, arguments: list[int]) -> None:
        self._push(call, arguments)
        self._pop(call, arguments)

    def _best(self, call: Call, arguments: list[int]) -> None:
        """The first argument is how many are wanted."""
        self._sort(call, arguments[1:])

    def _merge(self, call: Call, arguments: list[int]) -> None:
        for source in arguments:
            self._heapify(call, [source])
        self.models.collect(call, arguments)

    def _find(self, call: Call, arguments: list[int]) -> None:
        """Compare what is sought with the elements, which alone are given to `key`."""
        self._heapify(call, arguments)
        if self.models.keyword(call, "key") < 0:
            self._compare(call, arguments[1:2])

    def _sum(self, call: Call, arguments: list[int]) -> None:
        """Add the elements to what is there at first, one after another."""
        start = arguments[1] if len(arguments) > 1 else self.models.keyword(call, "start")
        elements = self.models.elements_of(call, arguments[0]) if arguments else -1
        self.models.conversions.convert(call, elements, "__radd__")
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
