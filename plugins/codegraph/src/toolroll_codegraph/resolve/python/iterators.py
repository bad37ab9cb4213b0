"""Functions of what is iterated over: `map`, `zip`, `list`, and what `itertools` has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

ROW: Final = "row"
"""Marks the tuples that `zip`, `enumerate` and `items` give."""
_CONSUMING: Final = (
    "collections.deque", "itertools.islice", "itertools.compress", "itertools.cycle",
    "random.sample", "random.choices",
)  # fmt: skip
_GROUPING: Final = (
    "itertools.combinations", "itertools.combinations_with_replacement", "itertools.permutations",
    "itertools.pairwise", "itertools.batched", "itertools.tee",
)  # fmt: skip
"""What gives tuples of elements, or iterators over them."""
_ASKING: Final = ("any", "all")
_HASHING: Final = ("set", "frozenset")


class PythonIterators:
    """Calls of such functions, and the containers that they return."""

    def __init__(self, models: PythonModels) -> None:
        self.models = models
        self.solver = models.solver
        self.program = models.program
        self.functions: dict[str, Model] = {
            **dict.fromkeys(_CONSUMING, self._consume),
            **dict.fromkeys(_ASKING, self._ask),
            **dict.fromkeys(_HASHING, self._hash),
            **dict.fromkeys(_GROUPING, self._combine),
            "list": self._copy,
            "tuple": self._copy,
            "collections.Counter": self._count,
            "itertools.chain": models.collect,
            "itertools.chain.from_iterable": self._flatten,
            "random.choice": self._choose,
            "asyncio.gather": self._gather,
            "iter": self._iter,
            "next": self._next,
            "reversed": self._reverse,
            "map": self._map,
            "filter": self._filter,
            "functools.reduce": self._reduce,
            "zip": self._zip,
            "itertools.zip_longest": self._zip,
            "itertools.product": self._zip,
            "enumerate": self._enumerate,
            "itertools.accumulate": self._accumulate,
            "itertools.groupby": self._group,
            "itertools.starmap": self._starmap,
            "itertools.takewhile": self._select,
            "itertools.dropwhile": self._select,
            "itertools.filterfalse": self._select,
        }
        self._reversed = self.program.name("__reversed__")
        self._length = self.program.name("__len__")

    def _made(self, call: Call) -> int:
        """The slot of the elements of what a call returns."""
        return self.solver.field(self.models.result(call), self.models.any_key)

    def _elements(self, call: Call, sources: list[int]) -> list[int]:
        return [self.models.elements_of(call, source) for source in sources]

    def _consume(self, call: Call, arguments: list[int]) -> None:
        self.models.collect(call, arguments[:1])

    def _copy(self, call: Call, arguments: list[int]) -> None:
        """Make a list, for which what has a length is asked for it."""
        for source in arguments[:1]:
            self.models.conversions.convert(call, source, "__len__")
        self.models.collect(call, arguments[:1])

    def _flatten(self, call: Call, arguments: list[int]) -> None:
        for rows in self._elements(call, arguments[:1]):
            self.models.collect(call, [rows])

    def _combine(self, call: Call, arguments: list[int]) -> None:
        group = self.solver.container(("group", call.result, call.scope, call.line), 0)
        for elements in self._elements(call, arguments[:1]):
            self.solver.edge(elements, self.solver.field(group, self.models.any_key))
        self.solver.add(self._made(call), group)

    def _choose(self, call: Call, arguments: list[int]) -> None:
        for elements in self._elements(call, arguments[:1]):
            self.solver.edge(elements, call.result)

    def _ask(self, call: Call, arguments: list[int]) -> None:
        """Ask each element whether it is true."""
        for element in self._elements(call, arguments[:1]):
            self.models.rules.conditions.ask(element, call)

    def _hash(self, call: Call, arguments: list[int]) -> None:
        """Make a set, which asks each element for its hash."""
        made = self._made(call)
        for source in self._elements(call, arguments[:1]):
            self.solver.edge(source, made)
            self.models.lookups.hash_all(call, source)

    def _count(self, call: Call, arguments: list[int]) -> None:
        """Make a mapping of elements to numbers."""
        keys = self.models.keys_of(self.models.result(call, ObjectKind.MAPPING))
        for source in self._elements(call, arguments[:1]):
            self.solver.edge(source, keys)
            self.models.lookups.hash_all(call, source)

    def _gather(self, call: Call, arguments: list[int]) -> None:
        """Return a list of what all arguments give, in their order."""
        made, position = self.models.result(call), 0
        for item in call.positional:
            if item >= -1 and position >= 0:
                name = self.program.name(f"[{position}")
                self.models.callbacks.awaited(item, self.solver.field(made, name))
                position += 1
            else:  # a spread one, and whatever comes behind it
                position = -1
                source = item if item >= -1 else self.models.elements_of(call, -item - 2)
                inside = self.solver.field(made, self.models.any_key)
                self.models.callbacks.awaited(source, inside)

    def _iter(self, call: Call, arguments: list[int]) -> None:
        if len(arguments) > 1:  # calls the first until it returns the second
            self.models.apply(call, arguments[0], [], self._made(call))
        else:
            self.models.collect(call, arguments)

    def _next(self, call: Call, arguments: list[int]) -> None:
        for source in arguments[:1]:
            self.solver.listen(source, (self._on_next, call))
        for default in arguments[1:]:
            self.solver.edge(default, call.result)

    @handler
    def _on_next(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == CONTAINER:
            self.models.elements(value, call.result)
        elif self.solver.kind[value] == INSTANCE:
            inner = self.solver.derived_call(call, call.result, ())
            self.models.rules.invoke_member(inner, value, self.models.rules.protocols.next)

    def _reverse(self, call: Call, arguments: list[int]) -> None:
        for source in arguments[:1]:
            self.solver.listen(source, (self._on_reversed, call))

    @handler
    def _on_reversed(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        rules = self.models.rules
        inner = self.solver.derived_call(call, call.result, (), self._reversed)
        if self.solver.kind[value] == INSTANCE and rules.invoke_member(
            inner, value, self._reversed
        ):
            return
        if rules.protocols.is_indexed(value):  # its length first, then one item after the other
            rules.invoke_member(self.solver.derived_call(call, -1, ()), value, self._length)
            inner = self.solver.derived_call(call, self._made(call), (-1,))
            rules.invoke_member(inner, value, rules.getitem)
            return
        rules.protocols.iterate(self.solver.derived_call(call, self._made(call), ()), value)

    def _map(self, call: Call, arguments: list[int]) -> None:
        made = self._made(call)
        elements = self._elements(call, arguments[1:])
        self.models.apply(call, arguments[0] if arguments else -1, elements, made)

    def _filter(self, call: Call, arguments: list[int]) -> None:
        made = self._made(call)
        elements = self._elements(call, arguments[1:])
        self.models.apply(call, arguments[0] if arguments else -1, elements, -1)
        for element in elements[:1]:
            self.solver.edge(element, made)
            if arguments[0] < 0:  # filter(None, …)
                self.models.rules.conditions.ask(element, call)

    def _reduce(self, call: Call, arguments: list[int]) -> None:
        function = arguments[0] if arguments else -1
        for elements in self._elements(call, arguments[1:2]):
            total = self.solver.slot()
            self.solver.edge(arguments[2] if len(arguments) > 2 else elements, total)
            self.models.apply(call, function, [total, elements], call.result)
            self.solver.edge(call.result, total)

    def _accumulate(self, call: Call, arguments: list[int]) -> None:
        function = arguments[1] if len(arguments) > 1 else self.models.keyword(call, "func")
        for elements in self._elements(call, arguments[:1]):
            total = self._made(call)
            self.solver.edge(elements, total)
            self.models.apply(call, function, [total, elements], total)

    def _group(self, call: Call, arguments: list[int]) -> None:
        key = arguments[1] if len(arguments) > 1 else self.models.keyword(call, "key")
        row = self.solver.container((ROW, call.result, call.scope, call.line), 0)
        group = self.solver.container(("group", call.result, call.scope, call.line), 0)
        for elements in self._elements(call, arguments[:1]):
            told = self.solver.field(row, self.program.name("[0"))
            self.models.apply(call, key, [elements], told)
            self.solver.edge(elements, self.solver.field(group, self.models.any_key))
        self.solver.add(self.solver.field(row, self.program.name("[1")), group)
        self.solver.add(self._made(call), row)

    def _starmap(self, call: Call, arguments: list[int]) -> None:
        for rows in self._elements(call, arguments[1:2]):
            if rows >= 0:
                self.models.apply(call, arguments[0], [-rows - 2], self._made(call))

    def _select(self, call: Call, arguments: list[int]) -> None:
        for elements in self._elements(call, arguments[1:2]):
            self.models.apply(call, arguments[0], [elements], -1)
            self.solver.edge(elements, self._made(call))

    def _zip(self, call: Call, arguments: list[int]) -> None:
        self._rows(call, arguments, 0)
        for source in call.positional:
            if source < -1:  # zip(*rows)
                rows = self.models.elements_of(call, -source - 2)
                self.solver.listen(rows, (self._on_row, call))

    @handler
    def _on_row(self, row: int, listener: Listener) -> None:
        """Give the items of a row to the columns that a call returns."""
        call: Call = listener[1]
        solver, columns = self.solver, self.models.result(call)
        if solver.kind[row] != CONTAINER:
            return

        def receive(name: int, slot: int) -> None:
            column = solver.container(("column", call.result, name), 0)
            solver.edge(slot, solver.field(column, self.models.any_key))
            solver.add(solver.field(columns, name), column)

        solver.mirror(row, receive)

    def _enumerate(self, call: Call, arguments: list[int]) -> None:
        self._rows(call, arguments, 1)

    def _rows(self, call: Call, sources: list[int], shift: int) -> None:
        """Return tuples of one element of each source, from a position on."""
        row = self.solver.container((ROW, call.result, call.scope, call.line), 0)
        for index, element in enumerate(self._elements(call, sources), shift):
            self.solver.edge(element, self.solver.field(row, self.program.name(f"[{index}")))
        self.solver.add(self._made(call), row)
