"""`toolroll packs`: list, check, freeze and compare packs, and begin a new one."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path
from typing import Any

import click

from toolroll.cli.group import Group
from toolroll.cli.options import NONE_INSTALLED, json_option, require_installed
from toolroll.cli.output import off_standard_output, print_json, print_table
from toolroll.contract import Contract
from toolroll.contract_changes import ChangeKind, compare
from toolroll.counting import counted
from toolroll.errors import LoadError
from toolroll.frozen import CONTRACT_FILE, live_contract, package_of, read_frozen
from toolroll.registry import Registry, discover, load_unchecked

__all__ = ["packs"]


@click.group(cls=Group)
def packs() -> None:
    """List, check, freeze and compare packs, and begin a new one."""


@packs.command("list")
@json_option
@click.option("--strict", is_flag=True, help="Exit 1 if any pack is quarantined.")
def list_packs(as_json: bool, strict: bool) -> None:
    """List every installed pack and its state."""
    with off_standard_output():
        registry = Registry.load(discover())
    if not registry.installed:
        click.echo(f"toolroll: {NONE_INSTALLED}", err=True)
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "distribution": item.source.distribution,
            "version": item.source.version,
            "api_version": item.pack.api_version,
            "state": "loaded",
            "tools": [tool.name for tool in item.tools],
            "capabilities": sorted(item.pack.capabilities),
            **_brought(registry, name),
        }
        for name, item in registry.packs.items()
    ]
    rows += [
        {
            "name": name,
            "distribution": item.source.distribution,
            "version": item.source.version,
            "state": "loaded",
            **_brought(registry, name),
        }
        for name, item in registry.brought.items()
        if name not in registry.packs
    ]
    rows += [
        {
            "name": bad.source.name,
            "distribution": bad.source.distribution,
            "version": bad.source.version,
            "state": "quarantined",
            "stage": bad.stage,
            "cause": bad.cause,
            "remedy": bad.remedy,
        }
        for bad in registry.quarantined
    ]
    rows.sort(key=lambda row: row["name"])
    if as_json:
        print_json(rows)
    else:
        print_table(
            ("pack", "distribution", "version", "state", "tools"),
            [
                (
                    row["name"],
                    row["distribution"],
                    row["version"],
                    row["state"],
                    f"{row['stage']}: {row['cause']}; {row['remedy']}"
                    if "stage" in row
                    else ", ".join([*row.get("tools", ()), *row.get("backends", ())]),
                )
                for row in rows
            ],
        )
    if strict and registry.quarantined:
        sys.exit(1)


@packs.command()
@click.argument("name")
def check(name: str) -> None:
    """Load one pack through all stages and say what is wrong with it."""
    _require(name)
    with off_standard_output():
        registry = Registry.load([source for source in discover() if source.name == name])
    for bad in registry.quarantined:
        raise click.ClickException(f"{bad.stage}: {bad.cause}; {bad.remedy}")
    if name not in registry.packs:
        click.echo(f"{name}: no pack; it brings {', '.join(_brought(registry, name)['backends'])}")
        return
    item = registry.packs[name]
    kept = read_frozen(item.pack)
    if kept is None:
        raise click.ClickException(f"no frozen contract; run 'toolroll packs freeze {name}'")
    if kept != item.contract:
        raise click.ClickException(
            f"its frozen contract is stale; try 'toolroll packs diff {name}'"
        )
    click.echo(f"{name}: {counted(len(item.tools), 'tool')}, contract frozen and kept")


@packs.command()
@click.argument("name")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write here.")
def freeze(name: str, output: Path | None) -> None:
    """Write contract.json from the code, beside the pack or to --output."""
    live, package = _live(name)
    if output is None:
        if package is None:
            raise click.ClickException(f"{name} is a lone module: say where with --output")
        output = Path(str(resources.files(package).joinpath(CONTRACT_FILE)))
    output.write_text(live.dumps(), "utf-8")
    click.echo(f"{name}: {counted(len(live.tools), 'tool')} frozen in {output.name}")


@packs.command()
@click.argument("name")
@json_option
def diff(name: str, as_json: bool) -> None:
    """Name breaking and compatible changes since the contract was frozen; exit 1 if any breaks."""
    try:
        with off_standard_output():
            pack = load_unchecked(_require(name))
        kept, live = read_frozen(pack), live_contract(pack)
    except LoadError as error:
        raise click.ClickException(f"{error.stage}: {error.cause}; {error.remedy}") from None
    if kept is None:
        raise click.ClickException(f"nothing is frozen; run 'toolroll packs freeze {name}'")
    changes = compare(kept, live)
    if as_json:
        print_json([change.to_json() for change in changes])
    else:
        for change in changes:
            click.echo(f"{change.kind}\t{change.where}\t{change.what}")
        if not changes:
            click.echo(f"{name}: the code keeps its frozen contract")
    if any(change.kind is ChangeKind.BREAKING for change in changes):
        sys.exit(1)


@packs.command()
@click.argument("name")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where to make the project; by default here.",
)
def new(name: str, directory: Path) -> None:
    """Begin a pack: a project that builds, conforms and is yours to change."""
    from toolroll.cli.scaffold import write_pack

    try:
        project = write_pack(name, directory)
    except LoadError as error:
        raise click.UsageError(f"{error.cause}; {error.remedy}") from None
    except FileExistsError as error:
        raise click.ClickException(
            f"{error.filename} exists; choose another name or place"
        ) from None
    click.echo(f"made {project}: run 'tox' in it to hold the pack to its contract")


def _brought(registry: Registry, name: str) -> dict[str, list[str]]:
    """Return the backends that a distribution brings, for its row; none is nothing to say."""
    item = registry.brought.get(name)
    if item is None:
        return {}
    named = [f"{kind} {name}" for kind, names in item.factories.items() for name in names]
    return {"backends": sorted(named)}


def _require(name: str) -> Any:
    sources = {source.name: source for source in discover()}
    require_installed([name], sources)
    return sources[name]


def _live(name: str) -> tuple[Contract, str | None]:
    try:
        with off_standard_output():
            pack = load_unchecked(_require(name))
        return live_contract(pack), package_of(pack)
    except LoadError as error:
        raise click.ClickException(f"{error.stage}: {error.cause}; {error.remedy}") from None
