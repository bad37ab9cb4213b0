"""`toolroll serve`: the MCP host over stdio or HTTP."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolroll.cli.options import (
    IDLE,
    open_runtime,
    place_options,
    require_installed,
    tell_quarantined,
)

if TYPE_CHECKING:
    from toolroll.runtime import Runtime

__all__ = ["serve"]


@click.command()
@place_options
@click.option("--http", "address", metavar="HOST:PORT", help="Listen here instead of on stdio.")
@click.option("--packs", "only", metavar="A,B", help="Serve only these packs.")
@click.option("--read-only", is_flag=True, help="Neither list nor run tools that write.")
@click.option("--strict", is_flag=True, help="Exit 1 if any pack is quarantined.")
def serve(
    roots: tuple[Path, ...],
    data_dir: Path | None,
    config: Path | None,
    address: str | None,
    only: str | None,
    read_only: bool,
    strict: bool,
) -> None:
    """Serve every installed pack over MCP (stdio by default)."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the transports have their own way to end
    overrides: dict[str, dict[str, Any]] = {}
    named = tuple(name for name in (only or "").split(",") if name)
    if only is not None:
        overrides["packs"] = {"allow": named}
    if read_only:
        overrides["host"] = {"read_only": True}
    if named:
        from toolroll.registry import discover

        require_installed(named, [source.name for source in discover()])
    with _without_collecting():
        runtime = open_runtime(roots, data_dir, config, overrides)
        run = _transport(address)
    tell_quarantined(runtime)
    for name in runtime.registry.idle:
        click.echo(f"toolroll: {name!r} in [packs] or [tools] {IDLE}", err=True)
    if strict and runtime.registry.quarantined:
        sys.exit(1)
    run(runtime)
    if address is None:
        os.dup2(2, 1)  # where C libraries write at the end what they have kept in buffers


def _transport(address: str | None) -> Callable[[Runtime], None]:
    if address is None:
        from toolroll.host.stdio import serve_stdio

        return serve_stdio
    from toolroll.host.http import parse_address, serve_http

    return partial(serve_http, address=parse_address(address))


@contextlib.contextmanager
def _without_collecting() -> Generator[None]:
    """Load without garbage collection: what is made now stays. Saves a seventh of start-up."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
