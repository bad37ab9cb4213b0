"""Functions that are handed over and not called: callbacks, handlers, what decorators register.

Who calls them is a library, from where nobody sees. What can be said is who hands them over:
`app.add_url_rule("/", view_func=show)`, `@app.get("/")`, `element.onclick = save`; so it is with
classes, `app.add_middleware(Timing)`, and with objects that can be called.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from struct import Struct
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, CallFlag, ObjectKind
from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.handed_classes import HandedClasses
from toolroll_codegraph.resolve.passed import Passed
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
)
from toolroll_codegraph.resolve.takers import Takers

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.solver import Solver

_MOST: Final = 4
"""Of more functions in one place it is not told which is handed over."""
_DEEPEST: Final = 6
"""Literals in literals of options: `{routes: [{children: [{before: [check]}]}]}`."""
_MOST_HANDS: Final = 3
"""So many functions, each called by the next, hand on what they are given."""
_MOST_LISTED: Final = 16
"""A literal of more is no table of options, but an object with methods."""
_LISTS: Final = (ObjectKind.ARRAY, ObjectKind.SEQUENCE)
_PARAMETER: Final = 1
_RESULT: Final = 2
_CALLS: Final = Struct(f"{CallColumn.WIDTH}i")
_STORES: Final = Struct(f"{STORE_WIDTH}i")
References = dict[tuple[int, int], tuple[int, ...]]
"""(who hands it over, function) → lines."""


def find_references(solver: Solver, resolved: Sequence[int]) -> References:
    """The functions that are given to calls of, or put into objects of, what the program lacks.

    `resolved` says of each call whether it reaches something of the project.
    """
    finder = _Finder(solver, resolved)
    finder.look_at_calls()
    finder.look_at_stores()
    finder.look_at_names()
    finder.look_at_givers()
    for _ in range(_DEEPEST):
        if not finder.look_into_literals():
            break
    finder.look_into_classes()
    return finder.told()


class _Finder:
    def __init__(self, solver: Solver, resolved: Sequence[int]) -> None:
        self._solver = solver
        self._resolved = resolved
        self._program = program = solver.program
        self._given = bytearray(len(solver.points))
        """For each slot whether it is a parameter, as whoever gives it has handed it over, or the
        result of a call: what that made."""
        for _, slot, _ in program.params:
            self._given[slot] = _PARAMETER
        self._named: dict[tuple[int, int], set[int]] = {}
        """(who hands it over, function) → lines."""
        self._methods: dict[tuple[int, int], set[int]] = {}
        """The same of what is bound to an object."""
        self._classes: dict[tuple[int, int], set[int]] = {}
        """The same of classes."""
        self._objects: dict[tuple[int, int], set[int]] = {}
        """The same of classes of objects."""
        self._literals: dict[int, list[tuple[int, int, bool]]] = {}
        """Slot of what is handed over and may be a literal → (who does, line, with classes?)."""
        self._listed: dict[int, list[tuple[int, int, bool]]] = {}
        """The same by the object, of lists."""
        self._inside = HandedClasses(solver)
        self._passed = Passed(solver, resolved)
        self._takers = Takers(solver)
        self._near: set[tuple[int, int]] = set()
        """(file, file whose functions it names)."""
        self._call = program.name("__call__")

    def look_at_calls(self) -> None:
        solver, program = self._solver, self._program
        operations, own_files = solver.operations, len(program.by_path)
        arguments, points, kind = operations.arguments, solver.points, solver.kind
        for is_resolved, index, (row, following) in zip(
            self._resolved,
            operations.call_file,
            pairwise(_CALLS.iter_unpack(operations.calls)),
            strict=True,
        ):
            if index >= own_files:
                break  # copies
            source: int
            result, scope, line, source, name, flags, begin, count = row
            base, end = program.slot_base[index], following[CallColumn.START]
            if result >= 0:
                self._given[result + base] = _RESULT
            if is_resolved:
                continue
            given: list[int] = []
            if begin != end:
                listed = (
                    *arguments[begin : begin + count],
                    *arguments[begin + count + 1 : end : 2],
                )
                given = [item for item in listed if item >= 0 and points[item + base] is not None]
            elif name < 0:
                continue
            plain = not flags & CallFlag.IMPLICIT
            if plain and min(name, source) >= 0:
                values = points[source + base]
                if values and kind[values[0]] == CLASS and self._inside.is_of_library(values):
                    given.append(source)
            if not given or not (plain or self._takers.hands(index, name, source)):
                continue
            asks = self._takers.asks(index, name, source)
            whole = plain and not asks
            if whole and flags & CallFlag.DECORATOR:
                whole = self._takers.decorates(index, given)
            for item in given:
                if self._given[item + base] != _PARAMETER:
                    self._hand_over(index, scope, line, item, whole=whole)
                elif not asks and not self._takers.looks(index, name, source):
                    self._passed.note(scope + program.scope_base[index], item + base)

    def look_at_stores(self) -> None:
        """`element.onclick = save`, where nothing is known of the element."""
        solver, program = self._solver, self._program
        operations, points = solver.operations, solver.points
        for store, row in enumerate(_STORES.iter_unpack(operations.stores)):
            target: int
            target, _, source, scope, line = row
            index = operations.store_file[store]
            values = points[target + program.slot_base[index]] or ()
            if line and all(map(self._takers.is_outside, values)):  # without a line in a literal
                self._hand_over(index, scope, line, source)

    def look_at_names(self) -> None:
        """What texts name, and attributes of classes hold, for a library."""
        program, solver = self._program, self._solver
        for scope, line, slot, owner in solver.rules.handed():
            if slot < 0 or not (owner < 0 or solver.rules.is_framed(owner)):
                continue
            if owner < 0:
                self._name(scope, slot)
            self._hand(program.caller[scope], line, slot, True)

    def _name(self, scope: int, slot: int) -> None:
        """Note that a file knows what it names, though it imports nothing."""
        for value in self._solver.points[slot] or ():
            if value < self._program.scopes:
                file_of = self._program.file_of
                self._near.add((file_of[scope], file_of[value]))

    def look_into_literals(self) -> bool:
        """Hand over what is written into literals with them; whether there may be any inside.

        Those of lists go along from files that are imported too, where routes may be listed; others
        are written where they are handed over.
        """
        literals, self._literals = self._literals, {}
        listed, self._listed = self._listed, {}
        inside: dict[int, list[int]] = {}
        operations, bases = self._solver.operations, self._program.slot_base
        points, files, file_of = self._solver.points, dict[int, int](), self._program.file_of
        for store in self._written:
            index = operations.store_file[store]
            base, start = bases[index], store * STORE_WIDTH
            target, source = operations.stores[start] + base, operations.stores[start + 2]
            if target not in literals:
                values = points[target] or ()
                if listed.keys().isdisjoint(values):
                    continue
                handed = [
                    place
                    for value in values
                    for place in listed.get(value, ())
                    if (file_of[place[0]], index) in self._imports
                ]
                if not handed:
                    continue
                literals[target] = handed
            inside.setdefault(target, []).append(source + base)
            files[target] = index
        for literal, items in inside.items():
            for caller, line, whole in literals[literal] if len(items) <= _MOST_LISTED else ():
                for item in items:
                    self._hand(caller, line, item, whole)
                    self._bring(caller, files[literal], item)
        return bool(self._literals or self._listed)

    def _bring(self, caller: int, index: int, slot: int) -> None:
        """Note what a file knows by a list that another one wrote."""
        file_of = self._program.file_of
        if file_of[caller] == index:
            return
        for value in self._solver.points[slot] or ():
            if value < self._program.scopes:
                pair = index, file_of[value]
                if pair[0] == pair[1] or pair in self._imports:
                    self._near.add((file_of[caller], file_of[value]))

    @cached_property
    def _written(self) -> array[int]:
        """The stores of what is written into literals: those have no line."""
        sources, lines = (self._solver.operations.stores[place::STORE_WIDTH] for place in (2, 4))
        pairs = enumerate(zip(sources, lines, strict=True))
        return array("I", [store for store, (source, line) in pairs if source >= 0 and not line])

    @cached_property
    def _imports(self) -> set[tuple[int, int]]:
        """(importing file, imported file)."""
        pairs = iter(self._solver.rules.imports.found)
        return set(zip(pairs, pairs, strict=True))

    def _hand_over(
        self, index: int, scope: int, line: int, slot: int, *, whole: bool = False
    ) -> None:
        program = self._program
        slot += program.slot_base[index]
        if slot >= program.slot_base[index] and self._given[slot] != _PARAMETER:
            self._hand(program.caller[scope + program.scope_base[index]], line, slot, whole)

    def look_at_givers(self) -> None:
        """`later(save)` of `def later(run): loop.call_soon(run)`, and who calls what calls it."""
        for _ in range(_MOST_HANDS):
            for call, slot in self._passed.given():
                if self._given[slot] == _PARAMETER:
                    self._passed.note(call.scope, slot)
                else:
                    self._hand(self._program.caller[call.scope], call.line, slot, False)

    def _hand(self, caller: int, line: int, slot: int, whole: bool) -> None:
        """Note what a slot has: functions, what may be a literal, and with `whole` classes."""
        solver, program = self._solver, self._program
        values = solver.points[slot] or ()
        for value in values if len(values) <= _MOST else ():
            kind = solver.kind[value]
            if kind == CONTAINER:
                self._literals.setdefault(slot, []).append((caller, line, whole))
                if solver.detail[value][0] in _LISTS:
                    self._listed.setdefault(value, []).append((caller, line, whole))
            elif kind == CLASS and whole:
                self._classes.setdefault((caller, program.canonical[value]), set()).add(line)
            elif kind == INSTANCE and value < 2 * program.scopes:
                owner = value - program.scopes
                if whole and self._given[slot] == _RESULT and solver.rules.is_framed(owner):
                    pair = caller, program.canonical[owner]
                    self._objects.setdefault(pair, set()).add(line)
                called = solver.rules.classes.find(value - program.scopes, self._call)
                for function in solver.functions(called):
                    if function < program.scopes:
                        pair = caller, program.original(function)
                        self._methods.setdefault(pair, set()).add(line)
            elif kind == FUNCTION and value < program.scopes:
                pair = caller, program.original(value)
                self._named.setdefault(pair, set()).add(line)
            elif kind == BOUND and solver.detail[value][0] < program.scopes:
                pair = caller, program.original(solver.detail[value][0])
                self._methods.setdefault(pair, set()).add(line)

    def look_into_classes(self) -> None:
        """What comes with classes, and with functions that make others."""
        for caller, function, lines in self._inside.members(self._classes):
            self._named.setdefault((caller, function), set()).update(lines)
        for caller, function, lines in self._inside.members(self._objects, made=True):
            self._methods.setdefault((caller, function), set()).update(lines)
        handed = {function for _, function in (*self._named, *self._methods)}
        for function, inner, lines in self._inside.returned(handed):
            self._methods.setdefault((function, inner), set()).update(lines)

    def told(self) -> References:
        """What was found, but for functions of files that are not imported where they are handed
        over: such came from elsewhere, with others."""
        file_of = self._program.file_of
        near = self._near | self._imports
        found = self._methods
        for (caller, function), lines in self._named.items():
            pair = file_of[caller], file_of[function]
            if pair in near or pair[0] == pair[1]:
                found.setdefault((caller, function), set()).update(lines)
        return {pair: tuple(sorted(lines)) for pair, lines in sorted(found.items())}
