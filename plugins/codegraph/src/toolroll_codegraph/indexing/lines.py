"""Which lines of a file are where they were, or elsewhere, and which are new.

The text that was indexed is not kept, but two bytes of each of its lines are: enough to tell where
an edit has moved lines to, for what is said of them until the edit is resolved.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final
from zlib import crc32

import msgspec

_MOST_PAIRS: Final = 1_000_000
"""Pairs of equal lines; with more, those that are every hundredth line or more tell nothing."""


class MovedLines(msgspec.Struct, frozen=True):
    """Old lines and new ones, counted from 1; no attrs class, as all that a worker imports."""

    now: dict[int, int] = msgspec.field(default_factory=dict[int, int])
    """Where each line is that has not changed."""
    replaced: dict[int, range] = msgspec.field(default_factory=dict[int, range])
    """For each line that has, the lines in its place, perhaps none."""
    fresh: set[int] = msgspec.field(default_factory=set[int])
    """Lines that are no old ones."""


def line_marks(source: bytes) -> bytes:
    """Two bytes for each line of a source; equal lines have equal ones."""
    return array("H", [crc32(line) & 0xFFFF for line in source.split(b"\n")]).tobytes()


def moved_lines(before: bytes, after: bytes) -> MovedLines:
    """Compare the marks of an old and a new text."""
    old, new = array("H", before), array("H", after)
    start = _same(old, new)
    end = _same(old[start:][::-1], new[start:][::-1])
    moved = MovedLines()
    moved.now.update((line, line) for line in range(1, start + 1))
    shift = len(new) - len(old)
    moved.now.update((line, line + shift) for line in range(len(old) - end + 1, len(old) + 1))
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    for tag, first, last, to, until in _differences(left, right):
        if tag == "equal":
            for offset in range(last - first):
                moved.now[start + first + offset + 1] = start + to + offset + 1
            continue
        place = range(start + to + 1, start + until + 1)
        moved.fresh.update(place)
        moved.replaced.update((start + line + 1, place) for line in range(first, last))
    return moved


_Opcode = tuple[str, int, int, int, int]
"""As `SequenceMatcher.get_opcodes` has them."""


def _same(old: Sequence[int], new: Sequence[int]) -> int:
    """How many lines are the same at the beginning."""
    pairs = zip(old, new, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _differences(old: Sequence[int], new: Sequence[int]) -> Sequence[_Opcode]:
    counts = Counter(new)
    many = sum(counts[line] for line in old) > _MOST_PAIRS
    return SequenceMatcher(None, old, new, autojunk=many).get_opcodes()
