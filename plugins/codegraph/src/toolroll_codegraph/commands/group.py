"""What the commands share: their group, their options, and how they refuse."""

from __future__ import annotations

import contextlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

import toolroll

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = [
    "around",
    "commands",
    "project_option",
    "project_root",
    "refusals",
]

project_option = click.option(
    "--project", "-p", default=None, metavar="DIRECTORY",
    help="By default the project that the current directory is part of.",
)  # fmt: skip


@click.group("codegraph")
def commands() -> None:
    """Who calls whom: index projects, ask about functions and changes, export the graph."""


@contextlib.contextmanager
def refusals(project: str | None) -> Generator[None]:
    """Say in the words of the command line what went wrong."""
    try:
        yield
    except toolroll.ToolError as error:
        if error.code == "not_indexed":
            root = str(around(click.get_current_context().obj))
            elsewhere = () if project or root == str(Path.cwd()) else ("--root", root)
            command = _command(*elsewhere, "index", *([project] if project else ()))
            raise click.ClickException(f"not indexed yet; run: {command}") from None
        more = ""
        if error.code == "directory_not_found" and project:
            more = f": {project}"
        elif error.code == "no_code_files":
            more = "; files in other languages, or that git ignores, are not looked at"
        raise click.ClickException(f"{error}{more}") from None


def _command(*words: str) -> str:
    """A command of ours to run next, with the data and settings of the one that runs."""
    group = click.get_current_context().parent
    given = group.params if group is not None else {}
    options = {"--data-dir": given.get("data_dir"), "--config": given.get("config")}
    place = [word for name, value in options.items() if value for word in (name, str(value))]
    return shlex.join(["toolroll", "codegraph", *place, *words])


def around(ctx: toolroll.PackContext) -> Path:
    """The project that the current directory is part of.

    That is the nearest one that is indexed, and where none is, the directory itself. A root that
    was named, or that the directory is not below of, is the project, wherever one stands.
    """
    from toolroll_codegraph.service import projects

    root, here, group = ctx.root.path, Path.cwd(), click.get_current_context().parent
    if (group is not None and group.params.get("roots")) or not here.is_relative_to(root):
        return root
    known = {project.path for project in projects(ctx)}
    around = (place for place in (here, *here.parents) if place.is_relative_to(root))
    return next((place for place in around if str(place) in known), here)


def project_root(ctx: toolroll.PackContext, project: str | None) -> Path:
    """Return the directory of the project that an option names, or that one stands in."""
    from toolroll_codegraph.service import project_directory

    text = str(around(ctx) if project is None else Path(project).absolute())
    if project is None and Path(text) in Path.cwd().parents:
        click.echo(f"project: {text}", err=True)
    with refusals(project):
        try:
            return project_directory(ctx, text)
        except toolroll.InvalidPath:
            real = Path(os.path.realpath(text))
            if any(real.is_relative_to(allowed.path) for allowed in ctx.roots):
                raise  # its name is none that an answer could spell
            command = _command("--root", text, str(click.get_current_context().info_name))
            raise click.ClickException(
                f"{text} is outside of the project root; run: {command}"
            ) from None
