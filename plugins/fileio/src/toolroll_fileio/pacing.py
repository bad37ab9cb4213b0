"""How the index worker leaves the processor to calls: it rests while they come, unless it is late.

Indexing a file costs about as much as writing it. Done at once, it would halve the rate of a burst
of writes; done while nobody calls, it costs nobody anything.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from attrs import define, field

__all__ = ["Pace"]

QUIET: Final = 0.04
"""Seconds without a call after which nobody is in the way."""
SHORTEST_REST: Final = 0.2
"""Seconds in which writes come together: a commit of the lexical index costs as much as ten."""
LONGEST_REST: Final = 8.0
"""Seconds that a worker rests at most: a step of three full batches takes up to half a second."""
MOST_REST: Final = 32.0
"""How many times as long as it has worked a worker rests while calls come: while it works, it holds
Python's lock, or that of the database, and a call takes several times as long."""
LATE: Final = 0.5
"""Share of the freshness objective from which on there is no rest; up to half of it all of it."""


@define
class Pace:
    """When the next step of a worker is due."""

    _clock: Callable[[], float] = time.monotonic
    _worked_until: float = field(default=float("-inf"), init=False)
    _rest: float = field(default=0.0, init=False)
    _last_call: float = field(default=float("-inf"), init=False)

    def called(self) -> None:
        """Note a call of a tool."""
        self._last_call = self._clock()

    def wait(self) -> None:
        """Wait until the next step is due."""
        pause = threading.Event()
        while (left := self.left()) > 0:
            pause.wait(left)

    def left(self) -> float:
        """Return the seconds to rest: all of the rest while calls come, else its first moment."""
        now = self._clock()
        brief = min(SHORTEST_REST, self._rest)
        until_due = self._worked_until + self._rest - now
        until_quiet = self._last_call + QUIET - now
        return max(min(until_due, until_quiet), self._worked_until + brief - now, 0.0)

    def worked(self, seconds: float, lag: float, objective: float) -> None:
        """Note a step.

        Args:
            seconds: How long it took.
            lag: Age of the oldest change that it made searchable, in seconds.
            objective: `index.slo_p95_seconds`.
        """
        spare = min(max(2.0 - 2.0 * lag / (objective * LATE), 0.0), 1.0)
        rest = min(max(MOST_REST * seconds, SHORTEST_REST), LONGEST_REST)
        self._rest = rest * spare
        self._worked_until = self._clock()
