"""What a host leans on, and whether it answers now."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Availability"]

log = logging.getLogger(__name__)


class Availability:
    """Asks databases and the like for an answer, and tells once of what gives none."""

    def __init__(self) -> None:
        self._away: set[str] = set()
        """What did not answer the last time."""

    def of(self, pings: Mapping[str, Callable[[], None]]) -> dict[str, str]:
        """Return `ok` or `unavailable` for each, by its name."""
        return {name: self._state(name, ping) for name, ping in pings.items()}

    def _state(self, name: str, ping: Callable[[], None]) -> str:
        try:
            ping()
        except Exception as error:  # whatever a driver raises, a load balancer gets one answer
            if name not in self._away:
                self._away.add(name)
                cause = f"{error}".partition("\n")[0] or type(error).__name__
                log.warning("%s does not answer the readiness check: %s", name, cause)
            return "unavailable"
        self._away.discard(name)
        return "ok"
