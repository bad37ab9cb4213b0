"""Functions that pass through so many hands that nobody can say any more who calls them.

In a library for control flow every callback goes through the same few parameters. Where they meet,
each call seems to reach all callbacks of the program, though it is handed one at a time.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import CERTAIN, LIKELY, POSSIBLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.solver import Solver

_MOST_CALLERS: Final = 3
"""So many callers such a function may have that it is not handed to by who has it first."""
_Edge = tuple[int, int, int]
"""(caller, function, line)."""


class JavaScriptHands:
    """Tells functions that are handed about from those that a table or a caller gives."""

    def __init__(self, solver: Solver, most: int) -> None:
        """A call may reach `most` functions that no object keeps, and say who calls them."""
        self.solver = solver
        self._most = most
        self.program = solver.program
        self.pipes: dict[int, Call] = {}
        """Calls that reach too many such functions, by their identity."""
        self._handed: dict[int, tuple[Call, int, int]] = {}
        """Call, by its identity → how much of what it has reached was looked at, and how many
        functions of that no object keeps: in a bundle each is asked for 100,000 times."""
        self._callers: dict[int, set[int]] = {}
        """Function → who would call it so."""
        self._kept = bytearray()
        """For each slot whether it is put into an object or is a member, once that is asked for."""
        self._places: dict[int, tuple[frozenset[int], bool]] = {}
        """Function → the variables that it is in, and whether an object keeps it."""
        self._lost: set[tuple[int, int]] = set()
        """(call, by its identity, function): each receiver of a method asks once more."""
        self._given: dict[int, set[int]] = {}
        """Function → its parameters, and those of the functions around it."""

    def is_lost(self, call: Call, function: int) -> bool:
        """Whether a call is one of too many that seem to reach a function."""
        if (id(call), function) in self._lost:
            return True
        if not self._is_pipe(call) or self._is_given(call, function):
            return False
        self.pipes[id(call)] = call
        callers = self._callers.setdefault(function, set())
        callers.add(self.program.caller[call.scope])
        if len(callers) > _MOST_CALLERS:
            self._lost.add((id(call), function))
            return True
        return False

    def lost(self, reached: Iterable[tuple[Call, _Edge]]) -> set[tuple[int, int, int, int]]:
        """The calls to forget, by confidence, of what such calls have reached."""
        far = [edge for call, edge in reached if not self._is_given(call, edge[1])]
        for caller, function, _ in far:
            self._callers.setdefault(function, set()).add(caller)
        return {
            (*edge, confidence)
            for edge in far
            if len(self._callers[edge[1]]) > _MOST_CALLERS
            for confidence in (CERTAIN, LIKELY, POSSIBLE)
        }

    def _is_pipe(self, call: Call) -> bool:
        """Whether a call has reached many functions that no object keeps."""
        if id(call) in self.pipes:
            return True
        _, seen, handed = self._handed.get(id(call), (call, 0, 0))
        if seen < len(call.fired):
            scopes = self.program.scopes
            for item in call.fired[seen:]:
                handed += 0 <= item < scopes and not self._place_of(item)[1]
            self._handed[id(call)] = call, len(call.fired), handed
        return handed > self._most

    def _is_given(self, call: Call, function: int) -> bool:
        """Whether somebody hands a function to the one that calls it, or to one around that."""
        flow = self.solver.found_flow
        given = self._given_around(call.scope)
        variables, _ = self._place_of(function)
        return any(target in given for slot in variables for target in flow.targets(slot))

    def _given_around(self, scope: int) -> set[int]:
        """The parameters of a function and of those around it."""
        given = self._given.get(scope)
        if given is None:
            given = self._given[scope] = set()
            while scope >= 0:
                given.update(slot for _, slot, _ in self.program.params[scope])
                scope = self.program.parent[scope]
        return given

    def _place_of(self, function: int) -> tuple[frozenset[int], bool]:
        place = self._places.get(function)
        if place is None:
            start, flow = self.solver.operations.flow_start, self.solver.operations.flow
            found = {self.program.value[function]}
            pending = list(found)
            while pending:
                slot = pending.pop()
                onward = set(flow[start[slot] : start[slot + 1]]) - found
                found |= onward
                pending += onward
            known = self._kept or self._find_kept()
            kept = any(known[slot] for slot in found)
            place = self._places[function] = frozenset(found), kept
        return place

    def owners(self, functions: Iterable[int]) -> int:
        """How many objects keep these functions; one that none keeps counts as one of its own.

        The rows of a table, `[[name, function], …]`, are one object, unless there are others.
        """
        found: set[int] = set()
        for function in functions:
            variables, _ = self._place_of(function)
            kept = [self._owner[slot] for slot in variables if slot in self._owner]
            found.add(min(kept) if kept else -1 - function)
        return 1 if len({self._table_of(owner) for owner in found}) == 1 else len(found)

    def _table_of(self, row: int) -> int:
        """The literal around one that is written in another; or else itself."""
        literals = self.solver.behaving
        while row in literals and self._owner.get(row, -1) in literals:
            row = self._owner[row]
        return row

    def _stored(self) -> Iterator[tuple[int, int]]:
        """(slot, slot of the object) of all that is put into objects."""
        bases, operations = self.program.slot_base, self.solver.operations
        items = iter(operations.stores)
        rows = zip(items, items, items, items, items, strict=True)
        for index, (owner, _, source, _, _) in zip(operations.store_file, rows, strict=True):
            if source >= 0:
                yield source + bases[index], owner + bases[index]

    @cached_property
    def _owner(self) -> dict[int, int]:
        return dict(self._stored())

    def _find_kept(self) -> bytearray:
        slots = self.program.slots
        kept = self._kept = bytearray(slots)
        for slot, _ in self._stored():
            kept[slot] = 1
        for members in self.program.members:
            for slot in (members or {}).values():
                if slot < slots:
                    kept[slot] = 1
        return kept
