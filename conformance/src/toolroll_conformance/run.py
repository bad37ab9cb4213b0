"""Making the checks of a session, a few at once, and telling what comes of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from toolroll_conformance.check import Check, Result, perform
from toolroll_conformance.known_failures import KnownFailures
from toolroll_conformance.report import Report

__all__ = ["run_checks"]


def run_checks(
    name: str,
    checks: Sequence[Check],
    *,
    known: KnownFailures | None = None,
    jobs: int = 1,
    tell: Callable[[Result], None] = lambda result: None,
) -> Report:
    """Make checks and return the report, results in the order of the checks.

    Args:
        name: What is tested.
        checks: What to do.
        known: Failures that are expected.
        jobs: Checks made at once; each has a workspace and server of its own.
        tell: Called with each result in order, as soon as it is there.
    """
    known = known if known is not None else KnownFailures()
    results: list[Result] = []
    for check in checks:
        check.prepare()

    def make(check: Check) -> Result:
        return perform(check, known.reason(check.id))

    with ThreadPoolExecutor(jobs, thread_name_prefix="check") as pool:
        try:
            for result in pool.map(make, checks):
                tell(result)
                results.append(result)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return Report(name, results)
