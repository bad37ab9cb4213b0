"""Functions of small programs that are read again for each call of them.

To the solver a function has one set of parameters, whoever calls it: `make(Circle)` returns what
`make(Square)` does. A small program is therefore resolved twice. The first time tells which
functions are handed several things, and where they are called; the second time each of these calls
enters a copy of its own. What is found in copies is told of the functions themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, FileFacts
from toolroll_codegraph.facts.cloning import Cloning
from toolroll_codegraph.resolve.affordable import affordable
from toolroll_codegraph.resolve.shared import MOST_CALLS, MOST_DECLARATIONS, Place

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.program import Program
    from toolroll_codegraph.resolve.solver import Solver

_MOST_SCOPES: Final = 3_000
"""Scopes of a program that is resolved twice."""
_LARGEST: Final = 120_000
"""Slots of such a program: tables of data have few functions, and take as long to copy from."""
MOST_MOVED: Final = 500_000
"""So many values may go on while such a program is resolved once: most have 20,000 to 200,000. Of
one with 1,700,000 (mongoose, 250 files) copies took four times as long as all without them."""
_MOST_INSIDE: Final = 24
"""Functions inside one that is copied: what holds half of a program is called for that half."""
_GROWTH: Final = 4
"""So many times its own slots the copies of a program may have, and no more than that:"""
_MOST_SLOTS: Final = 60_000

Edges = dict[tuple[int, int], tuple[int, tuple[int, ...]]]
Copies = Mapping[Place, Mapping[Place, int]]
"""Function → call of it → scope of the copy that the call enters."""


class SmallProgram:
    """The files of a program as they were, as long as it is a small one."""

    def __init__(self) -> None:
        self.files: list[tuple[str, FileFacts]] = []
        self._scopes = self._slots = 0

    def keep(self, files: Iterable[tuple[str, FileFacts]]) -> Iterator[tuple[str, FileFacts]]:
        """Pass files on; what numbers them takes their facts to pieces."""
        for path, facts in files:
            self._scopes += len(facts.scopes)
            self._slots += facts.slots
            if self._scopes <= _MOST_SCOPES and self._slots <= _LARGEST:
                self.files.append((path, copy(facts)))
            else:
                self.files.clear()
            yield path, facts


class Contexts:
    """A small program with copies of its shared functions."""

    def __init__(self, small: SmallProgram, shared: Mapping[Place, list[Place]]) -> None:
        self._files = [(path, Cloning(facts)) for path, facts in small.files]
        self.copies: dict[Place, dict[Place, int]] = {}
        self._same: dict[Place, list[Place]] = {}
        """Call → those that were copied with what they are in."""
        self._original: dict[Place, Place] = {}
        self._declaring: set[Place] = set()
        """Functions that no other shared ones call but such: copies of callers, which call them
        again, are as many as there are places in the source."""
        slots = sum(facts.slots for _, facts in small.files)
        self._left = min(slots * _GROWTH, _MOST_SLOTS)
        ordered = list(self._callers_first(shared))
        for place in ordered:
            callers = {(call[0], self._scope_of(call)) for call in shared[place]}
            if (callers - self._declaring).isdisjoint(shared):
                self._declaring.add(place)
        order = [place for place in ordered if self._fits(place)]
        chosen = affordable(
            {place: self._size(place) for place in order},
            {place: self._outside(place, shared[place]) for place in order},
            {place: self._most(place) for place in order},
            self._left,
        )
        for place in order:
            if place in chosen:
                self._copy(place, shared[place])

    def files(self) -> list[tuple[str, FileFacts]]:
        return [(path, cloning.pack()) for path, cloning in self._files]

    def told(self, edges: Edges, program: Program) -> Edges:
        """What was found with copies, in the numbers of the program without them."""
        numbers = [
            origin + program.scope_base[index]
            for index, (_, cloning) in enumerate(self._files)
            for origin in cloning.origins
        ]
        found: Edges = {}
        for (caller, callee), (confidence, lines) in edges.items():
            pair = numbers[caller], numbers[callee]
            known, others = found.get(pair, (0, ()))
            found[pair] = max(confidence, known), tuple(sorted({*lines, *others}))
        return dict(sorted(found.items()))

    def _scope_of(self, call: Place) -> int:
        index, number = call
        return self._files[index][1].calls[number][CallColumn.SCOPE]

    def _fits(self, place: Place) -> bool:
        """Whether a function may be copied at all."""
        index, scope = place
        return len(self._files[index][1].inside(scope)) <= _MOST_INSIDE

    def _size(self, place: Place) -> int:
        """The slots of a function with all that is inside."""
        cloning = self._files[place[0]][1]
        return cloning.size(cloning.inside(place[1]))

    def _outside(self, place: Place, calls: list[Place]) -> list[list[Place]]:
        """For each call the functions that it is in, without those in the called one itself."""
        around = (list(self._around(call)) for call in calls)
        return [found for found in around if place not in found]

    def _most(self, place: Place) -> int:
        return MOST_DECLARATIONS if place in self._declaring else MOST_CALLS

    def _copy(self, place: Place, calls: list[Place]) -> None:
        """Copy a function for each of its calls but the first, which keeps it."""
        index, scope = place
        cloning = self._files[index][1]
        inside = cloning.inside(scope)
        everywhere = [item for call in calls for item in (call, *self._same.get(call, ()))]
        recursive = [it for it in everywhere if it[0] == index and self._scope_of(it) in inside]
        others = [it for it in everywhere if it not in recursive][1:]
        size = cloning.size(inside) * len(others)
        if len(others) >= self._most(place) or size > self._left:
            return
        self._left -= size
        within = [
            (known, entered) for (file, known), entered in self.copies.items()
            if file == index and known in inside and known != scope
        ]  # fmt: skip
        for call in others:
            scopes, copied = cloning.clone(scope)
            entering = self.copies.setdefault(place, {})
            entering[call] = scopes[scope]
            entering |= {(index, copied[number]): scopes[scope] for _, number in recursive}
            for known, entered in within:
                self.copies[index, scopes[known]] = {
                    (file, copied.get(number, number) if file == index else number):
                        scopes.get(target, target)
                    for (file, number), target in entered.items()
                }  # fmt: skip
            for number, again in copied.items():
                original = self._original.get((index, number), (index, number))
                self._original[index, again] = original
                self._same.setdefault(original, []).append((index, again))

    def _callers_first(self, shared: Mapping[Place, list[Place]]) -> Iterable[Place]:
        """Functions behind those that call them, as far as they don't call each other.

        A copy of a caller is one more place that calls.
        """
        callers = {
            place: sorted({it for call in calls for it in self._around(call) if it in shared})
            for place, calls in shared.items()
        }
        done: dict[Place, None] = {}
        opened: set[Place] = set()
        for start in sorted(shared):
            pending = [start]
            while pending:
                place = pending[-1]
                opened.add(place)
                ahead = next((it for it in callers[place] if it not in opened), None)
                if ahead is None:
                    done.setdefault(pending.pop())
                else:
                    pending.append(ahead)
        return done

    def _around(self, call: Place) -> Iterator[Place]:
        """The functions that a call is in, from the innermost on."""
        index, scope = call[0], self._scope_of(call)
        while scope >= 0:
            yield index, scope
            scope = self._files[index][1].scopes[scope][2]


def entered_copies(solver: Solver, copies: Copies) -> dict[int, dict[int, int]]:
    """Function → result of a call → the copy that it enters, as the program numbers them.

    The rules of a language may give a call another result: to be asked when they have.
    """
    program, operations = solver.program, solver.operations
    first = operations.first_calls()
    results = operations.column(CallColumn.RESULT)
    return {
        scope + program.scope_base[index]: {
            results[first[file] + number] + program.slot_base[file]: (
                target + program.scope_base[index]
            )
            for (file, number), target in calls.items()
        }
        for (index, scope), calls in copies.items()
    }


def share_parameters(solver: Solver, copies: Copies) -> None:
    """Let a call that gives what nobody knows give what other calls of its function do.

    Not in JavaScript: through many hands it lost more than it found (liquidjs .790 to .772).
    """
    program, operations, points = solver.program, solver.operations, solver.points
    if program.family == "scripts":
        return
    first = operations.first_calls()
    for (index, scope), calls in copies.items():
        base = program.scope_base[index]
        together = [scope + base, *sorted({target + base for target in calls.values()})]
        for (file, number), target in sorted(calls.items()):
            given, _ = operations.arguments_of(first[file] + number)
            slots = [item + program.slot_base[file] for item in given if item >= 0]
            if all(points[slot] is not None for slot in slots):
                continue
            for place, (_, slot, _) in enumerate(program.params[target + base]):
                if slot >= 0 and points[slot] is None:
                    for other in together:
                        solver.edge(program.params[other][place][1], slot)
