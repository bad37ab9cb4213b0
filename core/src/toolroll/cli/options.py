"""Options that several commands share, and how they become a runtime."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from toolroll.cli.output import off_standard_output

if TYPE_CHECKING:
    from toolroll.runtime import Runtime

__all__ = [
    "IDLE",
    "NONE_INSTALLED",
    "json_option",
    "open_runtime",
    "place_options",
    "require_installed",
    "tell_quarantined",
]

F = TypeVar("F", bound=Callable[..., Any])

IDLE: Final = "is the name of nothing installed; check its spelling"
NONE_INSTALLED: Final = "no pack is installed; try: pip install toolroll-file-assoc"
"""What is said of a name or glob in the settings that selects nothing."""


def place_options(function: F) -> F:
    """Add `--root`, `--data-dir` and `--config`: where the host stands."""
    for option in (
        click.option(
            "--config",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Settings file; by default toolroll.toml in the first root.",
        ),
        click.option(
            "--data-dir",
            type=click.Path(file_okay=False, path_type=Path),
            help="Where packs store their data; by default .toolroll in the first root.",
        ),
        click.option(
            "--root",
            "roots",
            multiple=True,
            type=click.Path(path_type=Path),
            help="Directory that calls may name; the first is the project root. Repeatable.",
        ),
    ):
        function = option(function)
    return function


def json_option(function: F) -> F:
    """Add `--json`, which a command gets as `as_json`; every command that prints a table has it."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def open_runtime(
    roots: tuple[Path, ...] = (),
    data_dir: Path | None = None,
    config: Path | None = None,
    overrides: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    at: Path | None = None,
    only: str = "",
) -> Runtime:
    """Return the runtime that the options of `place_options` describe, seen from a directory."""
    from toolroll.runtime import Runtime

    with off_standard_output():
        return Runtime.open(
            roots=roots, config=config, data_dir=data_dir, overrides=overrides, at=at, only=only
        )


def tell_quarantined(runtime: Runtime) -> None:
    """Say on standard error which packs are set aside, or that there is none, and what to do."""
    if not runtime.registry.installed:
        click.echo(f"toolroll: {NONE_INSTALLED}", err=True)
    for bad in runtime.registry.quarantined:
        click.echo(
            f"toolroll: pack {bad.source.name!r} is quarantined at {bad.stage}: {bad.cause}; "
            f"{bad.remedy}",
            err=True,
        )


def require_installed(names: Iterable[str], installed: Collection[str]) -> None:
    """Refuse the name of a pack that is not installed, naming those that are."""
    for name in names:
        if name not in installed:
            known = ", ".join(sorted(installed)) or "none; try: pip install toolroll-file-assoc"
            raise click.UsageError(f"no pack {name!r} is installed; installed: {known}")
