"""Running `toolroll …` command lines on a workspace, as its user would beside the server."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from attrs import frozen

from toolroll_conformance.processes.child import KILL, Launcher
from toolroll_conformance.workspace import Workspace

__all__ = ["CommandResult", "Commands", "RunCommand"]

COMMAND_TIMEOUT: Final = 300.0
"""Seconds that a command may take."""


@frozen
class CommandResult:
    """How a command ended; `exit` is None if it had to be killed."""

    exit: int | None
    stdout: str
    stderr: str


RunCommand = Callable[[Workspace, Sequence[str]], CommandResult]


@frozen
class Commands:
    """Runs `toolroll` commands in the project root, on the workspace's settings and data."""

    launcher: Launcher

    def __call__(self, workspace: Workspace, words: Sequence[str]) -> CommandResult:
        """Run `toolroll WORDS…` to its end."""
        with (
            Path(os.devnull).open("rb") as nothing,
            tempfile.TemporaryFile(dir=workspace.path) as stdout,
            tempfile.TemporaryFile(dir=workspace.path) as stderr,
        ):
            child = self.launcher.start(
                _placed(workspace, words),
                cwd=workspace.root,
                stdin=nothing.fileno(),
                stdout=stdout.fileno(),
                stderr=stderr.fileno(),
            )
            code = child.wait(COMMAND_TIMEOUT)
            if code is None:
                child.send(KILL)
            stdout.seek(0)
            stderr.seek(0)
            return CommandResult(
                code,
                stdout.read().decode("utf-8", "replace"),
                stderr.read().decode("utf-8", "replace"),
            )


def _placed(workspace: Workspace, words: Sequence[str]) -> list[str]:
    """Return a command line with `--config` where it belongs.

    A pack's own group takes it right after its name, core's commands at their end.
    """
    config = ["--config", str(workspace.config)]
    if words[0] == workspace.pack:
        return [words[0], *config, *words[1:]]
    return [*words, *config]
