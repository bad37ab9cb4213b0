"""A caller's key on its way to the index worker, through a real Redis and to a real service."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define, field
from fileio_host import SECOND, Failed, Host
from fileio_service import Service, serving
from prometheus_client import generate_latest

if TYPE_CHECKING:
    from redis import Redis

KEY = "sk-planted-caller-key-0123456789"
PREFIX = "mcp:files:cred"
VECTORS = "SELECT count(*) FROM mcp_file_chunk_embeddings"
JOBS = "SELECT status, last_error, credential_ref FROM mcp_file_index_jobs ORDER BY id"


def embeddings(body: Any) -> Any:
    found = [{"index": i, "embedding": [1.0, 0.0]} for i in range(len(body["input"]))]
    return {"data": found}


def for_the_key(key: str) -> int:
    return 200 if key == KEY else 401


@pytest.fixture
def service() -> Iterator[Service]:
    """Speaks OpenAI's /embeddings, to who has the key."""
    with serving(Service(embeddings, for_the_key), "/v1/embeddings") as service:
        yield service


@define
class Desk:
    """Makes hosts on one directory, one Redis and one service."""

    make: Callable[..., Host]
    url: str
    service: Service
    key_file: Path
    redis: Redis
    keks: dict[str, str] = field(factory=lambda: {"3": "an old secret of the host"})

    def host(self) -> Host:
        embedding = {
            "engine": "openai",
            "endpoint": self.service.url,
            "dimension": 2,
            "local_key_file": str(self.key_file),
        }
        fileio = {
            "search": {"embedding": embedding},
            "security": {"encryption_keks": self.keks},
            "index": {"retry_max": 100},
        }
        return self.make(fileio=fileio, storage={"redis_url": self.url})

    def envelopes(self) -> list[dict[str, Any]]:
        names = sorted(self.redis.scan_iter(f"{PREFIX}:*"))
        return [json.loads(self.redis.get(name)) for name in names]

    def drop_envelopes(self) -> None:
        for name in self.redis.scan_iter(f"{PREFIX}:*"):
            self.redis.delete(name)


@pytest.fixture
def desk(
    make_host: Callable[..., Host], redis_url: str, service: Service, tmp_path: Path
) -> Iterator[Desk]:
    from redis import Redis

    key_file = tmp_path.with_name(f"{tmp_path.name}-key")
    key_file.write_text(KEY)
    with Redis.from_url(redis_url) as redis:
        redis.flushall()
        yield Desk(make_host, redis_url, service, key_file, redis)


def vectors(host: Host) -> int:
    return host.rows(VECTORS)[0][0]


def status(host: Host) -> list[tuple[Any, ...]]:
    return [tuple(row)[:2] for row in host.rows(JOBS)]


def try_again(host: Host) -> None:
    host.run("UPDATE mcp_file_index_jobs SET available_at = created_at")
    host.index()


def test_the_worker_asks_with_the_callers_key_and_deletes_it(desk: Desk) -> None:
    host = desk.host()
    host.write("/a", "a heron waits")
    assert sorted(desk.envelopes()[0]) == ["aad", "ciphertext", "dek_id", "expires_at", "kek_id"]
    host.index()
    assert (desk.service.keys, vectors(host)) == ([KEY], 1)
    assert desk.envelopes() == []
    assert [tuple(row) for row in host.rows(JOBS)] == [("done", "", None)]


def test_a_search_asks_with_the_callers_key(desk: Desk) -> None:
    host = desk.host()
    host.write("/a", "a heron waits")
    host.index()
    assert host.found("heron") == ["/a"]
    assert desk.service.keys == [KEY, KEY]


def test_without_its_envelope_a_file_is_found_by_its_words(desk: Desk) -> None:
    host = desk.host()
    host.write("/a", "a heron waits")
    desk.drop_envelopes()
    host.index()
    assert (desk.service.keys, vectors(host)) == ([], 0)
    assert status(host) == [("pending", "CredentialUnavailable")]
    assert host.found("heron") == ["/a"]
    assert set(desk.service.keys) == {KEY}  # the query's
    host.write("/a", " again")
    host.index()
    assert vectors(host) == 1
    assert desk.envelopes() == []


