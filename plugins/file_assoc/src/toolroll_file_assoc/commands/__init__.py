"""`toolroll file_assoc …`: what feeds the pack, and what keeps it tidy."""

from __future__ import annotations

import click

from toolroll_file_assoc.commands.finding import finding
from toolroll_file_assoc.commands.issue import import_issues, issue
from toolroll_file_assoc.commands.scan import import_sarif
from toolroll_file_assoc.commands.tidy import prune, unlink

__all__ = ["commands"]


@click.group()
def commands() -> None:
    """Feed file_assoc with scans and issues, and keep it tidy."""


for _command in (finding, import_issues, import_sarif, issue, prune, unlink):
    commands.add_command(_command)
