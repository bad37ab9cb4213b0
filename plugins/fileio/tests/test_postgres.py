"""Search inside PostgreSQL: one index for every host, made by pgvector and tsvector."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest
from alembic import command
from fileio_host import LOCAL, SECOND, Host
from sqlalchemy import select, text

from toolroll_fileio import server_vectors
from toolroll_fileio.chunking import TOKENIZER
from toolroll_fileio.tables import embeddings

COLUMNS = """
    SELECT format_type(atttypid, atttypmod) FROM pg_attribute
    WHERE attrelid = CAST(:name AS regclass) AND attname = :column"""
TEXTS = {
    "/a/heron.md": "The grey heron stands in the river and waits.\n",
    "/a/duck.md": "Ducks swim on the pond.\n",
    "/b/money.md": "Invoices are due on Monday.\n",
}


@pytest.fixture
def on_server(make_host: Callable[..., Host], postgres_database: str) -> Callable[..., Host]:
    """Make hosts on one database."""

    def make(**settings: Any) -> Host:
        return make_host(storage={"url": postgres_database}, **settings)

    return make


@pytest.fixture
def without_pgvector(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let hosts find no pgvector on the server."""
    monkeypatch.setattr(server_vectors, "_KNOWN", text("SELECT 0"))
    return monkeypatch


def fill(host: Host) -> Host:
    for path, content in TEXTS.items():
        host.write(path, content)
    host.index()
    return host


def column(host: Host, name: str, column: str) -> str:
    return host.rows(COLUMNS, name=name, column=column)[0][0]


def test_the_tables_are_those_of_the_document(on_server: Callable[..., Host]) -> None:
    host = fill(on_server())
    types = {
        ("mcp_files", "apikey_hash"): "character(64)",
        ("mcp_files", "content"): "bytea",
        ("mcp_files", "created_at"): "timestamp with time zone",
        ("mcp_file_chunks", "chunk_content"): "text",
        ("mcp_file_chunk_embeddings", "embedding"): "vector",
        ("mcp_file_chunk_bm25", "tokens"): "jsonb",
    }
    assert {at: column(host, *at) for at in types} == types
    indexes = {row[0]: row[1] for row in host.rows("SELECT indexname, indexdef FROM pg_indexes")}
    assert "text_pattern_ops" in indexes["idx_mcp_file_chunks_prefix"]
    assert "text_pattern_ops" in indexes["idx_mcp_files_prefix"]
    assert "WHERE (deleted = false)" in indexes["uq_mcp_files_active"]
    foreign = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'c'"
    assert host.rows(foreign)[0][0] == 2


def test_projects_come_in_byte_order_whatever_language_the_database_sorts_by(
    on_server: Callable[..., Host],
) -> None:
    host = on_server()
    names = ["Z", "_", "a", "b"]
    for name in names:
        host.write("/a.txt", project=name)
    languages = host.rows("""
        SELECT quote_ident(collname) FROM pg_collation
        WHERE collprovider = 'c' AND collname LIKE '__\\___.utf8'""")
    for (language,) in languages:  # those of this machine, perhaps none
        host.run(
            f"ALTER TABLE mcp_file_projects ALTER project TYPE varchar(128) COLLATE {language}"
        )
        assert [it["project"] for it in host.call("file_list_projects")["projects"]] == names
        first = host.call("file_list_projects", limit=2)
        rest = host.call("file_list_projects", cursor=first["next_cursor"])
        assert [it["project"] for it in first["projects"] + rest["projects"]] == names


def test_what_one_host_indexes_every_other_finds(on_server: Callable[..., Host]) -> None:
    one, other = on_server(), on_server()
    assert other.found("heron") == []
    fill(one)
    assert other.found("heron")[0] == "/a/heron.md"
    assert other.found("a bird at the water")[0].startswith("/a/")  # by its meaning alone
    one.call("file_delete", path="/a/heron.md")
    assert "/a/heron.md" not in other.found("heron")
    other.write("/new.md", "an avocet")
    assert one.found("avocet") == ["/new.md"]
    assert other.rows("SELECT count(*) FROM mcp_file_index_changes")[0][0] == 0
    assert not (one.context.data_dir / "index").exists()
    assert one.pack.remarks(one.context)[0].startswith("search by meaning: pgvector 0.")


def test_answers_are_those_of_sqlite(
    make_host: Callable[..., Host], on_server: Callable[..., Host]
) -> None:
    here, there = fill(make_host()), fill(on_server())
    for query in ("heron", "ducks on the river", "when do I have to pay", "a_b"):
        for prefix in ("", "/a", "/a/d", "/_"):
            asked = {"query": query, "path_prefix": prefix, "limit": 3}
            found = here.call("file_search", **asked), there.call("file_search", **asked)
            scores = [[c.pop("score") for c in answer["chunks"]] for answer in found]
            assert found[0] == found[1]
            assert scores[0] == pytest.approx(scores[1], abs=2e-3)


def test_text_with_nul_is_indexed_and_given_as_it_is(on_server: Callable[..., Host]) -> None:
    host = on_server()
    host.write("/nul", "a heron\0 waits")
    host.index()
    assert host.rows("SELECT status FROM mcp_file_index_jobs")[0][0] == "done"
    assert host.call("file_search", query="heron")["chunks"][0]["chunk_content"] == (
        "a heron\0 waits"
    )


