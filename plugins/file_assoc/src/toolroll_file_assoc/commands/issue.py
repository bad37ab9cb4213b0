"""`issue` and `import-issues`: the issues that files are linked to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

import toolroll
from toolroll_file_assoc.commands.shared import INPUT_FILE, prefix, read_input, writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolroll_file_assoc.issues import IssueRecord

__all__ = ["import_issues", "issue"]


@click.command("import-issues")
@click.argument("file", metavar="FILE", type=INPUT_FILE)
@click.option(
    "--encoding",
    metavar="NAME",
    default="utf-8",
    show_default=True,
    help="What the list is written in, where no byte order mark says it.",
)
@toolroll.json_option
@click.pass_obj
def import_issues(ctx: toolroll.PackContext, file: Path, encoding: str, as_json: bool) -> None:
    """Import an issue list: JSON of GitHub or GitLab, or CSV with title and number ("-" is stdin).

    Importing a list again brings the issues up to date and keeps their ids.
    """
    from toolroll import print_json, print_table
    from toolroll_file_assoc.issue_lists import read_issues
    from toolroll_file_assoc.issues import import_list

    listed, pull_requests = read_issues(read_input(file), encoding)
    with writing(ctx) as session:
        done = import_list(session, listed, prefix=prefix(ctx))
    result = {**attrs.asdict(done), "pull_requests_left_out": pull_requests}
    if as_json:
        print_json(result)
    else:
        print_table(("issues", "count"), [(name, count) for name, count in result.items() if count])


@click.group("issue")
def issue() -> None:
    """Add, list and close issues."""


@issue.command("add")
@click.argument("title")
@click.option("--type", "kind", default="task", show_default=True, help="bug, feature, …")
@click.option("--priority", type=click.IntRange(0, 4), default=2, show_default=True)
@toolroll.json_option
@click.pass_obj
def add_issue(
    ctx: toolroll.PackContext, title: str, kind: str, priority: int, as_json: bool
) -> None:
    """Add an open issue, and show it with its id."""
    from toolroll_file_assoc import issues

    with writing(ctx) as session:
        made = issues.add(session, title, prefix=prefix(ctx), type=kind, priority=priority)
    _show_issues([made], as_json=as_json, one=True)


@issue.command("list")
@click.option("--all", "everything", is_flag=True, help="Closed ones too.")
@toolroll.json_option
@click.pass_obj
def list_issues(ctx: toolroll.PackContext, everything: bool, as_json: bool) -> None:
    """List issues, newest first."""
    from toolroll_file_assoc import issues

    with ctx.database.read() as session:
        found = issues.list_issues(session, everything=everything)
    _show_issues(found, as_json=as_json)


@issue.command("close")
@click.argument("issue_id")
@toolroll.json_option
@click.pass_obj
def close_issue(ctx: toolroll.PackContext, issue_id: str, as_json: bool) -> None:
    """Close an issue; its links stay."""
    from toolroll_file_assoc import issues

    with writing(ctx) as session:
        closed = issues.close(session, issue_id)
    _show_issues([closed], as_json=as_json, one=True)


def _show_issues(found: Sequence[IssueRecord], *, as_json: bool, one: bool = False) -> None:
    from toolroll import print_json, print_table

    if as_json:
        records = [attrs.asdict(record) for record in found]
        print_json(records[0] if one else records)
        return
    columns = ("id", "status", "type", "priority", "title")
    print_table(columns, [[getattr(record, name) for name in columns] for record in found])
