"""How long a server takes from its start to its first listing: clients wait, but not for ever."""

from __future__ import annotations

import time
from typing import Final

from attrs import evolve

from toolroll_conformance.inspection import RuleBroken
from toolroll_conformance.legs.starting import PackServer
from toolroll_conformance.legs.stdio import StdioLeg
from toolroll_conformance.processes.child import ColdLauncher
from toolroll_conformance.reply import NoReply, ServerGone
from toolroll_conformance.rules.rule import README, Probe, Rule

__all__ = ["RULES"]

PATIENCE_SECONDS: Final = 10.0
"""What the stricter clients wait."""
SLOWER: Final = 3.0
"""How many times as long as a host without packs a server may take on a machine that is busy."""


def start_up(probe: Probe, subject: str) -> None:
    """A server that imports everything itself lists its tools before clients give up.

    Where it does not, a second try and a host without packs show whether the machine is to blame.
    Of one that does not start at all other rules tell.
    """
    assert isinstance(probe.leg, StdioLeg)
    probe = probe.cold()
    try:
        took = _seconds(probe)
    except (NoReply, ServerGone, RuleBroken):
        return
    if took < PATIENCE_SECONDS:
        return
    nothing = PackServer(ColdLauncher(environment=probe.session.environment), ("--packs", ""))
    bare = _seconds(evolve(probe, leg=evolve(probe.leg, starter=nothing)))
    took = min(took, _seconds(probe))
    if took >= max(PATIENCE_SECONDS, SLOWER * bare):
        raise probe.broken(
            f"it takes {took:.0f} s until it lists its tools, a host without packs {bare:.0f} s, "
            f"and clients wait for {PATIENCE_SECONDS:.0f}: import what is slow, and open what is, "
            "in the handlers"
        )


def _seconds(probe: Probe) -> float:
    started = time.monotonic()
    with probe.server() as (_, connection):
        connection.list_tools()
        return time.monotonic() - started


RULES: Final = (
    Rule(
        "start-up",
        "a cold start is over before clients give up",
        README,
        start_up,
        legs=frozenset({"stdio"}),
        every_era=False,
    ),
)
