"""C3, the order in which Python asks a class and its bases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["linearise"]


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
