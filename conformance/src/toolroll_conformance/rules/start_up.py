"""How long a server takes from its start to its first listing: clients wait, but not for ever."""

from __future__ import annotations

import time
from typing import Final

from attrs import evolve

from toolroll_conformance.legs.starting import PackServer
from toolroll_conformance.legs.stdio import StdioLeg
from toolroll_conformance.processes.child import ColdLauncher
from toolroll_conformance.rules.rule import Probe, Rule

__all__ = ["RULES"]

PATIENCE_SECONDS: Final = 10.0
"""What the stricter clients wait. A host with one pack takes a tenth of it on a slow machine."""


def start_up(probe: Probe, subject: str) -> None:
    """A server that imports everything itself lists its tools before clients give up.

    The second try counts as much as the first: the machine may just have been busy.
    """
    assert isinstance(probe.leg, StdioLeg)
    if probe.session.target.is_pack:
        cold = PackServer(ColdLauncher(environment=probe.session.environment))
        probe = evolve(probe, leg=evolve(probe.leg, starter=cold))
    if _seconds(probe) < PATIENCE_SECONDS:
        return
    if (took := _seconds(probe)) >= PATIENCE_SECONDS:
        raise probe.broken(
            f"it takes {took:.0f} s until it lists its tools, and clients wait for "
            f"{PATIENCE_SECONDS:.0f}: import what is slow, and open what is, in the handlers"
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
        "framework reference 4",
        start_up,
        legs=frozenset({"stdio"}),
        every_era=False,
    ),
)
