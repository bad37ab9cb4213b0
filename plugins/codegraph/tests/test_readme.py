"""The README's commands run, and it says what the code says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from toolroll_codegraph.commands import commands
from toolroll_codegraph.pack import CodeGraph
from toolroll_codegraph.results import IndexStats
from toolroll_codegraph.settings import CodeGraphSettings

if TYPE_CHECKING:
    from conftest import Project

PACK = Path(__file__).parents[1]
README = (PACK / "README.md").read_text("utf-8")
ARCHITECTURE = (PACK / "ARCHITECTURE.md").read_text("utf-8")
SOURCE = "class Worker:\n    def run(self): return step()\ndef step(): pass\nWorker().run()\n"


def test_the_commands_run(project: Project, tmp_path: Path) -> None:
    project.write("worker.py", SOURCE)
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, *command], cwd=project.root, check=True)
    project.write("worker.py", SOURCE.replace("pass", "return 1"))
    lines = re.findall(r"^\$ toolroll (codegraph .*?)(?:\s+#.*)?$", README, re.MULTILINE)
    assert len(lines) == 3
    printed: dict[str, str] = {}
    for line in lines:
        command = [sys.executable, "-m", "toolroll", *shlex.split(line)]
        command[4:4] = ["--root", str(project.root), "--data-dir", str(tmp_path / "other")]
        done = subprocess.run(
            command, cwd=project.root, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (line, done.stderr)
        printed[line.split()[1]] = done.stdout
    assert printed["index"].startswith("1 file, 2 functions, 1 class, ")
    assert "step" in printed["query"]
    assert "Worker.run" in printed["impact"]


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_every_command_is_described(name: str) -> None:
    assert re.search(rf"`(toolroll codegraph )?{name}\b", README)


def test_every_tool_is_described() -> None:
    assert [name for name in (tool.name for tool in CodeGraph().contract().tools)
            if f"| `{name}` |" not in README] == []  # fmt: skip


def test_the_settings_are_those_of_the_code() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    table = tomllib.loads(example)["codegraph"]
    assert table == CodeGraphSettings().model_dump()


def test_the_counts_are_explained() -> None:
    table = README.partition("## What the counts mean")[2].partition("\n## ")[0]
    explained = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert explained <= set(IndexStats.model_fields)


def test_the_bounds_are_those_of_the_code() -> None:
    bounds = re.findall(r"^\| `(\S+\.py): (\w+)` \| (\S+) \|", ARCHITECTURE, re.MULTILINE)
    assert len(bounds) > 10
    for path, name, value in bounds:
        source = (PACK / "src/toolroll_codegraph" / path).read_text("utf-8")
        assert re.search(rf"^{name}\b.* = {value}$", source, re.MULTILINE), (path, name)


def test_the_files_named_are_there() -> None:
    known = {path.name for path in (PACK / "src").rglob("*.py")}
    named = re.findall(r"`(?!bench/)(?:[\w<>]+/)*(\w+\.py)[:`]", ARCHITECTURE)
    assert set(named) <= known | {"speed.py"}
