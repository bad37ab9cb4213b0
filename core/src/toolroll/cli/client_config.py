"""`toolroll client-config`: the block to paste into an MCP client's configuration."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click
from attrs import frozen

__all__ = ["CLIENTS", "block", "client_config", "http_block"]

KEY_VARIABLE: Final = "TOOLROLL_KEY"
"""The environment variable that clients read the key of an HTTP host from: it is in no file."""
_LOOPBACK: Final = ("localhost", "127.0.0.1")


def _mcp_servers(server: dict[str, Any]) -> str:
    return json.dumps({"mcpServers": {"toolroll": server}}, indent=2)


def _stdio(command: str, arguments: Sequence[str]) -> str:
    return _mcp_servers({"command": command, "args": list(arguments)})


def _stdio_vscode(command: str, arguments: Sequence[str]) -> str:
    server = {"type": "stdio", "command": command, "args": list(arguments)}
    return json.dumps({"servers": {"toolroll": server}}, indent=2)


def _stdio_codex(command: str, arguments: Sequence[str]) -> str:
    listed = ", ".join(map(_toml, arguments))
    return f"[mcp_servers.toolroll]\ncommand = {_toml(command)}\nargs = [{listed}]"


def _http_claude_code(url: str) -> str:
    return _mcp_servers({"type": "http", "url": url, "headers": _bearer(f"${{{KEY_VARIABLE}}}")})


def _http_claude_desktop(url: str) -> str:
    """Write a bridge from npm: what this client's file names is started, and speaks stdio."""
    address = urlsplit(url)
    plain = address.scheme == "http" and address.hostname not in _LOOPBACK
    return _mcp_servers(
        {
            "command": "npx",
            # without a space, which this client's Windows version would split at
            "args": ["-y", "mcp-remote", url, "--header", "Authorization:${AUTHORIZATION}"]
            + ["--allow-http"] * plain,
            "env": {"AUTHORIZATION": _bearer("KEY")["Authorization"]},
        }
    )


def _http_codex(url: str) -> str:
    variable = _toml(KEY_VARIABLE)
    return f"[mcp_servers.toolroll]\nurl = {_toml(url)}\nbearer_token_env_var = {variable}"


def _http_cursor(url: str) -> str:
    return _mcp_servers({"url": url, "headers": _bearer(f"${{env:{KEY_VARIABLE}}}")})


def _http_vscode(url: str) -> str:
    asked = {
        "type": "promptString",
        "id": "toolroll-key",
        "description": "Key of the Toolroll host",
        "password": True,
    }
    server = {"type": "http", "url": url, "headers": _bearer("${input:toolroll-key}")}
    return json.dumps({"inputs": [asked], "servers": {"toolroll": server}}, indent=2)


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _toml(text: str) -> str:
    """Write a TOML string: JSON's, but for characters that JSON writes as a pair, or leaves."""
    escaped = (
        f"\\U{ord(one):08X}" if one > "\uffff" or one == "\x7f" else json.dumps(one)[1:-1]
        for one in text
    )
    return f'"{"".join(escaped)}"'


@frozen
class _Client:
    """How a client is told of servers.

    Attributes:
        place: Where its configuration lies.
        stdio: Writes a server that it starts, by command and arguments.
        http: Writes a server that it connects to, by URL.
        key: Where it has the key of that one from.
    """

    place: str
    stdio: Callable[[str, Sequence[str]], str]
    http: Callable[[str], str]
    key: str = f"it reads the key from the environment variable {KEY_VARIABLE}"


CLIENTS: Final[dict[str, _Client]] = {
    "claude-code": _Client(".mcp.json in the project", _stdio, _http_claude_code),
    "claude-desktop": _Client(
        "claude_desktop_config.json", _stdio, _http_claude_desktop, "put the key in place of KEY"
    ),
    "codex": _Client("~/.codex/config.toml", _stdio_codex, _http_codex),
    "cursor": _Client(".cursor/mcp.json in the project", _stdio, _http_cursor),
    "vscode": _Client(
        ".vscode/mcp.json in the project", _stdio_vscode, _http_vscode, "it asks for the key"
    ),
}


def block(client: str, roots: Sequence[Path]) -> str:
    """Return the text to paste for a host that serves `roots` with this Python."""
    # Clients start it in the project, whose own modules Python would else take for libraries.
    arguments = ["-P", "-m", "toolroll", "serve"]
    for root in roots:
        arguments += ["--root", str(root.resolve())]
    return CLIENTS[client].stdio(sys.executable, arguments)


def http_block(client: str, url: str) -> str:
    """Return the text to paste for a host that listens at a URL; without a path, at `/mcp`.

    Raises:
        ValueError: It is no URL of HTTP.
    """
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ValueError(f"{url!r} is no URL; for example http://127.0.0.1:8000/mcp")
    return CLIENTS[client].http(address._replace(path=address.path.rstrip("/") or "/mcp").geturl())


@click.command("client-config")
@click.argument("client", type=click.Choice(sorted(CLIENTS)))
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory to serve; by default this one. Repeatable.",
)
@click.option("--url", help="Where a host listens that was started with --http.")
def client_config(client: str, roots: tuple[Path, ...], url: str | None) -> None:
    """Print the block to paste into an MCP client's configuration.

    It has the client start a host of its own; with --url, connect to one that runs already.
    """
    told = f"paste into {CLIENTS[client].place}"
    if url is None:
        text = block(client, roots or (Path.cwd(),))
    elif roots:
        raise click.UsageError("a host at a --url has the roots that it was started with")
    else:
        try:
            text = http_block(client, url)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--url") from None
        told += f"; {CLIENTS[client].key} ('toolroll keys new NAME' makes one)"
    click.echo(f"{told}:", err=True)
    click.echo(text)
