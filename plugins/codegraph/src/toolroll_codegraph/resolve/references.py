"""Functions that are handed over and not called: callbacks, handlers, what decorators register.

Who calls them is a library, from where nobody sees. What can be said is who hands them over:
`app.add_url_rule("/", view_func=show)`, `@app.get("/")`, `element.onclick = save`.
"""

from __future__ import annotations

from itertools import pairwise
from struct import Struct
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, CallFlag
from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.objects import EXTENDED
from toolroll_codegraph.resolve.program import BOUND, CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.solver import Solver

_MOST: Final = 4
"""Of more functions in one place it is not told which is handed over."""
_DEEPEST: Final = 2
"""Literals in literals of options: `{on: {click: save}}`."""
_MOST_LISTED: Final = 16
"""A literal of more is no table of options, but an object with methods."""
_CALLS: Final = Struct(f"{CallColumn.WIDTH}i")
_STORES: Final = Struct(f"{STORE_WIDTH}i")
References = dict[tuple[int, int], tuple[int, ...]]
"""(who hands it over, function) → lines."""


def find_references(solver: Solver) -> References:
    """The functions that are given to calls of, or put into objects of, what the program lacks."""
    finder = _Finder(solver)
    finder.look_at_calls()
    finder.look_at_stores()
    for _ in range(_DEEPEST):
        finder.look_into_literals()
    return finder.told()


class _Finder:
    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._program = program = solver.program
        self._given = bytearray(len(solver.points))
        """For each slot whether it is a parameter: whoever gives it has handed it over."""
        for parameters in program.params:
            for _, slot, _ in parameters:
                self._given[slot] = 1
        self._named: dict[tuple[int, int], set[int]] = {}
        """(who hands it over, function) → lines."""
        self._methods: dict[tuple[int, int], set[int]] = {}
        """The same of what is bound to an object."""
        self._literals: dict[int, list[tuple[int, int]]] = {}
        """Slot of what is handed over and may be a literal → (who does, line)."""

    def look_at_calls(self) -> None:
        solver, program = self._solver, self._program
        operations, own_files = solver.operations, len(program.by_path)
        arguments = operations.arguments
        for identifier, (row, following) in enumerate(
            pairwise(_CALLS.iter_unpack(operations.calls))
        ):
            _, scope, line, source, name, flags, begin, count = row
            end = following[CallColumn.START]
            if begin == end or (flags & CallFlag.IMPLICIT and max(source, name) >= 0):
                continue
            index = operations.call_file[identifier]
            if index >= own_files:
                break  # copies
            if not self._is_resolved(identifier):
                given = [*arguments[begin : begin + count], *arguments[begin + count + 1 : end : 2]]
                for item in given:
                    self._hand_over(index, scope, line, item)

    def _is_resolved(self, identifier: int) -> bool:
        call = self._solver.calls[identifier]
        return call is not None and any(0 <= it < self._program.scopes for it in call.fired)

    def look_at_stores(self) -> None:
        """`element.onclick = save`, where nothing is known of the element."""
        solver, program = self._solver, self._program
        operations, points = solver.operations, solver.points
        for store, row in enumerate(_STORES.iter_unpack(operations.stores)):
            target, _, source, scope, line = row
            index = operations.store_file[store]
            values = points[target + program.slot_base[index]] or ()
            if line and all(map(self._is_foreign, values)):  # without a line in a literal
                self._hand_over(index, scope, line, source)

    def _is_foreign(self, value: int) -> bool:
        """Whether a value stands for an object from outside, whatever is put into it here."""
        detail = self._solver.detail[value]
        return self._solver.kind[value] == CONTAINER and detail[1:2] == (EXTENDED,)

    def look_into_literals(self) -> None:
        """What is written into a literal is handed over with it."""
        literals, self._literals = self._literals, {}
        inside: dict[int, list[int]] = {}
        operations, bases = self._solver.operations, self._program.slot_base
        for store, (target, _, source, _, line) in enumerate(
            _STORES.iter_unpack(operations.stores)
        ):
            base = bases[operations.store_file[store]]
            if not line and source >= 0 and target + base in literals:
                inside.setdefault(target + base, []).append(source + base)
        for literal, items in inside.items():
            for caller, line in literals[literal] if len(items) <= _MOST_LISTED else ():
                for item in items:
                    self._hand(caller, line, item)

    def _hand_over(self, index: int, scope: int, line: int, slot: int) -> None:
        program = self._program
        slot += program.slot_base[index]
        if slot >= program.slot_base[index] and not self._given[slot]:
            self._hand(program.caller[scope + program.scope_base[index]], line, slot)

    def _hand(self, caller: int, line: int, slot: int) -> None:
        """Note what a slot has: functions, or what may be a literal."""
        solver, program = self._solver, self._program
        values = solver.points[slot] or ()
        for value in values if len(values) <= _MOST else ():
            kind = solver.kind[value]
            if kind == CONTAINER:
                self._literals.setdefault(slot, []).append((caller, line))
            elif kind == FUNCTION and value < program.scopes:
                pair = caller, program.original(value)
                self._named.setdefault(pair, set()).add(line)
            elif kind == BOUND and solver.detail[value][0] < program.scopes:
                pair = caller, program.original(solver.detail[value][0])
                self._methods.setdefault(pair, set()).add(line)

    def told(self) -> References:
        """What was found, but for functions of files that are not imported where they are handed
        over: such came from elsewhere, with others."""
        file_of = self._program.file_of
        files = {(file_of[caller], file_of[function]) for caller, function in self._named}
        pairs = iter(self._solver.rules.imports.found)
        near = {pair for pair in zip(pairs, pairs, strict=True) if pair in files}
        found = self._methods
        for (caller, function), lines in self._named.items():
            pair = file_of[caller], file_of[function]
            if pair in near or pair[0] == pair[1]:
                found.setdefault((caller, function), set()).update(lines)
        return {pair: tuple(sorted(lines)) for pair, lines in sorted(found.items())}
