"""A stdio MCP client without an SDK: cheap, alike for every server, and it measures the server."""

from __future__ import annotations

import itertools
import json
import os
import select
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import psutil

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
CLIENT = {"name": "toolroll-bench", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
PACKS = Path(__file__).parent / "packs"


class ProtocolError(Exception):
    """The server answered with a JSON-RPC error."""


class Hang(Exception):
    """The server did not answer in time."""


class Wire:
    """One server process.

    Args:
        command: Starts the server.
        legacy: Speak the 2025-11-25 era instead of 2026-07-28.
        patience: Seconds to wait for an answer before it counts as a hang.
        errors: Where the server's standard error goes.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        legacy: bool = False,
        patience: float = 60.0,
        errors: IO[bytes] | int = subprocess.DEVNULL,
    ) -> None:
        environment = {**os.environ, "PYTHONPATH": str(PACKS)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # every server starts from its bytecode
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            bufsize=0,
        )
        self._legacy = legacy
        self._patience = patience
        self._ids = itertools.count(1)
        self._buffer = b""
        self._measured = psutil.Process(self.process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.process.kill()
        self.process.communicate(timeout=30)

    def connect(self) -> None:
        """Begin the protocol; the 2026 era has nothing to begin."""
        if not self._legacy:
            return
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT}
        self.request("initialize", **hello)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its result."""
        return self.result(self.send(method, **params))

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        """Call a tool and return the result."""
        return self.request("tools/call", name=tool, arguments=arguments)

    def send(self, method: str, **params: Any) -> int:
        """Send a request without waiting, and return its id."""
        number = next(self._ids)
        if not self._legacy:
            params["_meta"] = ENVELOPE
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def result(self, number: int) -> dict[str, Any]:
        """Wait for the answer to a request; ProtocolError, Hang or EOFError where none comes."""
        while True:
            message = json.loads(self.line())
            if message.get("id") == number:
                if "error" in message:
                    raise ProtocolError(message["error"])
                return message["result"]

    def line(self) -> bytes:
        """Return the next line of the server's output."""
        assert self.process.stdout is not None
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], self._patience)
            if not ready:
                raise Hang(f"no answer within {self._patience:g} s")
            chunk = self.process.stdout.read(1 << 16)
            if not chunk:
                raise EOFError("the server closed its output")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def cpu(self) -> float:
        """Return the seconds of CPU that the server has used so far."""
        times = self._measured.cpu_times()
        return times.user + times.system

    def memory(self) -> float:
        """Return the server's resident memory in MiB."""
        return self._measured.memory_info().rss / 2**20

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
