"""`toolroll client-config`: the block to paste into an MCP client's configuration."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import click

__all__ = ["CLIENTS", "block", "client_config"]


def _mcp_servers(command: str, arguments: Sequence[str]) -> str:
    server = {"command": command, "args": list(arguments)}
    return json.dumps({"mcpServers": {"toolroll": server}}, indent=2)


def _vscode(command: str, arguments: Sequence[str]) -> str:
    server = {"type": "stdio", "command": command, "args": list(arguments)}
    return json.dumps({"servers": {"toolroll": server}}, indent=2)


def _codex(command: str, arguments: Sequence[str]) -> str:
    listed = ", ".join(map(_toml, arguments))
    return f"[mcp_servers.toolroll]\ncommand = {_toml(command)}\nargs = [{listed}]"


def _toml(text: str) -> str:
    """Write a TOML string: JSON's, but for characters that JSON writes as a pair, or leaves."""
    escaped = (
        f"\\U{ord(one):08X}" if one > "\uffff" or one == "\x7f" else json.dumps(one)[1:-1]
        for one in text
    )
    return f'"{"".join(escaped)}"'


CLIENTS: Final[dict[str, tuple[str, Callable[[str, Sequence[str]], str]]]] = {
    "claude-code": (".mcp.json in the project", _mcp_servers),
    "claude-desktop": ("claude_desktop_config.json", _mcp_servers),
    "codex": ("~/.codex/config.toml", _codex),
    "cursor": (".cursor/mcp.json in the project", _mcp_servers),
    "vscode": (".vscode/mcp.json in the project", _vscode),
}
"""For each client: where its configuration lies, and how a stdio server is written there."""


def block(client: str, roots: Sequence[Path]) -> str:
    """Return the text to paste for a host that serves `roots` with this Python."""
    arguments = ["-m", "toolroll", "serve"]
    for root in roots:
        arguments += ["--root", str(root.resolve())]
    return CLIENTS[client][1](sys.executable, arguments)


@click.command("client-config")
@click.argument("client", type=click.Choice(sorted(CLIENTS)))
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory to serve; by default this one. Repeatable.",
)
def client_config(client: str, roots: tuple[Path, ...]) -> None:
    """Print the block to paste into an MCP client's configuration."""
    click.echo(f"paste into {CLIENTS[client][0]}:", err=True)
    click.echo(block(client, roots or (Path.cwd(),)))
