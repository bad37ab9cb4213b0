"""Each rule can fail, and fails alone: the good pack with one flaw breaks that rule only."""

from __future__ import annotations

import attrs
import pytest

from toolroll_conformance.plan import plan
from toolroll_conformance.report import Report
from toolroll_conformance.run import run_checks
from toolroll_conformance.session import Session
from toolroll_conformance.target import Target
from toolroll_zoo.broken import BROKEN, BROKEN_ON_THE_WIRE
from toolroll_zoo.shelf import Shelf

ERA = "2026-07-28"
TELLTALE = {"shelf-4", "shelf-5", "shelf-6", "shelf-7"}
"""Cases that would tell of the flaw too; without them only the generic rule can."""


def report_of(pack: Shelf, leg: str, *, without: set[str] | None = None) -> Report:
    """Run everything there is for a pack on one leg."""
    target = Target.of(pack)
    cases = [case for case in target.cases if case.id not in (without or set())]
    with Session.of_pack(attrs.evolve(target, cases=cases), [leg], [ERA], examples=20) as session:
        return run_checks(pack.name, plan(session))


def details(report: Report) -> str:
    """Say what failed, for the message of an assertion."""
    return "\n".join(f"{item.id}: {item.detail}" for item in report.failed)


@pytest.mark.parametrize(("rule", "kind"), BROKEN.items(), ids=list(BROKEN))
def test_a_flaw_that_shows_in_process_breaks_its_rule_alone(rule: str, kind: type[Shelf]) -> None:
    report = report_of(kind(), "memory")
    assert report.broken_rules() == {rule}, details(report)


@pytest.mark.parametrize(("rule", "kind"), BROKEN_ON_THE_WIRE.items(), ids=list(BROKEN_ON_THE_WIRE))
def test_a_flaw_that_shows_in_a_process_breaks_its_rule_alone(rule: str, kind: type[Shelf]) -> None:
    report = report_of(kind(), "stdio", without=TELLTALE)
    assert report.broken_rules() == {rule}, details(report)
