"""The SDK's own client against a server started cold: what a real user's first call meets.

This is the one place of the suite that imports `mcp`: everywhere else the wire is written by hand,
so that what is sent and what comes back is exact.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final, cast

import anyio

from toolroll_conformance.case import CallStep
from toolroll_conformance.legs.dialect import HANDSHAKE_ERA
from toolroll_conformance.reply import Reply
from toolroll_conformance.rules.answers import reading_steps
from toolroll_conformance.rules.rule import README, Probe, Rule
from toolroll_conformance.seeds import richest_case

if TYPE_CHECKING:
    from mcp import StdioServerParameters

__all__ = ["RULES"]

TIMEOUT: Final = 120.0
"""Seconds for start, listing and all calls together."""


def sdk_client(probe: Probe, subject: str) -> None:
    """The SDK's client lists the tools and gets sound answers to a case's reading calls."""
    found = richest_case(probe.session.target, probe.leg)
    if found is None:
        return
    from mcp import StdioServerParameters  # more than a second of CPU: only where it is used

    case, steps = found
    with probe.replayed(case, steps) as (run, _):
        reading = reading_steps(run)
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "toolroll", "serve", "--strict", "--config", str(run.workspace.config)],
            env={**os.environ, **probe.session.environment},
            cwd=run.workspace.root,
        )
        try:
            replies = anyio.run(_visit, probe, command, reading)
        except* Exception as group:  # whatever the SDK raises, its groups included, is a finding
            reasons = "; ".join(f"{type(e).__name__}: {e}" for e in _leaves(group))
            raise probe.broken(f"the SDK's client fails: {reasons}") from None
        for step, reply in zip(reading, replies, strict=True):
            run.inspector.check(step.call, reply, step.args)


async def _visit(
    probe: Probe, command: StdioServerParameters, reading: list[CallStep]
) -> list[Reply]:
    from mcp import Client

    mode = "legacy" if probe.leg.era == HANDSHAKE_ERA else probe.leg.era
    with anyio.fail_after(TIMEOUT):
        async with Client(command, mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            if names != [tool.name for tool in probe.contract.tools]:
                raise ValueError(f"it lists {names}")
            return [_reply(await client.call_tool(step.call, step.args)) for step in reading]


def _reply(result: Any) -> Reply:
    texts = [block.text for block in result.content if block.type == "text"]
    return Reply("\n".join(texts), result.structured_content, result.is_error is True)


def _leaves(group: BaseException) -> list[BaseException]:
    if isinstance(group, BaseExceptionGroup):
        inner = cast("BaseExceptionGroup[BaseException]", group).exceptions
        return [leaf for item in inner for leaf in _leaves(item)]
    return [group]


RULES: Final = (
    Rule(
        "sdk-client",
        "the SDK's own client is served by a cold start",
        README,
        sdk_client,
        legs=frozenset({"stdio"}),
        needs=frozenset({"commands"}),
    ),
)
