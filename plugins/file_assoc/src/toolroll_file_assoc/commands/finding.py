"""`finding`: triage by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

import click

import toolroll
from toolroll_file_assoc.commands.shared import show_count, writing
from toolroll_file_assoc.params import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["finding"]

SETTABLE: Final[tuple[Status, ...]] = ("open", "acknowledged", "fixed", "false_positive")
"""What a person may set; only a scan finds that something is `unseen_in_latest`."""


@click.group("finding")
def finding() -> None:
    """List findings, set their status, and end those that stay away."""


@finding.command("list")
@click.option("--path", help="Only in this file.")
@click.option("--status", type=click.Choice(get_args(Status)))
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@toolroll.json_option
@click.pass_obj
def list_findings(
    ctx: toolroll.PackContext, path: str | None, status: str | None, limit: int, as_json: bool
) -> None:
    """List findings by file and line."""
    from toolroll import print_json, print_table
    from toolroll_file_assoc import triage

    place = ctx.root.canonical(path) if path is not None else None
    with ctx.database.read() as session:
        found = triage.list_findings(session, path=place, status=status, limit=limit)
    if as_json:
        print_json([{"path": where, **record.model_dump()} for where, record in found])
        return
    columns = ("id", "severity", "status", "scan_source", "rule_id", "line_start", "message")
    rows = [[where, *(getattr(record, name) or "" for name in columns)] for where, record in found]
    print_table(("path", *columns), rows)


@finding.command("set-status")
@click.argument("status", type=click.Choice(SETTABLE))
@click.argument("finding_ids", metavar="FINDING_ID…", nargs=-1, required=True)
@toolroll.json_option
@click.pass_obj
def set_status(
    ctx: toolroll.PackContext, status: str, finding_ids: Sequence[str], as_json: bool
) -> None:
    """Set the status of findings: all, or none if one is unknown."""
    from toolroll_file_assoc import triage

    with writing(ctx) as session:
        changed = triage.set_status(session, finding_ids, status)
    show_count("findings_changed", changed, as_json=as_json)


@finding.command("clean-stale")
@click.option("--days", type=click.IntRange(0, 36_500), default=30, show_default=True)
@toolroll.json_option
@click.pass_obj
def clean_stale(ctx: toolroll.PackContext, days: int, as_json: bool) -> None:
    """Call findings fixed that no scan has seen for so many days.

    Only those with the status unseen_in_latest.
    """
    from toolroll_file_assoc import triage

    with writing(ctx) as session:
        fixed = triage.clean_stale(session, days=days)
    show_count("findings_fixed", fixed, as_json=as_json)
