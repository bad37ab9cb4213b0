"""`toolroll codegraph query`, `impact`, `export`: questions to the graph."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import toolroll
from toolroll_codegraph.commands.group import (
    as_json_option,
    commands,
    print_json,
    project_option,
    project_root,
    refusals,
)
from toolroll_codegraph.languages.registry import language_of

if TYPE_CHECKING:
    from toolroll_codegraph.queries.changes import Change
    from toolroll_codegraph.queries.impact import Impact
    from toolroll_codegraph.results import CallRecord

__all__: list[str] = []

_FORMATS: Final = ("json", "graphml", "mermaid")
_AT_LINE: Final = re.compile(r"[^:]:[0-9]+\Z")


@commands.command()
@click.argument("name")
@project_option
@click.option("--depth", default=1, show_default=True, type=click.IntRange(min=1, max=20))
@as_json_option
@click.pass_obj
def query(
    ctx: toolroll.PackContext, name: str, project: str | None, depth: int, as_json: bool
) -> None:
    """Show the callers and callees of a function."""
    from toolroll_codegraph import service

    root = project_root(ctx, project)
    with refusals(project):
        try:
            answer = service.function_context(
                ctx, root, name, callers=True, callees=True, depth=depth
            )
        except toolroll.ToolError as error:
            if error.code != "function_not_found":
                raise
            raise click.ClickException(f"{error}: {name}; {_similar(ctx, root, name)}") from None
    if as_json:
        click.echo(answer.model_dump_json(indent=1))
        return
    context = answer.context
    function = context.function
    click.echo(f"{function.name}  {function.file}:{function.start_line}")
    _list("called by", context.callers)
    _list("calls", context.callees)
    if context.matches:
        click.echo(f"also named so: {len(context.matches)}")
        for other in context.matches:
            click.echo(f"  {other.name}  {other.file}:{other.start_line}")
    if context.truncated:
        click.echo("More call or are called than are listed; a smaller --depth lists the nearest.")
    if context.stale:
        click.echo(f"changed since they were indexed: {', '.join(context.stale_files)}")
        click.echo("Their lines may have moved; run: toolroll codegraph index")


def _similar(ctx: toolroll.PackContext, root: Path, name: str) -> str:
    """What a name that is not in the graph may have meant."""
    from toolroll_codegraph import service
    from toolroll_codegraph.queries.names import similar_names

    if _AT_LINE.search(name):
        return "no function is on that line of an indexed file"
    with service.reading(ctx, root) as (session, stored):
        similar = similar_names(session, stored.id, name)
    if not similar:
        return "no name in this project is like it"
    return f"did you mean {', '.join(similar)}?"


def _list(title: str, records: Sequence[CallRecord]) -> None:
    click.echo(f"{title}: {len(records)}")
    for record in records:
        mark = "" if record.confidence == "high" else f"  ({record.confidence} confidence)"
        indent = "  " * record.depth
        click.echo(f"{indent}{record.name}  {record.file}:{record.line}{mark}")


@commands.command()
@click.argument("files", nargs=-1)
@click.option("--diff", "revision", metavar="REVISION", help="What differs from a git revision.")
@project_option
@click.option("--depth", default=10, show_default=True, type=click.IntRange(min=1, max=20))
@as_json_option
@click.pass_obj
def impact(
    ctx: toolroll.PackContext,
    files: Sequence[str],
    revision: str | None,
    project: str | None,
    depth: int,
    as_json: bool,
) -> None:
    """Show what a change may affect, and which tests to run.

    The change is FILES (a directory means those in it), or what differs from a git revision.
    """
    from toolroll_codegraph.queries.changes import WHOLE, changed_lines

    if not files and revision is None:
        raise click.UsageError("name the changed files, or --diff REVISION")
    root = project_root(ctx, project)
    inside = toolroll.ProjectRoot(root)
    with refusals(project):
        try:
            changes = {} if revision is None else changed_lines(root, revision)
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        paths = [inside.relative(_from_here(root, file), allow_root=True) for file in files]
        named = {"" if path == "." else path: WHOLE for path in paths}
        found = _impact(ctx, root, {**changes, **named}, depth)
    unknown = [path for path in found.unknown if path in named or language_of(Path(path).name)]
    if as_json:
        print_json(
            {
                "changed": [_node(row) for row in found.changed],
                "affected": [{**_node(row), "depth": away} for row, away in found.affected],
                "tests": list(found.tests),
                "imported_by": list(found.imported_by),
                "truncated": found.truncated,
                "not_indexed": unknown,
                "stale": list(found.stale),
            }
        )
        return
    click.echo(f"changed: {len(found.changed)}")
    for row in found.changed:
        click.echo(f"  {row.qualified_name}  {row.path}:{row.start_line}")
    click.echo(f"affected: {len(found.affected)}{' or more' if found.truncated else ''}")
    for row, away in found.affected:
        click.echo(f"  {away}  {row.qualified_name}  {row.path}:{row.start_line}")
    click.echo(f"tests to run: {len(found.tests)}")
    for path in found.tests:
        click.echo(f"  {path}")
    if found.imported_by:
        click.echo(f"import what changed outside of functions: {len(found.imported_by)}")
        for path in found.imported_by:
            click.echo(f"  {path}")
    if unknown:
        click.echo(f"not in the index: {', '.join(unknown)}")
    if found.stale:
        click.echo(f"changed since they were indexed: {', '.join(found.stale)}")
        click.echo("What is new in them is not known yet; run: toolroll codegraph index")


def _impact(
    ctx: toolroll.PackContext, root: Path, changes: Mapping[str, Change], depth: int
) -> Impact:
    """What changes may affect, of an index that can tell."""
    from toolroll_codegraph import service
    from toolroll_codegraph.queries.impact import impact as find

    with service.reading(ctx, root) as (session, project):
        found = find(session, project.id, root, changes, depth=depth)
    if not found.unclear:
        return found
    click.echo(f"indexing again: {', '.join(found.unclear)} changed", err=True)
    service.index_again(ctx, project)
    with service.reading(ctx, root) as (session, project):
        return find(session, project.id, root, changes, depth=depth)


def _from_here(root: Path, file: str) -> str:
    """A path as one writes it: from the current directory, or as answers name it, from the root."""
    here = Path.cwd() / file
    return str(here) if here.is_relative_to(root) and here.exists() else file


def _node(row: Any) -> dict[str, Any]:
    return {"name": row.qualified_name, "file": row.path, "line": row.start_line, "kind": row.kind}


@commands.command()
@project_option
@click.option("--format", "form", default="json", show_default=True, type=click.Choice(_FORMATS))
@click.option("--under", default="", metavar="PATH", help="Only files whose path starts so.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="By default stdout."
)
@click.pass_obj
def export(
    ctx: toolroll.PackContext, project: str | None, form: str, under: str, output: Path | None
) -> None:
    """Export the graph as JSON, GraphML or Mermaid."""
    from toolroll_codegraph import service
    from toolroll_codegraph.queries import export as exporting

    root = project_root(ctx, project)
    with refusals(project), service.reading(ctx, root) as (session, stored):
        under = under.removeprefix("./")
        if under and not exporting.below(session, stored.id, under):
            raise click.ClickException(f"no indexed file's path starts with {under}")
        text = exporting.export(session, stored.id, form, prefix=under)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
