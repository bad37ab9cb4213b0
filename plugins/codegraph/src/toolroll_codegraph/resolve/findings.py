"""What resolving finds, in columns of packed integers: flow between slots, and calls.

There are hundreds of thousands of both in a large project, and an object for each would take
several times the memory of all facts.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.program import Program

_CONFIDENCE_BITS: Final = 2
_PLACE_BITS: Final = 32


class FoundFlow:
    """Flow between slots that no file says: a chain of targets for each slot, newest first."""

    def __init__(self, slots: int) -> None:
        self._first = array("I", bytes(4 * slots))  # unsigned: written in half the time
        self._next = array("I", [0])
        self._target = array("I", [0])

    @property
    def columns(self) -> tuple[array[int], array[int], array[int]]:
        """(first link of each slot, link after each link, target of each link); 0 ends a chain.

        The solver adds links itself.
        """
        return self._first, self._next, self._target

    def add_slots(self, number: int) -> None:
        self._first.extend([0] * number)

    def targets(self, slot: int) -> Iterator[int]:
        """Where the values of a slot go besides."""
        link = self._first[slot]
        while link:
            yield self._target[link]
            link = self._next[link]


class FoundEdges:
    """Calls of functions, one entry for each place and receiver."""

    def __init__(self, scopes: int) -> None:
        self._scopes = scopes
        self._pairs = array("q")
        self._places = array("i")

    def add(self, caller: int, callee: int, line: int, confidence: int) -> None:
        self._pairs.append(caller * self._scopes + callee)
        self._places.append(line << _CONFIDENCE_BITS | confidence)

    def remove(self, found: set[tuple[int, int, int, int]]) -> None:
        """Forget calls: (caller, callee, line, confidence)."""
        if not found:
            return
        gone = {
            (caller * self._scopes + callee, line << _CONFIDENCE_BITS | confidence)
            for caller, callee, line, confidence in found
        }
        known, self._pairs, self._places = (self._pairs, self._places), array("q"), array("i")
        for row in zip(*known, strict=True):  # no list of them: there are half a million
            if row not in gone:
                self._pairs.append(row[0])
                self._places.append(row[1])

    def callees(self) -> set[int]:
        """Every function that is called from somewhere."""
        return {pair % self._scopes for pair in self._pairs}

    def reached(self, places: set[tuple[int, int]]) -> dict[tuple[int, int], set[int]]:
        """What is called in some places, each a caller and a line."""
        found: dict[tuple[int, int], set[int]] = {}
        lines = {line for _, line in places}
        for pair, packed in zip(self._pairs, self._places, strict=True) if places else ():
            line = packed >> _CONFIDENCE_BITS
            if line in lines and (pair // self._scopes, line) in places:
                found.setdefault((pair // self._scopes, line), set()).add(pair % self._scopes)
        return found

    def grouped(self) -> Iterator[tuple[tuple[int, int], tuple[int, tuple[int, ...]]]]:
        """((caller, callee), (highest confidence, lines)) of every pair, sorted."""
        packed = [
            pair << _PLACE_BITS | place
            for pair, place in zip(self._pairs, self._places, strict=True)
        ]
        packed.sort()
        packed.append(-1)  # the end of the last pair
        mask, place_mask = (1 << _CONFIDENCE_BITS) - 1, (1 << _PLACE_BITS) - 1
        known, confidence, lines = -1, 0, [0]
        for entry in packed:
            pair, place = entry >> _PLACE_BITS, entry & place_mask
            if pair != known:
                if known >= 0:
                    yield divmod(known, self._scopes), (confidence, tuple(lines))
                known, confidence, lines = pair, place & mask, [place >> _CONFIDENCE_BITS]
                continue
            confidence = max(confidence, place & mask)
            if lines[-1] != place >> _CONFIDENCE_BITS:  # sorted: equal lines stand together
                lines.append(place >> _CONFIDENCE_BITS)


def told(
    edges: Iterable[tuple[tuple[int, int], tuple[int, tuple[int, ...]]]], program: Program
) -> dict[tuple[int, int], tuple[int, tuple[int, ...]]]:
    """Calls with what was found in copies told of the classes themselves; the copies go."""
    if not program.originals:
        return _with_lines(dict(edges), program)
    found: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
    for (caller, callee), (confidence, lines) in edges:
        callee = program.original(callee)
        known = found.get((caller, callee))
        if known is not None:
            confidence = max(confidence, known[0])
            lines = tuple(sorted({*lines, *known[1]}))
        found[caller, callee] = confidence, lines
    program.drop_copies()
    return _with_lines(found, program)


def _with_lines(
    edges: dict[tuple[int, int], tuple[int, tuple[int, ...]]], program: Program
) -> dict[tuple[int, int], tuple[int, tuple[int, ...]]]:
    """Calls whose lines are lines: of reads under computed keys no more than the function is known,
    whose first line stands for theirs."""
    for pair, (confidence, lines) in edges.items():
        if not lines[0]:
            edges[pair] = confidence, lines[1:] or (program.first_line[pair[0]],)
    return edges
