"""The README runs, and says what the code says."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from toolroll_investigation import InvestigationPack
from toolroll_investigation.commands import investigation
from toolroll_investigation.settings import InvestigationSettings

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def test_the_example_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "H2 F1_TRIAGE\nH4 F5_REVIEW\n"


def test_the_table_of_tools_is_the_contract() -> None:
    rows = [
        f"| `{tool.name}` | {tool.description.splitlines()[0]} "
        f"| {'no' if tool.annotations.read_only else 'yes'} |"
        for tool in InvestigationPack().contract().tools
    ]
    table = README.partition("<!-- tools -->\n")[2].partition("\n<!-- /tools -->")[0]
    assert table.splitlines()[2:] == rows


@pytest.mark.parametrize("name", sorted(investigation.commands))
def test_every_command_is_described(name: str) -> None:
    assert f"`{name}" in README


def test_the_settings_are_those_that_are_read() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    table = tomllib.loads(text)["investigation"]
    settings = InvestigationSettings.model_validate(table)
    assert set(table) == set(InvestigationSettings.model_fields)
    assert settings.thresholds == InvestigationSettings().thresholds
