"""Running `toolroll …` command lines on a workspace, as its user would beside the server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attrs import frozen

from toolroll_conformance.workspace import Workspace

__all__ = ["CommandResult", "RunCommand", "placed", "run_command"]

COMMAND_TIMEOUT: Final = 300.0
"""Seconds that a command may take."""


@frozen
class CommandResult:
    """How a command ended."""

    exit: int
    stdout: str
    stderr: str


RunCommand = Callable[[Workspace, Sequence[str]], CommandResult]


def run_command(
    workspace: Workspace, arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> CommandResult:
    """Run `toolroll ARGUMENTS…` in the project root, on the workspace's settings and data.

    Args:
        workspace: Where it runs.
        arguments: The words after `toolroll`.
        environment: Replaces the environment; by default this process's own.
    """
    done = subprocess.run(  # noqa: S603 (the words come from the pack's own case file)
        [sys.executable, "-m", "toolroll", *placed(workspace, arguments)],
        cwd=workspace.root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT,
        check=False,
    )
    return CommandResult(done.returncode, done.stdout, done.stderr)


def placed(workspace: Workspace, arguments: Sequence[str]) -> list[str]:
    """Return a command line with `--config` where it belongs.

    A pack's own group takes it right after its name, core's commands at their end.
    """
    config = ["--config", str(workspace.config)]
    if arguments[0] == workspace.pack:
        return [arguments[0], *config, *arguments[1:]]
    return [*arguments, *config]
