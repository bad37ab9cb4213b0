"""Carrying files between a directory on disk and a project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from attrs import asdict, field, mutable
from sqlalchemy import bindparam, select

import toolroll
from toolroll_fileio.content import WriteMode
from toolroll_fileio.mutation import mutate
from toolroll_fileio.names import ROOT, Space, Span, check_path
from toolroll_fileio.store import IN_SPACE, Files
from toolroll_fileio.tables import active, files
from toolroll_fileio.writing import Write, write

if TYPE_CHECKING:
    from toolroll_fileio.settings import FileioSettings

__all__ = ["Carried", "carry_in", "carry_out"]

_CONTENT = select(files.c.content).where(IN_SPACE, active, files.c.path == bindparam("path"))


@mutable
class Carried:
    """What was carried, and what was left out and why."""

    files: int = 0
    bytes: int = 0
    left_out: dict[str, str] = field(factory=dict[str, str])

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return asdict(self)


def carry_in(context: toolroll.PackContext, space: Space, directory: Path, into: str) -> Carried:
    """Write the regular files below a directory into a project, one unit of work each.

    The host's own data, among them keys and the audit log, are no files of any project, and what
    `.git` holds is none that anybody wrote.
    """
    settings = cast("FileioSettings", context.settings)
    carried = Carried()
    own = context.data_dir.parent.resolve()
    for file, closed in _regular(directory, own):
        name = file.relative_to(directory).as_posix()
        if closed:
            carried.left_out[name] = closed
            continue
        try:
            data = file.read_bytes()
            data.decode()
            path = check_path(f"{into}/{name}", name, root=False)
            if len(data) > settings.max_file_bytes:
                carried.left_out[name] = f"larger than {settings.max_file_bytes} bytes"
                continue
            with mutate(context, space) as change:
                write(change, Write(path, data, 0, WriteMode.TRUNCATE), settings)
        except UnicodeDecodeError:
            carried.left_out[name] = "not UTF-8"
        except OSError as error:
            carried.left_out[name] = error.strerror or type(error).__name__
        except toolroll.ToolError as error:
            carried.left_out[name] = error.message
        else:
            carried.files += 1
            carried.bytes += len(data)
    return carried


def carry_out(context: toolroll.PackContext, space: Space, directory: Path) -> Carried:
    """Write every file of a project below a directory.

    Raises:
        ClickException: The directory isn't empty.
    """
    if directory.exists() and any(directory.iterdir()):
        raise click.ClickException(f"{directory} is not empty; name a new directory")
    carried = Carried()
    with context.database.reading() as connection:
        found = Files(connection, space)
        for path in found.paths(Span.below(ROOT)):
            data = found.connection.execute(_CONTENT, {**found.bound, "path": path}).scalar_one()
            target = directory / path[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            carried.files += 1
            carried.bytes += len(data)
    return carried


def _regular(directory: Path, without: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files below a directory in order, one left out; links are not followed.

    With each goes "", or, with a directory that may not be read, why.
    """
    if directory.resolve() == without or directory.name == ".git":
        return
    try:
        listed = sorted(directory.iterdir())
    except OSError as error:
        yield directory, error.strerror or type(error).__name__
        return
    for path in listed:
        if path.is_symlink():
            continue
        if path.is_dir():
            yield from _regular(path, without)
        elif path.is_file():
            yield path, ""
