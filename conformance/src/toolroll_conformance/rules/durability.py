"""Rules about what outlives the server."""

from __future__ import annotations

from typing import Final

from toolroll_conformance.case import Case
from toolroll_conformance.inspection import RuleBroken
from toolroll_conformance.legs.base import CannotServe, Connection
from toolroll_conformance.rules.answers import Answers, repeatable_steps
from toolroll_conformance.rules.rule import README, Probe, Rule, call
from toolroll_conformance.seeds import richest_case

__all__ = ["RULES"]

WRITES: Final = 8
"""Under way when the server is killed."""


def kill(probe: Probe, subject: str) -> None:
    """After kill -9 every acknowledged write is there: the same questions get the same answers.

    Where a write of the case may be repeated, it is under way when the server is killed.
    """
    found = richest_case(probe.session.target, probe.leg)
    if found is None:
        return
    case, steps = found
    lost: RuleBroken | None = None
    with probe.replayed(case, steps) as (run, connection):
        before = Answers.take(probe, run, connection)
        if repeatable := repeatable_steps(run)[:1]:
            call(connection, repeatable[0].call, repeatable[0].args)
            before = before.steady(run, before.again(probe, run, connection))
        for step in repeatable * WRITES:
            connection.begin(step.call, step.args)
        connection.list_tools()  # by its answer the server has come to the calls before it
        _restart(probe, connection, kill=True)
        try:
            before.check(probe, run, before.again(probe, run, connection), "after kill -9")
        except RuleBroken as broken:
            if probe.session.target.is_pack:
                raise
            lost = broken
    if lost is not None and _outlasts(probe, case, steps):
        raise lost


def _outlasts(probe: Probe, case: Case, steps: int) -> bool:
    """Say whether answers are the same after an orderly end.

    MCP doesn't ask a stranger to store anything: what it has in memory it doesn't lose.
    """
    with probe.replayed(case, steps) as (run, connection):
        before = Answers.take(probe, run, connection)
        _restart(probe, connection, kill=False)
        try:
            before.check(probe, run, before.again(probe, run, connection), "after a restart")
        except RuleBroken:
            return False
    return True


def _restart(probe: Probe, connection: Connection, *, kill: bool) -> None:
    try:
        connection.restart(kill=kill)
    except CannotServe as error:
        end = "kill -9" if kill else "an orderly end"
        raise probe.broken(f"it doesn't start again after {end}: {error}") from None


RULES: Final = (
    Rule(
        "kill-restart",
        "kill -9 loses no acknowledged write",
        README,
        kill,
        legs=frozenset({"stdio", "http"}),
        needs=frozenset({"kill"}),
        every_era=False,
    ),
)
