"""Three hosts on one PostgreSQL and one Redis, while one or the other goes.

`bench/server/storm.py` is the same with 50,000 changes.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
import redis as redis_client

from toolroll.host.keys import KeyStore
from toolroll_conformance.legs.starting import started
from toolroll_conformance.processes.child import ColdLauncher

WRITERS, TURNS = 6, 20
META = "io.modelcontextprotocol"


class HostProcess:
    """One `toolroll serve --http`, which can be killed and started again, on another port.

    Attributes:
        url: Where it listened when it was last waited for.
    """

    def __init__(self, root: Path, logs: Path) -> None:
        self._root = root
        self._logs = logs
        self.start()

    def start(self) -> None:
        words = ["serve", "--http", "127.0.0.1:0", "--root", str(self._root), "--packs", "fileio"]
        self._running = started(ColdLauncher(), words, cwd=self._root, logs=self._logs)

    def kill(self) -> None:
        self._running.kill()

    def drain(self) -> None:
        """End it as its supervisor would, and start its successor."""
        self._running.process.send(signal.SIGTERM)
        assert self._running.process.wait(120) in (0, -signal.SIGTERM)
        self.start()

    def wait_ready(self) -> None:
        self.url = self._running.address().removesuffix("/mcp")
        while not httpx.get(f"{self.url}/readyz", timeout=120).is_success:
            assert self._running.process.wait(0.1) is None


@pytest.fixture
def cluster(tmp_path, postgres_url, redis_url, redis, fileio) -> Iterator[Any]:
    """Start three hosts; return them with a function that calls a tool on one of them."""
    (tmp_path / "toolroll.toml").write_text(
        "[http]\nstateless = true\ndrain_delay_seconds = 0.5\n\n[audit]\ntable = true\n\n"
        f'[storage]\nurl = "{postgres_url}"\nredis_url = "{redis_url}"\n',
        "utf-8",
    )
    keys = KeyStore(tmp_path / ".toolroll")
    bearer = {name: keys.create(name) for name in ("ada", "bob")}
    with ExitStack() as stack:
        (tmp_path / "logs").mkdir()
        hosts = [HostProcess(tmp_path, tmp_path / "logs") for _ in range(3)]
        for host in hosts:
            stack.callback(host.kill)
        for host in hosts:
            host.wait_ready()
        client = stack.enter_context(httpx.Client(timeout=120))

        def call(host: HostProcess, tool: str, who: str = "ada", **arguments: Any) -> Any:
            headers = {
                "Authorization": f"Bearer {bearer[who]}",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": "2026-07-28",
                "Mcp-Method": "tools/call",
                "Mcp-Name": tool,
            }
            meta = {
                f"{META}/protocolVersion": "2026-07-28",
                f"{META}/clientInfo": {"name": "test", "version": "1"},
                f"{META}/clientCapabilities": {},
            }
            params = {"name": tool, "arguments": {"project": "p", **arguments}, "_meta": meta}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            text = client.post(f"{host.url}/mcp", headers=headers, json=body).text
            lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
            return json.loads(lines[-1] if lines else text)["result"]

        call.keys = tuple(bearer.values())
        call.store = keys
        yield hosts, call


def said(result: dict[str, Any]) -> dict[str, Any]:
    """Return the envelope of an error."""
    assert result["isError"], result
    return json.loads(result["content"][0]["text"])


def append(call: Callable[..., Any], host: HostProcess, token: str) -> bool | None:
    """Append a token; True when it was acknowledged, None when nobody can know."""
    while True:
        try:
            result = call(host, "file_write", path="/log.txt", content=f"{token}\n")
        except (httpx.TransportError, ValueError, KeyError):
            return None
        if not result["isError"]:
            return True
        payload = said(result)
        if payload["code"] == "SEARCH_BACKEND_ERROR":  # a commit that nobody confirmed
            return None
        assert (payload["code"], payload["retryable"]) == ("RESOURCE_BUSY", True)


def test_no_acknowledged_write_is_lost_when_a_host_is_killed_and_the_database_restarts(
    cluster, own_postgres
):
    hosts, call = cluster
    written = threading.Semaphore(0)

    def write(writer: int) -> list[tuple[str, bool | None]]:
        done = []
        for turn in range(TURNS):
            token = f"{writer}-{turn:03}"
            done.append((token, append(call, hosts[(writer + turn) % 3], token)))
            written.release()
        return done

    with ThreadPoolExecutor(WRITERS + 1) as pool:
        writers = [pool.submit(write, number) for number in range(WRITERS)]
        for _ in range(WRITERS * TURNS // 3):
            written.acquire()
        hosts[1].kill()
        hosts[1].start()
        back = pool.submit(hosts[1].wait_ready)
        for _ in range(WRITERS * TURNS // 3):
            written.acquire()
        own_postgres.restart()
        outcomes = [outcome for writer in writers for outcome in writer.result()]
    back.result()
    contents = [call(host, "file_read", path="/log.txt")["structuredContent"] for host in hosts]
    assert contents[0] == contents[1] == contents[2]
    tokens = contents[0]["content"].split()
    acknowledged = {token for token, known in outcomes if known}
    assert len(acknowledged) >= WRITERS * TURNS // 3
    assert len(tokens) == len(set(tokens))
    assert acknowledged <= set(tokens) <= {token for token, _ in outcomes}
    for writer in range(WRITERS):
        own = [token for token in tokens if token.startswith(f"{writer}-")]
        assert own == sorted(own)


def test_hosts_are_replaced_one_by_one_and_no_answer_is_lost(cluster):
    """A call that a host does not answer was not done: it is sent to another, as nginx does."""
    hosts, call = cluster
    replaced = threading.Event()

    def write(writer: int) -> list[str]:
        done: list[str] = []
        for host in itertools.cycle(hosts):
            if replaced.is_set():
                return done
            token = f"{writer}-{len(done):03}"
            with contextlib.suppress(httpx.TransportError):
                result = call(host, "file_write", path=f"/{writer}.txt", content=f"{token}\n")
                if result["isError"]:
                    assert said(result)["code"] == "RESOURCE_BUSY", result
                else:
                    done.append(token)
        return done

    with ThreadPoolExecutor(3) as pool:
        writers = [pool.submit(write, number) for number in range(3)]
        try:
            for host in hosts:
                host.drain()
                host.wait_ready()
        finally:
            replaced.set()
        written = [writer.result() for writer in writers]
    for number, tokens in enumerate(written):
        content = call(hosts[number], "file_read", path=f"/{number}.txt")["structuredContent"]
        assert content["content"].split() == tokens
        assert tokens


def test_a_revoked_key_ends_on_every_host_at_once(cluster):
    hosts, call = cluster
    for host in hosts:
        assert not call(host, "file_list", "bob")["isError"]
    call.store.revoke("bob")
    headers = {"Authorization": f"Bearer {call.keys[1]}"}
    for host in hosts:
        answer = httpx.post(f"{host.url}/mcp", headers=headers, timeout=120)
        assert answer.status_code == 401
        assert not call(host, "file_list")["isError"]


def test_hosts_say_that_they_are_not_ready_while_the_database_is_away(cluster, own_postgres):
    hosts, call = cluster
    call(hosts[0], "file_write", path="/a.txt", content="kept")
    with own_postgres.away():
        for host in hosts:
            answer = httpx.get(f"{host.url}/readyz", timeout=120)
            assert (answer.status_code, answer.json()["checks"]["fileio"]) == (503, "unavailable")
            assert httpx.get(f"{host.url}/healthz", timeout=120).is_success
            refused = said(call(host, "file_read", path="/a.txt"))
            assert (refused["code"], refused["retryable"]) == ("RESOURCE_BUSY", True)
    for host in hosts:
        host.wait_ready()
        assert call(host, "file_read", path="/a.txt")["structuredContent"]["content"] == "kept"


def test_what_one_host_writes_every_host_reads_and_no_other_tenant(cluster):
    hosts, call = cluster
    call(hosts[0], "file_write", path="/a.txt", content="ada's")
    for host in hosts:
        mine = call(host, "file_read", path="/a.txt")
        assert mine["structuredContent"]["content"] == "ada's"
        others = call(host, "file_read", "bob", path="/a.txt")
        assert said(others)["code"] == "NOT_FOUND"
    found = call(hosts[2], "file_grep", pattern="ada")["structuredContent"]["matches"]
    assert [match["file_path"] for match in found] == ["/a.txt"]


def test_no_key_and_no_text_of_a_caller_is_where_it_does_not_belong(
    cluster, tmp_path, postgres_url, redis_url
):
    """Keys are nowhere; contents and queries are in the tables of files alone, if anywhere."""
    hosts, call = cluster
    content, query = "planted-content-7f3a", "planted-query-91bc"
    text = f"{'x' * 300} {content}\n"  # a log may show the first 256 bytes
    for host in hosts:
        call(host, "file_write", path="/a.txt", content=text)
        call(host, "file_search", query=query)
        call(host, "file_write", path="no path", content=text)
    shown = [
        httpx.get(
            f"{host.url}/metrics",
            headers={"Authorization": f"Bearer {call.keys[0]}"},
            timeout=120,
        ).text
        for host in hosts
    ]
    assert "mcp_files_mutation" in shown[0]
    logged = "".join(log.read_text() for log in (tmp_path / "logs").iterdir())
    assert "listening" in logged
    written = [
        path.read_bytes().decode(errors="replace")
        for path in (tmp_path / ".toolroll").rglob("*")
        if path.is_file()
    ]
    with redis_client.Redis.from_url(redis_url) as client:
        kept = [repr((key, client.dump(key))) for key in client.scan_iter()]
    with psycopg.connect(postgres_url) as connection:
        tables = connection.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
            " WHERE schemaname IN ('fileio', 'toolroll')"
        ).fetchall()
        rows = {
            name: str(connection.execute(f"SELECT t::text FROM {name} AS t").fetchall())
            for (name,) in tables
        }
    assert "file_write" in rows["toolroll.calls"]
    for key in call.keys:
        for place in (*shown, logged, *written, *kept, *rows.values()):
            assert key not in place
    for word in (content, query):
        for place in (*shown, logged, *written, *kept, rows["toolroll.calls"]):
            assert word not in place
