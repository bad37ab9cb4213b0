"""How a server is started for a workspace: `toolroll serve`, or a stranger's command."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final, Protocol, Self

from attrs import define, evolve, field, frozen

from toolroll_conformance.host_log import new_log
from toolroll_conformance.legs.base import CannotServe
from toolroll_conformance.processes.child import KILL, Child, Launcher
from toolroll_conformance.processes.group import end_group, group_of
from toolroll_conformance.workspace import Workspace

__all__ = ["START_TIMEOUT", "PackServer", "Running", "Starter", "StrangerServer", "started"]

START_TIMEOUT: Final = 180.0
"""Seconds until a server must answer, on a machine that has much else to do."""
STOP_TIMEOUT: Final = 60.0
"""Seconds to end in order; the host drains for ten."""
DEAF_TIMEOUT: Final = 1.0
"""Seconds to end when the input is closed, for a server that didn't mind it before."""
TERM_TIMEOUT: Final = 5.0
"""Seconds to end after SIGTERM, which MCP has for a server that doesn't mind its input."""
_LISTENS: Final = re.compile(r"listening on (http://\S+/mcp)")


class Starter(Protocol):
    """Starts the server under test."""

    def stdio(self, workspace: Workspace) -> Running:
        """Start it on pipes."""
        ...


@define(eq=False)
class Patience:
    """How long to wait for the servers of a command to end by themselves."""

    seconds: float = field(factory=lambda: STOP_TIMEOUT)


@frozen(eq=False)
class Running:
    """A started server.

    Attributes:
        process: The process.
        stdin: The pipe to it; None over HTTP.
        stdout: The pipe from it; None over HTTP.
        log: The file that gets its standard error.
        patience: Shared with others that were started alike.

    As a context manager it is killed at the end, if it still runs.
    """

    process: Child
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    log: Path
    patience: Patience = field(factory=Patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.kill()

    def address(self, timeout: float = START_TIMEOUT) -> str:
        """Wait until an HTTP host says that it listens, and return its MCP address.

        Raises:
            CannotServe: It ended, or did not listen in time.
        """
        until = time.monotonic() + timeout
        while (said := _LISTENS.search(self.log.read_text("utf-8", "replace"))) is None:
            if self.process.wait(0.01) is not None or time.monotonic() > until:
                self.kill()
                raise CannotServe(f"it does not listen; it said: {self.last_words()}")
        return said[1]

    def stop(self) -> None:
        """End it in order: close its input, then send SIGTERM; kill it if it minds neither.

        What it leaves running is killed too.
        """
        if self.stdin is not None:
            self.stdin.close()
            if self._waited(self.patience.seconds) is None:
                self.process.send(signal.SIGTERM)
        else:
            self.process.send(signal.SIGTERM)
        if self.process.wait(STOP_TIMEOUT if self.stdin is None else TERM_TIMEOUT) is None:
            self.kill()
        end_group(self.process.pid)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self.process.send(KILL)
        self.process.wait(STOP_TIMEOUT)

    def end(self) -> int | None:
        """Close its input, and return its exit code; None if it doesn't mind and runs on."""
        assert self.stdin is not None
        self.stdin.close()
        return self._waited(STOP_TIMEOUT)

    def _waited(self, seconds: float) -> int | None:
        """Wait for its end, and have less patience with the next if it doesn't come."""
        if (code := self.process.wait(seconds)) is None:
            self.patience.seconds = DEAF_TIMEOUT
        return code

    def left(self, timeout: float) -> Mapping[int, str]:
        """Return what it started and has left running, once it has ended: commands by number.

        Args:
            timeout: Seconds that they have to end, too.
        """
        until = time.monotonic() + timeout
        while (left := group_of(self.process.pid)) and time.monotonic() < until:
            time.sleep(0.05)  # they are no children of ours: nothing tells of their end
        return left

    def release(self) -> None:
        """Close the pipes."""
        for pipe in (self.stdin, self.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue

    def last_words(self) -> str:
        """Return the end of what it wrote to standard error."""
        return self.log.read_text("utf-8", "replace").strip()[-800:]


@frozen
class PackServer:
    """`toolroll serve` of one pack, with further options if need be."""

    launcher: Launcher
    options: Sequence[str] = ()

    def stdio(self, workspace: Workspace) -> Running:
        """Start it on pipes."""
        words = [*_serve(workspace), *self.options]
        return _in_workspace(self.launcher, words, workspace, piped=True)

    def http(self, workspace: Workspace) -> Running:
        """Start it on a loopback port that it chooses: one chosen here could be taken by then."""
        words = [*_serve(workspace), *self.options, "--http", "127.0.0.1:0"]
        return _in_workspace(self.launcher, words, workspace, piped=False)


@frozen
class StrangerServer:
    """A command that speaks MCP on its standard streams.

    `{root}`, `{data}` and `{config}` in its words are replaced by the workspace's paths. All three
    are there: a server that is told where to store need not make the directory.
    """

    launcher: Launcher
    words: Sequence[str]
    patience: Patience = field(factory=Patience)

    def stdio(self, workspace: Workspace) -> Running:
        """Start it on pipes, in the project root."""
        workspace.data.mkdir(exist_ok=True)
        places = {"{root}": workspace.root, "{data}": workspace.data, "{config}": workspace.config}
        words = list(self.words)
        for mark, path in places.items():
            words = [word.replace(mark, str(path)) for word in words]
        running = _in_workspace(self.launcher, words, workspace, piped=True)
        return evolve(running, patience=self.patience)


def _serve(workspace: Workspace) -> list[str]:
    return ["serve", "--strict", "--config", str(workspace.config)]


def _in_workspace(
    launcher: Launcher, words: Sequence[str], workspace: Workspace, *, piped: bool
) -> Running:
    return started(launcher, words, cwd=workspace.root, logs=workspace.path, piped=piped)


def started(
    launcher: Launcher, words: Sequence[str], *, cwd: Path, logs: Path, piped: bool = False
) -> Running:
    """Start `toolroll WORDS…`, which serves HTTP, or MCP on pipes where it is `piped`.

    Args:
        launcher: Starts it.
        words: Its arguments.
        cwd: Its directory.
        logs: Where to put a new file that gets its standard error.
        piped: Whether it gets pipes as its standard streams, and not the null device.

    Raises:
        CannotServe: It can't be started.
    """
    descriptor, log = new_log(logs)
    with os.fdopen(descriptor, "wb") as errors, Path(os.devnull).open("r+b") as nothing:
        if not piped:
            process = _launch(launcher, words, cwd, nothing, nothing, errors)
            return Running(process, None, None, log)
        (child_in, stdin), (stdout, child_out) = os.pipe(), os.pipe()
        with os.fdopen(child_in, "rb") as theirs_in, os.fdopen(child_out, "wb") as theirs_out:
            process = _launch(launcher, words, cwd, theirs_in, theirs_out, errors)
    return Running(process, os.fdopen(stdin, "wb", buffering=0), os.fdopen(stdout, "rb"), log)


def _launch(
    launcher: Launcher,
    words: Sequence[str],
    cwd: Path,
    stdin: IO[bytes],
    stdout: IO[bytes],
    stderr: IO[bytes],
) -> Child:
    try:
        return launcher.start(
            words,
            cwd=cwd,
            stdin=stdin.fileno(),
            stdout=stdout.fileno(),
            stderr=stderr.fileno(),
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotServe(f"the server command cannot be started: {error}") from None
