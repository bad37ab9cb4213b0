"""How far one purge may go: to a clock that has jumped ahead everything is old."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

__all__ = ["purge_before"]

_PACE: Final = 24
"""Times the time between two purges that one of them may catch up with: a month in a bit more than
a day. A clock that is set right again within hours has then cost hours' worth, and not all."""


def purge_before(
    now: datetime, retention: timedelta, oldest: datetime | None, every: timedelta
) -> datetime:
    """Return the time before which a purge removes what there is.

    Args:
        now: By the clock, right or not.
        retention: How long things are kept.
        oldest: The time of the oldest there is; None for nothing.
        every: How long it is between two purges.
    """
    due = now - retention
    return due if oldest is None else min(due, oldest + _PACE * every)
