"""`toolroll investigation …`: bring failures in, look at what is known, report and replay."""

from __future__ import annotations

import click

from toolroll_investigation.commands.imports import from_junit, scenarios
from toolroll_investigation.commands.knowledge import rcas, symptoms
from toolroll_investigation.commands.reports import replay_suite, report, suites

__all__ = ["investigation"]


@click.group(name="investigation")
def investigation() -> None:
    """Bring failures in, look at what is known, report and replay.

    Exit codes: 0 done, 1 nothing to do or something wrong, 2 called wrongly.
    """


for command in (from_junit, rcas, replay_suite, report, scenarios, suites, symptoms):
    investigation.add_command(command)