def test_tenants_find_only_their_own(on_server: Callable[..., Host]) -> None:
    host = fill(on_server())
    host.write("/mine.md", "a heron of another kind", tenant=SECOND)
    host.write("/else.md", "a heron of another project", project="other")
    assert host.found("heron", tenant=SECOND) == ["/mine.md"]
    assert not {"/mine.md", "/else.md"} & set(host.found("heron", limit=20))


def test_a_renamed_file_is_found_under_its_new_name_alone(on_server: Callable[..., Host]) -> None:
    host = fill(on_server())
    host.call("file_rename", from_path="/a", to_path="/birds")
    assert set(host.found("heron", path_prefix="/a")) == set()
    assert host.found("heron")[0] == "/birds/heron.md"
    host.index()
    assert host.rows("SELECT count(*) FROM mcp_file_chunk_embeddings")[0][0] == len(TEXTS)
    assert host.rows("SELECT count(*) FROM search_documents")[0][0] == len(TEXTS)


def test_without_pgvector_a_host_keeps_vectors_in_memory(
    on_server: Callable[..., Host],
    without_pgvector: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    one, other = on_server(), on_server()
    fill(one)
    assert "no pgvector: it is not installed on the database server" in caplog.text
    assert "install pgvector" in one.pack.remarks(one.context)[0]
    assert column(one, "mcp_file_chunk_embeddings", "embedding") == "text"
    assert other.found("a bird at the water")[0].startswith("/a/")
    assert other.found("heron", path_prefix="/b") == []
    without_pgvector.undo()
    third = on_server()
    assert third.found("a bird at the water")[0].startswith("/a/")
    assert column(one, "mcp_file_chunk_embeddings", "embedding") == "vector"
    one.write("/a/stork.md", "A stork, a bird that wades in the water")
    one.index()
    for host in (one, other, third):
        assert "/a/stork.md" in host.found("a bird at the water")


def test_a_refused_extension_is_told(
    on_server: Callable[..., Host], monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.setattr(server_vectors, "_ADOPT", ("CREATE EXTENSION none_of_this_name",))
    host = fill(on_server())
    assert "the database refused it" in caplog.text
    assert host.found("heron")[0] == "/a/heron.md"


def test_an_older_database_keeps_its_vectors_and_gets_its_words(
    on_server: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = command.upgrade
    monkeypatch.setattr(command, "upgrade", lambda config, _: newest(config, "0002"))
    old = on_server()
    assert column(old, "mcp_file_chunk_embeddings", "embedding") == "bytea"
    monkeypatch.undo()
    stamps = "now(), now()"
    for statement in (
        f"INSERT INTO mcp_files VALUES (1, :tenant, 'proj', '/old.md', 5, '', {stamps}, false,"
        " NULL, 'heron')",
        "INSERT INTO mcp_file_chunks VALUES (1, :tenant, 'proj', '/old.md', 0, 0, 5, 'heron',"
        f" encode(sha256('heron'), 'hex'), {stamps})",
        f"INSERT INTO mcp_file_chunk_embeddings VALUES (1, :vector, 'some model', {stamps})",
        f"INSERT INTO mcp_file_chunk_bm25 VALUES (1, :terms, 1, :tokenizer, {stamps})",
        "COMMENT ON SCHEMA fileio IS NULL",  # where the newest migration that has run is noted
    ):
        bound = {
            "tenant": LOCAL.tenant,
            "vector": struct.pack("<3e", 1, 0, 0.1),
            "terms": '{"heron": 1}',
            "tokenizer": TOKENIZER,
        }
        old.run(statement, **{k: v for k, v in bound.items() if f":{k}" in statement})
    new = on_server()
    new.pack.engine(new.context).warm(new.context)
    stored = select(embeddings.c.embedding).where(embeddings.c.chunk_id == 1)
    with new.context.database.reading() as connection:
        assert connection.execute(stored).scalar_one() == struct.pack("<3e", 1, 0, 0.1)
    assert column(new, "mcp_file_chunk_embeddings", "embedding") == "vector"
    assert new.found("heron") == ["/old.md"]


def test_an_index_of_other_tokens_is_made_anew(on_server: Callable[..., Host]) -> None:
    host = fill(on_server())
    host.run("UPDATE search_spaces SET tokenizer = 0")
    other = on_server()
    other.pack.engine(other.context).warm(other.context)
    assert other.rows("SELECT count(*) FROM search_documents")[0][0] == len(TEXTS)
    host.run("UPDATE search_spaces SET tokenizer = 0")
    host.write("/a/stork.md", "a stork")
    host.index()
    assert host.found("stork")[0] == "/a/stork.md"
    assert host.rows("SELECT count(*) FROM search_documents")[0][0] == len(TEXTS) + 1


def test_a_removed_project_leaves_no_word_behind(on_server: Callable[..., Host]) -> None:
    host = fill(on_server())
    host.write("/heron.md", "A heron of somebody else.", tenant=SECOND)
    host.index()
    (held,) = (one for one in host.pack.holdings(host.context) if not one.tenant)
    host.pack.release(host.context, held)
    assert host.found("heron") == []
    assert host.found("heron", tenant=SECOND) == ["/heron.md"]
    left = "SELECT count(*) FROM mcp_file_chunks c LEFT JOIN mcp_files f ON f.path = c.file_path"
    assert host.rows(f"{left} WHERE f.id IS NULL")[0][0] == 0
