"""Which checks a run makes: every rule and case on every way in that was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from toolroll_conformance.case import Case
from toolroll_conformance.case_runner import CASE_RULE, missing_capabilities, run_case
from toolroll_conformance.check import Check, Skipped
from toolroll_conformance.legs.base import Leg
from toolroll_conformance.target import Target

__all__ = ["plan"]


def plan(target: Target, legs: Sequence[Leg]) -> list[Check]:
    """Return every check for a target, the cheap ones first.

    Args:
        target: What is tested.
        legs: The ways in, each in one era.
    """
    checks = [check for leg in legs for check in _cases(target, leg)]
    return checks


def _cases(target: Target, leg: Leg) -> Iterator[Check]:
    for case in target.cases:
        yield Check(
            rule=CASE_RULE,
            subject=case.id,
            title=case.title,
            source=case.source,
            leg=leg.name,
            era=leg.era,
            run=partial(_run_case, case, leg, target),
        )


def _run_case(case: Case, leg: Leg, target: Target) -> None:
    if missing := missing_capabilities(case, target.contract, leg):
        raise Skipped(missing)
    run_case(case, leg, target.contract)
