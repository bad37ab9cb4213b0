"""Slots, the values they hold, and how values get from one to another.

Every slot keeps a small set of abstract values; what is new in one waits in a list of work until it
is moved on over copy edges, once. The sets are bounded: where one is full, nothing more gets in.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from typing import Final

from toolroll_codegraph.resolve.calls import Handler, Listener
from toolroll_codegraph.resolve.findings import FoundFlow
from toolroll_codegraph.resolve.listeners import Listeners, Packing

MOST_VALUES: Final = 16
_MORE: Final = 4096
"""So many slots are made at once."""
_GROWTH: Final = 16
"""Times the slots of a program that resolving it may make: of 300 packages none makes twice as many
again. What makes one more for each that it made would never end."""
_SPARE: Final = 100_000
"""Slots besides: what a library's classes need is as much for the smallest program."""
_SEVERAL: Final = re.compile(rb"[^\0\1]", re.DOTALL)
"""In `moved`: a slot of more than one value."""


class OutOfSlots(Exception):
    """Resolving made more slots than any program needs; what it found so far holds."""


class Slots:
    """The slots of a program with their values, what goes where and who listens."""

    def __init__(self, active: bytearray, room: bytearray) -> None:
        """Make empty slots, for which `active` says whether their values go anywhere.

        `room` says of each value how many others may be in a slot that it gets into.
        """
        slots = self._next_slot = len(active)
        self._most_slots = slots * _GROWTH + _SPARE
        self.active = active
        """Slots whose values go somewhere: those of the files, and every one made later."""
        self.points: list[tuple[int, ...] | None] = [None] * slots
        self.found_flow = FoundFlow(slots)
        self._links = self.found_flow.columns
        self.packing = Packing()
        self.heard = array("I", bytes(4 * slots))
        """For each slot the place in `waiting` of who hears of its values; 0, of most: nobody."""
        self.waiting: list[Listener | Listeners] = [()]
        self.work: deque[int] = deque()
        """Slots that have values which have not moved on."""
        self.queued = bytearray(slots)
        """For each slot whether it is in `work`."""
        self.moved = bytearray(slots)
        """How many of the values of each slot have moved on."""
        self.ready: deque[tuple[Listener, tuple[int, ...]]] = deque()
        self.room = room
        """How many values a slot may hold and still take this one."""
        self.most_values = max(room, default=MOST_VALUES)
        self.most_others = MOST_VALUES
        """How many values that are no functions a slot may hold."""
        self.singles: list[tuple[int] | None] = [None] * len(room)
        """The set of each value alone: most slots hold one value, and share such a set."""
        self.copy_to: Final[Handler] = self._copy
        """Of a listener `(copy_to, slot)`: listening so is an edge, which takes a tenth of it."""

    def slot(self) -> int:
        slot = self._next_slot
        self._next_slot += 1
        if slot == len(self.points):
            self._extend()
        return slot

    def _extend(self) -> None:
        """Make many slots at once: to lengthen every table for each would take longer.

        Raises:
            OutOfSlots: There are too many; nobody who makes slots catches it but who resolves.
        """
        if self._next_slot > self._most_slots:
            raise OutOfSlots
        self.points += [None] * _MORE
        self.found_flow.add_slots(_MORE)
        self.heard.extend([0] * _MORE)
        self.active += b"\1" * _MORE
        self.queued += bytes(_MORE)
        self.moved += bytes(_MORE)

    def add(self, slot: int, value: int) -> None:
        if slot < 0:
            return
        points = self.points
        current = points[slot]
        if current is None:
            single = self.singles[value]
            if single is None:
                single = self.singles[value] = (value,)
            points[slot] = single
        elif len(current) >= self.room[value] or value in current:
            return
        else:
            points[slot] = (*current, value)
        if self.active[slot] and not self.queued[slot]:
            self.queued[slot] = 1
            self.work.append(slot)

    def alone(self, value: int) -> tuple[int]:
        """The set of one value, which all who need it share."""
        single = self.singles[value]
        if single is None:
            single = self.singles[value] = (value,)
        return single

    def narrow(self) -> None:
        """Let slots hold no more functions than other values from now on."""
        self.room[:] = bytes([self.most_others]) * len(self.room)

    def share(self) -> None:
        """Let slots with the same values have one set of them: a third of the large ones go."""
        known: dict[tuple[int, ...], tuple[int, ...]] = {}
        points = self.points
        for found in _SEVERAL.finditer(self.moved):
            values = points[found.start()]
            assert values is not None
            points[found.start()] = known.setdefault(values, values)

    def edge(self, source: int, target: int) -> None:
        """Let every value of `source` also be a value of `target`.

        Values that the source has are given on here, those it gets later by `run`.
        """
        if source < 0 or target < 0 or source == target:
            return
        first, following, targets = self._links  # written here: a call would take as long again
        newest = first[source]
        if newest and targets[newest] == target:
            return
        first[source] = len(targets)
        following.append(newest)
        targets.append(target)
        known = self.points[source]
        if known is None:
            self.active[source] = 1
            return
        if not self.active[source]:
            self.active[source] = 1
            self.moved[source] = len(known)
        if len(known) == 1:
            points = self.points
            current = points[target]
            if current is None:
                points[target] = known
            elif len(current) >= self.room[known[0]] or known[0] in current:
                return
            else:
                points[target] = (*current, known[0])
            if self.active[target] and not self.queued[target]:
                self.queued[target] = 1
                self.work.append(target)
        else:
            self.give_all(known, known, target)

    def give_all(self, new: tuple[int, ...], known: tuple[int, ...], target: int) -> None:
        """Let a slot have new values of another, all of which are known.

        Slots with the same values share one set of them: most of what flows comes to many slots.
        """
        current = self.points[target]
        if current is None:
            # More than that a slot has of the time before there was less room.
            self.points[target] = new if len(new) <= self.most_values else new[: self.most_values]
        elif current is known or len(current) >= self.most_values:
            return
        else:
            room, size = self.room, len(current)
            kept: list[int] = []
            for value in new:
                if size < room[value] and value not in current:
                    kept.append(value)
                    size += 1
            if not kept:
                return
            self.points[target] = (*current, *kept)
        if self.active[target] and not self.queued[target]:
            self.queued[target] = 1
            self.work.append(target)

    def is_read(self, slot: int) -> bool:
        """Whether the values of a slot that was made while resolving go anywhere."""
        return bool(self.heard[slot] or self._links[0][slot])

    def listen(self, slot: int, listener: Listener) -> None:
        if slot < 0:
            return
        if listener[0] is self.copy_to:
            self.edge(slot, listener[1])
            return
        known = self.points[slot]
        place = self.heard[slot]
        if place:
            self.waiting[place] = self.packing.join(self.waiting[place], listener)
        else:
            self.heard[slot] = len(self.waiting)
            self.waiting.append(listener)
            if not self.active[slot]:
                self.active[slot] = 1
                if known is not None:
                    self.moved[slot] = len(known)
        if known is not None:
            # Queued, not called: handlers listen in turn, and chains of them may be long.
            self.ready.append((listener, known))

    def _copy(self, value: int, listener: Listener) -> None:
        self.add(listener[1], value)
