"""`unlink` and `prune`: removing what no longer holds."""

from __future__ import annotations

from typing import get_args

import attrs
import click

import toolroll
from toolroll_file_assoc.commands.shared import show_count, writing
from toolroll_file_assoc.params import AssocType

__all__ = ["prune", "unlink"]

LinkType = click.Choice(get_args(AssocType))


@click.command()
@click.argument("file_id")
@click.argument("issue_id")
@click.option("--type", "assoc_type", type=LinkType, help="Only this kind.")
@toolroll.json_option
@click.pass_obj
def unlink(
    ctx: toolroll.PackContext,
    file_id: str,
    issue_id: str,
    assoc_type: AssocType | None,
    as_json: bool,
) -> None:
    """Remove the links between a file and an issue."""
    from toolroll_file_assoc import links

    with writing(ctx) as session:
        removed = links.unlink(session, file_id, issue_id, assoc_type)
    show_count("links_removed", removed, as_json=as_json)


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@click.option("--linked", is_flag=True, help="Remove files that are linked to issues too.")
@toolroll.json_option
@click.pass_obj
def prune(ctx: toolroll.PackContext, dry_run: bool, linked: bool, as_json: bool) -> None:
    """Remove files that have left the disk, with their findings and history.

    Files that were registered before they were written stay, and so do files that are linked to
    issues unless --linked is given.
    """
    from toolroll import print_json, print_table
    from toolroll_file_assoc.disk import Disk
    from toolroll_file_assoc.prune import gone, remove

    with writing(ctx) as session:
        found = gone(session, Disk(ctx.root))
        going = [file for file in found if linked or not file.associations_count]
        kept = [file for file in found if file not in going]
        if not dry_run:
            remove(session, going)
    if as_json:
        removed, left = ([attrs.asdict(file) for file in files] for files in (going, kept))
        print_json({"dry_run": dry_run, "removed": removed, "kept_because_linked": left})
        return
    word = "would remove" if dry_run else "removed"
    rows = [(word, file.path, file.total_findings, file.associations_count) for file in going]
    rows += [
        ("kept: linked", file.path, file.total_findings, file.associations_count) for file in kept
    ]
    print_table(("what", "path", "findings", "links"), rows)
