"""The commands: `toolroll conform PACK` and `toolroll-conformance`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from toolroll_conformance.case_files import CaseFileError
from toolroll_conformance.check import Check, Result, Status, perform
from toolroll_conformance.legs.base import Leg
from toolroll_conformance.legs.memory import MemoryLeg
from toolroll_conformance.plan import plan
from toolroll_conformance.report import Report
from toolroll_conformance.target import Target, TargetError

__all__ = ["conform", "main"]


@click.command()
@click.argument("pack")
@click.option("--only", metavar="TEXT", help="Make only checks whose id holds this text.")
@click.option(
    "--cases",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Case directory; by default the one in the pack.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write a JSON report.")
def conform(pack: str, only: str | None, cases: Path | None, json_file: Path | None) -> None:
    """Hold an installed pack to its contract and its cases.

    Exit 0 if every check passes, 1 if one fails, 2 if there is nothing to check.
    """
    try:
        target = Target.installed(pack, cases)
    except (TargetError, CaseFileError) as error:
        raise click.UsageError(str(error)) from None
    assert target.source is not None
    legs: list[Leg] = [MemoryLeg(target.source)]
    report = _run(target, legs, only)
    if json_file is not None:
        json_file.write_text(report.dumps(), "utf-8")
    sys.exit(0 if report.ok else 1)


def _run(target: Target, legs: list[Leg], only: str | None) -> Report:
    checks = [check for check in plan(target, legs) if only is None or only in check.id]
    try:
        report = Report(target.name, list(_told(checks)))
    finally:
        for leg in legs:
            leg.close()
    for way, counts in report.by_way_in().items():
        click.echo(f"{way}: " + ", ".join(f"{n} {word}" for word, n in counts.items() if n))
    return report


def _told(checks: Iterable[Check]) -> Iterable[Result]:
    for check in checks:
        result = perform(check)
        if result.status is not Status.PASSED:
            click.echo(f"{result.status.value:<13} {result.id}  {result.title}")
            for line in result.detail.splitlines():
                click.echo(f"              {line}")
        yield result


def main() -> None:
    """Run `toolroll-conformance`."""
    conform()
