"""Propagating values through the assignment graph of a whole program.

A worklist moves what is new in a slot and wakes the operations that wait for it. Work is bounded: a
slot holds at most so many values, an object is made once for each place in the source, and a call
enters a function once.
"""

from __future__ import annotations

from array import array
from collections.abc import Container
from struct import Struct, calcsize
from sys import maxsize
from typing import Final

from toolroll_codegraph.confidence import CERTAIN, POSSIBLE
from toolroll_codegraph.facts import CallColumn, CallFlag, Operation, ScopeFlag
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.faults import Faults
from toolroll_codegraph.resolve.findings import FoundEdges
from toolroll_codegraph.resolve.listeners import deliver
from toolroll_codegraph.resolve.misfits import Misfits
from toolroll_codegraph.resolve.objects import Objects
from toolroll_codegraph.resolve.passing import Passing
from toolroll_codegraph.resolve.program import Program
from toolroll_codegraph.resolve.rules import Rules
from toolroll_codegraph.resolve.slots import MOST_VALUES
from toolroll_codegraph.resolve.standing import FoundStandings

_LOAD: Final = Operation.LOAD
_SHIFT: Final = Operation.SHIFT
_PATIENCE: Final = 12
"""So many values for each slot may be told to listeners before slots hold fewer functions: of 21
packages most need one to ten, and two 140, in which dozens of objects have dozens of functions each
under one name."""
_MOST_MOVES: Final = 4_000_000
"""So many values may go on before slots hold fewer: more than twice of what Django's half a million
lines need. Half as many lines again of algebra would need ten times as many, and gigabytes."""
_FEW_VALUES: Final = 6
_Row = tuple[int, ...]
_LOADS: Final = Struct(f"{LOAD_WIDTH}i")
_STORES: Final = Struct(f"{STORE_WIDTH}i")
_CALLS: Final = Struct(f"{CallColumn.WIDTH}i{calcsize('i') * CallColumn.START}xi")
"""A call, and where the arguments of the next one begin."""
_CALL_SIZE: Final = calcsize(f"{CallColumn.WIDTH}i")
_MASK: Final = Operation.MASK