def test_an_envelope_stays_for_the_next_try_while_the_service_is_down(desk: Desk) -> None:
    host = desk.host()
    desk.service.status = lambda key: 503
    host.write("/a", "a heron waits")
    host.index()
    assert status(host)[0] == ("pending", "EmbeddingError")
    assert len(desk.envelopes()) == 1
    desk.service.status = for_the_key
    try_again(host)
    assert (vectors(host), desk.envelopes()) == (1, [])


def test_an_envelope_opens_for_no_other_job(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    host = desk.host()
    for path in ("/a", "/b"):
        host.write(path, f"text of {path}")
    first, second = (row[2] for row in host.rows(JOBS))
    moved = f"{first.partition('.')[0]}.{second.partition('.')[2]}"
    host.run(
        "UPDATE mcp_file_index_jobs SET credential_ref = :moved WHERE file_path = '/a'", moved=moved
    )
    host.run("DELETE FROM mcp_file_index_jobs WHERE file_path = '/b'")
    caplog.set_level(logging.DEBUG)
    host.index()
    assert (desk.service.keys, vectors(host)) == ([], 0)
    assert "CredentialUnavailable" in caplog.text
    assert all(e["ciphertext"] not in caplog.text for e in desk.envelopes())


def test_keys_are_rotated(desk: Desk) -> None:
    before = desk.host()
    before.write("/old", "a heron waits")
    desk.keks = {**desk.keks, "8": "a newer secret of the host"}
    after = desk.host()
    after.write("/new", "a duck swims")
    assert sorted(envelope["kek_id"] for envelope in desk.envelopes()) == [3, 8]
    after.index()
    assert (desk.service.keys, vectors(after)) == ([KEY, KEY], 2)


def test_a_key_that_was_taken_away_opens_nothing(desk: Desk) -> None:
    desk.host().write("/a", "a heron waits")
    desk.keks = {"8": "a newer secret of the host"}
    after = desk.host()
    after.index()
    assert (desk.service.keys, vectors(after)) == ([], 0)
    assert status(after) == [("pending", "CredentialUnavailable")]


def test_a_refused_change_leaves_no_envelope(desk: Desk) -> None:
    host = desk.host()
    host.write("/a")
    desk.drop_envelopes()
    with pytest.raises(Failed):
        host.write("/a/below")
    assert desk.envelopes() == []


def test_a_file_changed_often_leaves_no_envelope(desk: Desk) -> None:
    host = desk.host()
    for number in range(30):  # more than one batch
        host.write("/a", f"{number} ")
    host.call("file_rename", from_path="/a", to_path="/b")
    assert len(desk.envelopes()) == 31
    host.index()
    assert (desk.envelopes(), vectors(host)) == ([], 1)


def test_the_local_users_key_serves_no_other_tenant(desk: Desk) -> None:
    host = desk.host()
    host.write("/a", "a heron waits", tenant=SECOND)
    assert desk.envelopes() == []
    host.index()
    assert (desk.service.keys, status(host)) == ([], [("pending", "CredentialUnavailable")])
    assert host.found("heron", tenant=SECOND) == ["/a"]
    assert KEY not in desk.service.keys


def test_a_change_is_made_while_redis_is_away(desk: Desk) -> None:
    desk.url = "redis://127.0.0.1:9"
    host = desk.host()
    host.write("/a", "a heron waits")
    host.index()
    assert status(host) == [("pending", "CredentialUnavailable")]
    assert host.found("heron") == ["/a"]


def test_no_key_is_written_anywhere(
    desk: Desk, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    host = desk.host()
    host.write("/a", "a heron waits")
    kept = b"".join(desk.redis.dump(name) or b"" for name in desk.redis.scan_iter())
    desk.service.status = lambda key: 503
    host.index()
    host.found("heron")
    desk.service.status = for_the_key
    try_again(host)
    host.runtime.close()
    files = {str(file): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    everything = {
        "Redis": kept,
        "the log": caplog.text.encode(),
        "the metrics": generate_latest(),
        **files,
    }
    assert any(name.endswith("fileio.db") for name in files)
    assert [name for name, data in everything.items() if KEY.encode() in data] == []
