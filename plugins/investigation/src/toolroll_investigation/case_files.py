"""The files of a case: prompts, artifacts and state for people and scripts to read.

The database is the truth and these follow it.
"""

from __future__ import annotations

from pathlib import Path

from toolroll_investigation.private_files import write_private
from toolroll_investigation.steps import Step


def files_of(base: Path, tenant: str) -> Path:
    """Where the files of a tenant's suites lie, by their numbers."""
    return base / tenant[:16]


class CaseFiles:
    """The directory of one case, `{base}/{suite_id}/{store case id}`, private to its owner."""

    def __init__(self, base: Path, suite: int, case: int) -> None:
        self.directory = base / str(suite) / str(case)

    def write_prompt(self, step: Step, text: str) -> None:
        """Keep the prompt last handed out for a step."""
        write_private(self.directory / f"prompt-{step}.md", text)

    def write_artifact(self, step: Step, text: str) -> None:
        """Keep the artifact last accepted for a step."""
        write_private(self.directory / f"{step}.json", text)

    def write_state(self, text: str) -> None:
        """Keep the state of the case."""
        write_private(self.directory / "state.json", text)
