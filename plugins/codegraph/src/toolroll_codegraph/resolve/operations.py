"""The flow, reads, writes and calls of all files, in columns of packed integers.

What extraction found takes a few bytes for each operation here; it becomes an object of its own
only when a first value reaches it, and most of a program's operations see none.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, repeat
from typing import Final

from toolroll_codegraph.facts import CallColumn, FileFacts, Operation, numbers
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH

_WIDTH: Final = CallColumn.WIDTH


class Operations:
    """Operations of a program; slots, scopes and names are those of their own file.

    `flow_start`, `flow` and `wait_start`, `wait` are indexed by slots of the whole program.
    """

    def __init__(self) -> None:
        self.flow = array("i")
        self.wait = array("I")  # unsigned, where nothing is negative: written in half the time
        self.loads = array("i")
        self.stores = array("i")
        self.calls = array("i")
        self.arguments = array("i")
        self.load_file = array("i")
        self.store_file = array("i")
        self.call_file = array("i")
        self.flow_start, self.wait_start = array("I", [0]), array("I", [0])
        self._active = bytearray()

    def __len__(self) -> int:
        """The number of calls."""
        return len(self.call_file)

    def add(self, index: int, facts: FileFacts) -> None:
        """Take the operations of the next file out of its facts.

        File by file as they are unpacked: the bytes of all files at once would leave holes in
        memory, when they are gone, that nothing else fits in.
        """
        bases = [0, 0, 0]
        bases[Operation.CALL] = len(self.call_file) << Operation.SHIFT
        bases[Operation.LOAD] = len(self.load_file) << Operation.SHIFT
        bases[Operation.STORE] = len(self.store_file) << Operation.SHIFT
        slots = len(self.flow_start) - 1
        flows, waits = numbers(facts.flow_counts), numbers(facts.wait_counts)
        self._active += bytes(map(bool, map(int.__or__, flows, waits)))
        self.flow.extend([slot + slots for slot in numbers(facts.flow)])
        for starts, counts in (
            (self.flow_start, flows), (self.wait_start, waits),
        ):  # fmt: skip
            starts.extend(accumulate(counts, initial=starts.pop()))
        mask = Operation.MASK
        self.wait.extend([entry + bases[entry & mask] for entry in numbers(facts.waits)])
        for packed, column, files, width in (
            (facts.loads, self.loads, self.load_file, LOAD_WIDTH),
            (facts.stores, self.stores, self.store_file, STORE_WIDTH),
            (facts.calls, self.calls, self.call_file, _WIDTH),
        ):
            found = numbers(packed)
            if column is self.calls:
                begin, arguments = CallColumn.START, len(self.arguments)
                found[begin::_WIDTH] = array("i", [at + arguments for at in found[begin::_WIDTH]])
            column.extend(found)
            files.extend(repeat(index, len(found) // width))
        self.arguments.extend(numbers(facts.arguments))
        facts.flow_counts = facts.flow = facts.wait_counts = facts.waits = b""
        facts.loads = facts.stores = facts.calls = facts.arguments = b""

    def close(self) -> None:
        """End the calls by a row that begins where the arguments end: so every end is a begin."""
        self.calls.extend([0] * CallColumn.START)
        self.calls.extend([len(self.arguments), 0])

    def reopen(self) -> None:
        """Take that row away: more calls come."""
        del self.calls[-_WIDTH:]

    def reads_of(self, slot: int) -> Iterator[tuple[int, int, int]]:
        """(file, target, name) of each read of a slot's members, numbered as in the file."""
        for entry in self.wait[self.wait_start[slot] : self.wait_start[slot + 1]]:
            if entry & Operation.MASK == Operation.LOAD:
                load = entry >> Operation.SHIFT
                target, _, name = self.loads[load * LOAD_WIDTH : load * LOAD_WIDTH + 3]
                yield self.load_file[load], target, name

    def is_filled(self, slot: int, index: int, base: int, slots: int) -> bool:
        """Whether something flows, is read or is returned to a slot of a file that begins at
        `base`."""
        if slot in self.flow[self.flow_start[base] : self.flow_start[base + slots]]:
            return True
        for rows, files, width in (
            (self.loads, self.load_file, LOAD_WIDTH), (self.calls, self.call_file, _WIDTH),
        ):  # fmt: skip
            begin, end = (find(files, index) * width for find in (bisect_left, bisect_right))
            if slot - base in rows[begin:end:width]:  # a target or result comes first
                return True
        return False

    def read_by(self, entry: int) -> tuple[int, int]:
        """The file of a read that waits, and the name it reads, numbered as in the file."""
        load = entry >> Operation.SHIFT
        return self.load_file[load], self.loads[load * LOAD_WIDTH + 2]

    def calls_on(self, slot: int) -> Iterator[int]:
        """The numbers of the calls of what a slot has, or of its methods."""
        for entry in self.wait[self.wait_start[slot] : self.wait_start[slot + 1]]:
            if entry & Operation.MASK == Operation.CALL:
                yield entry >> Operation.SHIFT

    def release(self) -> None:
        """Give back everything: the rows of a graph are made without it."""
        for column in (
            self.flow, self.wait, self.flow_start, self.wait_start, self.loads, self.stores,
            self.calls, self.arguments, self.load_file, self.store_file, self.call_file,
        ):  # fmt: skip
            del column[:]

    def first_calls(self) -> dict[int, int]:
        """The number of the first call of each file that has any."""
        found: dict[int, int] = {}
        for identifier, index in enumerate(self.call_file):
            found.setdefault(index, identifier)
        return found

    def column(self, number: int) -> array[int]:
        """One number of every call."""
        return self.calls[number:-_WIDTH:_WIDTH]

    def rows(self, *columns: int) -> Iterator[tuple[int, ...]]:
        """The file of every call, and its numbers in some columns."""
        return zip(self.call_file, *map(self.column, columns), strict=True)

    def arguments_of(self, call: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(positional, (name, slot) pairs of keywords) of a call, in its file's numbering."""
        row = call * _WIDTH + CallColumn.START
        start, positional = self.calls[row : row + 2]
        end = self.calls[row + _WIDTH]
        if start == end:
            return (), ()
        middle = start + positional
        return tuple(self.arguments[start:middle]), tuple(self.arguments[middle:end])

    def arguments_in(
        self, begin: int, count: int, end: int, base: int, rename: Sequence[int]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The same in the program's numbering: of slots that begin at `base`, names in `rename`.

        Of arguments from `begin` to `end`, so many of them positional.
        """
        positional: tuple[int, ...] = ()
        keywords: tuple[int, ...] = ()
        middle = begin + count
        if count == 1:  # most have one: a comprehension would take longer than all the rest
            item = self.arguments[begin]
            shift = base if item >= 0 else (0 if item == -1 else -base)
            positional = (item + shift,)
        elif count:
            positional = tuple(
                [
                    item + base if item >= 0 else (item if item == -1 else item - base)
                    for item in self.arguments[begin:middle]
                ]
            )
        if middle != end:
            pairs = iter(self.arguments[middle:end])
            keywords = tuple(
                [
                    part
                    for key, slot in zip(pairs, pairs, strict=True)
                    for part in (rename[key] if key >= 0 else -1, slot + base if slot >= 0 else -1)
                ]
            )
        return positional, keywords

    def active(self) -> bytearray:
        """For each slot whether its values go anywhere."""
        return self._active
