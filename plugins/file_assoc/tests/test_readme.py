"""The README runs, and says what the code says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolroll_file_assoc import FileAssoc
from toolroll_file_assoc.commands import commands

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def test_the_example_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"toolroll-f-[0-9a-f]+ src/app\.py\n1 file\n", done.stdout)


def test_the_table_of_tools_is_the_contract() -> None:
    rows = [
        f"| `{tool.name}` | {tool.description.splitlines()[0]} "
        f"| {'no' if tool.annotations.read_only else 'yes'} |"
        for tool in FileAssoc().contract().tools
    ]
    table = README.partition("<!-- tools -->\n")[2].partition("\n<!-- /tools -->")[0]
    assert table.splitlines()[2:] == rows


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_every_command_is_described(name: str) -> None:
    assert f"`{name} " in README
