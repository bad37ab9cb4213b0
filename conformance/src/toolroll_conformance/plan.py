"""Which checks a run makes: every rule and case on every way in that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from toolroll_conformance.case import Case
from toolroll_conformance.case_runner import CASE_RULE, missing_capabilities, run_case
from toolroll_conformance.check import Check, Skipped
from toolroll_conformance.legs.base import Leg
from toolroll_conformance.session import Session

__all__ = ["plan"]


def plan(session: Session) -> list[Check]:
    """Return every check of a run, in the order of the ways in."""
    return [check for leg in session.legs for check in _cases(session, leg)]


def _cases(session: Session, leg: Leg) -> Iterator[Check]:
    for case in session.target.cases:
        yield Check(
            rule=CASE_RULE,
            subject=case.id,
            title=case.title,
            source=case.source,
            leg=leg.name,
            era=leg.era,
            run=partial(_run_case, case, leg, session),
        )


def _run_case(case: Case, leg: Leg, session: Session) -> None:
    contract = session.target.contract
    if missing := missing_capabilities(case, contract, leg):
        raise Skipped(missing)
    run_case(case, leg, contract, session.commands)
