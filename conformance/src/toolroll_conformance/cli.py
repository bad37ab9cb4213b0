"""The commands: `toolroll conform PACK` and `toolroll-conformance`."""

from __future__ import annotations

import faulthandler
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from toolroll.counting import counted
from toolroll_conformance.case_files import CaseFileError
from toolroll_conformance.eras import spoken_eras
from toolroll_conformance.inspection import RuleBroken
from toolroll_conformance.known_failures import KNOWN_FAILURES_FILE, KnownFailuresError
from toolroll_conformance.legs.dialect import ERAS
from toolroll_conformance.listing import EndlessListing, contract_of, nothing_promised
from toolroll_conformance.reply import NoReply, ProtocolError, ServerGone
from toolroll_conformance.rules.rule import Probe
from toolroll_conformance.servers import ServerMissing
from toolroll_conformance.session import EXAMPLES, LEGS, ServerOptions, Session
from toolroll_conformance.target import Target, TargetError
from toolroll_conformance.telling import run_told

__all__ = ["conform", "main"]

F = TypeVar("F", bound=Callable[..., Any])
_DIRECTORY: Final = click.Path(exists=True, file_okay=False, path_type=Path)


class _Written(click.Path):
    """A file that is written at the end, in a directory that is there before."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)
        if str(path) == "--":  # which the option, left without its file, took from the command
            self.fail("name the file before --", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"there is no directory {str(path.parent)!r} for it", param, ctx)
        return path


def _shared(function: F) -> F:
    """Add the options that both commands have."""
    for option in (
        click.option("--junit", "junit_file", type=_Written(), help="Write a JUnit XML report."),
        click.option("--json", "json_file", type=_Written(), help="Write a JSON report."),
        click.option(
            "--jobs",
            type=click.IntRange(1, 64),
            default=2,
            show_default=True,
            help="Checks made at once.",
        ),
        click.option(
            "--examples",
            type=click.IntRange(1, 1_000_000),
            default=EXAMPLES,
            show_default=True,
            help="Generated calls for each tool and rule in process; a fifth of it on the wire.",
        ),
        click.option("--only", metavar="TEXT", help="Make only checks whose id holds this text."),
        click.option("--cases", type=_DIRECTORY, help="Directory of case files."),
        click.option(
            "--era",
            "eras",
            type=click.Choice(ERAS),
            multiple=True,
            help="Protocol revision to speak; by default each that the server does. Repeatable.",
        ),
    ):
        function = option(function)
    return function


@contextmanager
def _terminable() -> Generator[None]:
    """Let SIGTERM end a run as an interrupt does, so that it leaves no servers and directories."""

    def end(number: int, frame: object) -> None:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@click.command()
@click.argument("pack")
@click.option(
    "--leg",
    "legs",
    type=click.Choice(LEGS),
    multiple=True,
    help="Way in; by default each: in process, over stdio, over HTTP. Repeatable.",
)
@click.option(
    "--server",
    "on_server",
    is_flag=True,
    help="Store on PostgreSQL and Redis instead of files; both are started unless URLs are given.",
)
@click.option("--database-url", default="", help="PostgreSQL on which databases may be made.")
@click.option("--redis-url", default="", help="Redis whose numbered databases may be emptied.")
@click.option(
    "--hosts",
    type=click.IntRange(1, 16),
    default=1,
    show_default=True,
    help="Hosts that share the servers; calls over HTTP go to them in turn.",
)
@click.option("--unrest", is_flag=True, help="Kill and restart hosts all along; needs three.")
@_shared
def conform(
    pack: str,
    legs: tuple[str, ...],
    eras: tuple[str, ...],
    cases: Path | None,
    examples: int,
    on_server: bool,
    database_url: str,
    redis_url: str,
    hosts: int,
    unrest: bool,
    **options: Any,
) -> None:
    """Hold an installed pack to its contract, its cases and what every pack owes.

    Exit 0 if every check passes, 1 if one fails, 2 if there is nothing to check.
    """
    click.get_current_context().with_resource(_terminable())
    if not faulthandler.is_enabled():  # a library that crashes in process takes the report along
        faulthandler.enable()
    try:
        target = Target.installed(pack, cases)
    except (TargetError, CaseFileError, KnownFailuresError) as error:
        raise click.UsageError(str(error)) from None
    if unrest and hosts < 3:
        raise click.UsageError("--unrest needs --hosts 3 or more: two answer while one is down")
    server = None
    if on_server or database_url or redis_url or hosts > 1:
        server = ServerOptions(
            database_url=database_url, redis_url=redis_url, hosts=hosts, unrest=unrest
        )
    try:
        session = Session.of_pack(
            target, legs or LEGS, eras or ERAS, examples=examples, server=server
        )
    except ServerMissing as error:
        raise click.UsageError(str(error)) from None
    with session:
        report = run_told(session, **options)
    sys.exit(0 if report.ok else 1)


@click.command()
@click.option(
    "--contract",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What the server promises: a contract.json.",
)
@click.option(
    "--freeze",
    type=_Written(),
    help="Test nothing: write a contract of what the server lists now, to begin with.",
)
@click.option("--url", help="MCP address of a server that runs already, instead of a command.")
@click.option(
    "--token",
    "tokens",
    multiple=True,
    help="Bearer token for --url; give a second one to test isolation of tenants.",
)
@_shared
@click.version_option(package_name="toolroll-conformance", prog_name="toolroll-conformance")
@click.argument("command", nargs=-1)
def stranger(
    contract: Path | None,
    freeze: Path | None,
    url: str | None,
    tokens: tuple[str, ...],
    command: tuple[str, ...],
    eras: tuple[str, ...],
    cases: Path | None,
    examples: int,
    **options: Any,
) -> None:
    """Hold any MCP server to a contract: COMMAND speaks MCP on stdio, or --url names the server.

    Every tool is really called, with generated and hostile arguments: hold a server that can end
    processes, send messages or run commands in a container.

    COMMAND is started in a fresh project directory; words that name files here go on naming them.
    {root}, {data} and {config} in its words stand for the project, a data directory and a
    toolroll.toml. Put -- before it. A server at a URL is there already: it keeps what one check
    stores for the next, so that cases that count on an empty one fail.

    Exit 0 if every check passes, 1 if one fails, 2 if there is nothing to check.
    """
    click.get_current_context().with_resource(_terminable())
    if (url is None) == (not command):
        raise click.UsageError("give either --url, or a command after --")
    if url is not None and not url.startswith(("http://", "https://")):
        raise click.UsageError(f"--url begins with http:// or https://, got {url!r}")
    if (contract is None) == (freeze is None):
        raise click.UsageError("give either --contract, or --freeze to make one")
    try:
        target = (
            Target(contract=nothing_promised("server"))
            if contract is None
            else Target.stranger(contract, cases)
        )
    except (TargetError, CaseFileError, KnownFailuresError) as error:
        raise click.UsageError(str(error)) from None
    at = (
        partial(Session.of_command, target, _from_here(command))
        if url is None
        else partial(Session.of_url, target, url, tokens)
    )
    if not eras:
        with at(ERAS) as session:
            eras = spoken_eras(session)
        for era in sorted(set(ERAS) - set(eras)):
            click.echo(f"{era}: the server does not speak it; left out")
    with at(eras, examples=examples) as session:
        if freeze is not None:
            _freeze(session, freeze)
            return
        report = run_told(session, **options)
    if report.failed and contract is not None:
        file, first = contract.parent / KNOWN_FAILURES_FILE, report.failed[0]
        every = "*" + first.id.removeprefix(f"{first.leg}/{first.era}") if first.leg else first.id
        click.echo(f'what it need not keep goes into {file}, as "{every}": the reason')
    sys.exit(0 if report.ok else 1)


def _from_here(command: Sequence[str]) -> list[str]:
    """Return a command that finds its files from any directory: `python server.py` from a project.

    A word that names a file here is made absolute; the first one only where it is a path, since
    else it is looked up as a shell does.
    """
    program, *words = command
    found = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words]
    return [str(Path(program).absolute()) if "/" in program else program, *found]


def _freeze(session: Session, file: Path) -> None:
    """Write the contract that a server's listing makes."""
    try:
        with Probe("listing", session, session.legs[0]).server() as (_, connection):
            found = contract_of(session.target.name, connection)
    except (EndlessListing, NoReply, ProtocolError, ServerGone, RuleBroken) as error:
        raise click.ClickException(f"no listing: {error}") from None
    file.write_text(found.dumps(), "utf-8")
    tools = counted(len(found.tools), "tool")
    click.echo(f"{file}: {tools}; say in it what errors and paths there are")


def main() -> None:
    """Run `toolroll-conformance`."""
    stranger()
