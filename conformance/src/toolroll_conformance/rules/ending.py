"""The rule about how a server ends: when its client has gone, and with all that it started."""

from __future__ import annotations

from typing import Final

from toolroll_conformance.case import CallStep
from toolroll_conformance.legs.starting import STOP_TIMEOUT
from toolroll_conformance.legs.stdio import StdioConnection
from toolroll_conformance.processes.group import group_of
from toolroll_conformance.rules.rule import EMPTY, Probe, Rule, brief
from toolroll_conformance.seeds import richest_case

__all__ = ["RULES"]

LEFT_SECONDS: Final = 30.0
"""How long what a server has started may outlive it, on a machine that has much else to do."""


def ending(probe: Probe, subject: str) -> None:
    """When its input is closed, a server ends, with exit code 0, and nothing it started runs on."""
    case, steps = richest_case(probe.session.target, probe.leg) or (EMPTY, 0)
    started: dict[int, str] = {}
    with probe.replayed(case) as (run, connection):
        assert isinstance(connection, StdioConnection)
        running = connection.running
        for number, step in enumerate(case.steps[:steps], 1):
            run.steps((step,), connection)
            called = f"{step.call} with {brief(step.args)}" if isinstance(step, CallStep) else ""
            for process in group_of(running.process.pid):
                started.setdefault(process, called or f"step {number} of case {case.id}")
        code = running.end()
        if code is None:
            raise probe.broken(
                f"it runs on {STOP_TIMEOUT:.0f} s after its input was closed, as it would when its "
                "client has crashed: end then, and make threads that may be left daemons"
            )
        if left := running.left(LEFT_SECONDS):
            process, command = min(left.items())
            raise probe.broken(
                f"{started.get(process, 'the server')} started {command!r}, which runs on "
                f"{LEFT_SECONDS:.0f} s after the server has ended: end it with the call, or with "
                "the server"
            )
        if code and probe.session.target.is_pack:
            raise probe.broken(f"it ends with exit code {code}; it said: {running.last_words()}")


RULES: Final = (
    Rule(
        "ending",
        "a server ends with its client, and leaves no process",
        "MCP, lifecycle, shutdown",
        ending,
        legs=frozenset({"stdio"}),
        every_era=False,
    ),
)
