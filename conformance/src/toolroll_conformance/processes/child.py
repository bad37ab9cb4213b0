"""A started process, however it was started, and the cold way of starting one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

__all__ = ["Child", "ColdLauncher", "Launcher"]


class Child(Protocol):
    """A process that somebody started for us."""

    @property
    def pid(self) -> int: ...

    def wait(self, timeout: float) -> int | None:
        """Wait for its end and return its exit code (negative for a signal); None if it runs on."""
        ...

    def send(self, signal_number: int) -> None:
        """Send it a signal, if it still runs."""
        ...


class Launcher(Protocol):
    """Starts `toolroll ARGUMENTS…`."""

    def start(
        self, arguments: Sequence[str], *, cwd: Path, stdin: int, stdout: int, stderr: int
    ) -> Child:
        """Start a process with these file descriptors, which the caller closes on its side."""
        ...

    def close(self) -> None:
        """End what the launcher keeps running."""
        ...


class ColdLauncher:
    """Starts each process anew: a fresh interpreter, everything imported again.

    Args:
        command: The words before the arguments; by default `python -m toolroll`.
        environment: Variables to add to this process's own.
    """

    def __init__(
        self, command: Sequence[str] | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._command = tuple(command or (sys.executable, "-m", "toolroll"))
        self._environment = {**os.environ, **(environment or {})}

    def start(
        self, arguments: Sequence[str], *, cwd: Path, stdin: int, stdout: int, stderr: int
    ) -> Child:
        """Start a process."""
        popen = subprocess.Popen(  # noqa: S603 (the words come from the caller's command line)
            [*self._command, *arguments],
            cwd=cwd,
            env=self._environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            process_group=0 if os.name == "posix" else None,  # what it leaves is told by its group
        )
        return _PopenChild(popen)

    def close(self) -> None:
        """Nothing is kept running."""


class _PopenChild:
    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._popen = popen

    @property
    def pid(self) -> int:
        return self._popen.pid

    def wait(self, timeout: float) -> int | None:
        try:
            return self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def send(self, signal_number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._popen.send_signal(signal_number)


KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that gives a process no chance to tidy up."""
