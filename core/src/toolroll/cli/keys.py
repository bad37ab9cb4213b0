"""`toolroll keys`: bearer keys for the HTTP host."""

from __future__ import annotations

from pathlib import Path

import click

from toolroll.cli.group import Group
from toolroll.cli.options import json_option, open_runtime, place_options
from toolroll.cli.output import print_json, print_table
from toolroll.host.keys import KeyStore

__all__ = ["keys"]


@click.group(cls=Group)
def keys() -> None:
    """Make, list and revoke bearer keys for the HTTP host.

    Once a key exists, an HTTP host started on the same data demands one for every call.
    """


@keys.command()
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, help="read or write; by default both.")
@click.option("--days", type=click.FloatRange(min=0, min_open=True), help="Lifetime in days.")
@click.option(
    "--limit-to",
    "limits",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory that the key is limited to; by default every root of the host. Repeatable.",
)
@place_options
@json_option
def new(
    name: str,
    scopes: tuple[str, ...],
    days: float | None,
    limits: tuple[Path, ...],
    roots: tuple[Path, ...],
    data_dir: Path | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Make a key and print it: this is the only time that it can be seen."""
    key = _store(roots, data_dir, config).create(
        name, scopes=scopes or ("read", "write"), days=days, roots=limits
    )
    if as_json:
        print_json({"name": name, "key": key})
    else:
        click.echo(key)


@keys.command("list")
@place_options
@json_option
def list_keys(
    roots: tuple[Path, ...], data_dir: Path | None, config: Path | None, as_json: bool
) -> None:
    """List keys by name, without the keys themselves."""
    records = _store(roots, data_dir, config).list()
    rows = [
        {
            "name": record.name,
            "tenant": record.tenant[:12],
            "scopes": list(record.scopes),
            "created_at": record.created_at,
            "expires_at": record.expires_at,
            "roots": list(record.roots),
        }
        for record in records
    ]
    if as_json:
        print_json(rows)
        return
    print_table(
        ("name", "tenant", "scopes", "created", "expires", "limited to"),
        [
            (
                r["name"],
                r["tenant"],
                ", ".join(r["scopes"]),
                r["created_at"],
                r["expires_at"] or "-",
                ", ".join(r["roots"]) or "-",
            )
            for r in rows
        ],
    )


@keys.command()
@click.argument("name")
@place_options
def revoke(name: str, roots: tuple[Path, ...], data_dir: Path | None, config: Path | None) -> None:
    """Revoke a key; running hosts refuse it from their next request on."""
    _store(roots, data_dir, config).revoke(name)
    click.echo(f"revoked {name}")


def _store(roots: tuple[Path, ...], data_dir: Path | None, config: Path | None) -> KeyStore:

    runtime = open_runtime(
        roots, data_dir, config, {"audit": {"enabled": False}, "packs": {"allow": ()}}
    )
    return KeyStore(runtime.make_data_dir())
