"""Rules about who may call, and who sees what."""

from __future__ import annotations

from typing import Final

from toolroll_conformance.legs.base import FIRST, SECOND
from toolroll_conformance.legs.http import HttpConnection
from toolroll_conformance.reply import ProtocolError, ServerGone
from toolroll_conformance.rules.answers import Answers
from toolroll_conformance.rules.rule import README, Probe, Rule, call
from toolroll_conformance.seeds import richest_case

__all__ = ["RULES"]


def isolation(probe: Probe, subject: str) -> None:
    """A tenant gets the same answers whether or not another has stored anything."""
    found = richest_case(probe.session.target, probe.leg)
    if found is None:
        return
    case, steps = found
    with probe.replayed(case, steps) as (run, connection):
        seen = Answers.take(probe, run, connection, SECOND)
    with probe.replayed(case) as (run, connection):
        seen.check(
            probe,
            run,
            seen.again(probe, run, connection, SECOND),
            "where no other tenant stored anything",
        )


def keys(probe: Probe, subject: str) -> None:
    """Without a key, or with a wrong one, nothing is answered."""
    with probe.server() as (_, connection):
        assert isinstance(connection, HttpConnection)
        if not connection.tokens:
            return
        tool = probe.contract.tools[0].name
        right = connection.tokens[FIRST]
        for wrong in ("", "wrong", right + "x", right[:-1]):
            connection.tokens[FIRST] = wrong
            try:
                reply = call(connection, tool, {})
            except (ServerGone, ProtocolError):
                continue
            what = f"the key {wrong[:6]}…" if wrong else "no key"
            raise probe.broken(f"{tool} with {what} is answered: {reply.brief()}")


RULES: Final = (
    Rule(
        "tenant-isolation",
        "no tenant sees what another has stored",
        README,
        isolation,
        legs=frozenset({"memory", "http"}),
        needs=frozenset({"tenants"}),
        requires=frozenset({"tenants"}),
        every_era=False,
    ),
    Rule(
        "http-keys",
        "nothing is answered without a valid key",
        README,
        keys,
        legs=frozenset({"http"}),
    ),
)