class Solver(Objects):
    """The values in a program's slots and the calls found so far."""

    rules: Rules
    """How the program's languages call, read and write values; they are made for a solver."""

    def __init__(self, program: Program, most_definitions: int, faults: Faults) -> None:
        scopes = program.scopes
        self.program = program
        self.faults = faults
        """Guards every step of resolving."""
        self.operations = program.operations
        lines = max(program.last_line, default=0)
        self.shared = [*program.canonical, *range(scopes, lines + 1)]
        """One integer object for each scope and line: hundreds of thousands of reads and calls hold
        one of both."""
        numbers = self.shared[:scopes]
        super().__init__(self.operations.active(), program.object_kind, numbers, most_definitions)
        self.edges = FoundEdges(scopes)
        self.standing = FoundStandings()
        self.confidence = CERTAIN
        self._patience = _PATIENCE * program.slots if program.family == "scripts" else maxsize
        self.moves = 0
        """Values that went on from a slot, each time that one did."""
        self._most_moves = _MOST_MOVES
        self.calls: list[Call | None] = [None] * len(self.operations)
        self.calls_open = False
        """Whether calls are entered yet: class hierarchies have to be known before."""
        self.misfits = Misfits(self)
        self.beside: set[int] = set()
        """What decorators return that does not replace the function, but is called with it."""
        self.decorated: dict[int, int] = {}
        self.wrappers: Container[int] = ()
        """Functions that are another value for each thing they wrap."""
        self.unwrapped: set[int] = set()
        """Those of them that somebody calls as such, which is for anything they wrap."""
        self.passing = Passing(self)
        self.returned = self.passing.returned
        """Parameters that their function returns as they are: each call gets back its own."""
        self.generators: dict[int, int] = {}
        """What a call of a generator function returns → that function."""
        self.narrowed: dict[int, list[int]] = {}
        """Slot → slots of what tests have left of its values."""
        self.whole: dict[int, int] = {}
        """Slot of what tests have left of a value → slot of all of it."""
        self.this_owner: dict[int, int] = {}
        self.no_receivers: set[int] = set()
        """Of the slots in `this_owner`, those that are given something else first (Python)."""
        self.setters: frozenset[int] = frozenset(
            program.name(program.texts[program.scope_name[scope]].rpartition(".")[2])
            for scope in range(scopes)
            if program.flags[scope] & ScopeFlag.SETTER
        )
        """Names whose writes may run code."""
        self.all_run = False
        """Whether any write may, as where a class has a `__setattr__` (Python)."""
        self.marks: set[int] = set()
        """Names of attributes that are looked for on functions, whatever their value (Python)."""
        self.kept_by_classes: set[int] = set()
        """Modules whose methods keep something in the classes that they run on (Ruby)."""
        self.own_stores: list[tuple[int, int, int]] = []
        """(class, field, source) of stores through a method's own receiver."""
        self.store_done = bytearray(len(self.operations.store_file))
        """Writes that need no flow: those in `own_stores`."""

    def key_text(self, value: int) -> str:
        return self.program.texts[self.key_name(value)]

    def run(self) -> None:
        """Move values until nothing changes.

        First in, first out: a slot that is full has the values that come from nearest by.
        """
        while self.work or self.ready:
            with self.faults:
                self._run()

    def _run(self) -> None:
        work, points, moved = self.work, self.points, self.moved
        heard, waiting = self.heard, self.waiting
        first, following, found_targets = self.found_flow.columns
        active, queued, ready, room = self.active, self.queued, self.ready, self.room
        operations, last, give_all = self.operations, self.program.slots, self.give_all
        flow_start, flow = operations.flow_start, operations.flow
        wait_start, wait = operations.wait_start, operations.wait
        calls, calls_open, translate = self.calls, self.calls_open, self.translate
        call_value, call_method = self.rules.call_value, self.rules.call_method
        start_operation = self.start
        while work or ready:
            if ready:
                listener, new = ready.popleft()
                self._patience -= len(new)
                if self._patience < 0:
                    self.narrow_to(MOST_VALUES)
                handler = listener[0]
                for value in new:
                    handler(value, listener)
                continue
            slot = work.popleft()
            queued[slot] = 0
            known = points[slot]
            before = moved[slot]
            if known is None or before == len(known):
                continue
            new = known[before:] if before else known
            moved[slot] = len(known)
            self.moves += len(new)
            if self.moves > self._most_moves:
                self._most_moves = maxsize
                self.narrow_to(_FEW_VALUES)
            targets: list[int] | array[int] | None = None
            if slot < last:
                begin, end = flow_start[slot], flow_start[slot + 1]
                if begin != end:
                    targets = flow[begin:end]
            edge = first[slot]
            if edge:
                targets = [] if targets is None else targets.tolist()
                while edge:
                    targets.append(found_targets[edge])
                    edge = following[edge]
            if targets is not None:
                if len(new) == 1:
                    value = new[0]
                    for target in targets:
                        current = points[target]
                        if current is None:
                            points[target] = new
                        elif len(current) >= room[value] or value in current:
                            continue
                        else:
                            points[target] = (*current, value)
                        if active[target] and not queued[target]:
                            queued[target] = 1
                            work.append(target)
                else:
                    for target in targets:
                        give_all(new, known, target)
            if slot < last:
                begin, end = wait_start[slot], wait_start[slot + 1]
                if begin != end:
                    for entry in wait[begin:end]:
                        if entry & _MASK:
                            start_operation(entry, new)
                        elif calls_open:
                            call = calls[entry >> _SHIFT] or translate(entry >> _SHIFT)
                            answer = call_value if call.name < 0 else call_method
                            for value in new:
                                answer(call, value)
            place = heard[slot]
            if not place:
                continue
            listeners = waiting[place]
            if isinstance(listeners, list):
                deliver(listeners, new)
            else:
                handler = listeners[0]
                for value in new:
                    handler(value, listeners)

    def narrow_to(self, most: int) -> None:
        """Let slots hold no more values than so many, of any kind; what they have they keep.

        To read from `n` objects what each has `n` of takes `n` squared, and what flows through so
        many values tells them apart no more.
        """
        self._patience = maxsize
        self.most_definitions = self.most_values = self.most_others = most
        self.narrow()

    def start(self, entry: int, values: tuple[int, ...]) -> None:
        """Let a read or write of a file see new values."""
        operation = entry >> _SHIFT
        program, operations = self.program, self.operations
        if entry & _MASK == _LOAD:
            index = operations.load_file[operation]
            row: _Row = _LOADS.unpack_from(operations.loads, operation * _LOADS.size)
            target, _, name, scope, line = row
            name = program.renames[index][name]
            target += program.slot_base[index]
            scope = self.shared[scope + program.scope_base[index]]
            line = self.shared[line]
            load = self.rules.load
            for value in values:
                load(value, name, target, scope, line)
            return
        if self.store_done[operation]:
            return
        index = operations.store_file[operation]
        row = _STORES.unpack_from(operations.stores, operation * _STORES.size)
        _, name, source, scope, line = row
        name = program.renames[index][name]
        if source >= 0:
            source += program.slot_base[index]
        elif not self.all_run and name not in self.setters and name not in self.marks:
            return
        scope += program.scope_base[index]
        for value in values:
            self.rules.store(value, name, source, scope, line)

    def translate(self, identifier: int) -> Call:
        """The call of this number, with the program's numbers in it."""
        call = self.calls[identifier]
        if call is not None:
            return call
        operations, program = self.operations, self.program
        index = operations.call_file[identifier]
        base, rename = program.slot_base[index], program.renames[index]
        row: _Row = _CALLS.unpack_from(operations.calls, identifier * _CALL_SIZE)
        result, scope, line, _, name, flags, begin, count, end = row
        positional: tuple[int, ...] = ()
        keywords: tuple[int, ...] = ()
        if begin != end:
            positional, keywords = operations.arguments_in(begin, count, end, base, rename)
        result += base
        if flags & CallFlag.DECORATOR:
            # What a decorator returns is looked at before it replaces what it decorates.
            place, result = result, self.slot()
            self.decorated[identifier] = result
            for places in program.copies.values():
                if place in places:  # a class that decorates is made there
                    places[result] = places[place]
        found = self.calls[identifier] = Call(
            result,
            self.shared[scope + program.scope_base[index]],
            self.shared[line],
            rename[name] if name >= 0 else -1,
            positional,
            keywords,
            flags,
        )
        return found

    def answer(self, call: Call, value: int) -> None:
        """Call what a value of a call's source is, or its method."""
        (self.rules.call_value if call.name < 0 else self.rules.call_method)(call, value)

    def derived_call(
        self, call: Call, result: int, positional: tuple[int, ...], name: int = -1
    ) -> Call:
        """A call made on behalf of another at the same place (callbacks, protocols)."""
        return Call(result, call.scope, call.line, name, positional, (), CallFlag.IMPLICIT)

    def record(self, scope: int, callee: int, line: int) -> None:
        """Note that the function around `scope` calls `callee`."""
        self.edges.add(self.program.caller[scope], callee, line, self.confidence)

    def suppose(self, scope: int, callee: int, line: int) -> None:
        """Note a call for which nothing in the source looks like one."""
        self.edges.add(self.program.caller[scope], callee, line, POSSIBLE)

    def resolved(self) -> bytearray:
        """For each call whether it has entered something of the project."""
        scopes, found = self.program.scopes, bytearray(len(self.calls))
        for identifier, call in enumerate(self.calls):
            if call is not None:
                for entered in call.fired:
                    if 0 <= entered < scopes:
                        found[identifier] = 1
                        break
        return found

    def give(self, call: Call, source: int, parameter: int) -> None:
        """Pass an argument; a parameter that is returned comes back to this call alone."""
        self.edge(source, parameter)
        self.passing.give_back(call, source, parameter)

    def stop(self) -> None:
        """Give back what only moving values needs: here the program takes most memory."""
        self.waiting.clear()
        for column in (self.heard, *self.found_flow.columns):
            del column[:]

    def release(self) -> None:
        """Give back what only resolving needs: rules and solver hold each other, and collecting
        them would take longer than to resolve again."""
        for held in (
            self.points, self.detail, self.made,
            self._fields, self.wildcards, self.mirrors,
        ):  # fmt: skip
            held.clear()
        self.packing.release()
