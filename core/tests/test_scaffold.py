"""`toolroll packs new`: what it writes loads, keeps its contract, and works."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Python = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def fresh_modules(tmp_path: Path) -> Iterator[None]:
    """Writing a pack imports it: forget it, so that the next test sees its own.

    Nothing else is forgotten: installed packs are imported too, and live on in later tests.
    """
    yield
    for name, module in list(sys.modules.items()):
        if str(tmp_path) in (getattr(module, "__file__", None) or ""):
            del sys.modules[name]


def installed(project: Path) -> Path:
    """Lay out the metadata that an installer would write from the project's pyproject."""
    described = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    [(name, module)] = described["entry-points"]["toolroll"].items()
    info = project / "src" / f"{module}-{described['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {described['name']}\nVersion: {described['version']}\n",
        "utf-8",
    )
    (info / "entry_points.txt").write_text(f"[toolroll]\n{name} = {module}\n", "utf-8")
    return project / "src"


def test_a_new_pack_keeps_its_contract_and_works(
    command: Command, tmp_path: Path, python: Python
) -> None:
    done = command("packs", "new", "shopping_list", "--directory", tmp_path)
    project = tmp_path / "toolroll-shopping-list"
    assert (done.code, done.out.split(":")[0]) == (0, f"made {project}")
    assert sorted(path.name for path in project.iterdir()) == [
        ".gitignore",
        "README.md",
        "pyproject.toml",
        "src",
        "tests",
        "tox.ini",
    ]
    assert not list(project.rglob("*.tmpl"))
    assert "${" not in "".join(
        path.read_text("utf-8") for path in project.rglob("*") if path.suffix in {".py", ".toml"}
    )

    source = installed(project)

    def toolroll(*arguments: str) -> str:
        ran = python("-m", "toolroll", *arguments, path=(source,), cwd=tmp_path)
        assert (ran.returncode, ran.stderr) == (0, "")
        return ran.stdout

    assert "contract frozen and kept" in toolroll("packs", "check", "shopping_list")
    remembered = {"key": "fruit", "text": "apples"}
    toolroll("tools", "call", "shopping_list_remember", "--args", json.dumps(remembered))
    recalled = toolroll("tools", "call", "shopping_list_recall", "--args", '{"key": "fruit"}')
    assert json.loads(recalled) == remembered


@pytest.mark.parametrize("name", ["note", "recall", "remember", "none", "field", "base_model"])
def test_any_name_that_a_pack_may_have_will_do(command: Command, tmp_path: Path, name: str) -> None:
    assert command("packs", "new", name, "--directory", tmp_path).code == 0


@pytest.mark.parametrize(
    "name", ["Notes", "my-pack", "1st", "", "../escape", "a" * 41, "host", "conformance"]
)
def test_a_name_that_cannot_be_a_pack_is_refused_before_anything_is_written(
    command: Command, tmp_path: Path, name: str
) -> None:
    done = command("packs", "new", name, "--directory", tmp_path / "place")
    assert done.code == 2
    said = "with a letter first" if name not in {"host", "conformance"} else "of Toolroll's own"
    assert "pack name" in done.err
    assert said in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("probe_installed")
def test_the_name_of_an_installed_pack_is_refused(command: Command, tmp_path: Path) -> None:
    done = command("packs", "new", "probe", "--directory", tmp_path)
    assert done.code == 2
    assert "a pack 'probe' is installed; choose another name" in done.err


def test_an_existing_project_is_never_written_over(command: Command, tmp_path: Path) -> None:
    (tmp_path / "toolroll-mine").mkdir()
    done = command("packs", "new", "mine", "--directory", tmp_path)
    assert done.code == 1
    assert "exists; choose another name or place" in done.err
    assert list((tmp_path / "toolroll-mine").iterdir()) == []
