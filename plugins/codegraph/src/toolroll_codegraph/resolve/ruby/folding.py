"""What Ruby's `inject` makes of elements, one after the other.

`layers.reverse.inject(app) { |inner, layer| layer.new(inner) }` makes an object around another of
each class that one method was given (`use Log`, `use Auth`): each holds the next, the last `app`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallColumn, CallFlag
from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, FUNCTION
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_Place = tuple[int, int, int]
"""(which sequence, position in it, how many there are)."""


class RubyFolding(RubyFeature):
    """A block, or the method that a symbol names, is given what it has made last."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._folds: list[tuple[int, tuple[int, ...], int]] | None = []
        """(slot of the elements, of what it begins with, of the result)."""
        self.folded: dict[int, bool] = {}
        """Parameter for what a block has made last → whether the elements come from behind."""
        self.given: set[int] = set()
        """First parameters of blocks that make an object around what they are given."""
        self._turning = rules.program.name("unshift")
        self._stacked: set[int] = set()
        """Objects that a fold makes around others."""

    def fold(self, call: Call, value: int) -> bool:
        solver = self.solver
        element, total = solver.slot(), solver.slot()
        self.rules.containers.elements(value, element)
        arguments = call.positional[:-1] if call.flags & CallFlag.BLOCK else call.positional
        for item in arguments:
            solver.edge(item, total)
        if not arguments or not call.flags & CallFlag.BLOCK:
            solver.edge(element, total)
        if call.flags & CallFlag.BLOCK:
            made = solver.slot()
            if call.positional[-1] >= 0:
                solver.listen(call.positional[-1], (self._on_folding, call))
                solver.listen(element, (self._on_folding, call))  # which may be called with that
            self.rules.procedures.run_block(call, (total, element), made)
            solver.edge(made, total)
            backwards = bool(call.flags & CallFlag.REVERSED)
            solver.listen(made, (self._on_made, call.result, backwards))
            if self._folds is not None:
                self._folds.append((element, arguments, call.result))
        elif arguments and arguments[-1] >= 0:  # inject(:+)
            inner = solver.derived_call(call, total, (total, element))
            solver.edge(total, call.result)
            solver.listen(arguments[-1], (self.rules.procedures.on_block, inner))
        return True

    def sum(self, call: Call, value: int) -> bool:
        """`sum` adds the elements, or what a block makes of them, to what it begins with."""
        solver = self.solver
        block = call.flags & CallFlag.BLOCK
        added, total = solver.slot(), solver.slot()
        if block:
            element = solver.slot()
            self.rules.containers.elements(value, element)
            self.rules.procedures.run_block(call, (element,), added)
        else:
            self.rules.containers.elements(value, added)
        beginning = call.positional[:-1] if block else call.positional
        for item in beginning:
            solver.edge(item, total)
        if beginning:
            plus = self.program.name("+")
            self.rules.conversions.ask(call, total, plus, added, total)
        solver.edge(total, call.result)
        return True

    @handler
    def _on_folding(self, value: int, listener: Listener) -> None:
        params = self.program.params[value] if self.solver.kind[value] == FUNCTION else ()
        backwards = bool(listener[1].flags & CallFlag.REVERSED)
        self.folded.update((slot, backwards) for _, slot, _ in params[:1])

    def layer(self, inner: int, made: int, outside: int, backwards: bool) -> None:
        """Note a block that makes objects around what it has made last."""
        self.folded[inner] = backwards
        self.solver.listen(made, (self._on_layer, outside, backwards))
        if self._folds is not None:
            self._folds.append((outside, (made,), outside))

    @handler
    def _on_layer(self, value: int, listener: Listener) -> None:
        if value in self._stacked:
            self._on_made(value, listener)

    def around(self, instance: int, inner: int) -> int:
        """A slot for what an object is made around, of all that a fold has made: never itself."""
        self._stacked.add(instance)
        found = self.solver.slot()
        self.solver.listen(inner, (self._on_inner, found, instance, inner))
        return found

    @handler
    def _on_inner(self, value: int, listener: Listener) -> None:
        _, target, instance, source = listener
        if source not in self.folded:
            self.solver.add(target, value)
            return
        if value == instance:
            return
        backwards = self.folded[source]
        outer, inner = self._place(instance, backwards), self._place(value, backwards)
        if outer is None:
            follows = True
        elif inner is not None and inner[0] == outer[0]:
            follows = inner[1] == outer[1] + 1
        else:
            follows = outer[1] == outer[2] - 1 and (inner is None or not inner[1])
        if follows:
            self.solver.add(target, value)

    @handler
    def _on_made(self, value: int, listener: Listener) -> None:
        """What is made last holds all others."""
        _, target, backwards = listener
        place = self._place(value, backwards)
        if place is None or not place[1]:
            self.solver.add(target, value)

    def _place(self, value: int, backwards: bool) -> _Place | None:
        """Where an object made around another stands, from outside; None if that isn't known."""
        if value not in self._stacked:
            return None
        place = self._places.get(value - self.program.scopes)
        if place is None or backwards:
            return place
        return place[0], place[2] - 1 - place[1], place[2]

    @cached_property
    def _places(self) -> dict[int, _Place]:
        """The order in which a function gives classes to one method, or an array has them.

        Each once, and in no other order.
        """
        given: dict[tuple[int, ...], list[int]] = {}
        for key, slot in chain(() if self._turns() else self._given(), self._listed()):
            values = self.solver.points[slot]
            if values and len(values) == 1:
                scopes = [value for value in values if self.solver.kind[value] == CLASS]
                given.setdefault(key, []).extend(scopes)
        rows = [row for row in given.values() if len(row) > 1]
        times = Counter(chain.from_iterable(rows))
        return {
            value: (number, position, len(row))
            for number, row in enumerate(rows)
            if all(times[item] == 1 for item in row)
            for position, value in enumerate(row)
        }

    def _turns(self) -> bool:
        """Whether something is put before all that there was: what is given last may be first."""
        operations, renames = self.solver.operations, self.program.renames
        names = zip(operations.call_file, operations.column(CallColumn.NAME), strict=True)
        return any(name >= 0 and renames[index][name] == self._turning for index, name in names)

    def _given(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """(file, function, method) and slot of the first argument of each call."""
        program, operations = self.program, self.solver.operations
        columns = map(operations.column, (CallColumn.SCOPE, CallColumn.NAME))
        for identifier, (scope, name) in enumerate(zip(*columns, strict=True)):
            index = operations.call_file[identifier]
            for slot in operations.arguments_of(identifier)[0][:1]:
                if slot >= 0:
                    yield (index, scope, name), slot + program.slot_base[index]

    def _listed(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """(file, literal) and slot of each element of an array that is written down."""
        program, operations = self.program, self.solver.operations
        bases, names, slots = (operations.stores[column::STORE_WIDTH] for column in range(3))
        rows = zip(operations.store_file, bases, names, slots, strict=True)
        for index, base, name, slot in rows:
            text = program.texts[program.renames[index][name]]
            if slot >= 0 and text.startswith("["):
                yield (index, base), slot + program.slot_base[index]

    def settle(self) -> None:
        """What is folded without an element that is known may be what it begins with."""
        folds, self._folds = self._folds, None
        for element, beginnings, result in folds or ():
            if self.solver.points[element] is None:
                for item in beginnings:
                    self.solver.edge(item, result)
