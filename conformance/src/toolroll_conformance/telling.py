"""What a run prints: how far it is, each failure, and the counts at its end."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Generator
from typing import Final

import click

from toolroll_conformance.check import Result, Status
from toolroll_conformance.report import Report

__all__ = ["progress", "summarise", "tell"]

_PASSING: Final = re.compile(r"\bcall [0-9a-f]{16}|/toolroll-\w+/")
"""What differs from check to check: the names of calls, and of throw-away directories."""


@contextlib.contextmanager
def progress(total: int) -> Generator[Callable[[], object]]:
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


def tell(result: Result, told: dict[str, str]) -> None:
    """Print a failure; what has been `told` of another check already is not said again."""
    if result.status is Status.FAILED:
        click.echo(f"FAILED {result.id}  {result.title}")
        first = told.setdefault(_PASSING.sub("…", result.detail), result.id)
        detail = result.detail if first == result.id else f"as {first}"
        for line in detail.splitlines():
            click.echo(f"    {line}")


def summarise(report: Report) -> None:
    """Print the counts of a run: by way in, what was left out and why, and all together."""
    for way, counts in report.by_way_in().items():
        click.echo(f"{way}: {_counted(counts)}")
    for reason, count in report.skips().items():
        click.echo(f"skipped {count}: {reason}")
    click.echo(f"{report.subject}: {_counted(report.counts())}")


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in counts.items() if count)
