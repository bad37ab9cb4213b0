"""A caller's own key for a model service: from its HTTP request to the worker of another host."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from attrs import define, field
from fileio_service import Service, serving
from sqlalchemy import create_engine, make_url, text

from toolroll.host.keys import KeyStore
from toolroll_conformance.legs.starting import started
from toolroll_conformance.processes.child import ColdLauncher

if TYPE_CHECKING:
    from redis import Redis

EMBEDDING, RERANK = "sk-planted-embedding-key-0123456789", "co-planted-rerank-key-0123456789"
SETTINGS = """
[http]
stateless = true
json_response = true
[audit]
table = true
[storage]
url = "{database}"
redis_url = "{redis}"
[fileio.index]
retry_max = 0
[fileio.search.embedding]
engine = "openai"
endpoint = "{embeddings}"
dimension = 2
[fileio.search.rerank]
enabled = true
endpoint = "{rerank}"
[fileio.security]
encryption_keks = {{ 3 = "an old secret of the host" }}
"""
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


@define
class Asked:
    """A service that a test can wait for."""

    service: Service
    came: threading.Condition = field(factory=threading.Condition)

    def answer(self, body: Any) -> Any:
        with self.came:
            self.came.notify_all()
        if "input" in body:
            rows = range(len(body["input"]))
            return {"data": [{"index": i, "embedding": [1.0, 0.0]} for i in rows]}
        rows = range(len(body["documents"]))
        return {"results": [{"index": i, "relevance_score": 0.5} for i in rows]}


@define(eq=False)
class Team:
    """Two hosts on one PostgreSQL and one Redis, two callers, and two model services."""

    urls: list[str]
    keys: list[str]
    database: Any
    redis: Redis
    embeddings: Asked
    rerank: Asked
    directory: Path

    def call(self, tool: str, *, host: int = 0, caller: int = 0, **arguments: Any) -> Any:
        headers = dict(arguments.pop("headers", {}))
        answer = httpx.post(
            f"{self.urls[host]}/mcp",
            headers={**HEADERS, "Authorization": f"Bearer {self.keys[caller]}", **headers},
            json={
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": tool, "arguments": {"project": "proj", **arguments}},
            },
            timeout=120,
        )
        return answer.json()["result"]["structuredContent"]

    def rows(self, sql: str) -> list[Any]:
        with self.database.connect() as connection:
            return list(connection.execute(text(sql)))

    def settled(self, wanted: str, **arguments: Any) -> Any:
        """Return what a search finds that begins when `wanted` is so."""
        until = time.monotonic() + 120
        while time.monotonic() < until:  # each search waits for the worker itself
            is_so = self.rows(wanted)[0][0]
            found = self.call("file_search", query="heron", **arguments)
            if is_so:
                return found
        raise AssertionError(self.rows("SELECT status, last_error FROM fileio.mcp_file_index_jobs"))

    def has_no_envelope(self) -> bool:
        """Say whether the envelopes of keys go: the worker drops them once all is stored."""
        until = time.monotonic() + 120
        while next(self.redis.scan_iter("mcp:files:cred:*"), None):
            if time.monotonic() > until:
                return False
        return True

    def everything(self) -> dict[str, bytes]:
        """Return all that is stored, logged and measured."""
        tables = self.rows(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        )
        stored = {name: repr(self.rows(f"SELECT t::text FROM {name} t")) for (name,) in tables}
        metrics = [
            httpx.get(
                f"{url}/metrics",
                headers={"Authorization": f"Bearer {self.keys[0]}"},
                timeout=120,
            ).content
            for url in self.urls
        ]
        return {
            **{name: rows.encode() for name, rows in stored.items()},
            "Redis": b"".join(self.redis.dump(name) or b"" for name in self.redis.scan_iter()),
            "metrics": b"".join(metrics),
            **{str(f): f.read_bytes() for f in self.directory.rglob("*") if f.is_file()},
        }


@pytest.fixture
def team(postgres_database: str, redis_url: str, tmp_path: Path) -> Iterator[Team]:
    from redis import Redis

    with contextlib.ExitStack() as stack:
        asked = [Asked(Service(lambda body: None)) for _ in range(2)]
        for one, path in zip(asked, ("/v1/embeddings", "/v1/rerank"), strict=True):
            one.service.answer = one.answer
            stack.enter_context(serving(one.service, path))
        redis = stack.enter_context(Redis.from_url(redis_url))
        redis.flushall()
        url = make_url(postgres_database).set(drivername="postgresql+psycopg")
        database = create_engine(url)
        stack.callback(database.dispose)
        (tmp_path / "toolroll.toml").write_text(
            SETTINGS.format(
                database=postgres_database,
                redis=redis_url,
                embeddings=asked[0].service.url,
                rerank=asked[1].service.url,
            )
        )
        keys = [KeyStore(tmp_path / ".toolroll").create(name) for name in ("one", "two")]
        words = ["serve", "--http", "127.0.0.1:0", "--root", str(tmp_path), "--packs", "fileio"]
        hosts = [started(ColdLauncher(), words, cwd=tmp_path, logs=tmp_path) for _ in range(2)]
        for host in hosts:
            stack.callback(host.stop)
        urls = [host.address().removesuffix("/mcp") for host in hosts]
        yield Team(urls, keys, database, redis, *asked, tmp_path)


VECTORS = "SELECT count(*) = {} FROM fileio.mcp_file_chunk_embeddings"
FAILED = "SELECT bool_and(status = 'failed') FROM fileio.mcp_file_index_jobs"


def test_a_caller_brings_its_own_keys(team: Team) -> None:
    headers = {"X-OpenAI-Api-Key": EMBEDDING, "X-Cohere-Api-Key": RERANK}
    team.call("file_write", path="/a", content="a heron waits", headers=headers)
    found = team.settled(VECTORS.format(1), host=1, headers=headers)
    assert [chunk["file_path"] for chunk in found["chunks"]] == ["/a"]
    assert set(team.embeddings.service.keys) == {EMBEDDING}
    assert set(team.rerank.service.keys) == {RERANK}
    planted = (EMBEDDING.encode(), RERANK.encode(), EMBEDDING[3:30].encode())
    everything = team.everything()
    written = {Path(name).suffix for name in everything}
    assert {".log", ".jsonl", ".mcp_file_index_jobs", ".calls"} <= written
    assert [n for n, data in everything.items() if any(key in data for key in planted)] == []
    assert team.has_no_envelope()


def test_without_a_key_words_are_found_and_vectors_come_when_the_key_does(team: Team) -> None:
    team.call("file_write", path="/a", content="a heron waits")
    found = team.settled(FAILED)
    assert [chunk["file_path"] for chunk in found["chunks"]] == ["/a"]
    assert EMBEDDING not in team.embeddings.service.keys
    team.settled(VECTORS.format(1), host=1, headers={"X-OpenAI-Api-Key": EMBEDDING})
    assert EMBEDDING in team.embeddings.service.keys
    assert team.has_no_envelope()


def test_a_callers_key_serves_nobody_else(team: Team) -> None:
    headers = {"X-OpenAI-Api-Key": EMBEDDING, "X-Cohere-Api-Key": RERANK}
    team.call("file_write", path="/a", content="a heron waits", caller=1)
    team.call("file_write", path="/b", content="a heron waits too", headers=headers)
    team.settled(VECTORS.format(1), headers=headers)
    asked = [body for key, body in team.embeddings.service.asked if key == EMBEDDING]
    assert all("a heron waits" not in body["input"] for body in asked)
    team.call("file_search", query="heron", caller=1)
    assert team.rerank.service.keys[-1] == ""
