"""A server tier on one machine: PostgreSQL, Redis, and hosts that can be killed."""

from __future__ import annotations

import contextlib
import http.client
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
from attrs import define, field

from toolroll.host.keys import KeyStore
from toolroll_conformance.legs.starting import started
from toolroll_conformance.processes.child import ColdLauncher
from toolroll_conformance.servers import OwnPostgres, own_postgres, own_redis

SETTINGS = """
[http]
stateless = true
json_response = true
[audit]
enabled = false
[host]
max_concurrency = 16
[storage]
url = "{database}"
redis_url = "{redis}"
[fileio]
max_project_bytes = 2000000000
"""
META = "io.modelcontextprotocol"
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
}


class Refused(Exception):
    """Nobody listens there now: the call was not sent."""


class Lost(Exception):
    """No answer: whether the call was done, nobody can know."""


@define(eq=False)
class Host:
    """One `toolroll serve --http`, which can be killed and started again, on another port.

    Attributes:
        port: Where it listened when it was last waited for.
    """

    root: Path
    port: int = 0
    running: Any = None
    process: Any = None

    def start(self) -> None:
        words = ["serve", "--http", "127.0.0.1:0", "--root", str(self.root), "--packs", "fileio"]
        self.running = started(ColdLauncher(), words, cwd=self.root, logs=self.root.parent)
        self.process = psutil.Process(self.running.process.pid)

    def kill(self) -> None:
        self.running.kill()

    def stop(self) -> None:
        self.running.stop()

    def wait_ready(self, seconds: float = 60) -> None:
        self.port = int(self.running.address(seconds).removesuffix("/mcp").rpartition(":")[2])
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit(f"the host on port {self.port} is not ready after {seconds:g} s")


@define(eq=False)
class Cluster:
    """Hosts on one PostgreSQL and one Redis."""

    directory: Path
    postgres: OwnPostgres
    key: str
    hosts: list[Host]
    _local: threading.local = field(factory=threading.local)

    def call(self, host: Host, tool: str, **arguments: Any) -> tuple[bool, dict[str, Any]]:
        """Call a tool; return whether it succeeded, and its answer.

        Raises:
            Lost: The connection broke.
            Refused: There was none.
        """
        meta = {
            f"{META}/protocolVersion": "2026-07-28",
            f"{META}/clientInfo": {"name": "bench", "version": "1"},
            f"{META}/clientCapabilities": {},
        }
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        headers = {**HEADERS, "Mcp-Name": tool, "Authorization": f"Bearer {self.key}"}
        kept: dict[int, http.client.HTTPConnection] = self._local.__dict__.setdefault("kept", {})
        connection = kept.setdefault(
            host.port, http.client.HTTPConnection("127.0.0.1", host.port, timeout=120)
        )
        try:
            connection.request("POST", "/mcp", body, headers)
            answer = json.loads(connection.getresponse().read())
        except (ConnectionRefusedError, BrokenPipeError):  # or closed while it was idle
            connection.close()
            raise Refused from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise Lost(repr(error)) from None
        result = answer.get("result")
        if result is None:
            raise SystemExit(f"not an answer of a tool: {answer}")
        return not result.get("isError"), json.loads(result["content"][0]["text"])

    def healthz(self, host: Host) -> None:
        """Ask what costs a host least: what the machine itself makes of a call shows in it."""
        connection = http.client.HTTPConnection("127.0.0.1", host.port, timeout=120)
        connection = self._local.__dict__.setdefault("probes", {}).setdefault(host.port, connection)
        connection.request("GET", "/healthz")
        connection.getresponse().read()

    def host_cpu(self) -> float:
        """Return the CPU seconds that the hosts have used."""
        return sum(sum(host.process.cpu_times()[:2]) for host in self.hosts)

    def postgres_cpu(self) -> float:
        """Return the CPU seconds of PostgreSQL's living processes and those they waited for."""
        data = str(self.directory_of_postgres())
        total = 0.0
        for process in psutil.process_iter(["name", "cmdline"]):
            if process.info["name"] == "postgres" and data in (process.info["cmdline"] or []):
                for one in (process, *process.children(recursive=True)):
                    with contextlib.suppress(psutil.NoSuchProcess):  # its parent counts it then
                        total += sum(one.cpu_times()[:2])
                total += sum(process.cpu_times()[2:4])
        return total

    def directory_of_postgres(self) -> Path:
        return self.postgres._server.pgdata


@contextmanager
def cluster(size: int, settings: str = "") -> Iterator[Cluster]:
    """Start `size` hosts; more settings are added to the file."""
    with ExitStack() as stack:
        postgres = stack.enter_context(own_postgres())
        redis = stack.enter_context(own_redis())
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="toolroll-")))
        root = directory / "root"
        root.mkdir()
        text = SETTINGS.format(database=postgres.url, redis=redis) + settings
        (root / "toolroll.toml").write_text(text, "utf-8")
        key = KeyStore(root / ".toolroll").create("bench")
        hosts = [Host(root) for _ in range(size)]
        for host in hosts:
            host.start()
            stack.callback(host.stop)
        for host in hosts:
            host.wait_ready()
        yield Cluster(directory, postgres, key, hosts)


def percentile(values: list[float], share: float) -> float:
    """Return the value that this share of all does not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0
