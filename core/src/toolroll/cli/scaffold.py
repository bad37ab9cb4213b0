"""A new pack from templates: a project that builds, conforms, and is its author's to change."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Final

from toolroll.errors import LoadError
from toolroll.frozen import CONTRACT_FILE, live_contract
from toolroll.hookspecs import GROUP
from toolroll.pack import check_name
from toolroll.registry import Source, load_unchecked

__all__ = ["write_pack"]

SUFFIX: Final = ".tmpl"


def write_pack(name: str, directory: Path) -> Path:
    """Write the project of a new pack and return its directory.

    Args:
        name: The pack's name: lower-case letters, digits and underscores.
        directory: Where to make `toolroll-<name>`.

    Raises:
        LoadError: The name can't be a pack's, or an installed pack has it.
        FileExistsError: The project directory exists.
    """
    check_name(name)
    if name in {entry.name for entry in importlib.metadata.entry_points(group=GROUP)}:
        raise LoadError("metadata", f"a pack {name!r} is installed", remedy="choose another name")
    distribution = f"toolroll-{name.replace('_', '-')}"
    package = f"toolroll_{name}"
    project = directory / distribution
    project.mkdir(parents=True)
    words = {
        "name": name,
        "distribution": distribution,
        "package": package,
        "classname": "".join(part.capitalize() for part in name.split("_")),
        "title": name.replace("_", " ").capitalize(),
    }
    _write(resources.files("toolroll.cli").joinpath("template"), project, words)
    _freeze(name, distribution, package, project / "src")
    return project


def _write(source: Traversable, target: Path, words: dict[str, str]) -> None:
    for item in source.iterdir():
        if item.is_dir():
            folder = target / (words["package"] if item.name == "package" else item.name)
            folder.mkdir()
            _write(item, folder, words)
        elif item.name.endswith(SUFFIX):
            name = item.name.removesuffix(SUFFIX)
            text = Template(item.read_text("utf-8")).substitute(words)
            (target / (".gitignore" if name == "gitignore" else name)).write_text(text, "utf-8")


def _freeze(name: str, distribution: str, package: str, source: Path) -> None:
    """Freeze the contract of the code just written, so that the project conforms as it is."""
    sys.path.insert(0, str(source))
    try:
        importlib.invalidate_caches()
        entry = Source(name, distribution, "0.1.0", lambda: importlib.import_module(package))
        contract = live_contract(load_unchecked(entry))
    finally:
        sys.path.remove(str(source))
    (source / package / CONTRACT_FILE).write_text(contract.dumps(), "utf-8")
