"""Chunks that were made otherwise than now are made anew, without anybody writing the files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fileio_host import Host

from toolroll_fileio.analysis import bring_up_to_date

TEXT = "The grey heron stands in the river and waits.\n" * 20
SIZES = "SELECT end_byte - start_byte FROM mcp_file_chunks"
JOBS = "SELECT count(*) FROM mcp_file_index_jobs"


def started(host: Host) -> int:
    """Let a host see to the stored chunks as it does before it makes any; return what it queues."""
    return bring_up_to_date(host.context, host.pack.engine(host.context).indexer.embedding.embedder)


@pytest.fixture
def indexed(make_host: Callable[..., Host]) -> Host:
    host = make_host()
    host.write("/heron.md", TEXT)
    host.write("/gone.md", TEXT)
    host.call("file_delete", path="/gone.md")
    host.index()
    assert host.rows(JOBS)[0][0] == 3
    return host


def test_what_was_made_as_now_stays(indexed: Host, make_host: Callable[..., Host]) -> None:
    assert started(make_host()) == 0


def test_another_size_of_chunks_cuts_every_file_anew(
    indexed: Host, make_host: Callable[..., Host]
) -> None:
    assert max(indexed.rows(SIZES))[0] > 200
    host = make_host(fileio={"index": {"chunk_bytes": 200}})
    host.index()
    assert host.rows(JOBS)[0][0] == 4
    assert max(host.rows(SIZES))[0] <= 200
    assert host.found("heron")[0] == "/heron.md"
    assert started(make_host(fileio={"index": {"chunk_bytes": 200}})) == 0


def test_terms_of_another_version_are_replaced_where_the_spans_are_the_same(
    indexed: Host, make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    before: list[Any] = indexed.rows("SELECT id, start_byte FROM mcp_file_chunks")
    for module in ("chunking", "chunk_rows", "analysis"):
        monkeypatch.setattr(f"toolroll_fileio.{module}.TOKENIZER", "toolroll-999-1")
    host = make_host()
    host.index()
    made = host.rows("SELECT DISTINCT tokenizer FROM mcp_file_chunk_bm25")
    assert [row.tokenizer for row in made] == ["toolroll-999-1"]
    after = host.rows("SELECT id, start_byte FROM mcp_file_chunks")
    assert {row.start_byte for row in after} == {row.start_byte for row in before}
    assert not {row.id for row in after} & {row.id for row in before}


def test_another_embedder_gives_every_chunk_a_vector_of_its_own(
    indexed: Host, make_host: Callable[..., Host]
) -> None:
    indexed.run("UPDATE mcp_file_chunk_embeddings SET model = 'another'")
    indexed.run("UPDATE mcp_file_analysis SET analysis = replace(analysis, 'wordllama', 'another')")
    host = make_host()
    host.index()
    models = host.rows("SELECT DISTINCT model FROM mcp_file_chunk_embeddings")
    assert [row.model.partition("-")[0] for row in models] == ["wordllama"]
