"""When the index worker rests."""

from __future__ import annotations

import pytest

from toolroll_fileio.pacing import LATE, LONGEST_REST, MOST_REST, QUIET, SHORTEST_REST, Pace

OBJECTIVE = 30.0


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    return Pace(clock)


def test_a_worker_begins_at_once(pace: Pace) -> None:
    assert pace.left() == 0


def test_it_rests_a_moment_so_that_writes_come_together(pace: Pace, clock: Clock) -> None:
    pace.worked(1.0, lag=0.0, objective=OBJECTIVE)
    assert pace.left() == pytest.approx(SHORTEST_REST)
    clock.now += SHORTEST_REST
    assert pace.left() == pytest.approx(0)


def test_it_rests_longer_while_calls_come(pace: Pace, clock: Clock) -> None:
    pace.worked(0.1, lag=0.0, objective=OBJECTIVE)
    waited = 0.0
    while (left := pace.left()) > 1e-9:
        pace.called()
        clock.now += min(left, QUIET / 2)
        waited += min(left, QUIET / 2)
    assert SHORTEST_REST < waited < LONGEST_REST
    assert waited == pytest.approx(0.1 * MOST_REST)


def test_it_goes_on_when_calls_have_ended(pace: Pace, clock: Clock) -> None:
    pace.worked(0.4, lag=0.0, objective=OBJECTIVE)
    pace.called()
    clock.now += QUIET
    assert pace.left() == pytest.approx(SHORTEST_REST - QUIET)


@pytest.mark.parametrize(("seconds", "rest"), [(0.001, SHORTEST_REST), (60.0, LONGEST_REST)])
def test_a_rest_has_bounds(pace: Pace, clock: Clock, seconds: float, rest: float) -> None:
    pace.worked(seconds, lag=0.0, objective=OBJECTIVE)
    clock.now += rest - QUIET / 2
    pace.called()
    assert pace.left() == pytest.approx(QUIET / 2)


@pytest.mark.parametrize("lag", [OBJECTIVE * LATE, OBJECTIVE * 3])
def test_it_does_not_rest_when_it_is_late(pace: Pace, lag: float) -> None:
    pace.worked(1.0, lag=lag, objective=OBJECTIVE)
    pace.called()
    assert pace.left() == 0
