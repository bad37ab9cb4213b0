"""`toolroll codegraph …`: index, query, impact, export, projects, forget."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import toolroll
from toolroll_codegraph.languages.registry import LANGUAGES, language_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from toolroll_codegraph.results import CallRecord

__all__ = ["commands"]

_FORMATS: Final = ("json", "graphml", "mermaid")
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_project = click.option(
    "--project", "-p", default=None, metavar="DIRECTORY", help="By default the project root."
)


@click.group("codegraph")
def commands() -> None:
    """Who calls whom: index projects, ask about functions and changes, export the graph."""


@contextlib.contextmanager
def _refusals(project: str | None) -> Generator[None]:
    """Say in the words of the command line what went wrong."""
    try:
        yield
    except toolroll.ToolError as error:
        if error.code == "not_indexed":
            command = shlex.join(
                ["toolroll", "codegraph", "index", *([project] if project else ())]
            )
            raise click.ClickException(f"not indexed yet; run: {command}") from None
        raise click.ClickException(str(error)) from None


def _root(ctx: toolroll.PackContext, project: str | None) -> Path:
    from toolroll_codegraph.service import project_directory

    text = str(ctx.root.path) if project is None else str(Path(project).absolute())
    with _refusals(project):
        try:
            return project_directory(ctx, text)
        except toolroll.InvalidPath:  # an absolute path that the system gave can only lie elsewhere
            command = f"--root {shlex.quote(text)} {click.get_current_context().info_name}"
            raise click.ClickException(
                f"{text} is outside of the project root; run: toolroll codegraph {command}"
            ) from None


@commands.command()
@click.argument("directory", required=False)
@click.option(
    "--language", "-l", "languages", multiple=True, type=click.Choice(LANGUAGES),
    help="Repeatable; by default all four.",
)  # fmt: skip
@click.option("--tests/--no-tests", "include_tests", default=True, help="Index test files too.")
@_as_json
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

    root = _root(ctx, directory)
    with _refusals(directory):
        answer = service.index(ctx, root, languages or LANGUAGES, include_tests=include_tests)
    if as_json:
        click.echo(answer.model_dump_json(indent=1))
        return
    stats = answer.stats
    click.echo(
        f"{stats.files_indexed} files, {stats.functions_indexed} functions, "
        f"{stats.classes_indexed} classes, {stats.calls_indexed} calls, "
        f"{stats.imports_indexed} imports in {stats.duration_ms} ms"
    )
    click.echo(
        f"{stats.files_changed} changed, {stats.files_removed} removed, "
        f"{stats.files_skipped} left out, {stats.parse_errors} with syntax errors"
    )


@commands.command()
@click.argument("name")
@_project
@click.option("--depth", default=1, show_default=True, type=click.IntRange(min=1, max=20))
@_as_json
@click.pass_obj
def query(
    ctx: toolroll.PackContext, name: str, project: str | None, depth: int, as_json: bool
) -> None:
    """Show the callers and callees of a function."""
    from toolroll_codegraph import service

    root = _root(ctx, project)
    with _refusals(project):
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

    with ctx.database.read() as session:
        similar = similar_names(session, service.require_project(session, root).id, name)
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
@_project
@click.option("--depth", default=10, show_default=True, type=click.IntRange(min=1, max=20))
@_as_json
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
    from toolroll_codegraph import service
    from toolroll_codegraph.queries.changes import changed_lines
    from toolroll_codegraph.queries.impact import impact as find_impact

    if not files and revision is None:
        raise click.UsageError("name the changed files, or --diff REVISION")
    root = _root(ctx, project)
    inside = toolroll.ProjectRoot(root)
    with _refusals(project):
        try:
            changes = {} if revision is None else changed_lines(root, revision)
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        paths = [inside.relative(file, allow_root=True) for file in files]
        named = {"" if path == "." else path: () for path in paths}
        with ctx.database.read() as session:
            stored = service.require_project(session, root)
            found = find_impact(session, stored.id, root, {**changes, **named}, depth=depth)
    unknown = [path for path in found.unknown if path in named or language_of(Path(path).name)]
    if as_json:
        _print_json(
            {
                "changed": [_node(row) for row in found.changed],
                "affected": [{**_node(row), "depth": away} for row, away in found.affected],
                "tests": list(found.tests),
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
    if unknown:
        click.echo(f"not in the index: {', '.join(unknown)}")
    if found.stale:
        click.echo(f"changed since they were indexed: {', '.join(found.stale)}")
        click.echo("Their lines may have moved; run: toolroll codegraph index")


def _node(row: Any) -> dict[str, Any]:
    return {"name": row.qualified_name, "file": row.path, "line": row.start_line, "kind": row.kind}


def _print_json(value: object) -> None:
    import json

    click.echo(json.dumps(value, indent=1, ensure_ascii=False))


@commands.command()
@_project
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

    root = _root(ctx, project)
    with _refusals(project), ctx.database.read() as session:
        stored = service.require_project(session, root).id
        under = under.removeprefix("./")
        if under and not exporting.below(session, stored, under):
            raise click.ClickException(f"no indexed file's path starts with {under}")
        text = exporting.export(session, stored, form, prefix=under)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


@commands.command()
@_as_json
@click.pass_obj
def projects(ctx: toolroll.PackContext, as_json: bool) -> None:
    """List the indexed projects."""
    from toolroll_codegraph.storage import store

    with ctx.database.read() as session:
        found = store.all_projects(session)
    if as_json:
        _print_json(
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
        count = item.stats.get("functions_indexed", 0)
        gone = "" if Path(item.path).is_dir() else "  (directory gone: `forget --project` it)"
        click.echo(f"{item.path}  {', '.join(item.languages)}  {count} functions{gone}")


@commands.command()
@_project
@click.pass_obj
def forget(ctx: toolroll.PackContext, project: str | None) -> None:
    """Remove a project from the index; its files are not touched."""
    from toolroll_codegraph.storage import store

    path = str(ctx.root.path) if project is None else str(Path(project).resolve())
    with ctx.database.begin(lock=path) as session:
        known = store.remove_project(session, path)
    click.echo(f"forgotten: {path}" if known else f"not indexed: {path}")
