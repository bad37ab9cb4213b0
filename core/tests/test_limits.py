"""Token buckets and the bound on what runs and waits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from toolroll import RateLimited, RateLimiter, ResourceBusy
from toolroll.limits import MOST_TENANTS, Admission


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = Clock()
    limiter = RateLimiter(60, burst=2, clock=clock)
    limiter.take("a")
    limiter.take("a")
    with pytest.raises(RateLimited, match=r"try again in 1\.0 s") as limited:
        limiter.take("a")
    assert limited.value.retryable
    assert limited.value.details == {"retry_after_seconds": 1.0}
    clock.now = 0.5
    with pytest.raises(RateLimited):
        limiter.take("a")
    clock.now = 1.0
    limiter.take("a")


def test_every_tenant_has_a_bucket_of_its_own() -> None:
    limiter = RateLimiter(1, clock=Clock())
    limiter.take("a")
    limiter.take("b")
    with pytest.raises(RateLimited):
        limiter.take("a")


def test_a_bucket_never_holds_more_than_its_burst() -> None:
    clock = Clock()
    limiter = RateLimiter(60, burst=1, clock=clock)
    limiter.take("a")
    clock.now = 1000.0  # the bucket fills again
    limiter.take("a")
    with pytest.raises(RateLimited):
        limiter.take("a")


def test_no_rate_is_no_limit() -> None:
    limiter = RateLimiter(0)
    for _ in range(1000):
        limiter.take("a")


def test_the_number_of_buckets_is_bounded() -> None:
    limiter = RateLimiter(1, clock=Clock())
    for number in range(MOST_TENANTS + 100):
        limiter.take(str(number))
    assert len(limiter.__dict__["_buckets"]) == MOST_TENANTS
    with pytest.raises(RateLimited):
        limiter.take(str(MOST_TENANTS + 99))
    limiter.take("0")  # seen longest ago, and forgotten


def test_threads_take_no_more_tokens_than_there_are() -> None:
    limiter = RateLimiter(60, burst=50, clock=Clock())

    def take(_: int) -> int:
        try:
            limiter.take("a")
        except RateLimited:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(200))) == 50


def test_only_so_many_calls_are_admitted() -> None:
    admission = Admission(2)
    with admission:
        with admission, pytest.raises(ResourceBusy, match="2 calls are running or waiting"):
            admission.__enter__()
        with admission:
            pass


def test_a_closed_admission_lets_nobody_in_and_waits_for_the_rest() -> None:
    admission = Admission(2)
    with admission:
        assert not admission.close(0)
        with pytest.raises(ResourceBusy, match="shutting down"):
            admission.__enter__()
    assert admission.close(0)
