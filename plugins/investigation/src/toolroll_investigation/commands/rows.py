"""Printing rows: as a table, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from toolroll import print_json, print_table
from toolroll_investigation.markdown import cut


def show_rows(rows: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    """Print rows that all have the same names; long texts are cut in tables only."""
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo("There are none.")
    else:
        columns = list(rows[0])
        print_table(columns, [[cut(str(row[name]), 80) for name in columns] for row in rows])
