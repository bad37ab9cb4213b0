"""Starting `toolroll` by forking a process that has imported the libraries already.

A cold start costs more than a second of CPU, nearly all of it imports; a pack has a hundred cases,
each with a server of its own. So one process imports the host, its SDK and the database layer, and
forks whenever a server or command is wanted: the child then runs the very same `toolroll` command
line, on its own file descriptors, in its own directory. The parent process stays single-threaded,
which is what makes forking it sound. (`multiprocessing`'s fork server won't do: it imports the
tester's own main module into each child and gives it no standard streams.)
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from toolroll_conformance.processes.child import Child

__all__ = ["WarmLauncher"]

SUPPORTED = hasattr(os, "fork") and hasattr(socket, "send_fds")


class WarmLauncher:
    """Starts each process as a fork of a prepared one; POSIX only.

    Args:
        environment: Variables to add to this process's own.
        packs: Packages of packs to import beforehand too.
    """

    def __init__(
        self, environment: Mapping[str, str] | None = None, packs: Sequence[str] = ()
    ) -> None:
        self._environment = {**os.environ, **(environment or {})}
        self._packs = tuple(packs)
        self._asking = threading.Lock()
        self._answers: list[_WarmChild | None] = []
        self._answered = threading.Semaphore(0)
        self._children: dict[int, _WarmChild] = {}
        self._keeper: _Keeper | None = None

    def start(
        self, arguments: Sequence[str], *, cwd: Path, stdin: int, stdout: int, stderr: int
    ) -> Child:
        """Start a process."""
        request = json.dumps({"arguments": list(arguments), "cwd": str(cwd)}) + "\n"
        with self._asking:
            if self._keeper is None:
                self._keeper = self._start_keeper()
            socket.send_fds(self._keeper.wire, [request.encode()], [stdin, stdout, stderr])
            self._answered.acquire()
            child = self._answers.pop()
        if child is None:
            raise OSError("the process that starts servers has ended")
        return child

    def close(self) -> None:
        """End the prepared process; it kills what it has started."""
        if self._keeper is None:
            return
        with contextlib.suppress(OSError):
            self._keeper.wire.shutdown(socket.SHUT_RDWR)
        self._keeper.process.wait()
        self._keeper.reader.join()
        self._keeper.wire.close()
        self._keeper = None

    def _start_keeper(self) -> _Keeper:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603 (our own module)
                [sys.executable, "-m", "toolroll_conformance.processes.keeper", *self._packs],
                env=self._environment,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
            )
        reader = threading.Thread(
            target=self._read, args=(ours,), name="warm-launcher", daemon=True
        )
        reader.start()
        return _Keeper(process, ours, reader)

    def _read(self, wire: socket.socket) -> None:
        with wire.makefile("r") as lines:
            for line in lines:
                event = json.loads(line)
                if "started" in event:
                    child = _WarmChild(event["started"])
                    self._children[child.pid] = child
                    self._answers.append(child)
                    self._answered.release()
                else:
                    self._children.pop(event["ended"]).end(event["exit"])
        for child in self._children.values():
            child.end(-signal.SIGKILL)
        self._answers.append(None)
        self._answered.release()


@frozen
class _Keeper:
    process: subprocess.Popen[bytes]
    wire: socket.socket
    reader: threading.Thread


class _WarmChild:
    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._exit: int | None = None
        self._ended = threading.Event()

    def wait(self, timeout: float) -> int | None:
        self._ended.wait(timeout)
        return self._exit

    def send(self, signal_number: int) -> None:
        if not self._ended.is_set():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal_number)

    def end(self, exit_code: int) -> None:
        """Note that it ended."""
        self._exit = exit_code
        self._ended.set()
