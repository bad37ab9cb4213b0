"""Making the checks of a session, and telling on the terminal what comes of them."""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

import click
from hypothesis.configuration import set_hypothesis_home_dir

from toolroll_conformance.check import Result, Status
from toolroll_conformance.junit import junit_xml
from toolroll_conformance.report import Report
from toolroll_conformance.run import run_checks
from toolroll_conformance.session import Session

__all__ = ["run_told"]

_PASSING: Final = re.compile(r"\bcall [0-9a-f]{16}|/toolroll-\w+/")
"""What differs from check to check: the names of calls, and of throw-away directories."""


def run_told(
    session: Session,
    *,
    only: str | None,
    jobs: int,
    json_file: Path | None,
    junit_file: Path | None,
) -> Report:
    """Make the checks whose id holds `only`, tell of each failure at once, and write reports.

    Raises:
        click.UsageError: There is nothing to check.
    """
    target = session.target
    with tempfile.TemporaryDirectory() as directory:
        set_hypothesis_home_dir(directory)  # or it leaves one where the command was run
        from toolroll_conformance.plan import plan  # and that as soon as it is imported

        checks = [check for check in plan(session) if only is None or only in check.id]
        if not checks:
            raise click.UsageError(f"no check's id holds {only!r}" if only else "nothing to check")
        told: dict[str, str] = {}
        with _progress(len(checks)) as advance:

            def tell(result: Result) -> None:
                _tell(result, told)
                advance()

            report = run_checks(
                target.name, checks, known=target.known_failures, jobs=jobs, tell=tell
            )
    if json_file is not None:
        json_file.write_text(report.dumps(), "utf-8")
    if junit_file is not None:
        junit_file.write_text(junit_xml(report), "utf-8")
    _summarise(report)
    return report


@contextlib.contextmanager
def _progress(total: int) -> Generator[Callable[[], object]]:
    """Show a bar on a terminal: a whole run takes minutes."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)


def _tell(result: Result, told: dict[str, str]) -> None:
    """Print a failure; what has been `told` of another check already is not said again."""
    if result.status is Status.FAILED:
        source = f" ({result.source})" if result.source else ""
        click.echo(f"FAILED {result.id}  {result.title}{source}")
        first = told.setdefault(_PASSING.sub("…", result.detail), result.id)
        detail = result.detail if first == result.id else f"as {first}"
        for line in detail.splitlines():
            click.echo(f"    {line}")


def _summarise(report: Report) -> None:
    for way, counts in report.by_way_in().items():
        click.echo(f"{way}: {_counted(counts)}")
    for reason, count in report.skips().items():
        click.echo(f"skipped {count}: {reason}")
    click.echo(f"{report.subject}: {_counted(report.counts())}")


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in counts.items() if count)
