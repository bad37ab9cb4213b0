"""A bar on the terminal for commands that take long."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolroll.context import Progress

__all__ = ["progress_bar"]


@contextlib.contextmanager
def progress_bar(first: str) -> Generator[Progress | None]:
    """Show a bar on stderr while the block runs; None where stderr is no terminal.

    Args:
        first: What is being done until the first report.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description:40.40}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(first, total=None)

        def report(done: float, total: float | None, message: str | None) -> None:
            bar.update(task, completed=done, total=total, description=message)

        yield report
