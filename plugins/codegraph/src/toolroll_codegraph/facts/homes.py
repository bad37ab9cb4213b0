"""Which scope each slot of a file belongs to.

Facts say it of parameters, results of calls and what is read. A variable belongs to the innermost
scope around all that use it, wherever it is declared: it is that scope's own for all that matters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolroll_codegraph.facts.columns import (
    COLUMNS,
    of_call,
    passes_on,
    scope_of,
    slots_of,
)
from toolroll_codegraph.facts.model import CallColumn, FileFacts
from toolroll_codegraph.facts.packing import numbers

_NOWHERE: Final = -1


def homes_of(
    facts: FileFacts, rows: Mapping[str, Sequence[list[int]]], calls: Sequence[list[int]]
) -> list[int]:
    """Return the scope of each slot.

    Args:
        facts: Those of the file.
        rows: Its rows by the field that they are packed in.
        calls: Its calls, each with its arguments behind it.
    """
    return _Homes(facts, rows, calls).find()


class _Homes:
    def __init__(
        self, facts: FileFacts, rows: Mapping[str, Sequence[list[int]]], calls: Sequence[list[int]]
    ) -> None:
        self._facts, self._rows, self._calls = facts, rows, calls
        self._found = [_NOWHERE] * facts.slots
        self._fixed = bytearray(facts.slots)
        self._shared: set[int] = set()
        """Members and definitions: what goes there may come from anywhere inside."""
        self._parents = [row[2] for row in facts.scopes]
        self._depth: list[int] = []
        for parent in self._parents:
            self._depth.append(self._depth[parent] + 1 if parent >= 0 else 0)

    def find(self) -> list[int]:
        self._fix_declared()
        operations = [*self._operations()]
        for scope, row, columns in operations:
            for slot in slots_of(row, columns, "d"):
                self._fix(slot, scope)
        for scope, row, columns in operations:
            for slot in slots_of(row, columns, "sa"):
                self._use(slot, scope)
        self._spread()
        return [max(scope, 0) for scope in self._found]

    def _fix_declared(self) -> None:
        facts = self._facts
        for scope, row in enumerate(facts.scopes):
            _, _, parent, _, _, _, this, ret, params, _, members, value = row
            for slot in (this, ret, *(slot for _, slot, _ in params)):
                self._fix(slot, scope)
            for slot, home in (*((slot, scope) for _, slot in members), (value, max(parent, 0))):
                self._fix(slot, home)
                self._shared.add(slot)
        for slot in numbers(facts.free)[1::2]:
            self._fix(slot, 0)
        for slot, *_, scope in facts.imports:
            self._fix(slot, scope)

    def _operations(self) -> Iterator[tuple[int, Sequence[int], str]]:
        """(scope, row, columns) of what says where it is."""
        given = CallColumn.START
        for row in self._calls:
            columns = of_call(row[given], len(row) - given - 1 - row[given])
            yield row[CallColumn.SCOPE], row, columns
        for kind in ("loads", "stores", "dynamic", "objects"):
            for row in self._rows[kind]:
                scope = scope_of(row, COLUMNS[kind])
                if scope >= 0:
                    yield scope, row, COLUMNS[kind]

    def _fix(self, slot: int, scope: int) -> None:
        if slot >= 0 and not self._fixed[slot]:
            self._fixed[slot] = 1
            self._found[slot] = scope

    def _use(self, slot: int, scope: int) -> bool:
        """Note that a scope uses a slot; tell whether that changes where it belongs."""
        if self._fixed[slot]:
            return False
        before = self._found[slot]
        self._found[slot] = scope if before == _NOWHERE else self._common(before, scope)
        return self._found[slot] != before

    def _common(self, one: int, other: int) -> int:
        """The innermost scope around two."""
        depth, parents = self._depth, self._parents
        while one != other:
            if depth[one] < depth[other]:
                one, other = other, one
            one = parents[one]
        return one

    def _spread(self) -> None:
        """What goes on to a slot is used where that is; what nothing uses is where it is filled."""
        before: dict[int, list[int]] = defaultdict(list)
        pairs = [*self._passed()]
        for source, target in pairs:
            before[target].append(source)
        self._follow(before)
        for source, target in pairs:
            if self._found[target] == _NOWHERE and self._found[source] != _NOWHERE:
                self._use(target, self._found[source])
        self._follow(before)

    def _follow(self, before: Mapping[int, list[int]]) -> None:
        pending = [slot for slot in before
                   if self._found[slot] != _NOWHERE and slot not in self._shared]  # fmt: skip
        while pending:
            slot = pending.pop()
            pending += [it for it in before.get(slot, ()) if self._use(it, self._found[slot])]

    def _passed(self) -> Iterator[tuple[int, int]]:
        """(source, target) of what goes on, as far as it says of no scope."""
        for source, target in self._rows["flow"]:
            yield source, target
        for base, _, value, _, line in self._rows["stores"]:
            if not line and value >= 0:
                yield value, base
        for relation in self._facts.relations:
            if passes_on(relation, self._facts.language):
                yield relation[-1], relation[-2]
        for target, *given, attribute in self._rows["dynamic"]:
            if not attribute and target >= 0:
                yield from ((slot, target) for slot in given if slot >= 0)
