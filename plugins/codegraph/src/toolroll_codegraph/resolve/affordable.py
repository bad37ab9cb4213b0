"""Which of the functions in which values meet are copied, where not all of them can be.

A copy of a caller calls what it calls once more, so that one long function behind a few others may
take as much as hundreds of short ones. The shortest come first: each call that they tell apart
costs least. What is chosen depends neither on the order of files nor on where values came first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from math import prod

from toolroll_codegraph.resolve.shared import Place


def affordable(
    sizes: Mapping[Place, int],
    calls: Mapping[Place, Sequence[Sequence[Place]]],
    most: Mapping[Place, int],
    left: int,
) -> Set[Place]:
    """The functions whose copies have together no more slots than are `left`.

    Of each, callers first, `sizes` has the slots of one copy, `calls` for each call the functions
    that it is in, and `most` the calls that it may have.
    """

    def fit(slots: int) -> bool:
        times: dict[Place, int] = {}
        taken = 0
        for place, size in sizes.items():
            if size <= slots:
                entered = sum(prod(times.get(it, 1) for it in call) for call in calls[place])
                if 1 < entered <= most[place]:
                    times[place] = entered
                    taken += size * (entered - 1)
        return taken <= left

    lengths = sorted(set(sizes.values()))
    low, high = 0, len(lengths)
    while low < high:
        middle = (low + high + 1) // 2
        if fit(lengths[middle - 1]):
            low = middle
        else:
            high = middle - 1
    longest = lengths[low - 1] if low else 0
    return {place for place, size in sizes.items() if size <= longest}
