"""The order in which a class and its bases are asked: C3 in Python, mixins in Ruby."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

__all__ = ["Orders", "RubyOrders"]

_MOST_CLASSES: Final = 250
"""In the order of a class; people write some fifty."""


class Orders:
    """Bases of classes, and their orders, found when they are asked for."""

    def __init__(self) -> None:
        self.bases: dict[int, list[int]] = {}
        self.included: dict[int, list[int]] = {}
        self.prepended: dict[int, list[int]] = {}
        self.known: dict[int, tuple[int, ...]] = {}
        """Class → its order, until it or one of those in it has another base."""
        self.single: set[int] = set()
        """Ruby's classes of one object."""

    def find(self, scope: int) -> tuple[int, ...]:
        """Linearise a class behind those it derives from, however many follow one another."""
        known, pending, waiting = self.known, [scope], set[int]()
        while pending:
            current = pending[-1]
            if current not in known:
                known[current] = (current,)  # a cycle ends here
                waiting.add(current)
                pending += [other for other in reversed(self.joined(current)) if other not in known]
            else:
                pending.pop()
                if current in waiting:
                    waiting.remove(current)
                    known[current] = self._linearised(current)[:_MOST_CLASSES]
        return known[scope]

    def joined(self, scope: int) -> Sequence[int]:
        """The classes whose orders make up that of a class."""
        return self.bases.get(scope, ())

    def _linearised(self, scope: int) -> tuple[int, ...]:
        return _linearise(scope, [self.known[base] for base in self.joined(scope)])


class RubyOrders(Orders):
    """The ancestors of Ruby's classes; of modules that one joins the last one comes first."""

    def joined(self, scope: int) -> Sequence[int]:
        prepended, included = self.prepended.get(scope, ()), self.included.get(scope, ())
        return (*reversed(prepended), *reversed(included), *self.bases.get(scope, ())[:1])

    def _linearised(self, scope: int) -> tuple[int, ...]:
        known = self.known
        above = [found for base in self.bases.get(scope, ())[:1] for found in known[base]]
        before, behind = list[int](), list[int]()
        for module in self.prepended.get(scope, ()):
            _mix(before, known[module], ())
        for module in self.included.get(scope, ()):
            # What extends one object is mixed into its class as well, as nobody knows which it is.
            _mix(behind, known[module], () if scope in self.single else above)
        return tuple(dict.fromkeys((*before, scope, *behind, *above)))


def _mix(mixed: list[int], module: Sequence[int], above: Sequence[int]) -> None:
    """Put a module and its ancestors in front of those that a class has mixed in.

    What it has stays where it is, and what follows in the module's order comes behind that; what a
    superclass has is left there.
    """
    if not mixed:
        mixed += [ancestor for ancestor in module if ancestor not in above]
        return
    place = 0
    for ancestor in module:
        if ancestor in mixed:
            place = mixed.index(ancestor) + 1
        elif ancestor not in above:
            mixed.insert(place, ancestor)
            place += 1


def _linearise(scope: int, orders: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Merge the orders of a class's bases behind the class.

    Where the bases contradict each other, depth first instead of an error.
    """
    if len(orders) < 2:
        return tuple(dict.fromkeys((scope, *orders[0]))) if orders else (scope,)
    heads = [order[0] for order in orders]
    sequences: list[list[int]] = [[*order][::-1] for order in (*orders, heads)]
    behind = Counter(item for sequence in sequences for item in sequence[:-1])
    result = dict.fromkeys((scope,))
    while sequences:
        head = next(
            (sequence[-1] for sequence in sequences if not behind[sequence[-1]]), sequences[0][-1]
        )
        result[head] = None
        for sequence in sequences:
            while sequence and sequence[-1] in result:
                sequence.pop()
                if sequence:
                    behind[sequence[-1]] -= 1
        sequences = [sequence for sequence in sequences if sequence]
    return tuple(result)
