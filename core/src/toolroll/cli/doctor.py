"""`toolroll doctor`: what a host here would run on, and what is wrong with it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from attrs import asdict, frozen

from toolroll.cli.options import IDLE, NONE_INSTALLED, json_option, open_runtime, place_options
from toolroll.cli.output import print_json, print_table
from toolroll.cli.stored import kept
from toolroll.counting import counted
from toolroll.errors import SettingsError, ToolrollError
from toolroll.host.keys import KeyStore
from toolroll.runtime import Runtime
from toolroll.storage.drift import missing
from toolroll.storage.redis import SharedRedis

__all__ = ["doctor"]

MOST_LACKING: Final = 5


@frozen
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    detail: str


@click.command()
@place_options
@json_option
def doctor(
    roots: tuple[Path, ...], data_dir: Path | None, config: Path | None, as_json: bool
) -> None:
    """Check Python, packs, settings, data directory, databases, Redis; exit 1 if any is wrong."""
    # no tool is called; a log of calls would want the data directory before it was looked at
    unlogged = {"audit": {"enabled": False, "table": False}}
    with open_runtime(roots, data_dir, config, overrides=unlogged) as runtime:
        findings = list(_findings(runtime))
    if as_json:
        print_json([asdict(item) for item in findings])
    else:
        print_table(
            ("", "what", "detail"),
            [("ok" if item.ok else "WRONG", item.what, item.detail) for item in findings],
        )
    if not all(item.ok for item in findings):
        sys.exit(1)


def _findings(runtime: Runtime) -> Iterator[Finding]:
    yield Finding("python", sys.version_info >= (3, 11), platform.python_version())
    for name in ("toolroll", "mcp", "pydantic", "sqlalchemy", "alembic", "pluggy"):
        yield Finding(name, True, importlib.metadata.version(name))
    yield Finding("sqlite", sqlite3.sqlite_version_info >= (3, 35), sqlite3.sqlite_version)
    source = runtime.configuration.path
    yield Finding("settings", True, source.name if source else "defaults (no toolroll.toml)")
    for name in runtime.registry.idle:
        yield Finding("settings", False, f"{name!r} in [packs] or [tools] {IDLE}")
    for root in runtime.roots:
        yield Finding("root", os.access(root.path, os.R_OK | os.X_OK), str(root.path))
    yield _data_directory(runtime)
    yield _keys(runtime)
    if runtime.redis is not None:
        yield _redis(runtime.redis)
    if not runtime.registry.installed:
        yield Finding("packs", False, NONE_INSTALLED)
    for name, item in runtime.registry.packs.items():
        yield Finding(
            f"pack {name}", True, f"{item.source.version}, {counted(len(item.tools), 'tool')}"
        )
        if item.pack.migrations:
            yield from _database(runtime, name)
    yield _stored(runtime)
    for kind, backend in runtime.backends.items():
        yield Finding(f"backend {kind}", True, backend.name)
    for bad in runtime.registry.quarantined:
        yield Finding(f"pack {bad.source.name}", False, f"{bad.stage}: {bad.cause}; {bad.remedy}")


def _data_directory(runtime: Runtime) -> Finding:
    try:
        directory = runtime.make_data_dir()
    except SettingsError as error:
        return Finding("data directory", False, str(error))
    if os.access(directory, os.W_OK):
        return Finding("data directory", True, str(directory))
    return Finding(
        "data directory",
        False,
        f"{directory} may only be read; make it writable, or choose another with --data-dir",
    )


def _keys(runtime: Runtime) -> Finding:
    try:
        keys = KeyStore(runtime.data_dir).list()
    except SettingsError as error:
        return Finding("keys", False, str(error))
    except OSError as error:
        return Finding("keys", False, f"cannot read keys.json: {error.strerror}")
    return Finding("keys", True, counted(len(keys), "key"))


def _redis(server: SharedRedis) -> Finding:
    from redis.exceptions import RedisError

    try:
        server.ping()
    except RedisError as error:
        return Finding("redis", False, f"{error}; without it each host limits rates on its own")
    return Finding("redis", True, "answers")


def _stored(runtime: Runtime) -> Finding:
    missing = sum(one.directory_is in ("gone", "away") for one in kept(runtime))
    if not missing:
        return Finding("stored", True, "nothing of directories that are gone")
    what = counted(missing, "directory is", "directories are")
    return Finding(
        "stored", True, f"{what} gone of which something is stored; see 'toolroll stored list'"
    )


def _database(runtime: Runtime, name: str) -> Iterator[Finding]:
    context = runtime.context(name)
    try:
        context.database.open()
    except ToolrollError as error:
        yield Finding(f"database of {name}", False, str(error))
        return
    pack = runtime.registry.packs[name].pack
    if lacking := missing(context.database, pack.migrations):
        yield Finding(
            f"database of {name}",
            False,
            f"lacks {', '.join(lacking[:MOST_LACKING])}, which its migrations make: one was edited "
            "after it had run here; put the change into a new one, or move the file away",
        )
    else:
        yield Finding(f"database of {name}", True, f"{context.database.dialect}, schema up to date")
    try:
        remarks = list(pack.remarks(context))
    except (Exception, SystemExit) as error:  # the boundary to a pack: the others are looked at
        yield Finding(f"pack {name}", False, f"its remarks: {type(error).__name__}: {error}")
        return
    for remark in remarks:
        yield Finding(f"pack {name}", True, remark)
