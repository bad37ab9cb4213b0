"""`toolroll tools`: list, show and call tools without an MCP client."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from toolroll.cli.group import Group
from toolroll.cli.options import json_option, open_runtime, place_options, tell_quarantined
from toolroll.cli.output import off_standard_output, print_json, print_table

if TYPE_CHECKING:
    from toolroll.runtime import Runtime

__all__ = ["tools"]


@click.group(cls=Group)
def tools() -> None:
    """List, show and call tools without an MCP client."""


@tools.command("list")
@place_options
@json_option
def list_tools(
    roots: tuple[Path, ...], data_dir: Path | None, config: Path | None, as_json: bool
) -> None:
    """List the tools that a host here would serve."""
    runtime = open_runtime(roots, data_dir, config, {"audit": {"enabled": False}})
    tell_quarantined(runtime)
    served = list(runtime.registry.tools.values())
    if as_json:
        print_json([{**tool.contract.to_json(), "pack": tool.pack.name} for tool in served])
        return
    print_table(
        ("tool", "pack", "access", "what it does"),
        [
            (
                tool.name,
                tool.pack.name,
                "write" if tool.options.writes else "read",
                tool.contract.description.partition("\n")[0],
            )
            for tool in served
        ],
    )


@tools.command()
@click.argument("name")
@place_options
def show(name: str, roots: tuple[Path, ...], data_dir: Path | None, config: Path | None) -> None:
    """Show one tool's contract as JSON."""
    runtime = open_runtime(roots, data_dir, config, {"audit": {"enabled": False}})
    if name not in runtime.registry.tools:
        raise _unknown(name, runtime)
    print_json(runtime.registry.tools[name].contract.to_json())


@tools.command()
@click.argument("name")
@click.option("--args", "arguments", default="{}", help="Arguments as a JSON object; - for stdin.")
@place_options
def call(
    name: str,
    arguments: str,
    roots: tuple[Path, ...],
    data_dir: Path | None,
    config: Path | None,
) -> None:
    """Call a tool and print its answer; exit 1 if the answer is an error."""
    import anyio

    from toolroll.context import LOCAL
    from toolroll.errors import UnknownTool

    values = _arguments(sys.stdin.read() if arguments == "-" else arguments)
    with open_runtime(roots, data_dir, config) as runtime:
        try:
            with off_standard_output():
                answer = anyio.run(runtime.caller.call, name, values, LOCAL)
        except UnknownTool:
            raise _unknown(name, runtime) from None
    click.echo(answer.text)
    if answer.is_error:
        sys.exit(1)


def _arguments(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"--args is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise click.UsageError("--args must be a JSON object, for example '{\"limit\": 5}'")
    return cast("dict[str, Any]", values)


def _unknown(name: str, runtime: Runtime) -> click.UsageError:
    import difflib

    tell_quarantined(runtime)
    close = difflib.get_close_matches(name, list(runtime.registry.tools), n=1)
    hint = f"did you mean {close[0]!r}?" if close else "see 'toolroll tools list'"
    return click.UsageError(f"no tool is named {name!r}; {hint}")
