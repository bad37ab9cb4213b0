"""A pack that probes the host it runs in; installed nowhere, put on PYTHONPATH by the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Annotated, ClassVar

import anyio
import click
from pydantic import BaseModel, Field

import toolroll
from toolroll import ToolContext


class Nothing(toolroll.Params):
    pass


class Echo(toolroll.Params):
    text: str
    secret: Annotated[str | None, toolroll.Private] = None


class Put(toolroll.Params):
    key: str = Field(min_length=1)
    text: str


class Where(toolroll.Params):
    path: toolroll.ProjectPath


class Text(BaseModel):
    text: str


class Count(BaseModel):
    count: int


class Caller(BaseModel):
    tenant: str
    scopes: list[str]


class ProbeSettings(toolroll.Settings):
    greeting: str = "hello"


class Probe(toolroll.Pack):
    name = "probe"
    title = "Probe"
    instructions = "Only for tests."
    errors: ClassVar = {"not_found": "nothing is there"}
    settings = ProbeSettings
    migrations = "toolroll_probe.migrations"
    capabilities = frozenset({"database", "project_root", "tenants"})

    @toolroll.tool()
    def probe_echo(self, ctx: ToolContext, args: Echo) -> Text:
        """Return the text."""
        return Text(text=args.text)

    @toolroll.tool()
    async def probe_echo_async(self, ctx: ToolContext, args: Echo) -> Text:
        """Return the text without a thread."""
        return Text(text=args.text)

    @toolroll.tool()
    def probe_print(self, ctx: ToolContext, args: Nothing) -> Text:
        """Write to standard output in every way there is."""
        print("print() was here")
        sys.stdout.flush()
        os.write(1, b"os.write() was here\n")
        subprocess.run([sys.executable, "-c", "print('a child was here')"], check=True)
        return Text(text="printed")

    @toolroll.tool()
    def probe_surrogate(self, ctx: ToolContext, args: Nothing) -> Text:
        """Return a file name that is not UTF-8."""
        return Text(text=os.fsdecode(b"caf\xe9"))

    @toolroll.tool()
    def probe_boom(self, ctx: ToolContext, args: Nothing) -> Text:
        """Fail with a text that nobody may see."""
        raise RuntimeError("secret of /etc/passwd")

    @toolroll.tool(returns=Text)
    def probe_exit(self, ctx: ToolContext, args: Nothing) -> Text:
        """Try to end the process."""
        sys.exit(3)

    @toolroll.tool()
    def probe_path(self, ctx: ToolContext, args: Where) -> Text:
        """Return the canonical form of a path."""
        return Text(text=ctx.root.canonical(args.path))

    @toolroll.tool()
    def probe_caller(self, ctx: ToolContext, args: Nothing) -> Caller:
        """Return who calls."""
        return Caller(tenant=ctx.principal.tenant, scopes=sorted(ctx.principal.scopes))

    @toolroll.tool()
    def probe_count_up(self, ctx: ToolContext, args: Nothing) -> Count:
        """Report progress three times, from a thread."""
        for done in (1, 2, 3):
            ctx.progress(done, 3, f"step {done}")
        return Count(count=3)

    @toolroll.tool()
    async def probe_count_up_async(self, ctx: ToolContext, args: Nothing) -> Count:
        """Report progress three times, from the event loop."""
        for done in (1, 2, 3):
            ctx.progress(done, 3, f"step {done}")
            await anyio.lowlevel.checkpoint()
        return Count(count=3)

    @toolroll.tool(writes=True, idempotent=True)
    def probe_put(self, ctx: ToolContext, args: Put) -> Text:
        """Store a text under a key."""
        from toolroll_probe.store import put

        with ctx.database.begin() as session:
            put(session, args.key, args.text)
        return Text(text=args.text)

    @toolroll.tool()
    def probe_count(self, ctx: ToolContext, args: Nothing) -> Count:
        """Count what is stored."""
        from toolroll_probe.store import count

        with ctx.database.read() as session:
            return Count(count=count(session))

    @toolroll.tool(writes=True)
    def probe_gate(self, ctx: ToolContext, args: Nothing) -> Text:
        """Open the pipe `entered`, wait for the pipe `leave` to be opened, then write."""
        from toolroll_probe.store import put

        (ctx.root.path / "entered").open("wb").close()
        (ctx.root.path / "leave").open("rb").close()
        with ctx.database.begin() as session:
            put(session, "gate", "passed")
        return Text(text="passed")

    def commands(self) -> click.Group:
        return commands

    def demo(self, tour: toolroll.Tour) -> None:
        tour.say(f"The root is {tour.root.name}.")
        if tour.root.name == "empty":
            raise toolroll.NothingToShow("There is nothing here")
        tour.call("probe_echo", {"text": "hi"})


@click.group()
def commands() -> None:
    """Probe from the command line."""


@commands.command()
@click.pass_obj
def greet(ctx: toolroll.PackContext) -> None:
    """Print the greeting of the settings and where the host stands."""
    assert isinstance(ctx.settings, ProbeSettings)
    click.echo(f"{ctx.settings.greeting} from {ctx.root.path.name}")


@commands.command()
def refuse() -> None:
    """Fail as a pack's command may."""
    raise toolroll.NotFound("nothing is there; put something first")


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    return Probe()
