"""`toolroll codegraph query` and `export`: what the graph holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

import toolroll
from toolroll_codegraph.commands.group import (
    commands,
    project_option,
    project_root,
    refusals,
)

if TYPE_CHECKING:
    from toolroll_codegraph.results import CallRecord

__all__: list[str] = []

_FORMATS: Final = ("json", "graphml", "mermaid")
_MOST_LINES: Final = 5
_AT_LINE: Final = re.compile(r"[^:](?::[0-9]+){1,2}\Z")


@commands.command()
@click.argument("name")
@project_option
@click.option("--depth", default=1, show_default=True, type=click.IntRange(min=1, max=20))
@toolroll.json_option
@click.pass_obj
def query(
    ctx: toolroll.PackContext, name: str, project: str | None, depth: int, as_json: bool
) -> None:
    """Show the callers and callees of a function."""
    from toolroll_codegraph import answers

    root = project_root(ctx, project)
    with refusals(project):
        try:
            answer = answers.function_context(
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
    if context.references:
        click.echo(f"handed over by: {len(context.references)}")
        for other in context.references:
            lines = ", ".join(map(str, other.lines))
            click.echo(f"  {other.name}  {other.file}:{lines}")
    _list("calls", context.callees)
    inside = f"{function.name}." if function.kind == "class" else "\0"  # in no name
    methods = [other for other in context.matches if other.name.startswith(inside)]
    namesakes = [other for other in context.matches if not other.name.startswith(inside)]
    for title, others in (
        ("overrides", context.overrides),
        ("overridden by", context.overridden_by),
        ("methods", methods),
        ("also named so", namesakes),
    ):
        if others:
            click.echo(f"{title}: {len(others)}")
        for other in others:
            click.echo(f"  {other.name}  {other.file}:{other.start_line}")
    if context.matches_left_out:
        click.echo(f"{context.matches_left_out} more are named so, or methods of it")
    if context.truncated:
        click.echo("More call or are called than are listed; a smaller --depth lists the nearest.")
    if context.stale:
        click.echo(f"changed since they were indexed: {', '.join(context.stale_files)}")
        click.echo("Their lines may have moved; run: toolroll codegraph index")
    if context.provisional:
        click.echo("the last edits are still being resolved: calls around them may be incomplete")


def _similar(ctx: toolroll.PackContext, root: Path, name: str) -> str:
    """What a name that is not in the graph may have meant, and whether it may be new."""
    from toolroll_codegraph import service
    from toolroll_codegraph.queries.freshness import is_behind
    from toolroll_codegraph.queries.similar import similar_names

    with service.reading(ctx, root) as (session, stored):
        similar = [] if _AT_LINE.search(name) else similar_names(session, stored.id, name)
        behind = is_behind(session, stored)
    told = "no name in this project is like it"
    if _AT_LINE.search(name):
        told = "no function is on that line of an indexed file"
    elif similar:
        told = f"did you mean {', '.join(similar)}?"
    return f"{told}\nFiles changed since; run: toolroll codegraph index" if behind else told


def _list(title: str, records: Sequence[CallRecord]) -> None:
    click.echo(f"{title}: {len(records)}")
    for record in records:
        mark = "" if record.confidence == "high" else f"  ({record.confidence} confidence)"
        indent = "  " * record.depth
        click.echo(f"{indent}{record.name}  {record.file}:{record.line}{_places(record)}{mark}")


def _places(record: CallRecord) -> str:
    """The lines of the calls: who asks for callers goes there next."""
    more = ", …" if len(record.call_lines) > _MOST_LINES else ""
    return f"  at {', '.join(map(str, record.call_lines[:_MOST_LINES]))}{more}"


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
