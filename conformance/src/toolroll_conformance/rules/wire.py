"""Rules about the protocol: the listing, unknown tools, many callers at once, cancelling."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from toolroll.contract import Annotations, ToolContract
from toolroll.schema import advertised
from toolroll_conformance.inspection import RuleBroken
from toolroll_conformance.legs.base import Connection
from toolroll_conformance.legs.stdio import StdioConnection
from toolroll_conformance.listing import EndlessListing, all_pages
from toolroll_conformance.reply import NoReply, ProtocolError, ServerGone, same_json
from toolroll_conformance.rules.answers import Answers
from toolroll_conformance.rules.rule import ANYWHERE, README, Probe, Rule, call
from toolroll_conformance.seeds import richest_case

__all__ = ["RULES"]

INVALID_PARAMS: Final = -32602
CALLERS: Final = 16


def listing(probe: Probe, subject: str) -> None:
    """The live listing is the contract's: names, order, texts, schemas, annotations, every time."""
    with probe.server() as (_, connection):
        listed = _listed(probe, connection)
        promised = [tool.name for tool in probe.contract.tools]
        names = [tool.get("name") for tool in listed]
        if names != promised:
            raise probe.broken(f"lists {names}, the contract {promised}")
        for tool, shown in zip(probe.contract.tools, listed, strict=True):
            for key, values in _shown(tool).items():
                if not any(same_json(shown.get(key), value) for value in values):
                    raise probe.broken(
                        f"{tool.name}: {key} differs from the contract: {shown.get(key)}"
                    )
            hints = Annotations.from_json(shown.get("annotations") or {}).to_json()
            for key, value in tool.annotations.to_json().items():
                if hints[key] is not value:
                    raise probe.broken(f"{tool.name}: {key} is {hints[key]}, not {value}")
        if not same_json(_listed(probe, connection), listed):
            raise probe.broken("a second listing differs from the first")


def _shown(tool: ToolContract) -> dict[str, list[Any]]:
    """Return what may be listed; an output schema whole, or as Toolroll advertises it.

    What is empty in the contract may be left out.
    """
    whole = tool.to_json()
    listed = {key: [whole[key]] for key in ("description", "inputSchema", "title")}
    listed["outputSchema"] = [tool.output_schema, advertised(tool.output_schema)]
    return {key: [*values, None] if not values[0] else values for key, values in listed.items()}


def _listed(probe: Probe, connection: Connection) -> list[dict[str, Any]]:
    try:
        return all_pages(connection)
    except EndlessListing as error:
        raise probe.broken(str(error)) from None


def unknown_cursor(probe: Probe, subject: str) -> None:
    """A cursor that the server never gave out is refused."""
    with probe.server() as (_, connection):
        try:
            connection.list_tools("no such cursor")
        except ProtocolError as error:
            if error.code == INVALID_PARAMS:
                return
            raise probe.broken(f"an unknown cursor gets {error}, not {INVALID_PARAMS}") from None
        raise probe.broken(
            f"the cursor 'no such cursor' gets a listing, not JSON-RPC error {INVALID_PARAMS}, as "
            "MCP wants of servers that don't know one; a caller whose cursor has expired would not "
            "notice"
        )


def unknown_tool(probe: Probe, subject: str) -> None:
    """A tool that isn't listed gets a protocol error."""
    with probe.server() as (_, connection):
        listed = [f"{tool.name}_" for tool in probe.contract.tools[:1]]
        for name in ("no_such_tool", "", "../etc", *listed):
            try:
                reply = call(connection, name, {})
            except ProtocolError as error:
                if error.code != INVALID_PARAMS:
                    raise probe.broken(f"{name!r} gets {error}, not {INVALID_PARAMS}") from None
            except (NoReply, ServerGone) as error:
                raise probe.broken(f"{name!r}: {error}") from None
            else:
                raise probe.broken(
                    f"the unlisted tool {name!r} gets a result, not JSON-RPC error "
                    f"{INVALID_PARAMS}, by which MCP has clients tell a tool that is gone from one "
                    f"that failed; it was the {reply.brief()}"
                )


def concurrency(probe: Probe, subject: str) -> None:
    """Sixteen callers at once get the answers that one gets alone."""
    found = richest_case(probe.session.target, probe.leg)
    if found is None:
        return
    case, steps = found
    with probe.replayed(case, steps) as (run, connection):
        alone = Answers.take(probe, run, connection)
        rounds = -(-CALLERS // max(len(alone.steps), 1))
        pending = [
            [connection.begin(step.call, step.args) for step in alone.steps] for _ in range(rounds)
        ]
        try:
            replies = [[item.result() for item in together] for together in pending]
        except (NoReply, ServerGone, ProtocolError) as error:
            raise probe.broken(f"with {CALLERS} callers at once: {error}") from None
        for together in replies:
            alone.check(probe, run, together, f"with {CALLERS} callers at once")


def cancel(probe: Probe, subject: str) -> None:
    """After cancelled calls the server answers as before."""
    found = richest_case(probe.session.target, probe.leg)
    if found is None:
        return
    case, steps = found
    with probe.replayed(case, steps) as (run, connection):
        before = Answers.take(probe, run, connection)
        for step in before.steps:
            connection.begin(step.call, step.args).cancel()
        try:
            connection.list_tools()
        except (NoReply, ServerGone, ProtocolError) as error:
            raise probe.broken(f"no listing after cancelled calls: {error}") from None
        before.check(probe, run, before.again(probe, run, connection), "after cancelled calls")


def stray_output(probe: Probe, subject: str) -> None:
    """Nothing but protocol messages is on standard output: of a start at least, without cases.

    One server imports everything itself: what a library writes then, past Python, counts too.
    """
    found = richest_case(probe.session.target, probe.leg)
    with probe.replayed(*found) if found else probe.server() as (_, connection):
        strays = _strays(connection)
    if (cold := probe.cold()) is not probe:
        # where it does not start at all, other rules tell
        with suppress(RuleBroken, NoReply, ServerGone), cold.server() as (_, connection):
            strays += _strays(connection)
    if strays:
        raise probe.broken(
            f"standard output has lines that are no messages: {strays[:3]}; "
            "clients may end the connection: log to standard error"
        )


def _strays(connection: Connection) -> list[str]:
    assert isinstance(connection, StdioConnection)
    connection.list_tools()
    return connection.strays


WIRE: Final = frozenset({"stdio", "http"})

RULES: Final = (
    Rule(
        "listing",
        "the live listing is the contract's",
        "contract.json",
        listing,
        legs=ANYWHERE,
    ),
    Rule(
        "unknown-cursor",
        "an unknown cursor is refused",
        "MCP, pagination, error handling",
        unknown_cursor,
        legs=WIRE,
    ),
    Rule(
        "unknown-tool",
        "an unlisted tool gets -32602",
        "MCP, tools, error handling",
        unknown_tool,
        legs=ANYWHERE,
    ),
    Rule(
        "concurrency",
        "many callers at once get the answers that one gets alone",
        README,
        concurrency,
        legs=ANYWHERE,
    ),
    Rule(
        "cancel",
        "cancelled calls leave the server well",
        "MCP, cancellation, behavior requirements",
        cancel,
        legs=WIRE,
    ),
    Rule(
        "stray-output",
        "print() does no harm",
        "MCP, transports, stdio",
        stray_output,
        legs=frozenset({"stdio"}),
    ),
)
