"""The order in which a class and its bases are asked: C3 in Python, mixins in Ruby."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

__all__ = ["linearise", "linearise_ruby"]


def linearise(scope: int, orders: Sequence[Sequence[int]]) -> tuple[int, ...]:
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


def linearise_ruby(
    scope: int, bases: Sequence[int], prepended: Sequence[int], included: Sequence[int],
    order: Callable[[int], Sequence[int]],
) -> tuple[int, ...]:  # fmt: skip
    """Return a Ruby class's ancestors; of modules that it joins the last one comes first."""
    found: list[int] = []
    for module in reversed(prepended):
        found += order(module)
    found.append(scope)
    for module in reversed(included):
        found += order(module)
    for base in bases[:1]:
        found += order(base)
    return tuple(dict.fromkeys(found))
