"""What commands print: tables for people (rich on a terminal, plain lines otherwise), or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

__all__ = ["print_json", "print_table"]


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
