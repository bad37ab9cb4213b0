"""What a host leans on: whether it answers now, and takes what is written."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Availability"]

log = logging.getLogger(__name__)

_WRITE_SECONDS: Final = 10.0
"""How long it is believed what writing came to: it costs a sync of the disk."""


class Availability:
    """Asks databases and the like for an answer, and tells once of what gives none."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._away: set[str] = set()
        """What was not `ok` the last time."""
        self._written: dict[str, tuple[float, bool]] = {}
        """By name: when it was last written to, and whether it took that."""

    def of(
        self, pings: Mapping[str, Callable[[], None]], writes: Mapping[str, Callable[[], None]]
    ) -> dict[str, str]:
        """Return `ok`, `unavailable` or `unwritable` for each, by its name.

        Args:
            pings: Raise where there is no answer.
            writes: Raise where nothing can be written.
        """
        return {
            name: self._state(name, pings.get(name), writes.get(name))
            for name in dict.fromkeys([*pings, *writes])
        }

    def _state(
        self, name: str, ping: Callable[[], None] | None, write: Callable[[], None] | None
    ) -> str:
        if ping is not None and not self._does(name, ping, "does not answer"):
            return "unavailable"
        if write is not None and not self._takes(name, write):
            return "unwritable"
        self._away.discard(name)
        return "ok"

    def _takes(self, name: str, write: Callable[[], None]) -> bool:
        then, took = self._written.get(name, (0.0, False))
        if name not in self._written or self._clock() - then > _WRITE_SECONDS:
            took = self._does(name, write, "cannot be written, as by")
            self._written[name] = (self._clock(), took)
        return took

    def _does(self, name: str, do: Callable[[], None], failing: str) -> bool:
        try:
            do()
        except Exception as error:  # whatever a driver raises, a load balancer gets one answer
            if name not in self._away:
                self._away.add(name)
                cause = f"{error}".partition("\n")[0] or type(error).__name__
                log.warning("%s %s the readiness check: %s", name, failing, cause)
            return False
        return True
