"""What commands print: tables for people (rich on a terminal, plain lines otherwise), or JSON.

And what nothing but they may print there: a protocol, or somebody's JSON, is on the same stream.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import click

__all__ = ["off_standard_output", "print_json", "print_table"]


@contextmanager
def off_standard_output() -> Generator[None]:
    """Send to standard error what anybody writes to descriptor 1, C libraries and children too.

    For the loading of packs: there `redirect_stdout` keeps off only what Python itself prints.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def print_json(value: Any) -> None:
    """Print a JSON value, readable and stable."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], title: str = "") -> None:
    """Print rows under their columns; tab-separated where output is no terminal."""
    if not sys.stdout.isatty():
        if title:
            click.echo(title)
        click.echo("\t".join(columns))
        for row in rows:
            click.echo("\t".join(str(cell) for cell in row))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*columns, title=title or None, title_justify="left")
    for row in rows:
        table.add_row(*(escape(str(cell)) for cell in row))
    Console().print(table)
