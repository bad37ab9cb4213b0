"""What the commands share: an input file, `--json`, and a count as the answer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final, cast

import click

import toolroll
from toolroll_file_assoc.settings import FileAssocSettings

__all__ = ["INPUT_FILE", "as_json", "prefix", "read_input", "show_count"]

INPUT_FILE: Final = click.Path(
    exists=True, dir_okay=False, readable=True, allow_dash=True, path_type=Path
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def read_input(file: Path) -> bytes:
    """Return what stands in a file; `-` is standard input."""
    if str(file) == "-":
        return sys.stdin.buffer.read()
    return file.read_bytes()


def prefix(ctx: toolroll.PackContext) -> str:
    """Return what new ids start with."""
    return cast("FileAssocSettings", ctx.settings).id_prefix


def show_count(name: str, count: int, *, as_json: bool) -> None:
    """Print one number."""
    from toolroll.cli.output import print_json

    if as_json:
        print_json({name: count})
    else:
        click.echo(f"{name.replace('_', ' ')}: {count}")
