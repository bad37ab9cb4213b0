"""`toolroll stored`: what packs keep of which directories, and being rid of it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import asdict, frozen

from toolroll.cli.options import json_option, open_runtime, place_options
from toolroll.cli.output import print_json, print_table
from toolroll.counting import counted
from toolroll.errors import ToolError, ToolrollError
from toolroll.holdings import Holding, Presence, presence
from toolroll.host.keys import KeyStore

if TYPE_CHECKING:
    from toolroll.runtime import Runtime

__all__ = ["Kept", "kept", "stored"]

_UNLOGGED = {"audit": {"enabled": False, "table": False}}
"""No tool is called; who only looks leaves nothing behind."""
_DIGITS = 12
"""Of a tenant that are shown, as in the log of calls."""


@frozen
class Kept:
    """A holding, whose it is, and what has become of its directory.

    Attributes:
        key: Name of the key that it belongs to; "" where there is none, or not any more.
    """

    pack: str
    holding: Holding
    directory_is: Presence
    key: str = ""

    def row(self) -> tuple[str, ...]:
        """Return what a table shows."""
        item = self.holding
        used = f"{item.used:%Y-%m-%d}" if item.used else "-"
        return (
            self.pack,
            item.name,
            item.tenant[:_DIGITS] or "-",
            self.key or "-",
            item.directory or "-",
            self.directory_is or "-",
            _size(item.size),
            used,
        )

    def as_json(self) -> dict[str, Any]:
        """Return what `--json` shows."""
        used = self.holding.used.astimezone(UTC).isoformat() if self.holding.used else None
        tenant = self.holding.tenant[:_DIGITS]
        told = {**asdict(self.holding), "tenant": tenant, "key": self.key, "used": used}
        return {"pack": self.pack, **told, "directory_is": self.directory_is}


def kept(runtime: Runtime, keys: Mapping[str, str] | None = None) -> Iterator[Kept]:
    """Yield what every pack holds; what one can't tell is logged, and keeps no other from it.

    Args:
        runtime: Whose packs.
        keys: The names of keys by tenant.
    """
    for name, item in runtime.registry.packs.items():
        try:
            held = list(item.pack.holdings(runtime.context(name)))
        except (Exception, SystemExit) as error:  # the boundary to a pack
            ours = isinstance(error, ToolrollError)
            cause = error if ours else f"{type(error).__name__}: {error}"
            log = logging.getLogger(f"toolroll.pack.{name}")
            log.error("pack %s can't tell what it stores: %s", name, cause)
            continue
        for holding in sorted(held, key=lambda one: (one.name, one.tenant)):
            key = (keys or {}).get(holding.tenant, "")
            yield Kept(name, holding, presence(holding.directory), key)


@click.group()
def stored() -> None:
    """List what packs store, and remove what is of no more use; files are never touched."""


@stored.command("list")
@click.option("--gone", is_flag=True, help="Only what has no directory any more.")
@click.option(
    "--keyless", is_flag=True, help="Only that of tenants without a key, as after 'keys revoke'."
)
@place_options
@json_option
def list_(
    gone: bool,
    keyless: bool,
    roots: tuple[Path, ...],
    data_dir: Path | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """List what packs store, with its size and when it was last written.

    A directory is "away" where the one that it lies in is missing or empty, too: its disk may not
    be mounted. Who calls with a token of [http.jwt] is a tenant without a key.
    """
    with open_runtime(roots, data_dir, config, _UNLOGGED) as runtime:
        found = [
            one
            for one in kept(runtime, _keys(runtime))
            if (not gone or _is_missing(one)) and (not keyless or _is_keyless(one))
        ]
    if as_json:
        print_json([one.as_json() for one in found])
        return
    _show(found)


@stored.command()
@click.argument("pack")
@click.argument("name")
@click.option("--tenant", default="", help="Whose, by the first digits, where several have it.")
@click.option("--yes", is_flag=True, help="Don't ask before what is kept nowhere else goes.")
@place_options
def remove(
    pack: str,
    name: str,
    tenant: str,
    yes: bool,
    roots: tuple[Path, ...],
    data_dir: Path | None,
    config: Path | None,
) -> None:
    """Remove what PACK stores under NAME, as `list` shows it."""
    with open_runtime(roots, data_dir, config, _UNLOGGED) as runtime:
        there = [one for one in kept(runtime, _keys(runtime)) if one.pack == pack]
        found = [
            one
            for one in there
            if one.holding.name == name and one.holding.tenant.startswith(tenant)
        ]
        if not found:
            raise click.ClickException(
                f"{pack} stores nothing named {name!r}; see 'toolroll stored list'"
            )
        if len(found) > 1:
            tenants = ", ".join(one.holding.tenant[:_DIGITS] or "-" for one in found)
            raise click.ClickException(f"several have it ({tenants}); choose one with --tenant")
        if found[0].holding.only_copy and not yes:
            _show(found)
            click.confirm("it is kept nowhere else, and can't be restored; remove it?", abort=True)
        _release(runtime, found)


@stored.command()
@click.option("--away", is_flag=True, help='Those whose directory is "away" too.')
@click.option(
    "--unused-for", "days", type=click.IntRange(0), default=0, metavar="DAYS",
    help="Only what was not written for so long.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Don't ask.")
@place_options
def prune(
    away: bool,
    days: int,
    yes: bool,
    roots: tuple[Path, ...],
    data_dir: Path | None,
    config: Path | None,
) -> None:
    """Show what has no directory any more, ask, and remove it.

    Run it where every directory is mounted that hosts on the same data serve.
    """
    with open_runtime(roots, data_dir, config, _UNLOGGED) as runtime:
        held = kept(runtime, _keys(runtime))
        missing = [one for one in held if _is_missing(one) and _is_old(one, days)]
        found = [one for one in missing if away or one.directory_is == "gone"]
        if left := len(missing) - len(found):
            click.echo(
                f"{counted(left, 'directory', 'directories')} may be on a disk that is not "
                "mounted; --away takes what is stored of them too",
                err=True,
            )
        if not found:
            click.echo("nothing to remove")
            return
        if not yes:
            _show(found)
            click.confirm(f"remove {counted(len(found), 'entry', 'entries')}?", abort=True)
        _release(runtime, found)


def _release(runtime: Runtime, found: Iterable[Kept]) -> None:
    """Remove one after the other; one that can't be keeps no other from it."""
    failed = False
    touched: set[str] = set()
    for one in found:
        context = runtime.context(one.pack)
        try:
            runtime.registry.packs[one.pack].pack.release(context, one.holding)
        except ToolError as error:
            failed = True
            click.echo(f"{one.pack} {one.holding.name}: {error}", err=True)
            continue
        touched.add(one.pack)
        click.echo(f"removed {one.pack} {one.holding.name}")
    for name in sorted(touched):
        runtime.context(name).database.compact()
    if failed:
        sys.exit(1)


def _keys(runtime: Runtime) -> dict[str, str]:
    return {key.tenant: key.name for key in KeyStore(runtime.data_dir).list()}


def _is_missing(one: Kept) -> bool:
    return one.directory_is in ("gone", "away")


def _is_keyless(one: Kept) -> bool:
    return bool(one.holding.tenant) and not one.key


def _is_old(one: Kept, days: int) -> bool:
    used = one.holding.used
    return not days or used is None or (datetime.now(UTC) - used).days >= days


def _show(found: list[Kept]) -> None:
    columns = ("pack", "name", "tenant", "key", "directory", "is", "size", "written")
    print_table(columns, [one.row() for one in found])


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
