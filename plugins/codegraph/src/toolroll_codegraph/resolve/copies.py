"""Classes of which each instance that a module keeps has methods of its own.

To the solver all instances of a class are one object. That is too little for registries: two of one
class would each call what the other was given. A class that keeps what its methods are handed, and
that modules make a few instances of, is therefore read once more for each of these places. What is
found in such a copy is told of the class itself.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import MutableSequence
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, FileFacts, Operation, numbers
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH, RelationRow
from toolroll_codegraph.facts.packing import group, pack_numbers
from toolroll_codegraph.resolve.places import (
    DYNAMIC_WIDTH,
    keeps_values,
    places_of,
    rows_of,
    scopes_in,
)

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.program import Program

_MOST_COPIES: Final = 48
_MOST_SLOTS: Final = 40_000
"""So many slots of files are looked through for the copies of one class."""
_FLOW: Final = ("checked", "limited", "refused")
_WIDTH: Final = CallColumn.WIDTH


def copy_classes(program: Program) -> None:
    """Read the classes again that modules make several instances of, if they keep functions."""
    made = 0
    for scope, places in sorted(places_of(program).items()):
        size = program.facts[program.file_of[scope]].slots * len(places)
        if (
            size > _MOST_SLOTS
            or made + len(places) > _MOST_COPIES
            or not keeps_values(program, scope)
        ):
            continue
        made += len(places)
        for place in places:
            program.copies.setdefault(scope, {})[place] = _Copy(program, scope).make()


class _Copy:
    """One more reading of a class, as a file of its own.

    Slots that the class alone fills are filled again, by operations of its own; all others that it
    uses have what those of the file have.
    """

    def __init__(self, program: Program, scope: int) -> None:
        self.program = program
        self.scope = scope
        self.index = program.file_of[scope]
        self.facts = program.facts[self.index]
        self.base = program.slot_base[self.index]
        self.first = program.scope_base[self.index]
        self.scopes = {inner: place for place, inner in enumerate(scopes_in(program, scope))}
        self._once = scope if program.family == "python" else -1
        """The scope that runs once for all copies: what a class body makes is everybody's."""
        self.own: set[int] = set()
        self.slots: dict[int, int] = {}
        """Slot of the file → slot of the copy."""
        self.start = program.slots
        self.dynamic = numbers(self.facts.dynamic)

    def make(self) -> int:
        """Add the copy to the program and return its class."""
        program, facts = self.program, self.facts
        self._find_own()
        flows = self._flows()
        calls, arguments = self._calls()
        operations = program.operations
        loads = self._operations(operations.loads, operations.load_file, LOAD_WIDTH, 0, 1)
        stores = self._operations(operations.stores, operations.store_file, STORE_WIDTH, 2, 0)
        dynamic, types, relations = self._dynamic(), self._types(), self._relations()
        objects, tests = self._rows_of(facts.objects), self._rows_of(facts.tests)
        returned = [self.slots[slot] for slot in numbers(facts.returned) if slot in self.slots]
        pairs = iter(numbers(facts.tails))
        tails = [
            number
            for slot, scope in zip(pairs, pairs, strict=True)
            if slot in self.slots and scope + self.first in self.scopes
            for number in (self.slots[slot], self.scopes[scope + self.first])
        ]
        sources: list[int] = []
        entries: list[int] = []
        step = 1 << Operation.SHIFT
        for column, kind in (
            (loads[1::LOAD_WIDTH], Operation.LOAD), (stores[0::STORE_WIDTH], Operation.STORE),
            (calls[CallColumn.SOURCE :: _WIDTH], Operation.CALL),
        ):  # fmt: skip
            sources += column
            entries += range(kind, kind + len(column) * step, step)
        copied = self._number()
        slots = len(self.slots)
        flow_counts, flow = group(flows[0::2], flows[1::2], slots)
        wait_counts, waits = group(sources, entries, slots)
        made = FileFacts(
            version=facts.version, language=facts.language, names=[], slots=slots, scopes=[],
            flow_counts=flow_counts, flow=flow, wait_counts=wait_counts, waits=waits,
            returned=pack_numbers(returned), tails=pack_numbers(tails), loads=pack_numbers(loads),
            stores=pack_numbers(stores), dynamic=pack_numbers(dynamic),
            calls=pack_numbers(calls), arguments=pack_numbers(arguments),
            objects=pack_numbers(objects), constants=b"", imports=[], free=b"",
            relations=relations, types=pack_numbers(types), tests=pack_numbers(tests),
            exported=[], parse_errors=0,
        )  # fmt: skip
        program.add_copy(self.index, made, len(self.scopes))
        return copied

    def _find_own(self) -> None:
        """Find the slots that nothing outside of the class fills."""
        program, base = self.program, self.base
        outside: set[int] = {row[0] for row in self.facts.imports}
        for scope in range(self.first, self.first + program.scope_count[self.index]):
            slots = [program.this[scope], program.ret[scope]]
            slots += [slot for _, slot, _ in program.params[scope]]
            slots += (program.members[scope] or {}).values()
            inside = scope in self.scopes
            if scope != self.scope:
                slots.append(program.value[scope])
            (self.own if inside else outside).update(slot - base for slot in slots if slot >= 0)
        outside.add(program.value[self.scope] - base)
        self.own -= outside
        operations = program.operations
        for row in rows_of(operations.calls, operations.call_file, self.index, _WIDTH):
            self._sort(row[CallColumn.SCOPE], row[CallColumn.RESULT], outside)
        for row in rows_of(operations.loads, operations.load_file, self.index, LOAD_WIDTH):
            self._sort(row[3], row[0], outside)
        items = iter(numbers(self.facts.objects))
        for slot, scope, _ in zip(items, items, items, strict=True):
            self._sort(scope, slot, outside)
        self.own -= outside
        self._follow(outside)

    def _sort(self, scope: int, slot: int, outside: set[int]) -> None:
        (self.own if self._is_inside(scope) else outside).add(slot)

    def _is_inside(self, scope: int) -> bool:
        """Whether a scope of the file runs for each copy."""
        return scope + self.first in self.scopes and scope + self.first != self._once

    def _follow(self, outside: set[int]) -> None:
        """Add the slots that get their values from those, and are nobody else's."""
        passed: dict[int, list[int]] = {}
        for start in range(0, len(self.dynamic), DYNAMIC_WIDTH):
            result, *given = self.dynamic[start : start + 4]
            for slot in given if result >= 0 else ():
                passed.setdefault(slot, []).append(result)
        for kind, _, _, target, source in self.facts.relations:
            if kind in _FLOW:
                passed.setdefault(source, []).append(target)
        pending = list(self.own)
        while pending:
            slot = pending.pop()
            for target in (*self._targets(slot), *passed.get(slot, ())):
                if target not in self.own and target not in outside:
                    self.own.add(target)
                    pending.append(target)

    def _targets(self, slot: int) -> list[int]:
        operations, slot = self.program.operations, slot + self.base
        start, end = operations.flow_start[slot], operations.flow_start[slot + 1]
        return [target - self.base for target in operations.flow[start:end]]

    def _slot(self, slot: int) -> int:
        """The copy's slot for one of the file; those of others have what is in theirs."""
        if slot < 0:
            return slot
        found = self.slots.get(slot)
        if found is None:
            found = self.slots[slot] = len(self.slots)
            if slot not in self.own:
                self.program.bridges += (slot + self.base, found + self.start)
        return found

    def _flows(self) -> list[int]:
        """(source, target) of the copy's own flow, flat."""
        found: list[int] = []
        for slot in range(self.facts.slots):
            for target in self._targets(slot):
                if target in self.own:
                    found += (self._slot(slot), self._slot(target))
                elif slot in self.own:
                    self.program.bridges += (self._slot(slot) + self.start, target + self.base)
        return found

    def _operations(
        self, column: array[int], files: array[int], width: int, first: int, second: int
    ) -> list[int]:
        """The reads or writes in the class; two of their numbers are slots."""
        found: list[int] = []
        for row in rows_of(column, files, self.index, width):
            # What is put into a literal has no line and no scope: the literal's own slot tells.
            if row[3] + self.first in self.scopes if row[4] else row[0] in self.own:
                row[first], row[second] = self._slot(row[first]), self._slot(row[second])
                row[3] = self.scopes.get(row[3] + self.first, 0)
                found += row
        return found

    def _calls(self) -> tuple[list[int], list[int]]:
        operations, slot = self.program.operations, self._slot
        found: list[int] = []
        arguments: list[int] = []
        call = bisect_left(operations.call_file, self.index)
        for row in rows_of(operations.calls, operations.call_file, self.index, _WIDTH):
            if self._is_inside(row[CallColumn.SCOPE]):
                positional, keywords = operations.arguments_of(call)
                row[CallColumn.RESULT] = slot(row[CallColumn.RESULT])
                row[CallColumn.SOURCE] = slot(row[CallColumn.SOURCE])
                row[CallColumn.SCOPE] = self.scopes[row[CallColumn.SCOPE] + self.first]
                row[CallColumn.START] = len(arguments)
                arguments += [
                    slot(item) if item >= -1 else -slot(-item - 2) - 2 for item in positional
                ]
                for key, item in zip(keywords[::2], keywords[1::2], strict=True):
                    arguments += (key, slot(item))
                found += row
            call += 1
        return found, arguments

    def _dynamic(self) -> list[int]:
        found: list[int] = []
        for start in range(0, len(self.dynamic), DYNAMIC_WIDTH):
            *slots, attribute = self.dynamic[start : start + DYNAMIC_WIDTH]
            if not self.own.isdisjoint(slots):
                if attribute > 0:
                    attribute = self.scopes.get(attribute - 1 + self.first, 0) + 1
                found += (*map(self._slot, slots), attribute)
        return found

    def _rows_of(self, packed: bytes) -> list[int]:
        """Rows of a slot of the class, a scope and something else."""
        items = iter(numbers(packed))
        found: list[int] = []
        for slot, scope, other in zip(items, items, items, strict=True):
            if slot in self.own and scope + self.first in self.scopes:
                found += (self._slot(slot), self.scopes[scope + self.first], other)
        return found

    def _types(self) -> list[int]:
        items = iter(numbers(self.facts.types))
        found: list[int] = []
        for slot, known, hint in zip(items, items, items, strict=True):
            if slot in self.own:
                found += (self._slot(slot), self._slot(known), hint)
        return found

    def _relations(self) -> list[RelationRow]:
        """What tests and annotations leave of values: flow of a kind."""
        found: list[RelationRow] = []
        for kind, part, exact, target, source in self.facts.relations:
            if kind in _FLOW and target in self.own:
                part = self._slot(part) if kind in ("refused", "subclass") else part
                found.append((kind, part, exact, self._slot(target), self._slot(source)))
        return found

    def _number(self) -> int:
        """Number the scopes of the copy behind all others, and return the first."""
        program, first = self.program, len(self.program.kind)
        same: tuple[MutableSequence[int], ...] = (
            program.kind, program.object_kind, program.scope_name, program.first_line,
            program.last_line, program.flags, program.caller,
        )  # fmt: skip
        for scope in self.scopes:
            parent = program.parent[scope]
            for column in same:
                column.append(column[scope])
            program.parent.append(self.scopes[parent] + first if parent in self.scopes else parent)
            program.this.append(self._moved(program.this[scope]))
            program.ret.append(self._moved(program.ret[scope]))
            program.file_of.append(len(program.paths))
            program.params.append(
                [(name, self._moved(slot), shape) for name, slot, shape in program.params[scope]]
            )
            if scope == self.scope:
                value, base = (self.slots.setdefault(key, len(self.slots)) for key in (-1, -2))
                program.value.append(value + self.start)
                program.bases.append((base + self.start,))
                program.bridges += (program.value[scope], base + self.start)
            else:
                program.value.append(self._moved(program.value[scope]))
                program.bases.append(tuple(map(self._moved, program.bases[scope])))
            members = program.members[scope]
            program.members.append(
                {name: self._moved(slot) for name, slot in members.items()}
                if members is not None
                else None
            )
            program.originals.append(scope)
        return first

    def _moved(self, slot: int) -> int:
        """The slot of the program for another of the program."""
        return self._slot(slot - self.base) + self.start if slot >= 0 else slot
