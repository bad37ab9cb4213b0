"""The outbox and its worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from fileio_host import Failed, Host
from prometheus_client import REGISTRY
from sqlalchemy import Connection, event

from toolroll import InternalError
from toolroll.search import EmbeddingError
from toolroll_fileio import jobs, preparing
from toolroll_fileio.embedding import Embedding
from toolroll_fileio.indexing import Indexer

JOBS = "SELECT operation, file_path, status FROM mcp_file_index_jobs ORDER BY id"


class CountingEmbedder:
    """Vectors of two dimensions, and a record of what was embedded."""

    id = "counting"
    dimension = 2

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.down = False

    def embed(self, texts: Sequence[str]) -> Any:
        if self.down:
            raise EmbeddingError("down", retryable=True)
        self.texts += texts
        return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))

    def embed_query(self, text: str) -> Any:
        return self.embed([text])[0]


@pytest.fixture
def embedder(host: Host) -> CountingEmbedder:
    """Replace the host's embedder."""
    found = CountingEmbedder()
    engine = host.pack.engine(host.context)
    engine.indexer.shelf._embedder = lambda: found
    embedding = Embedding(found, None, lambda key: found)
    engine.indexer = Indexer(embedding, engine.indexer.shelf, engine.indexer.pace)
    engine.searcher = type(engine.searcher)(engine.indexer, engine.searcher.reranker)
    return found


def test_each_change_writes_its_jobs(host: Host) -> None:
    host.write("/d/a")
    host.write("/b")
    host.call("file_rename", from_path="/d/a", to_path="/b", overwrite=True)
    host.call("file_delete", path="/b")
    assert [tuple(row) for row in host.rows(JOBS)] == [
        ("UPSERT", "/d/a", "pending"),
        ("UPSERT", "/b", "pending"),
        ("UPSERT", "/b", "pending"),  # and no DELETE for the file that was replaced there
        ("DELETE", "/d/a", "pending"),
        ("DELETE", "/b", "pending"),
    ]


@pytest.mark.parametrize("content", ["x" * 11, "x"])
def test_a_refused_change_leaves_no_job(make_host: Callable[..., Host], content: str) -> None:
    host = make_host(fileio={"max_project_bytes": 10})
    host.write("/a/b", "x" * 10)
    with pytest.raises(Failed):
        host.write("/a" if content == "x" else "/c", content)
    assert len(host.rows(JOBS)) == 1


