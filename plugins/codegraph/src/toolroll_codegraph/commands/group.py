"""What the commands share: their group, their options, and how they refuse."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

import toolroll

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["as_json_option", "commands", "print_json", "project_option", "project_root", "refusals"]

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
project_option = click.option(
    "--project", "-p", default=None, metavar="DIRECTORY", help="By default the project root."
)


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
            root = str(click.get_current_context().obj.root.path)
            elsewhere = () if project or root == str(Path.cwd()) else ("--root", root)
            command = [
                "toolroll",
                "codegraph",
                *elsewhere,
                "index",
                *([project] if project else ()),
            ]
            raise click.ClickException(f"not indexed yet; run: {shlex.join(command)}") from None
        raise click.ClickException(str(error)) from None


def project_root(ctx: toolroll.PackContext, project: str | None) -> Path:
    from toolroll_codegraph.service import project_directory

    text = str(ctx.root.path) if project is None else str(Path(project).absolute())
    with refusals(project):
        try:
            return project_directory(ctx, text)
        except toolroll.InvalidPath:  # an absolute path that the system gave can only lie elsewhere
            command = f"--root {shlex.quote(text)} {click.get_current_context().info_name}"
            raise click.ClickException(
                f"{text} is outside of the project root; run: toolroll codegraph {command}"
            ) from None


def print_json(value: object) -> None:
    import json

    click.echo(json.dumps(value, indent=1, ensure_ascii=False))
