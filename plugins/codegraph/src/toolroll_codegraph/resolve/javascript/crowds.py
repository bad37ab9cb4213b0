"""Calls that reach so many functions that it tells nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import CERTAIN, LIKELY, POSSIBLE
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.javascript.hands import JavaScriptHands
from toolroll_codegraph.resolve.slots import MOST_VALUES
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LIKELY: Final = 16
"""So many functions a call may reach by weaker evidence: of 17 or more, as where many callers hand
something to one `callback(error)`, 3 % were called in loopback's tests, and no other package of 25
has such calls that are right."""

_FEWEST_IN_TABLE: Final = 4
"""So many functions a table has on average, where a call may reach all of some tables."""


class JavaScriptCrowds:
    """Ends such calls, and forgets what they have reached.

    Methods of the name that is called do not count: of a wide hierarchy each class has one. A
    method's call reaches no others in such numbers, be the evidence what it may, but what is kept
    under its name: that `list.push` may be any of 17 functions follows from keys not known.
    """

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.program = solver.program
        self.hands = JavaScriptHands(solver, MOST_LIKELY)
        self.weak = False
        """Whether what is found from now on rests on weaker evidence."""
        self.tables: dict[int, int] = {}
        """Function → the table that it is read from under keys that nothing tells."""
        self._crowded: dict[int, Call] = {}
        """Calls that reach too much, by their identity."""
        self._kept: dict[int, set[int]] = {}
        """Of names of crowded methods what was kept under them when first asked."""
        self.late: list[tuple[Call, int]] = []
        """Calls of tables, with each function from the 17th on."""

    def settle(self) -> list[tuple[Call, int]]:
        """Let weaker evidence fill slots with no more than others; return which calls to enter.

        Not where an argument may be anything, as a visitor's node: each function of a table would
        hand all of it to the others.
        """
        solver, self.weak = self.solver, True
        solver.narrow()
        late, self.late = self.late, []
        return [
            (call, function)
            for call, function in late
            if all(
                len(solver.points[item] or ()) < MOST_VALUES
                for item in call.positional
                if item >= 0
            )
        ]

    def is_crowded(self, call: Call, function: int) -> bool:
        """Whether a call has reached too much for another function."""
        if self.is_namesake(call, function):
            return False
        if self.hands.is_lost(call, function):
            return True
        if not (self.weak or call.name >= 0):
            return False
        if id(call) not in self._crowded and sum(item >= 0 for item in call.fired) < MOST_LIKELY:
            return False
        if not self.weak and self._is_kept(call.name, function):
            return False
        is_told = call.name < 0 or function in self.tables
        if self.weak and is_told and self._is_of_tables(call, function):
            return False
        self._crowded[id(call)] = call
        return True

    def _is_of_tables(self, call: Call, function: int) -> bool:
        """Whether a few tables, as of a visitor, have all that a call reaches."""
        reached = [function, *(item for item in call.fired if item >= 0)]
        fits = len(reached) <= self.solver.most_definitions
        if all(item in self.tables for item in reached):
            owners = len({self.tables[item] for item in reached})
        else:
            owners = self.hands.owners(reached)
        return fits and owners * _FEWEST_IN_TABLE < len(reached)

    def is_namesake(self, call: Call, function: int) -> bool:
        """Whether a method has the name that is called."""
        texts = self.program.texts
        name = texts[self.program.scope_name[function]].rpartition(".")[2]
        return call.name >= 0 and name == texts[call.name]

    def _is_kept(self, name: int, function: int) -> bool:
        """Whether some object or class has a function under a name."""
        kept = self._kept.get(name)
        if kept is None:
            points, slots = self.solver.points, [*self.solver.slots_named(name)]
            slots += [
                members[name] for members in self.program.members if members and name in members
            ]
            kept = {value for slot in slots for value in points[slot] or ()}
            self._kept[name] = kept
        return function in kept

    def forget(self) -> None:
        """Forget what calls reach where that is too much: by weaker evidence, and by any under
        names that it is not kept under.
        """
        self._kept.clear()
        gone = {
            (*edge, confidence)
            for call in self._crowded.values()
            for edge in self._reached(call)
            for confidence in (CERTAIN, LIKELY, POSSIBLE)
            if confidence < CERTAIN or (call.name >= 0 and not self._is_kept(call.name, edge[1]))
        }
        gone |= self.hands.lost(
            (call, edge) for call in self.hands.pipes.values() for edge in self._reached(call)
        )
        self.solver.edges.remove(gone)

    def _reached(self, call: Call) -> Iterator[tuple[int, int, int]]:
        """(caller, function, line) of what a call has reached, but for namesakes."""
        caller, scopes = self.program.caller[call.scope], self.program.scopes
        for function in call.fired:
            if 0 <= function < scopes and not self.is_namesake(call, function):
                yield caller, function, call.line
