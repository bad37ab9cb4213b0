"""A project directory, and the pack in it: its tools through the host's pipeline, its commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from attrs import frozen
from click.testing import CliRunner

import toolroll
import toolroll_file_assoc
from toolroll.context import LOCAL
from toolroll.registry import Source
from toolroll.runtime import Runtime
from toolroll_file_assoc.commands import commands


def source() -> Source:
    """The pack under test, without looking at what is installed."""
    return Source("file_assoc", "toolroll-file-assoc", "0", lambda: toolroll_file_assoc)


class ToolFailed(Exception):
    """A call was answered with an error."""

    def __init__(self, payload: Mapping[str, Any]) -> None:
        super().__init__(payload["error"])
        self.code: str = payload["code"]


@frozen
class Project:
    """A project with the pack's data."""

    root: Path
    data: Path
    runtime: Runtime

    @property
    def context(self) -> toolroll.PackContext:
        """The pack's resources."""
        return self.runtime.context("file_assoc")

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and return its payload; ToolFailed on an error answer."""
        answer = anyio.run(self.runtime.caller.call, tool, arguments, LOCAL)
        payload = json.loads(answer.text)
        if answer.is_error:
            raise ToolFailed(payload)
        return payload

    def fails(self, tool: str, **arguments: Any) -> str | None:
        """Call a tool and return the code of its error; None where it succeeded."""
        try:
            self.call(tool, **arguments)
        except ToolFailed as error:
            return error.code
        return None

    def command(self, *words: str) -> Any:
        """Run `toolroll file_assoc WORDS… --json` and return what it prints."""
        result = CliRunner().invoke(
            commands, [*words, "--json"], obj=self.context, catch_exceptions=False
        )
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def write(self, path: str, text: str = "x\n") -> Path:
        """Write a file of the project."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def import_log(self, log: Mapping[str, Any], *options: str) -> Any:
        """Import a SARIF log and return the counts."""
        file = self.root.parent / "log.sarif"
        file.write_text(json.dumps(log), encoding="utf-8")
        return self.command("import-sarif", str(file), *options)

    def file_id(self, path: str) -> str:
        """Register a path and return the id."""
        return self.call("register_file", path=path)["id"]

    def issue_id(self, title: str = "An issue") -> str:
        """Add an issue and return its id."""
        return self.command("issue", "add", title)["id"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    root = tmp_path / "root"
    root.mkdir()
    with Runtime.open(
        roots=[root], data_dir=tmp_path / "data", sources=lambda: [source()]
    ) as runtime:
        assert not runtime.registry.quarantined
        yield Project(root, tmp_path / "data", runtime)


@pytest.fixture
def sarif() -> Callable[..., dict[str, Any]]:
    """Make a small SARIF log: `sarif(("a.py", "R1", 3), source="ruff", level="error")`."""

    def make(
        *findings: tuple[str, str, int | None], source: str = "ruff", level: str = "warning"
    ) -> dict[str, Any]:
        results = [
            {
                "ruleId": rule,
                "level": level,
                "message": {"text": f"{rule} in {path}"},
                "locations": [
                    {
                        "physicalLocation": {
                            "artifactLocation": {"uri": path},
                            "region": {"startLine": line} if line is not None else None,
                        }
                    }
                ],
            }
            for path, rule, line in findings
        ]
        runs = [{"tool": {"driver": {"name": source}}, "results": results}]
        return {"version": "2.1.0", "runs": runs}

    return make
