"""The README says what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from fileio_host import Host
from prometheus_client import REGISTRY
from pydantic import BaseModel

from toolroll_fileio import FileIO, FileioSettings
from toolroll_fileio.failures import ERRORS

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")


def flat(model: BaseModel, prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found


def test_every_tool_and_code_is_named() -> None:
    assert set(re.findall(r"^\| `(file_\w+)`", README, re.MULTILINE)) == {
        tool.name for tool in FileIO().tools()
    }
    assert all(f"`{code}`" in README for code in ERRORS)


def test_settings_are_listed_with_their_defaults() -> None:
    rows = re.findall(r"^\| `([a-z_.0-9]+)` \| `([^`]*)` \|", README, re.MULTILINE)
    assert {key: json.loads(value) for key, value in rows} == flat(FileioSettings())


def test_the_example_works(host: Host) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})


def test_the_named_series_exist(host: Host) -> None:
    host.write("/a")
    host.found("a")
    host.index()
    series = {metric.name for metric in REGISTRY.collect()}
    for name in re.findall(r"`(mcp_files_\w+)", README):
        assert name.removesuffix("_total") in series
