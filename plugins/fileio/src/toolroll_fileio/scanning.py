"""Finding matches in one file in bounded steps.

RE2 never backtracks, but a step over a byte may cost a thousand times more for one pattern than for
another, and a call into it can't be stopped. So a file is searched in windows: small ones first,
larger ones while they are quick. A match belongs to the window that it begins in, and may reach
behind its end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from attrs import define, field

from toolroll_fileio.content import forward

__all__ = ["Scan"]

FIRST_WINDOW: Final = 65_536
LARGEST_WINDOW: Final = 8_388_608
QUICK_SECONDS: Final = 0.05
"""A window that took less is followed by one of twice the size."""
REACH: Final = 4
"""A match may reach behind its window by one part in so many of its size, and is followed further
while there is time; one that is longer than that may not be found at all."""


@define(eq=False)
class Scan:
    """Goes through one file.

    Attributes:
        pattern: Compiled by RE2.
        data: What the file holds.
        at: Where the next match may begin; behind the file's end when all is done.
    """

    pattern: Any
    data: bytes
    at: int
    _size: int = field(default=FIRST_WINDOW, init=False)

    @property
    def done(self) -> bool:
        """Whether the whole file has been searched."""
        return self.at >= len(self.data)

    def window(self, until: float) -> Iterator[tuple[int, int]]:
        """Yield first byte and end of the matches that begin in the next window, if not empty.

        Args:
            until: When to stop following a match, on the clock of `time.monotonic`.
        """
        started = time.monotonic()
        core = forward(self.data, min(self.at + self._size, len(self.data)))
        end = forward(self.data, min(core + self._size // REACH, len(self.data)))
        following = core
        for match in self.pattern.finditer(self.data, self.at, end):
            first, last = match.span()
            if first >= core:
                break
            if first == last:
                continue
            if last == end < len(self.data):
                last = self._followed(first, end, until)
                yield first, last
                self.at = last  # what the window has not seen yet is in the next one
                return
            following = max(core, last)
            yield first, last
        self.at = following
        if time.monotonic() - started < QUICK_SECONDS:
            self._size = min(self._size * 2, LARGEST_WINDOW)

    def _followed(self, first: int, end: int, until: float) -> int:
        """Return the end of a match that may go on behind `end`, as far as there is time."""
        last = end
        while last == end < len(self.data):
            started = time.monotonic()
            end = forward(self.data, min(first + 2 * (end - first), len(self.data)))
            last = self.pattern.match(self.data, first, end).end()
            now = time.monotonic()
            if now + 2 * (now - started) > until:
                break
        return last
