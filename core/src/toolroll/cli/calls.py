"""`toolroll calls`: the call log, with filters."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from attrs import asdict

from toolroll.cli.options import json_option, open_runtime, place_options
from toolroll.cli.output import print_json, print_table
from toolroll.errors import SettingsError

__all__ = ["calls"]

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@click.command()
@click.option("--tool", help="Only calls of this tool.")
@click.option("--tenant", help="Only calls of the tenant that begins with these digits.")
@click.option("--outcome", type=click.Choice(["ok", "error", "cancelled"]), help="Only these.")
@click.option("--code", help="Only calls that failed with this code.")
@click.option("--since", help="30s, 15m, 2h, 7d, or a time such as 2026-02-21T08:00.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@place_options
@json_option
def calls(
    tool: str | None,
    tenant: str | None,
    outcome: str | None,
    code: str | None,
    since: str | None,
    limit: int,
    roots: tuple[Path, ...],
    data_dir: Path | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Show calls, newest first; needs `table = true` in `[audit]`."""
    from toolroll.calls.table import CallFilter

    overrides = {"packs": {"allow": ()}}
    with open_runtime(roots, data_dir, config, overrides) as runtime:
        if runtime.calls is None:
            raise SettingsError("calls are not kept in a table; set table = true in [audit]")
        found = runtime.calls.find(
            CallFilter(
                tool=tool,
                tenant=tenant,
                outcome=outcome,
                code=code,
                since=_moment(since, datetime.now(UTC)) if since else None,
                limit=limit,
            )
        )
    if as_json:
        print_json([asdict(record) for record in found])
        return
    print_table(
        ("time", "tool", "tenant", "ms", "outcome", "code", "call"),
        [
            (r.time, r.tool, r.tenant, f"{r.duration_ms:.1f}", r.outcome, r.code or "-", r.call_id)
            for r in found
        ],
    )


def _moment(text: str, now: datetime) -> datetime:
    """Return the moment that a span before now, or an ISO time, names."""
    try:
        if found := re.fullmatch(r"(\d+)([smhd])", text):
            return now - timedelta(**{_UNITS[found[2]]: int(found[1])})
        moment = datetime.fromisoformat(text)
    except (OverflowError, ValueError):
        raise click.BadParameter(f"{text!r} is neither a span like 2h nor an ISO time") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
