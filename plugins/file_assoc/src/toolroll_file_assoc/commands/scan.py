"""`import-sarif`: findings from the logs of scanners."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

import toolroll
from toolroll_file_assoc.commands.shared import INPUT_FILE, prefix, read_input, writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolroll_file_assoc.ingest import Counts
    from toolroll_file_assoc.sarif import Scan

__all__ = ["import_sarif"]


@click.command("import-sarif")
@click.argument("logs", metavar="FILE…", nargs=-1, required=True, type=INPUT_FILE)
@click.option("--source", help="Name the scanner, in place of the name in the log.")
@click.option(
    "--scanned-root",
    metavar="PATH",
    help="Where the project lay when it was scanned, if that was elsewhere: a path or file: URI.",
)
@click.option(
    "--mark-unseen",
    is_flag=True,
    help="Findings that the scans lack, in files they cover, become unseen_in_latest.",
)
@click.option(
    "--complete",
    is_flag=True,
    help="The scans covered the whole project: with --mark-unseen, unnamed files too.",
)
@toolroll.json_option
@click.pass_obj
def import_sarif(
    ctx: toolroll.PackContext,
    logs: Sequence[Path],
    source: str | None,
    scanned_root: str | None,
    mark_unseen: bool,
    complete: bool,
    as_json: bool,
) -> None:
    """Import SARIF 2.1.0 logs ("-" is standard input): all of them, or none if one is bad."""
    from toolroll_file_assoc import clock
    from toolroll_file_assoc.disk import Disk
    from toolroll_file_assoc.ingest import Counts, Ingest
    from toolroll_file_assoc.sarif import read_log

    if complete and not mark_unseen:
        raise click.UsageError("--complete only means something with --mark-unseen")
    scans: list[Scan] = []
    for log in logs:
        try:
            scans += read_log(read_input(log), ctx.root, source=source, scanned_root=scanned_root)
        except toolroll.InvalidArguments as error:
            raise toolroll.InvalidArguments(f"{log}: {error.message}; nothing imported") from None
    disk, counts = Disk(ctx.root), Counts()
    for scan in scans:
        for finding in scan.findings:
            disk.digest(finding.path)  # read files before the database is locked
    with writing(ctx) as session:
        ingest = Ingest(
            session=session,
            prefix=prefix(ctx),
            now=clock.next_of_all(session),
            disk=disk,
            mark_unseen=mark_unseen,
            complete=complete,
            counts=counts,
        )
        ingest.store(scans)
    _show_import(scans, counts, as_json=as_json)


def _show_import(scans: Sequence[Scan], counts: Counts, *, as_json: bool) -> None:
    from toolroll import print_json, print_table

    omitted: dict[str, int] = {}
    for scan in scans:
        for reason, count in attrs.asdict(scan.omitted).items():
            omitted[reason] = omitted.get(reason, 0) + count
    warnings = [f"{scan.source}: {text}" for scan in scans for text in scan.warnings]
    if as_json:
        sources = sorted({scan.source for scan in scans})
        left_out = {f"results_{reason}": count for reason, count in omitted.items()}
        done = attrs.asdict(counts)
        print_json({"scan_sources": sources, **done, **left_out, "warnings": warnings})
        return
    rows = [(name.replace("_", " "), count) for name, count in attrs.asdict(counts).items()]
    rows += [(f"results left out: {reason}", count) for reason, count in omitted.items()]
    print_table(("what", "count"), [row for row in rows if row[1]])
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    if omitted.get("outside"):
        click.echo(
            f"{omitted['outside']} results lie outside the project; if it was scanned elsewhere, "
            "say where it lay with --scanned-root",
            err=True,
        )
