"""Which checks a run makes: every rule and case on every way in that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from toolroll_conformance.case import Case
from toolroll_conformance.case_runner import CASE_RULE, missing_capabilities, run_case
from toolroll_conformance.check import Check, Skipped
from toolroll_conformance.legs.base import Leg
from toolroll_conformance.rules import (
    arguments,
    background,
    contract,
    durability,
    effects,
    ending,
    numbers,
    paths,
    sdk,
    start_up,
    tenants,
    texts,
    wire,
)
from toolroll_conformance.rules.rule import checks_of
from toolroll_conformance.session import Session

__all__ = ["RULES", "plan"]


RULES: Final = (
    *contract.RULES,
    *wire.RULES,
    *arguments.RULES,
    *numbers.RULES,
    *paths.RULES,
    *texts.RULES,
    *effects.RULES,
    *background.RULES,
    *durability.RULES,
    *ending.RULES,
    *tenants.RULES,
    *sdk.RULES,
    *start_up.RULES,
)
"""Every rule but the cases' own and the standing ones, in the order they are applied."""


def plan(session: Session) -> list[Check]:
    """Return every check of a run: the contract, then cases and rules for each way in."""
    checks = [check for rule in RULES for check in checks_of(rule, session)]
    checks += [check for leg in session.legs for check in _cases(session, leg)]
    order = {("", ""): 0, **{(leg.name, leg.era): n for n, leg in enumerate(session.legs, 1)}}
    return sorted(checks, key=lambda check: (order[check.leg, check.era], check.rule != CASE_RULE))


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
    promised = session.target.contract
    if missing := missing_capabilities(case, promised, leg):
        raise Skipped(missing)
    run_case(case, leg, promised, session.commands)
