"""`toolroll codegraph impact`: what a change may affect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import toolroll
from toolroll_codegraph.commands.group import (
    commands,
    project_option,
    project_root,
    refusals,
)
from toolroll_codegraph.languages.registry import language_of

if TYPE_CHECKING:
    from toolroll_codegraph.queries.changes import Change
    from toolroll_codegraph.queries.impact import Impact

__all__: list[str] = []


@commands.command()
@click.argument("files", nargs=-1)
@click.option("--diff", "revision", metavar="REVISION", help="What differs from a git revision.")
@click.option("--staged", is_flag=True, help="What is staged for the next commit, and no more.")
@project_option
@click.option("--depth", default=10, show_default=True, type=click.IntRange(min=1, max=20))
@toolroll.json_option
@click.pass_obj
def impact(
    ctx: toolroll.PackContext,
    files: Sequence[str],
    revision: str | None,
    staged: bool,
    project: str | None,
    depth: int,
    as_json: bool,
) -> None:
    """Show what a change may affect, and which tests to run.

    The change is FILES (a directory means those in it), what differs from a git revision (staged
    changes and new files among it), or what is staged.
    """
    from toolroll_codegraph.queries.changes import WHOLE, changed_lines
    from toolroll_codegraph.service import is_kind

    if staged:
        revision = revision or "HEAD"
    if not files and revision is None:
        raise click.UsageError("name the changed files, --diff REVISION, or --staged")
    root = project_root(ctx, project)
    inside = toolroll.ProjectRoot(root)
    with refusals(project):
        try:
            changes = {} if revision is None else changed_lines(root, revision, staged=staged)
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        paths = [inside.relative(_from_here(root, file), allow_root=True) for file in files]
        named = {"" if path == "." else path: WHOLE for path in paths}
        found = _impact(ctx, root, {**changes, **named}, depth)
    unknown = [path for path in found.unknown if path in named or language_of(Path(path).name)]
    if as_json:
        toolroll.print_json(_values(found, unknown))
        return
    _show(found, unknown)
    if any(language_of(Path(path).name) and is_kind(Path.is_file, root / path) for path in unknown):
        click.echo("Whom they call is not known yet; run: toolroll codegraph index")


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


def _values(found: Impact, unknown: list[str]) -> dict[str, Any]:
    return {
        "changed": [_node(row) for row in found.changed],
        "affected": [{**_node(row), "depth": away} for row, away in found.affected],
        "tests": list(found.tests),
        "imported_by": list(found.imported_by),
        "truncated": found.truncated,
        "not_indexed": unknown,
        "stale": list(found.stale),
    }


def _node(row: Any) -> dict[str, Any]:
    return {"name": row.qualified_name, "file": row.path, "line": row.start_line, "kind": row.kind}


def _show(found: Impact, unknown: list[str]) -> None:
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
