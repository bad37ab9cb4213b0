"""The root of the `toolroll` command: core's commands, other distributions' and packs' own."""

from __future__ import annotations

import errno
import importlib
import importlib.metadata
import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import click

from toolroll.cli.group import Group
from toolroll.cli.options import open_runtime, place_options
from toolroll.cli.output import off_standard_output
from toolroll.errors import SettingsError, ToolrollError
from toolroll.hookspecs import GROUP

__all__ = ["cli", "main"]

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What writing to an open file, whose name the error does not tell, is refused with."""

_COMMANDS: Final = {
    "calls": "Show the call log, with filters.",
    "client-config": "Print the block to paste into an MCP client's configuration.",
    "demo": "Show every installed pack at work on a repository.",
    "doctor": "Check Python, packs, settings, data directory and databases.",
    "keys": "Make, list and revoke bearer keys for the HTTP host.",
    "packs": "List, check, freeze and compare packs, and begin a new one.",
    "serve": "Serve every installed pack over MCP (stdio by default).",
    "stored": "List what packs store of which directories, and remove it.",
    "tools": "List, show and call tools without an MCP client.",
}
"""Core's commands, each the function of its name in the module of its name, with its help."""
_ELSEWHERE: Final = {
    "conform": ("toolroll-conformance", "Hold an installed pack to what it promises."),
}
"""Commands that other distributions of ours add, with their help."""


class _Root(click.Group):
    """Finds commands by name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._known())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _COMMANDS:
            name = cmd_name.replace("-", "_")
            return getattr(importlib.import_module(f"toolroll.cli.{name}"), name)
        if entry := _added().get(cmd_name):
            return _isolated(f"command {cmd_name!r}", entry.load)
        group = _pack_group(cmd_name)
        if group is None and not ctx.resilient_parsing:
            hint = _where_to_find(cmd_name, self._known())
            raise click.UsageError(f"no command is named {cmd_name!r}; {hint}", ctx)
        return group

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # click's own would import every command, and every pack, to print one line of each
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._known().items()))

    def _known(self) -> dict[str, str]:
        from toolroll.registry import discover

        packs = {source.name: f"Commands of the {source.name} pack." for source in discover()}
        added = {name: _ELSEWHERE.get(name, ("", _origin(e)))[1] for name, e in _added().items()}
        return {**packs, **added, **_COMMANDS}


def _added() -> dict[str, importlib.metadata.EntryPoint]:
    """Return commands that other distributions add under `toolroll.commands`."""
    entries = importlib.metadata.entry_points(group=f"{GROUP}.commands")
    return {entry.name: entry for entry in entries}


def _origin(entry: importlib.metadata.EntryPoint) -> str:
    return f"From {entry.dist.name if entry.dist else entry.module}."


def _where_to_find(name: str, known: Iterable[str]) -> str:
    """Say how to get at a command that isn't there."""
    import difflib

    if name in _ELSEWHERE:
        return f"install {_ELSEWHERE[name][0]}, which brings it"
    if close := difflib.get_close_matches(name, list(known), 1):
        return f"did you mean {close[0]!r}?"
    return "see 'toolroll --help'; a pack's commands need its distribution installed"


def _isolated(what: str, load: Callable[[], Any]) -> Any:
    """Load what another distribution brings; whatever goes wrong ends in one line."""
    try:
        return load()
    except (Exception, SystemExit) as error:  # the boundary to code that may be broken
        cause = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise click.ClickException(f"{what} can't be loaded: {cause}") from None


def _pack_group(name: str) -> click.Command | None:
    """Return the commands of an installed pack, which get its `PackContext` as `ctx.obj`."""
    from toolroll.cli.place import root_above
    from toolroll.registry import Registry, discover
    from toolroll.settings import PackSelection

    if name not in {source.name for source in discover()}:
        return None
    with off_standard_output():
        registry = Registry.load(discover(), packs=PackSelection(allow=(name,)))
    if registry.quarantined:
        bad = registry.quarantined[0]
        raise click.ClickException(
            f"pack {name!r} is quarantined at {bad.stage}: {bad.cause}; {bad.remedy}"
        )
    if name not in registry.packs:
        return None  # it brings backends alone
    pack = registry.packs[name].pack
    inner: Any = _isolated(f"the commands of pack {name!r}", pack.commands)
    if not isinstance(inner, click.Group | None):
        raise click.ClickException(
            f"the commands of pack {name!r} are {type(inner).__name__}, not a click.Group"
        )

    @click.pass_context
    def enter(ctx: click.Context, **place: Any) -> None:
        here = Path.cwd()
        runtime = open_runtime(
            **place,
            at=here if any(place.values()) else root_above(here, name),
            # no tool is called, so that nothing is audited: who only reads leaves nothing behind
            overrides={"audit": {"enabled": False, "table": False}},
            only=name,
        )
        ctx.call_on_close(runtime.close)
        if name not in runtime.registry.packs:
            raise SettingsError(f"pack {name!r} is blocked: 'block' in [packs] names it")
        ctx.obj = runtime.context(name)

    group = Group(
        name,
        commands=inner.commands if inner is not None else {},
        callback=place_options(enter),
        params=[],
        help=(inner.help if inner is not None else None) or f"Commands of the {name} pack.",
        no_args_is_help=True,
    )
    group.params.extend(getattr(group.callback, "__click_params__", [])[::-1])
    return group


@click.group(cls=_Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="toolroll", prog_name="toolroll")
def cli() -> None:
    """Serve installed tool packs over MCP, and look after them.

    Exit codes: 0 done, 1 it ran and found something wrong, 2 it was called wrongly.
    """


def main() -> None:
    """Run the command and turn our errors into one line on stderr and an exit code."""
    _open_standard_streams()
    # A command then ends as on an interrupt: its worker processes too, and what they share.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        cli.main(standalone_mode=True)
    except SettingsError as error:
        click.echo(f"toolroll: {error}", err=True)
        sys.exit(EXIT_USAGE)
    except ToolrollError as error:
        click.echo(f"toolroll: {error}", err=True)
        sys.exit(EXIT_FAILED)
    except OSError as error:
        what = _what_failed(error)
        if what is None:
            raise
        click.echo(f"toolroll: {what}", err=True)
        sys.exit(EXIT_FAILED)


def _open_standard_streams() -> None:
    """Open on nothing what whoever called us has closed of the standard streams.

    Else the next file to be opened, a database say, would have the number that is printed to.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


def _what_failed(error: OSError) -> str | None:
    """Say what the system refused; None for what nobody at the command line can have caused."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if error.errno in _FULL:
        return f"cannot write: {error.strerror}"
    try:
        os.getcwd()  # noqa: PTH109 - the question is whether the system answers
    except FileNotFoundError:
        return "the current directory has been removed; change to another"
    return None
