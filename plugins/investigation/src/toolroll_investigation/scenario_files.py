"""Finding and reading scenario files: YAML or JSON, from settings first, then from the package."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

import yaml
from attrs import frozen
from pydantic import ValidationError

from toolroll_investigation.scenario import SAFE_ID, Scenario

SUFFIXES: Final = (".yaml", ".yml", ".json")
MAX_BYTES: Final = 32 * 1024 * 1024


class ScenarioError(Exception):
    """A scenario is unknown or its file can't be used; the text says which and why."""


class UnknownScenario(ScenarioError):
    """No scenario has that name; the text lists those there are."""


@frozen
class ScenarioFile:
    """Where a scenario was found; reading is left to whoever needs its content."""

    name: str
    path: Path
    packaged: bool


def find_scenarios(directories: Sequence[Path]) -> list[ScenarioFile]:
    """Every scenario by file name, sorted; an earlier directory hides the same name in later ones.

    The scenarios that ship with the package come last.
    """
    found: dict[str, ScenarioFile] = {}
    for directory in directories:
        for path in _files(directory):
            found.setdefault(path.stem, ScenarioFile(path.stem, path, packaged=False))
    packaged = resources.files("toolroll_investigation") / "scenarios"
    with resources.as_file(packaged) as directory:
        for path in _files(directory):
            found.setdefault(path.stem, ScenarioFile(path.stem, path, packaged=True))
    return [found[name] for name in sorted(found)]


def load_scenario(name: str, directories: Sequence[Path]) -> Scenario:
    """Read the scenario of that name.

    Raises:
        UnknownScenario: no such scenario.
        ScenarioError: its file has mistakes.
    """
    files = {file.name: file for file in find_scenarios(directories)}
    if SAFE_ID.fullmatch(name) is None or name not in files:
        available = ", ".join(files)
        raise UnknownScenario(f"unknown scenario: {name[:80]} (available: {available})")
    scenario = read_scenario(files[name].path)
    if scenario.name != name:
        raise ScenarioError(
            f"scenario file {files[name].path.name} holds a scenario named {scenario.name}; give "
            "both the same name"
        )
    return scenario


def read_scenario(path: Path) -> Scenario:
    """Read one scenario file.

    Raises:
        ScenarioError: unreadable, too large, or not a scenario; every mistake is named.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ScenarioError(f"scenario file {path.name} is larger than {MAX_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
        # The parser in C is ten times faster where it was built; both are safe and read the same.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        if path.suffix == ".json":
            document: Any = json.loads(text)
        else:
            document = yaml.load(text, loader)  # noqa: S506  # nosec B506
        return Scenario.model_validate(document)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise ScenarioError(f"scenario file {path.name}: {_explain(error)}") from error


class _Dumper(yaml.SafeDumper):
    """Writes texts so that they come back as they are."""


def _text(_: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if "\x85" in text else None  # a line break to YAML, read back as a space
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def write_scenario(scenario: Scenario) -> str:
    """The scenario as YAML, without what is empty, in the order of the model."""
    document = scenario.model_dump(mode="json", exclude_defaults=True)
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def _files(directory: Path) -> Iterator[Path]:
    if directory.is_dir():
        for path in sorted(directory.iterdir()):
            if path.suffix in SUFFIXES and SAFE_ID.fullmatch(path.stem) and path.is_file():
                yield path


def _explain(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(
            f"{'.'.join(str(part) for part in problem['loc']) or 'the document'}: {problem['msg']}"
            for problem in error.errors()[:10]
        )
    if isinstance(error, OSError):
        return error.strerror or "can't be read"
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    return " ".join(str(error).split())[:300]
