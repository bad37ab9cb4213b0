"""Groups of commands that show the first sentence of each command whole."""

from __future__ import annotations

from typing import Final

import click

__all__ = ["Group"]

_ANY_LENGTH: Final = 10_000
"""Click's own would cut each sentence where its line ends."""


class Group(click.Group):
    """A group whose help says of each command all that its first sentence says."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one row for each command that is not hidden."""
        known = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [
            (name, command.get_short_help_str(_ANY_LENGTH))
            for name, command in known
            if command is not None and not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
