"""How far one purge goes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from toolroll.retention import purge_before

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MONTH, DAY, HOUR = timedelta(days=30), timedelta(days=1), timedelta(hours=1)


def test_what_is_past_its_retention_goes_and_nothing_else() -> None:
    assert purge_before(NOW, MONTH, None, HOUR) == NOW - MONTH
    assert purge_before(NOW, MONTH, NOW - MONTH - HOUR, HOUR) == NOW - MONTH
    assert purge_before(NOW, MONTH, NOW, HOUR) == NOW - MONTH


def test_a_clock_that_jumps_ahead_costs_a_day_and_not_all() -> None:
    ahead = NOW + timedelta(days=3650)
    assert purge_before(ahead, MONTH, NOW - MONTH, HOUR) == NOW - MONTH + DAY


def test_a_host_that_was_off_catches_up() -> None:
    oldest, passes = NOW - 3 * MONTH, 0
    while (before := purge_before(NOW, MONTH, oldest, HOUR)) < NOW - MONTH:
        oldest, passes = before, passes + 1
    assert passes == 59  # a day each, and the rest is due
