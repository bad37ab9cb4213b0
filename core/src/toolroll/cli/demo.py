"""`toolroll demo`: every installed pack at work on a real repository, over a real MCP session."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import jsonschema

from toolroll.cli.client_config import block
from toolroll.cli.options import require_installed
from toolroll.cli.output import print_table
from toolroll.counting import counted
from toolroll.host.client import HostClient, Reply
from toolroll.registry import LoadedPack
from toolroll.runtime import Runtime
from toolroll.tools import Tool
from toolroll.tour import NothingToShow

__all__ = ["demo"]


@click.command()
@click.option(
    "--path",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The repository to work on; by default the one you stand in. Nothing in it is changed.",
)
@click.option("--pack", "only", multiple=True, help="Show only this pack. Repeatable.")
def demo(path: Path, only: tuple[str, ...]) -> None:
    """Show every pack at work on a repository; exit 0 only if each call kept its contract.

    A real host is started over stdio, as a client would start it, with its data in a temporary
    directory.
    """
    root = path.resolve()
    with tempfile.TemporaryDirectory(prefix="toolroll-demo-") as scratch:
        place = ["--root", str(root), "--data-dir", scratch]
        runtime = Runtime.open(roots=[root], data_dir=Path(scratch))
        require_installed(only, runtime.registry.installed)
        chosen = [item for name, item in runtime.registry.packs.items() if not only or name in only]
        if not chosen:
            raise click.ClickException("no pack to show; try: pip install toolroll-file-assoc")
        _heading(f"Toolroll on {root}")
        with HostClient.start(place) as client:
            served = client.tool_names()
            tools, packs = len(served), len(runtime.registry.packs)
            click.echo(
                f"A host over stdio serves {counted(tools, 'tool')} of {counted(packs, 'pack')}."
            )
            tours = [_show(client, item, root, place) for item in chosen]
    for bad in runtime.registry.quarantined:
        click.echo(f"quarantined: {bad.source.name} at {bad.stage}: {bad.cause}; {bad.remedy}")
    _summary(tours)
    _heading("To use it")
    click.echo("Paste this into .mcp.json (others: toolroll client-config --help):\n")
    click.echo(block("claude-code", [root]))
    if runtime.registry.quarantined or any(tour.faults for tour in tours):
        sys.exit(1)


def _show(client: HostClient, item: LoadedPack, root: Path, place: Sequence[str]) -> _ShownTour:
    tour = _ShownTour(client, item, root, place)
    _heading(item.pack.title or item.pack.name)
    try:
        item.pack.demo(tour)
    except NothingToShow as end:
        tour.say(f"{end}. Name another repository with --path to see the rest.")
        return tour
    except Exception as error:  # the boundary to a pack: the demo goes on with the next one
        tour.fault("demo", f"{type(error).__name__}: {error}")
    for name in sorted({tool.name for tool in item.tools} - tour.called):
        tour.fault(name, "was never called")
    return tour


class _ShownTour:
    """Implements `toolroll.Tour`: shows what comes back and holds it to the contract."""

    def __init__(
        self, client: HostClient, item: LoadedPack, root: Path, place: Sequence[str]
    ) -> None:
        self._client = client
        self._tools: dict[str, Tool] = {tool.name: tool for tool in item.tools}
        self._place = list(place)
        self.root = root
        self.pack = item.pack.name
        self.called: set[str] = set()
        self.calls = 0
        self.seconds = 0.0
        self.faults: list[str] = []

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool, check its answer against the contract and return the payload."""
        started = time.monotonic()
        reply = self._client.call(tool, arguments)
        spent = time.monotonic() - started
        self.called.add(tool)
        self.calls += 1
        self.seconds += spent
        click.echo(f"  → {tool}({_brief(arguments)})  {spent * 1000:.0f} ms")
        payload = reply.text if self._tools[tool].contract.markdown else _parsed(reply.text)
        if reply.is_error:
            self.fault(tool, f"answered with an error: {reply.text}")
        elif fault := _breach(self._tools[tool], reply, payload):
            self.fault(tool, fault)
        return payload

    def command(self, *arguments: str) -> str:
        """Run a pack's command on the same data and return its standard output."""
        click.echo(f"  $ toolroll {' '.join(arguments)}")
        name, *rest = arguments
        done = subprocess.run(  # noqa: S603 - our own interpreter, arguments from the pack's demo
            [sys.executable, "-P", "-m", "toolroll", name, *self._place, *rest],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            self.fault(name, f"command ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def say(self, text: str) -> None:
        """Show a sentence."""
        click.echo(f"  {text}")

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Show a table."""
        print_table(columns, rows, title)

    def fault(self, where: str, what: str) -> None:
        """Note and show a broken promise."""
        self.faults.append(f"{where}: {what}")
        click.echo(click.style(f"  ✗ {where}: {what}", fg="red"))


def _breach(tool: Tool, reply: Reply, payload: Any) -> str:
    """Say how an answer breaks the tool's contract; "" where it keeps it."""
    expected = {"result": payload} if tool.contract.wrapped else payload
    if reply.structured != expected:
        return "text content and structured content differ"
    try:
        jsonschema.validate(expected, tool.contract.output_schema, jsonschema.Draft202012Validator)
    except jsonschema.ValidationError as error:
        return f"the answer breaks its schema at {error.json_path}: {error.message}"
    return ""


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _brief(arguments: Mapping[str, Any]) -> str:
    parts = [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items()]
    return ", ".join(part if len(part) <= 60 else part[:59] + "…" for part in parts)


def _heading(text: str) -> None:
    click.echo()
    click.secho(text, bold=True)
    click.echo("─" * min(len(text), 78))


def _summary(tours: Sequence[_ShownTour]) -> None:
    _heading("Summary")
    print_table(
        ("pack", "tools called", "calls", "seconds", "kept its contract"),
        [
            (
                tour.pack,
                len(tour.called),
                tour.calls,
                f"{tour.seconds:.2f}",
                "yes" if not tour.faults else f"no: {len(tour.faults)} faults",
            )
            for tour in tours
        ],
    )
