"""What the commands share: an input file, `--json`, and a count as the answer."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import click

import toolroll
from toolroll_file_assoc.pack import WRITE_LOCK
from toolroll_file_assoc.settings import FileAssocSettings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

__all__ = ["INPUT_FILE", "prefix", "read_input", "show_count", "writing"]

INPUT_FILE: Final = click.Path(
    exists=True, dir_okay=False, readable=True, allow_dash=True, path_type=Path
)
PATIENCE: Final = 60.0
"""Seconds: as long as the import of a big log by somebody else may take."""


def read_input(file: Path) -> bytes:
    """Return what stands in a file; `-` is standard input."""
    if str(file) == "-":
        return sys.stdin.buffer.read()
    return file.read_bytes()


def prefix(ctx: toolroll.PackContext) -> str:
    """Return what new ids start with."""
    return cast("FileAssocSettings", ctx.settings).id_prefix


def writing(ctx: toolroll.PackContext) -> AbstractContextManager[Session]:
    """Begin a unit of work; a command waits longer for other writers than a tool may."""
    return ctx.database.begin(lock=WRITE_LOCK, timeout=PATIENCE)


def show_count(name: str, count: int, *, as_json: bool) -> None:
    """Print one number."""
    from toolroll import print_json

    if as_json:
        print_json({name: count})
    else:
        click.echo(f"{name.replace('_', ' ')}: {count}")
