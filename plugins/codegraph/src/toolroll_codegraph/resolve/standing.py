"""Calls that stand for others: of a wrapper, for the function that it wraps.

A popular decorator's wrapper is called by all who call any of the functions it decorates, and calls
all of these. For whom each of its callers calls it tells them apart again.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.program import Program


class Standing(msgspec.Struct):
    """Of one call, functions that are wrapped; both are empty for almost every call."""

    stands_for: set[int] = msgspec.field(default_factory=set[int])
    """Those for which the callee is called, which is a wrapper of each."""
    passes_on: set[int] = msgspec.field(default_factory=set[int])
    """Those for whose calls the caller makes this one, which is a wrapper of each."""


class FoundStandings:
    """The calls of wrappers and those that wrappers make, by caller and callee."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], Standing] = {}

    def of(self, caller: int, callee: int) -> Standing:
        """What is known of a call, to be added to."""
        return self._found.setdefault((caller, callee), Standing())

    def told(
        self, program: Program, as_such: Container[int]
    ) -> dict[tuple[int, int], tuple[tuple[int, ...], tuple[int, ...]]]:
        """(functions stood for, functions passed on) by call, sorted, copies by their originals.

        Who calls a wrapper `as_such` may mean any function that it wraps.
        """
        original = program.original
        found: dict[tuple[int, int], Standing] = {}
        for (caller, callee), known in self._found.items():
            standing = found.setdefault((original(caller), original(callee)), Standing())
            standing.passes_on.update(map(original, known.passes_on))
            if callee not in as_such:
                standing.stands_for.update(map(original, known.stands_for))
        return {
            pair: (tuple(sorted(known.stands_for)), tuple(sorted(known.passes_on)))
            for pair, known in found.items()
        }
