"""A function written twice: copies of functions among the facts of their file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

import msgspec

from toolroll_codegraph.facts.columns import (
    COLUMNS,
    IMPORT,
    moved,
    of_call,
    of_relation,
    scope_of,
    slots_of,
)
from toolroll_codegraph.facts.homes import homes_of
from toolroll_codegraph.facts.model import (
    CallColumn,
    FileFacts,
    ImportRow,
    Operation,
    RelationRow,
    ScopeRow,
)
from toolroll_codegraph.facts.packing import group, numbers, pack_numbers

_PACKED: Final = ("objects", "tests", "types", "constants", "tails", "returned", "loads", "stores",
                  "dynamic")  # fmt: skip
_HEAD: Final = CallColumn.START
_PARENT: Final = 2
"""Where a row of a scope has the scope around it."""
_VALUE: Final = -1
"""Where a row of a scope has the slot that holds what it defines."""


class Cloning:
    """The facts of a file as rows, to which copies of its functions are added."""

    def __init__(self, facts: FileFacts) -> None:
        self._facts = facts
        self._slots = facts.slots
        self.scopes: list[ScopeRow] = list(facts.scopes)
        self.origins = list(range(len(self.scopes)))
        """What each scope is a copy of, or itself."""
        self._inner: dict[int, list[int]] = defaultdict(list)
        """Scope → those right inside it."""
        for number, row in enumerate(self.scopes):
            self._inner[row[_PARENT]].append(number)
        self._relations: list[RelationRow] = list(facts.relations)
        self._imports: list[ImportRow] = list(facts.imports)
        self._rows = {kind: _unpacked(getattr(facts, kind), len(COLUMNS[kind])) for kind in _PACKED}
        self._rows["flow"] = _unpacked_flow(facts)
        self.calls = self._unpacked_calls()
        """Rows as `CallColumn` has them, the arguments in the place of where they begin."""
        homes = homes_of(facts, self._rows, self.calls)
        self._slots_in: dict[int, list[int]] = defaultdict(list)
        self._rows_in: dict[int, list[tuple[str, int]]] = defaultdict(list)
        """Scope → the rows that say something of it, or of slots of it."""
        self._homes = homes
        for slot, scope in enumerate(homes):
            self._slots_in[scope].append(slot)
        counts = {kind: len(found) for kind, found in self._rows.items()}
        counts |= {"calls": len(self.calls), "relations": len(self._relations),
                   "imports": len(self._imports)}  # fmt: skip
        for kind, count in counts.items():
            for number in range(count):
                self._place(kind, number)

    def inside(self, scope: int) -> dict[int, None]:
        """A scope and all that is defined in it, in the order of the source."""
        found = [scope]
        for known in found:  # which grow meanwhile
            found += self._inner.get(known, ())
        return dict.fromkeys(sorted(found))

    def size(self, scopes: Iterable[int]) -> int:
        """How many slots these scopes have."""
        return sum(len(self._slots_in[scope]) for scope in scopes)

    def clone(self, scope: int) -> tuple[dict[int, int], dict[int, int]]:
        """Add a copy of a function; return which scopes and which calls became which."""
        inside = self.inside(scope)
        scopes = {inner: len(self.scopes) + place for place, inner in enumerate(inside)}
        slots = {slot: self._slot(scopes[inner]) for inner in inside
                 for slot in list(self._slots_in[inner])}  # fmt: skip
        value = self.scopes[scope][_VALUE]
        own = slots | {value: self._slot(self._homes[value])}  # nothing but its calls reaches it
        for inner in inside:
            row = _moved_scope(self.scopes[inner], scopes, own)
            self._inner[row[_PARENT]].append(len(self.scopes))
            self.scopes.append(row)
            self.origins.append(self.origins[inner])
        calls: dict[int, int] = {}
        rows = dict.fromkeys(row for inner in inside for row in self._rows_in[inner])
        for kind, number in sorted(rows):  # calls come before relations, which tell of some
            copied = self._copy(kind, number, scopes, slots, calls)
            self._place(kind, copied)
            if kind == "calls":
                calls[number] = copied
        return scopes, calls

    def pack(self) -> FileFacts:
        """The facts of the file with all copies."""
        calls: list[int] = []
        arguments: list[int] = []
        for row in self.calls:
            calls += (*row[:_HEAD], len(arguments), row[_HEAD])
            arguments += row[_HEAD + 1 :]
        rows = self._rows
        columns = {kind: pack_numbers([item for row in rows[kind] for item in row])
                   for kind in _PACKED}  # fmt: skip
        waits = {Operation.LOAD: [row[1] for row in rows["loads"]],
                 Operation.STORE: [row[0] for row in rows["stores"]],
                 Operation.CALL: [row[CallColumn.SOURCE] for row in self.calls]}  # fmt: skip
        entries = [number << Operation.SHIFT | kind
                   for kind, found in waits.items() for number in range(len(found))]  # fmt: skip
        sources = [slot for found in waits.values() for slot in found]
        sent, received = ([row[side] for row in rows["flow"]] for side in (0, 1))
        flow_counts, flow = group(sent, received, self._slots)
        wait_counts, waiting = group(sources, entries, self._slots)
        return msgspec.structs.replace(
            self._facts, slots=self._slots, scopes=self.scopes, flow_counts=flow_counts, flow=flow,
            wait_counts=wait_counts, waits=waiting, calls=pack_numbers(calls),
            arguments=pack_numbers(arguments), relations=self._relations, imports=self._imports,
            **columns,
        )  # fmt: skip

    def _unpacked_calls(self) -> list[list[int]]:
        found = _unpacked(self._facts.calls, CallColumn.WIDTH)
        arguments = numbers(self._facts.arguments).tolist()
        starts = [row[CallColumn.START] for row in found]
        return [
            [*row[:_HEAD], row[CallColumn.POSITIONAL], *arguments[start:end]]
            for row, start, end in zip(found, starts, [*starts[1:], len(arguments)], strict=False)
        ]

    def _slot(self, scope: int) -> int:
        """Make a slot of a scope."""
        slot = self._slots
        self._slots += 1
        self._homes.append(scope)
        self._slots_in[scope].append(slot)
        return slot

    def _place(self, kind: str, number: int) -> None:
        """Note which scopes a row belongs to."""
        row, columns = self._row(kind, number)
        scope = scope_of(row, columns)
        slots = slots_of(row, columns) if scope < 0 else ()
        for home in {self._homes[slot] for slot in slots} if scope < 0 else (scope,):
            self._rows_in[home].append((kind, number))

    def _row(self, kind: str, number: int) -> tuple[Sequence[int], str]:
        """A row of numbers, and what they are."""
        if kind == "calls":
            row = self.calls[number]
            given = row[_HEAD]
            return row, of_call(given, len(row) - _HEAD - 1 - given)
        if kind == "relations":
            relation, *rest = self._relations[number]
            return rest, of_relation(relation, self._facts.language)
        if kind == "imports":
            slot, *_, scope = self._imports[number]
            return (slot, scope), IMPORT
        return self._rows[kind][number], COLUMNS[kind]

    def _copy(
        self, kind: str, number: int, scopes: dict[int, int], slots: dict[int, int],
        calls: dict[int, int],
    ) -> int:  # fmt: skip
        """Add a copy of a row and return its number."""
        row, columns = self._row(kind, number)
        copied = moved(row, columns, scopes, slots, calls)
        if kind == "relations":
            part, exact, target, source = copied
            self._relations.append((self._relations[number][0], part, exact, target, source))
            return len(self._relations) - 1
        if kind == "imports":
            slot, scope = copied
            _, form, level, module, name, line, _ = self._imports[number]
            self._imports.append((slot, form, level, module, name, line, scope))
            return len(self._imports) - 1
        column = self.calls if kind == "calls" else self._rows[kind]
        column.append(copied)
        return len(column) - 1


def _unpacked(packed: bytes, width: int) -> list[list[int]]:
    items = iter(numbers(packed))
    return [[first, *islice(items, width - 1)] for first in items]


def _unpacked_flow(facts: FileFacts) -> list[list[int]]:
    """(source, target) of the flow."""
    targets = iter(numbers(facts.flow))
    counts = numbers(facts.flow_counts)
    return [[slot, target] for slot, count in enumerate(counts)
            for target in islice(targets, count)]  # fmt: skip


def _moved_scope(row: ScopeRow, scopes: dict[int, int], slots: dict[int, int]) -> ScopeRow:
    kind, name, parent, first, last, flags, this, ret, params, bases, members, value = row
    return (
        kind, name, scopes.get(parent, parent), first, last, flags,
        slots.get(this, this), slots.get(ret, ret),
        tuple((key, slots.get(slot, slot), shape) for key, slot, shape in params),
        tuple(slots.get(slot, slot) for slot in bases),
        tuple((key, slots.get(slot, slot)) for key, slot in members),
        slots.get(value, value),
    )  # fmt: skip
