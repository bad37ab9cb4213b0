"""`toolroll codegraph …`."""

from __future__ import annotations

import click

commands = click.Group("codegraph", help="Call graphs of projects.")
