"""Faults of our own while resolving, which cost one step and not a whole index.

A rule that is wrong about one odd piece of source would otherwise take the calls of all files with
it, as a parser never does. Tests and benchmarks let faults through.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from pathlib import PurePath
from types import TracebackType
from typing import Final, TypeVar

from toolroll_codegraph.resolve.slots import OutOfSlots

_MOST: Final = 100
"""More faults than that are one in what everything needs."""
_NOT_OURS: Final = (OutOfSlots, MemoryError)
_Item = TypeVar("_Item")


class Faults:
    """A guard around each step, and what its exceptions were."""

    def __init__(self, *, contained: bool = False) -> None:
        """Let exceptions through, or note them if they are to be `contained`."""
        self._contained = contained
        self._count = 0
        self._found: dict[str, int] = {}

    def __enter__(self) -> None:
        """Begin a step; steps may stand in one another."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        if not self._contained or not isinstance(error, Exception) or isinstance(error, _NOT_OURS):
            return False
        if self._count == _MOST:
            return False
        self._count += 1
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__} at {PurePath(place.filename).name}:{place.lineno}: {error}"
        self._found[text] = self._found.get(text, 0) + 1
        return True

    def each(self, items: Iterable[_Item], step: Callable[[_Item], object]) -> None:
        """Take a step for each item; a fault costs that of one."""
        rest = iter(items)
        while True:
            with self:
                for item in rest:
                    step(item)
                return

    def told(self) -> list[str]:
        """One line for each kind of fault, with how often it came."""
        return [
            text if count == 1 else f"{text} ({count} times)" for text, count in self._found.items()
        ]
