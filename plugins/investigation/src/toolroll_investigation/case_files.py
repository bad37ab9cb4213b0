"""The files of a case: prompts, artifacts and state for people and scripts to read.

The database is the truth and these follow it, so that they are written atomically but not synced.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from toolroll_investigation.steps import Step


class CaseFiles:
    """The directory of one case, `{base}/{suite_id}/{store case id}`, private to its owner."""

    def __init__(self, base: Path, suite: int, case: int) -> None:
        self.directory = base / str(int(suite)) / str(int(case))

    def write_prompt(self, step: Step, text: str) -> None:
        """Keep the prompt last handed out for a step."""
        self._write(f"prompt-{step}.md", text)

    def write_artifact(self, step: Step, text: str) -> None:
        """Keep the artifact last accepted for a step."""
        self._write(f"{step}.json", text)

    def write_state(self, text: str) -> None:
        """Keep the state of the case."""
        self._write("state.json", text)

    def _write(self, name: str, text: str) -> None:
        make_private_directory(self.directory)
        # mkstemp makes files that only their owner can read.
        handle, temporary = tempfile.mkstemp(dir=self.directory, prefix=f".{name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            Path(temporary).replace(self.directory / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def make_private_directory(directory: Path) -> None:
    """Make a directory and its parents, each with mode 0700 where it is made here."""
    if not directory.is_dir():
        make_private_directory(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)
