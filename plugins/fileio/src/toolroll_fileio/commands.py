"""`toolroll fileio …`: look at the index, purge, rebuild, and carry files in and out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import toolroll
from toolroll.context import LOCAL
from toolroll.counting import counted
from toolroll_fileio.names import Space, check_path, check_project

__all__ = ["fileio"]


@click.group()
def fileio() -> None:
    """Durable project files: state of the index, purging, import and export."""


@fileio.command()
@toolroll.json_option
@click.pass_obj
def status(context: toolroll.PackContext, as_json: bool) -> None:
    """Show how much is stored, what waits for the index, and how late it is.

    Exit code 1: the index is later than `index.slo_p95_seconds` allows.
    """
    from toolroll_fileio.monitoring import measure

    found = measure(context)
    if as_json:
        toolroll.print_json(found.as_dict())
    else:
        for name, value in found.as_dict().items():
            click.echo(f"{name.replace('_', ' '):24} {value}")
    if not found.within_slo:
        raise click.exceptions.Exit(1)


@fileio.command()
@click.option(
    "--status",
    "only",
    type=click.Choice(["pending", "processing", "done", "failed"]),
    help="Only jobs with this status.",
)
@toolroll.json_option
@click.pass_obj
def jobs(context: toolroll.PackContext, only: str | None, as_json: bool) -> None:
    """List the newest index jobs, at most 1000, with their status and number of retries."""
    from toolroll_fileio.monitoring import list_jobs

    _rows(list_jobs(context, only or ""), as_json)


@fileio.command()
@toolroll.json_option
@click.pass_obj
def chunks(context: toolroll.PackContext, as_json: bool) -> None:
    """List chunks by path, at most 1000: their byte ranges and when they were last served."""
    from toolroll_fileio.monitoring import list_chunks

    _rows(list_chunks(context), as_json)


@fileio.command()
@click.pass_obj
def purge(context: toolroll.PackContext) -> None:
    """Remove deleted files and finished jobs that are past their retention, now."""
    from toolroll_fileio.cleaning import clean

    while clean(context):
        pass
    click.echo("purged")


@fileio.command()
@click.pass_obj
def reindex(context: toolroll.PackContext) -> None:
    """Queue every file to be indexed anew; the running host does the work."""
    from toolroll_fileio.monitoring import queue_all

    with context.database.writing() as connection:
        queued = queue_all(connection)
    click.echo(f"queued {counted(queued, 'file')}")
    context.wake()


@fileio.command("import")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--project", required=True, help="Project to write into.")
@click.option("--into", default="", help="Directory in the project; by default its root.")
@toolroll.json_option
@click.pass_obj
def import_files(
    context: toolroll.PackContext, directory: Path, project: str, into: str, as_json: bool
) -> None:
    """Copy the text files below DIRECTORY into a project of the local tenant.

    Files that are not UTF-8, too large, or named with other characters than paths may hold, and
    directories that may not be read, are left out and named; the host's data directory and `.git`
    are never copied. A file that is there already is replaced.
    """
    from toolroll_fileio.carrying import carry_in

    found = carry_in(context, _space(project), directory, _checked(check_path, into, "--into"))
    _report(found.as_dict(), as_json)


@fileio.command("export")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--project", required=True, help="Project to read from.")
@toolroll.json_option
@click.pass_obj
def export_files(
    context: toolroll.PackContext, directory: Path, project: str, as_json: bool
) -> None:
    """Copy a project of the local tenant below DIRECTORY, which must be empty or new."""
    from toolroll_fileio.carrying import carry_out

    found = carry_out(context, _space(project), directory)
    if not found.files:
        raise click.ClickException(f"project {project!r} holds no files{_others(context)}")
    _report(found.as_dict(), as_json)


def _others(context: toolroll.PackContext) -> str:
    """Name the projects there are, for somebody who asked for another."""
    from toolroll_fileio.projects import list_projects

    with context.database.reading() as connection:
        found = list_projects(connection, LOCAL.tenant, 20, "")
    names = ", ".join(repr(item.project) for item in found.projects)
    return f"; those that do: {names}" if names else "; no project does"


def _space(project: str) -> Space:
    return Space(LOCAL.tenant, _checked(check_project, project))


def _checked(check: Callable[..., str], *text: str) -> str:
    try:
        return check(*text)
    except toolroll.ToolError as error:
        raise click.UsageError(error.message) from None


def _rows(found: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        toolroll.print_json(found)
        return
    for row in found:
        click.echo("  ".join(str(value) for value in row.values()))


def _report(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        toolroll.print_json(found)
        return
    click.echo(f"{counted(found['files'], 'file')}, {counted(found['bytes'], 'byte')}")
    for name, reason in found["left_out"].items():
        click.echo(f"left out {name}: {reason}")
