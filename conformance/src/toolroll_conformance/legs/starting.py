"""How a server is started for a workspace: `toolroll serve`, or a stranger's command."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final, Protocol

from attrs import frozen

from toolroll_conformance.legs.base import CannotServe
from toolroll_conformance.processes.child import KILL, Child, Launcher
from toolroll_conformance.workspace import Workspace

__all__ = ["PackServer", "Running", "Starter", "StrangerServer", "free_port"]

STOP_TIMEOUT: Final = 20.0
"""Seconds to end in order; the host drains for ten."""


class Starter(Protocol):
    """Starts the server under test."""

    def stdio(self, workspace: Workspace) -> Running:
        """Start it on pipes."""
        ...


@frozen(eq=False)
class Running:
    """A started server.

    Attributes:
        process: The process.
        stdin: The pipe to it; None over HTTP.
        stdout: The pipe from it; None over HTTP.
        log: The file that gets its standard error.
    """

    process: Child
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    log: Path

    def stop(self) -> None:
        """End it in order: close its input, or send SIGTERM; kill it if it doesn't mind."""
        if self.stdin is not None:
            self.stdin.close()
        else:
            self.process.send(signal.SIGTERM)
        if self.process.wait(STOP_TIMEOUT) is None:
            self.kill()

    def kill(self) -> None:
        """End it with SIGKILL."""
        self.process.send(KILL)
        self.process.wait(STOP_TIMEOUT)

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
    """`toolroll serve` of one pack."""

    launcher: Launcher

    def stdio(self, workspace: Workspace) -> Running:
        """Start it on pipes."""
        return _start(self.launcher, _serve(workspace), workspace, piped=True)

    def http(self, workspace: Workspace, port: int) -> Running:
        """Start it on a loopback port."""
        words = [*_serve(workspace), "--http", f"127.0.0.1:{port}"]
        return _start(self.launcher, words, workspace, piped=False)


@frozen
class StrangerServer:
    """A command that speaks MCP on its standard streams.

    `{root}`, `{data}` and `{config}` in its words are replaced by the workspace's paths.
    """

    launcher: Launcher
    words: Sequence[str]

    def stdio(self, workspace: Workspace) -> Running:
        """Start it on pipes, in the project root."""
        places = {"{root}": workspace.root, "{data}": workspace.data, "{config}": workspace.config}
        words = list(self.words)
        for mark, path in places.items():
            words = [word.replace(mark, str(path)) for word in words]
        return _start(self.launcher, words, workspace, piped=True)


def _serve(workspace: Workspace) -> list[str]:
    return ["serve", "--strict", "--config", str(workspace.config)]


def _start(
    launcher: Launcher, words: Sequence[str], workspace: Workspace, *, piped: bool
) -> Running:
    log = workspace.path / "stderr.txt"
    with log.open("ab") as errors, Path(os.devnull).open("r+b") as nothing:
        if not piped:
            process = _launch(launcher, words, workspace, nothing, nothing, errors)
            return Running(process, None, None, log)
        (child_in, stdin), (stdout, child_out) = os.pipe(), os.pipe()
        with os.fdopen(child_in, "rb") as theirs_in, os.fdopen(child_out, "wb") as theirs_out:
            process = _launch(launcher, words, workspace, theirs_in, theirs_out, errors)
    return Running(process, os.fdopen(stdin, "wb", buffering=0), os.fdopen(stdout, "rb"), log)


def _launch(
    launcher: Launcher,
    words: Sequence[str],
    workspace: Workspace,
    stdin: IO[bytes],
    stdout: IO[bytes],
    stderr: IO[bytes],
) -> Child:
    try:
        return launcher.start(
            words,
            cwd=workspace.root,
            stdin=stdin.fileno(),
            stdout=stdout.fileno(),
            stderr=stderr.fileno(),
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotServe(f"the server command cannot be started: {error}") from None


_given: Final[deque[int]] = deque(maxlen=1_000)
_giving: Final = threading.Lock()


def free_port() -> int:
    """Return a loopback port that nothing listens on now.

    None comes twice within a thousand: a server takes a while to open its port, and another check
    that was given the same one meanwhile would talk to a stranger.
    """
    with _giving:
        while True:
            with socket.create_server(("127.0.0.1", 0)) as listener:
                port: int = listener.getsockname()[1]
            if port not in _given:
                _given.append(port)
                return port
