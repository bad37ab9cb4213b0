"""`toolroll codegraph index`, `watch`, `projects`, `forget`: what is indexed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

import toolroll
from toolroll.counting import counted
from toolroll.progress_bar import progress_bar
from toolroll_codegraph.commands.group import (
    around,
    commands,
    project_option,
    project_root,
    refusals,
)
from toolroll_codegraph.languages.registry import LANGUAGES

if TYPE_CHECKING:
    from toolroll_codegraph.results import Indexed

__all__: list[str] = []

_MOST_NAMED: Final = 5


@commands.command()
@click.argument("directory", required=False)
@click.option(
    "--language", "-l", "languages", multiple=True, type=click.Choice(LANGUAGES),
    help="Repeatable; by default all four.",
)  # fmt: skip
@click.option("--tests/--no-tests", "include_tests", default=True, help="Index test files too.")
@toolroll.json_option
@click.pass_obj
def index(
    ctx: toolroll.PackContext,
    directory: str | None,
    languages: Sequence[str],
    include_tests: bool,
    as_json: bool,
) -> None:
    """Index a project, or bring its index up to date."""
    from toolroll_codegraph import service

    root = project_root(ctx, directory)
    with refusals(directory), progress_bar("looking at the files") as bar:
        answer = service.index(
            ctx, root, languages or LANGUAGES, include_tests=include_tests, progress=bar
        )
    if as_json:
        click.echo(answer.model_dump_json(indent=1))
        return
    stats = answer.stats
    click.echo(
        f"{counted(stats.files_indexed, 'file')}, {counted(stats.functions_indexed, 'function')}, "
        f"{counted(stats.classes_indexed, 'class', 'classes')}, "
        f"{counted(stats.calls_indexed, 'call')}, "
        f"{counted(stats.imports_indexed, 'import')} in {stats.duration_ms} ms"
    )
    click.echo(
        f"{stats.files_changed} changed, {stats.files_removed} removed, "
        f"{stats.files_skipped} left out, {stats.parse_errors} with syntax errors"
    )
    if stats.files_not_read:
        kinds = (f"{count} {kind}" for kind, count in stats.files_not_read.items())
        click.echo(f"files that are not read, nor whom they call: {', '.join(kinds)}")
    if stats.directories_left_out:
        click.echo(f"directories taken for output: {', '.join(stats.directories_left_out)}")


@commands.command()
@click.argument("directory", required=False)
@toolroll.json_option
@click.pass_obj
def watch(ctx: toolroll.PackContext, directory: str | None, as_json: bool) -> None:
    """Index a project now and whenever its files change, until interrupted.

    A project that is indexed already keeps its languages, with tests or without; of a new one all
    is indexed. A host does the same for every project with `watch = true` in its settings.
    """
    from toolroll_codegraph import service
    from toolroll_codegraph.reconciling import Reconciler
    from toolroll_codegraph.watching import Watcher

    root = project_root(ctx, directory)
    if str(root) not in {known.path for known in service.projects(ctx)}:
        with refusals(directory), progress_bar("looking at the files") as bar:
            service.index(ctx, root, LANGUAGES, include_tests=True, progress=bar)
    reconciler = Reconciler(root, _report_exact_json if as_json else _report_exact)
    watcher = Watcher(root, _report_json if as_json else _report, reconciler)
    with contextlib.suppress(KeyboardInterrupt):
        while watcher.step(ctx):
            reconciler.step(ctx)
        raise click.ClickException(f"no project is at {root} any more")


def _report(answer: Indexed, paths: Sequence[str]) -> None:
    stats = answer.stats
    if not paths:
        click.echo(f"watching {counted(stats.files_indexed, 'file')}; Ctrl-C ends it")
    elif stats.files_changed or stats.files_removed:
        more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
        click.echo(
            f"{datetime.now():%H:%M:%S}  {stats.files_changed} changed, {stats.files_removed} "
            f"removed in {stats.duration_ms} ms: {', '.join(paths[:_MOST_NAMED])}{more}"
        )


def _report_exact() -> None:
    click.echo(f"{datetime.now():%H:%M:%S}  all calls are resolved again")


def _report_exact_json() -> None:
    click.echo(json.dumps({"provisional": False}))


def _report_json(answer: Indexed, paths: Sequence[str]) -> None:
    line = {
        "paths": list(paths),
        "provisional": answer.provisional,
        "stats": answer.stats.model_dump(),
    }
    click.echo(json.dumps(line, ensure_ascii=False))


@commands.command()
@toolroll.json_option
@click.pass_obj
def projects(ctx: toolroll.PackContext, as_json: bool) -> None:
    """List the indexed projects."""
    from toolroll_codegraph import service

    found = service.projects(ctx)
    if as_json:
        toolroll.print_json(
            [
                {
                    "path": item.path,
                    "languages": item.languages,
                    "stats": item.stats,
                    "gone": not Path(item.path).is_dir(),
                }
                for item in found
            ]
        )
        return
    for item in found:
        count = counted(item.stats.get("functions_indexed", 0), "function")
        gone = "" if Path(item.path).is_dir() else "  (directory gone: `forget --project` it)"
        click.echo(f"{item.path}  {', '.join(item.languages)}  {count}{gone}")


@commands.command()
@project_option
@click.pass_obj
def forget(ctx: toolroll.PackContext, project: str | None) -> None:
    """Remove a project from the index; its files are not touched."""
    from toolroll_codegraph import service

    path = str(around(ctx) if project is None else Path(project).resolve())
    with refusals(project):
        known = service.forget(ctx, path)
    ctx.database.compact()
    click.echo(f"forgotten: {path}" if known else f"not indexed: {path}")
