"""The README says what the code says."""

from __future__ import annotations

import tomllib
from pathlib import Path

from toolroll_file_ops import FileOps
from toolroll_file_ops.settings import FileOpsSettings

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def test_every_tool_and_every_error_is_named() -> None:
    pack = FileOps()
    for tool in pack.tools():
        assert f"| `{tool.name}` |" in README
    for code in pack.errors:
        assert f"`{code}`" in README


def test_the_example_settings_are_settings() -> None:
    example = README.partition("```toml\n")[2].partition("```")[0]
    settings = FileOpsSettings.model_validate(tomllib.loads(example)["file_ops"])
    assert settings.collections[0].name == "app"
    assert settings.search.semantic_weight == FileOpsSettings().search.semantic_weight