def test_a_batch_of_large_files_is_stored_in_parts(
    host: Host, embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All at once would keep writers waiting, and every chunk in memory."""
    monkeypatch.setattr(preparing, "MOST_BYTES", 1_000)
    stored: list[list[str]] = []
    embed = embedder.embed

    def noting(texts: Sequence[str]) -> Any:
        rows = host.rows("SELECT DISTINCT file_path FROM mcp_file_chunks ORDER BY file_path")
        stored.append([path for (path,) in rows])
        return embed(texts)

    monkeypatch.setattr(embedder, "embed", noting)
    for name, size in (("a", 400), ("b", 400), ("c", 3_000), ("d", 400)):
        host.write(f"/{name}", name * size)
    host.call("file_delete", path="/d")
    host.index()
    assert stored == [[], ["/a", "/b"]]
    assert {status for _, _, status in host.rows(JOBS)} == {"done"}


def test_many_changes_of_a_file_are_indexed_once(host: Host, embedder: CountingEmbedder) -> None:
    for word in ("one", "two", "three"):
        host.write("/a", f"{word} ")
    host.index()
    assert embedder.texts == ["one two three "]
    assert {row.status for row in host.rows(JOBS)} == {"done"}


def test_a_move_takes_its_vectors_along(host: Host, embedder: CountingEmbedder) -> None:
    for number in range(30):
        host.write(f"/d/{number}", f"text {number}")
    host.index()
    embedder.texts.clear()
    host.call("file_rename", from_path="/d", to_path="/e")
    host.index()
    assert embedder.texts == []
    assert host.rows("SELECT count(*) FROM mcp_file_chunk_embeddings")[0][0] == 30
    assert {row.file_path for row in host.rows("SELECT file_path FROM mcp_file_chunks")} == {
        f"/e/{number}" for number in range(30)
    }


def test_only_the_changed_end_of_a_file_is_indexed_anew(
    host: Host, embedder: CountingEmbedder
) -> None:
    host.write("/log", "first line\n" * 400)
    host.index()
    before = host.rows("SELECT id, content_hash FROM mcp_file_chunks ORDER BY chunk_index")
    host.write("/log", "last line\n")
    embedder.texts.clear()
    host.index()
    after = host.rows("SELECT id, content_hash FROM mcp_file_chunks ORDER BY chunk_index")
    kept = set(before) & set(after)
    assert len(embedder.texts) == len(after) - len(kept)
    assert embedder.texts[-1].endswith("last line\n")


def test_words_are_indexed_while_the_embedder_is_down_and_vectors_follow(
    host: Host, embedder: CountingEmbedder
) -> None:
    embedder.down = True
    host.write("/a", "heron")
    host.index()
    row = host.rows("SELECT status, retry_count, last_error FROM mcp_file_index_jobs")[0]
    assert tuple(row) == ("pending", 1, "EmbeddingError")
    assert REGISTRY.get_sample_value("mcp_files_index_queue_depth") == 1
    assert host.found("heron") == ["/a"]
    embedder.down = False
    host.run("UPDATE mcp_file_index_jobs SET available_at = created_at")
    host.index()
    assert embedder.texts[0] == "heron"
    assert host.rows(JOBS)[0].status == "done"
    assert host.rows("SELECT count(*) FROM mcp_file_chunk_embeddings")[0][0] == 1


def test_a_job_is_given_up_after_its_last_retry_with_growing_pauses(
    host: Host, embedder: CountingEmbedder
) -> None:
    embedder.down = True
    host.write("/a", "heron")
    pauses: list[float] = []
    for _ in range(6):
        host.index()
        row = host.rows(
            "SELECT status, julianday(available_at) - julianday(updated_at) AS pause "
            "FROM mcp_file_index_jobs"
        )[0]
        pauses.append(round(row.pause * 86_400, 1))
        host.run("UPDATE mcp_file_index_jobs SET available_at = created_at")
    assert row.status == "failed"
    assert pauses == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_a_claimed_job_is_nobody_elses_until_its_lease_ends(host: Host) -> None:
    host.write("/a")
    settings = host.context.settings.index  # type: ignore[attr-defined]
    now = datetime.now(UTC)
    first = jobs.claim(host.context, settings, now)
    assert [job.path for job in first] == ["/a"]
    assert jobs.claim(host.context, settings, now) == []
    later = now + timedelta(seconds=settings.lease_seconds)
    assert jobs.claim(host.context, settings, later) == first


def test_a_host_that_starts_takes_up_what_one_that_was_killed_had_in_hand(
    make_host: Callable[..., Host],
) -> None:
    host = make_host()
    host.write("/a", "The kingfisher dives.")
    settings = host.context.settings.index  # type: ignore[attr-defined]
    assert len(jobs.claim(host.context, settings, datetime.now(UTC))) == 1
    again = make_host()
    assert again.found("kingfisher") == ["/a"]
    assert {row.status for row in again.rows(JOBS)} == {"done"}


def test_a_file_changed_while_it_was_embedded_is_not_indexed_with_its_old_text(
    host: Host, embedder: CountingEmbedder
) -> None:
    host.write("/a", "old")
    embed = embedder.embed

    def interrupted(texts: Sequence[str]) -> Any:
        embedder.embed = embed  # type: ignore[method-assign]
        host.write("/a", "new", mode="TRUNCATE")
        return embed(texts)

    embedder.embed = interrupted  # type: ignore[method-assign]
    host.pack.engine(host.context).indexer.run(host.context)
    assert host.rows("SELECT count(*) FROM mcp_file_chunks")[0][0] == 0
    host.index()
    assert [row[0] for row in host.rows("SELECT chunk_content FROM mcp_file_chunks")] == ["new"]


def test_one_bad_file_does_not_keep_others_from_the_index(
    host: Host, embedder: CountingEmbedder
) -> None:
    embed = embedder.embed

    def picky(texts: Sequence[str]) -> Any:
        if any("poison" in text for text in texts):
            raise RuntimeError("a defect")
        return embed(texts)

    embedder.embed = picky  # type: ignore[method-assign]
    host.write("/a", "good")
    host.write("/b", "poison")
    host.write("/c", "good too")
    host.index()
    assert {row.file_path: row.status for row in host.rows(JOBS)} == {
        "/a": "done",
        "/b": "pending",
        "/c": "done",
    }


class Disk:
    """The room that a host's database has, in pages of SQLite; no limit at first."""

    def __init__(self, host: Host) -> None:
        self.pages = 1_000_000_000
        event.listen(host.context.database.engine, "begin", self._limit)

    def _limit(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {self.pages}")


def test_files_are_indexed_once_a_full_disk_has_room_again(
    host: Host, embedder: CountingEmbedder
) -> None:
    """That there is no room counts as no try: they would be given up after seconds."""
    host.write("/before", "heron")
    host.index()
    disk = Disk(host)
    host.write("/a", "kestrel " * 4_000)
    host.write("/b", "osprey " * 4_000)
    disk.pages = 1  # SQLite goes no lower than what the file has
    for _ in range(8):
        with pytest.raises(InternalError, match="its disk is full; make room"):
            host.index()
        host.run("UPDATE mcp_file_index_jobs SET available_at = created_at")
    rows = host.rows("SELECT status, retry_count FROM mcp_file_index_jobs WHERE id > 1")
    assert [tuple(row) for row in rows] == [("pending", 0)] * 2
    assert host.found("heron") == ["/before"]
    disk.pages = 1_000_000_000
    host.run("UPDATE mcp_file_index_jobs SET available_at = created_at")
    host.index()
    assert host.found("kestrel", limit=1) == ["/a"]
    assert host.found("osprey", limit=1) == ["/b"]


@pytest.mark.parametrize("claimed", [False, True])
def test_jobs_are_done_though_the_clock_was_set_back(
    host: Host, embedder: CountingEmbedder, claimed: bool
) -> None:
    host.write("/a", "heron")
    if claimed:  # by a worker that died
        jobs.claim(host.context, host.context.settings.index, datetime.now(UTC))  # type: ignore[attr-defined]
    for column in ("available_at", "lease_until", "created_at", "updated_at"):
        host.run(
            f"UPDATE mcp_file_index_jobs SET {column} = :later WHERE {column} IS NOT NULL",
            later="2999-01-01 00:00:00.000000",
        )
    host.run("UPDATE mcp_file_projects SET updated_at = '2999-01-01 00:00:00.000000'")
    host.write("/b", "heron")
    host.index()
    assert [row.status for row in host.rows(JOBS)] == ["done", "done"]
    assert sorted(host.found("heron")) == ["/a", "/b"]
