"""The rule about what a pack does behind the calls: nobody asks, so nobody would be told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from toolroll_conformance.legs.memory import MemoryConnection
from toolroll_conformance.rules.rule import README, Probe, Rule
from toolroll_conformance.seeds import richest_case
from toolroll_conformance.session import Session
from toolroll_conformance.snapshot import settled

__all__ = ["REST_SECONDS", "RULES", "works_behind"]

REST_SECONDS: Final = 0.5
"""What changes nothing for so long counts as done, though it says that there is more to do."""


def works_behind(session: Session) -> bool:
    """Say whether the pack of a session has workers, or fails to say."""
    pack = session.target.pack
    try:
        return pack is not None and bool(pack.workers())
    except Exception:  # the boundary to a pack: the rule tells of it
        return True


def workers(session: Session) -> Sequence[str]:
    """Apply the rule to a pack that has workers."""
    return ("",) if works_behind(session) else ()


def background(probe: Probe, subject: str) -> None:
    """What the calls of a case leave to do is done without failing."""
    found = richest_case(probe.session.target, probe.leg)
    with probe.replayed(*found) if found else probe.server() as (run, connection):
        assert isinstance(connection, MemoryConnection)
        settled(run.workspace, partial(connection.rest, REST_SECONDS))
        for worker, what in sorted(connection.failing_workers().items()):
            raise probe.broken(f"{worker}: {what}")


RULES: Final = (
    Rule(
        "background-work",
        "workers do what calls leave to them",
        README,
        background,
        workers,
        frozenset({"memory"}),
        every_era=False,
    ),
)
