"""What functions return as it is: their parameters, and results of calls that nobody else uses."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts.columns import handed_on
from toolroll_codegraph.facts.model import (
    LOAD_WIDTH,
    STORE_WIDTH,
    TEST_WIDTH,
    CallColumn,
    CallFlag,
    ParamKind,
    Returned,
)

if TYPE_CHECKING:
    from toolroll_codegraph.facts.builder import FactBuilder

NAMED: Final = (ParamKind.POSITIONAL, ParamKind.KEYWORD, ParamKind.UNNAMED)
"""Parameters of which each is given one value."""
_WIDTH: Final = CallColumn.WIDTH
_RETURNED: Final = (Returned.WITHOUT, Returned.WITH, Returned.EITHER)
"""Relations that say what is returned."""
_FURTHEST: Final = 4
"""So many slots, of which each only goes to the next, lead from a value to what is returned."""


class Returning:
    """Tells the flow out of the functions of one file by what of it is each caller's own."""

    def __init__(self, builder: FactBuilder) -> None:
        self._builder = builder
        self._targets: dict[int, list[int]] = {}
        pairs = iter(builder.copies)
        for source, target in zip(pairs, pairs, strict=True):
            self._targets.setdefault(source, []).append(target)
        self._used = _used(builder)

    def split_copies(self) -> tuple[list[int], list[int]]:
        """Parameters that are returned as they are, and the copies that are nothing of this.

        So is one that is returned among others, as of `given or other`; but one with a default is
        not, since who gives nothing gets that. What comes back of one only where a test holds, or
        fails, is noted (Ruby).
        """
        passed = self._passed()
        filled = set(self._builder.copies[1::2])
        returned: dict[int, None] = {}
        tested: dict[int, list[int]] = {}
        copies: list[int] = []
        pairs = iter(self._builder.copies)
        for source, target in zip(pairs, pairs, strict=True):
            first = self._builder.origin(source)
            ret = passed.get(first, -1)
            if ret == target or (0 <= ret == self._end(target) and first not in filled):
                returned[first] = None
                tested.setdefault(first, []).append(source)
            else:
                copies += (source, target)
        for first, sources in tested.items():
            if self._builder.language == "ruby" and first not in sources:
                self._builder.relations += [("tested", first, 0, it, 0) for it in sources]
        return list(returned), copies

    def tails(self) -> list[int]:
        """(result, scope) of the calls whose results their functions return and do not use."""
        frames = self._builder.frames
        calls = self._builder.calls
        found: list[int] = []
        for slot, scope in zip(
            calls[CallColumn.RESULT :: _WIDTH], calls[CallColumn.SCOPE :: _WIDTH], strict=True
        ):
            if slot in self._targets and frames[scope].params:
                ret = frames[scope].ret
                if ret >= 0 and self._end(slot) == ret:
                    found += (slot, scope)
        return found

    def _passed(self) -> dict[int, int]:
        """Parameters and receivers, with what their functions return."""
        passed: dict[int, int] = {}
        for frame in self._builder.frames:
            if frame.ret >= 0:
                passed |= {slot: frame.ret for _, slot, shape in frame.params if shape in NAMED}
                if frame.this >= 0:
                    passed[frame.this] = frame.ret
        return passed

    def _end(self, slot: int) -> int:
        """The slot that all values of a slot go to in the end; -1 if they go anywhere else."""
        for _ in range(_FURTHEST):
            targets = self._targets.get(slot)
            if targets is None:
                return slot
            if len(targets) > 1 or slot in self._used:
                break
            slot = targets[0]
        return -1


def _used(builder: FactBuilder) -> set[int]:
    """The slots whose values do more than flow to others."""
    calls, arguments = builder.calls, builder.call_arguments
    used: set[int] = set()
    for column in (
        builder.loads[1::LOAD_WIDTH], builder.stores[0::STORE_WIDTH],
        builder.stores[2::STORE_WIDTH], builder.dynamic, calls[CallColumn.SOURCE :: _WIDTH],
        builder.types, builder.tests[::TEST_WIDTH],
        (slot for row in builder.relations if row[0] not in _RETURNED
         for slot in handed_on(row, builder.language)),
        *(frame.members.values() for frame in builder.frames),
    ):  # fmt: skip
        used.update(column)
    begins = [*calls[CallColumn.START :: _WIDTH], len(arguments)]
    counts, flags = calls[CallColumn.POSITIONAL :: _WIDTH], calls[CallColumn.FLAGS :: _WIDTH]
    for (start, end), count, flag in zip(pairwise(begins), counts, flags, strict=True):
        if start != end and not flag & CallFlag.NOTE:
            used.update(arguments[start : start + count])
            used.update(-2 - item for item in arguments[start : start + count] if item < -1)
            used.update(arguments[start + count + 1 : end : 2])
    return used
