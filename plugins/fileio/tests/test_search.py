"""file_search: what it shows, in which order, and what it never shows."""

from __future__ import annotations

import gc
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fileio_host import LOCAL, SECOND, Failed, Host
from fileio_service import Service, serving
from sqlalchemy import event

from toolroll.search import EngineMissing, SearchError
from toolroll_fileio import searching, signals
from toolroll_fileio.names import Space
from toolroll_fileio.searching import Searcher
from toolroll_fileio.vector_memory import VectorMemory

WAIT = 120


@pytest.fixture(params=["fts5", "whoosh"])
def birds(request: pytest.FixtureRequest, make_host: Callable[..., Host]) -> Host:
    host = make_host(fileio={"search": {"lexical_engine": request.param}})
    host.write("/a/heron.md", "The grey heron stands in the river and waits.\n")
    host.write("/a/duck.md", "Ducks swim on the pond.\n")
    host.write("/b/money.md", "Invoices are due on Monday.\n")
    host.index()
    return host


def test_a_chunk_is_what_file_read_gives_for_its_range(host: Host) -> None:
    host.write("/long.md", "".join(f"Satz {i} über Vögel, täglich.\n" for i in range(200)))
    host.index()
    for chunk in host.call("file_search", query="Vögel täglich", limit=20)["chunks"]:
        start, end = chunk["file_seek_start_bytes"], chunk["file_seek_end_bytes"]
        read = host.call("file_read", path="/long.md", offset=start, length=end - start)
        assert (start < end, read["content"]) == (True, chunk["chunk_content"])


def test_chunks_tile_a_file(host: Host) -> None:
    text = "".join(f"Zeile {i} €\n" for i in range(900))
    host.write("/a", text)
    host.index()
    rows = host.rows("SELECT start_byte, end_byte FROM mcp_file_chunks ORDER BY chunk_index")
    assert rows[0][0] == 0
    assert rows[-1][1] == len(text.encode())
    assert all(left[1] == right[0] for left, right in itertools.pairwise(rows))


def test_what_is_not_indexed_yet_is_found(host: Host) -> None:
    host.write("/new", "an avocet")
    assert host.found("avocet") == ["/new"]


def test_without_a_worker_all_that_waits_is_indexed(make_host: Callable[..., Host]) -> None:
    host = make_host(fileio={"search": {"catch_up_ms": 1}})
    host.write("/first", "an avocet")
    for i in range(99):
        host.write(f"/later_{i}", "a heron")
    assert host.found("avocet")[0] == "/first"


def test_a_search_leaves_much_to_a_worker_that_gets_ready(make_host: Callable[..., Host]) -> None:
    host = make_host(fileio={"search": {"catch_up_ms": 1}})
    for i in range(100):
        host.write(f"/{i}", "a heron")
    begun, go_on = threading.Event(), threading.Event()
    engine = host.pack.engine(host.context)
    engine.indexer.shelf.warm = lambda context: (begun.set(), go_on.wait(WAIT))  # type: ignore
    worker = threading.Thread(target=host.pack.workers()[0].step, args=(host.context,))
    worker.start()
    assert begun.wait(WAIT)
    host.found("heron")
    assert host.rows("SELECT count(*) FROM mcp_file_index_jobs WHERE status = 'pending'") > [(0,)]
    go_on.set()
    worker.join()


def _after_looking(go_on: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set an event as soon as a search has looked for chunks once; it waits as long as it may."""
    monkeypatch.setattr(searching, "LONGEST_WAIT", WAIT)
    looked_up = Searcher._looked_up  # type: ignore[reportPrivateUsage]

    def look(*arguments: Any) -> Any:
        found = looked_up(*arguments)
        go_on.set()
        return found

    monkeypatch.setattr(Searcher, "_looked_up", look)


def test_an_empty_answer_waits_for_what_a_worker_has_in_hand(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host(fileio={"search": {"catch_up_ms": 1}})
    host.write("/new", "an avocet")
    indexer = host.pack.engine(host.context).indexer
    make = type(indexer.embedding).make
    begun, go_on = threading.Event(), threading.Event()

    def slow(*arguments: Any) -> Any:
        begun.set()
        assert go_on.wait(WAIT)
        return make(*arguments)

    monkeypatch.setattr(type(indexer.embedding), "make", slow)
    worker = threading.Thread(target=indexer.step, args=(host.context,))
    worker.start()
    assert begun.wait(WAIT)
    _after_looking(go_on, monkeypatch)
    assert host.found("avocet") == ["/new"]
    worker.join()


def test_an_empty_answer_waits_for_who_fills_the_indexes(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host(fileio={"search": {"catch_up_ms": 1}})
    host.write("/new", "an avocet")
    indexer = host.pack.engine(host.context).indexer
    indexer.attend()
    indexer.run(host.context)
    follow = VectorMemory.follow
    begun, go_on = threading.Event(), threading.Event()

    def slow(*arguments: Any) -> None:
        begun.set()
        assert go_on.wait(WAIT)
        follow(*arguments)

    monkeypatch.setattr(VectorMemory, "follow", slow)
    other = threading.Thread(target=host.found, args=("avocet",))
    other.start()
    assert begun.wait(WAIT)
    _after_looking(go_on, monkeypatch)
    assert host.found("avocet") == ["/new"]
    other.join()


def test_what_is_commonly_shortened_is_found_by_its_words(host: Host) -> None:
    host.write("/cache.toml", "[cache]\nttl = 300\n")
    host.write("/other.md", "Nobody waits here.\n")
    host.index()
    assert host.found("time to live")[0] == "/cache.toml"


def test_accents_are_found_with_and_without(host: Host) -> None:
    host.write("/cv.md", "Mein Résumé liegt in der Straße zum Café.\n")
    host.write("/other.md", "Nothing of the kind is here.\n")
    host.index()
    for query in ("resume", "RÉSUMÉ", "Strasse", "cafe", "café"):
        assert host.found(query)[0] == "/cv.md"


@pytest.mark.parametrize("worker", [True, False])
def test_a_search_that_indexes_a_large_file_leaves_no_word_behind(host: Host, worker: bool) -> None:
    host.write("/small", "an avocet")
    if worker:
        host.index()
    lines = [f"In this line the word zq{i}x stands beside others. " * 25 for i in range(150)]
    host.write("/large", "\n".join(lines))
    host.found("zq7x")  # takes the job, so that none is left for the worker
    if worker:
        host.index()
    for i in range(0, 150, 10):
        first = host.call("file_search", query=f"zq{i}x")["chunks"][0]
        assert f"zq{i}x" in first["chunk_content"]


def test_a_deleted_file_is_not_found_although_it_is_indexed(birds: Host) -> None:
    assert birds.found("heron")[0] == "/a/heron.md"
    birds.run(
        "UPDATE mcp_files SET deleted = 1 WHERE path = '/a/heron.md'"
    )  # no job: a stale index
    assert "/a/heron.md" not in birds.found("heron")


def test_text_that_a_file_no_longer_holds_is_not_found(birds: Host) -> None:
    birds.run("UPDATE mcp_files SET content = x'6f74686572', size = 5 WHERE path = '/a/heron.md'")
    assert "/a/heron.md" not in birds.found("heron")


def test_a_prefix_is_literal(birds: Host) -> None:
    assert birds.found("heron duck invoices", path_prefix="/a/d") == ["/a/duck.md"]
    assert birds.found("heron duck invoices", path_prefix="/_/") == []
    assert len(birds.found("heron duck invoices", path_prefix=" ")) == 3


def test_served_chunks_are_noted_and_no_others(birds: Host) -> None:
    (path,) = birds.found("grey heron river", limit=1)
    served = birds.rows("SELECT file_path FROM mcp_file_chunks WHERE last_served_at IS NOT NULL")
    assert [row[0] for row in served] == [path]


def test_a_search_does_not_fail_for_want_of_the_write_lock(birds: Host) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with birds.context.database.begin():
            held.set()
            done.wait(WAIT)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(WAIT)
    try:
        assert birds.found("heron")[0] == "/a/heron.md"
    finally:
        done.set()
        thread.join()


def test_one_way_of_searching_can_fail(birds: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = birds.pack.engine(birds.context).indexer.embedding.embedder

    def missing(text: str) -> Any:
        raise EngineMissing("the embedder", "wordllama")

    monkeypatch.setattr(embedder, "embed_query", missing)
    assert birds.found("heron") == ["/a/heron.md"]
    index = birds.pack.engine(birds.context).indexer.shelf.of(
        birds.context, Space(LOCAL.tenant, "proj")
    )

    def broken(*arguments: Any) -> Any:
        raise SearchError("down")

    monkeypatch.setattr(type(index), "words", broken)
    with pytest.raises(Failed) as caught:
        birds.found("heron")
    assert (caught.value.code, caught.value.retryable) == ("SEARCH_BACKEND_ERROR", True)


def test_a_query_may_be_long_but_not_a_book(birds: Host) -> None:
    many = " ".join(f"w{number}" for number in range(1_400))
    assert birds.found(f"{many} heron", limit=1) == ["/a/heron.md"]
    with pytest.raises(Failed, match="fewer words") as caught:
        birds.found(many * 2)
    assert caught.value.code == "INVALID_QUERY"


def test_tenants_find_only_their_own(birds: Host) -> None:
    birds.write("/mine", "a heron of another kind", tenant=SECOND)
    assert birds.found("heron", tenant=SECOND) == ["/mine"]
    assert "/mine" not in birds.found("heron", limit=20)


# Whoosh leaves files open that it can't make sense of
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
# Whoosh leaves the file of a table of contents that it can't read to the collector
@pytest.mark.filterwarnings(r"ignore:unclosed file .*_MAIN_\d+\.toc:ResourceWarning")
def test_indexes_lost_or_broken_are_filled_anew(birds: Host) -> None:
    before = birds.call("file_search", query="heron")
    for file in (birds.context.data_dir / "index").rglob("*"):
        if file.is_file():
            file.write_bytes(b"garbage")
    birds.pack._engines.clear()
    assert birds.call("file_search", query="heron") == before
    gc.collect()  # here, where it is expected, and not in whichever test comes next


@pytest.mark.parametrize(
    "trouble",
    [
        "max_page_count = 1",  # SQLite goes no lower than what the file has
        "query_only = ON",
    ],
    ids=["full", "read-only"],
)
def test_a_disk_in_trouble_costs_no_word_that_is_indexed(host: Host, trouble: str) -> None:
    host.write("/a", "heron")
    host.index()
    index = host.pack.engine(host.context).indexer.shelf.of(
        host.context, Space(LOCAL.tenant, "proj")
    )
    in_trouble = True

    def limit(connection: Any, _record: object) -> None:
        if in_trouble:
            connection.execute(f"PRAGMA {trouble}").close()

    def words(term: str) -> int:
        with host.context.database.reading() as connection:
            return len(index.words(connection, [term], 9, ""))

    event.listen(index.files._engine, "connect", limit)  # type: ignore[attr-defined]
    host.write("/b", " ".join(f"kestrel{number}" for number in range(4_000)))
    host.index()
    assert (words("heron"), words("kestrel77")) == (1, 0)
    in_trouble = False
    assert host.found("kestrel77", limit=1) == ["/b"]
    assert (words("heron"), words("kestrel77")) == (1, 1)


def ranks(body: Any) -> Any:
    """Speak Cohere's /rerank: like short documents."""
    order = sorted(range(len(body["documents"])), key=lambda i: len(body["documents"][i]))
    return {
        "results": [
            {"index": index, "relevance_score": 1 / (rank + 1)} for rank, index in enumerate(order)
        ]
    }


@pytest.fixture
def reranking() -> Iterator[Service]:
    with serving(Service(ranks), "/v1/rerank") as service:
        yield service


NAMES = {
    "/src/pools.py": "def reset_pools(limit):\n    for pool in pools:\n        pool.close(limit)\n",
    "/src/app.py": "from pools import reset_pools\n\nreset_pools(1)\nreset_pools(2)\n",
    "/tests/test_pools.py": "def test_reset_pools():\n    reset_pools(1)\n    reset_pools(2)\n",
    "/docs/pools.md": "reset_pools\n\nreset_pools, reset_pools\n",
    "/Makefile": "reset:\n\trm -r pools\n",
}


def test_what_defines_a_name_comes_before_what_mentions_it(
    make_host: Callable[..., Host],
) -> None:
    host = make_host()
    fused = make_host(fileio={"search": {"signals": False}})
    for path, text in NAMES.items():
        host.write(path, text)  # both have one data directory
    assert fused.found("reset_pools")[0] != "/src/pools.py"
    chunks = host.call("file_search", query="reset_pools")["chunks"]
    assert chunks[0]["file_path"] == "/src/pools.py"
    scores = [chunk["score"] for chunk in chunks]
    assert scores == sorted(scores, reverse=True)
    assert 0 <= scores[-1] <= scores[0] <= 1
    assert host.found("close every pool and reset them")[0] == "/src/pools.py"


def test_a_parser_that_fails_costs_no_search(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(data: bytes, path: str) -> None:
        raise RecursionError

    host.write("/a.md", "# Heron\n\nA heron waits.\n")
    monkeypatch.setattr(signals, "likely_symbols", fail)
    assert host.found("heron") == ["/a.md"]


def test_where_the_reranker_fails_the_fused_score_stands(
    make_host: Callable[..., Host], reranking: Service
) -> None:
    rerank = {"enabled": True, "endpoint": reranking.url}
    reranking.status = lambda key: 500
    hosts = [
        make_host(fileio={"search": {"rerank": rerank}}),
        make_host(fileio={"search": {"signals": False}}),
    ]
    for path, text in NAMES.items():
        hosts[0].write(path, text)
    answers = [host.call("file_search", query="reset_pools")["chunks"] for host in hosts]
    assert answers[0] == answers[1]


def test_what_the_reranker_leaves_out_comes_behind_what_it_ranked(
    make_host: Callable[..., Host], reranking: Service
) -> None:
    rerank = {"enabled": True, "endpoint": reranking.url}
    host = make_host(fileio={"search": {"rerank": rerank}})
    texts = {"/a": "heron heron heron\n", "/b": "heron and gull\n", "/c": "heron, wren\n"}
    for path, text in texts.items():
        host.write(path, text)
    reranking.status = lambda key: 500
    fused = host.found("heron")
    reranking.status = lambda key: 200
    reranking.answer = lambda body: {"results": []}
    assert host.found("heron") == fused

    for score in (0.4, -3.0):
        only: Any = {"results": [{"index": 2, "relevance_score": score}]}
        reranking.answer = lambda _, only=only: only
        chunks = host.call("file_search", query="heron")["chunks"]
        sent = reranking.asked[-1][1]["documents"]
        scores = [chunk["score"] for chunk in chunks]
        assert sorted(chunk["file_path"] for chunk in chunks) == sorted(texts)
        assert scores == [score, min(score, 0.0), min(score, 0.0)]
        if score > 0:
            assert [chunk["chunk_content"] for chunk in chunks] == [sent[2], *sent[:2]]


def test_the_reranker_has_the_last_word(
    make_host: Callable[..., Host], reranking: Service, tmp_path: Any
) -> None:
    key = tmp_path / "key"
    key.write_text("local-key\n")
    rerank = {"enabled": True, "endpoint": reranking.url, "local_key_file": str(key)}
    host = make_host(fileio={"search": {"rerank": rerank}})
    for who in (LOCAL, SECOND):
        host.write("/best", "heron heron heron, the very heron of herons\n", tenant=who)
        host.write("/short", "heron\n", tenant=who)
    chunks = host.call("file_search", query=" heron ")["chunks"]
    assert [(chunk["file_path"], chunk["score"]) for chunk in chunks] == [
        ("/short", 1.0),
        ("/best", 0.5),
    ]
    key_sent, body = reranking.asked[0]
    assert (key_sent, body["model"], body["query"]) == ("local-key", "rerank-v3.5", "heron")
    host.found("heron", tenant=SECOND)
    assert reranking.keys[1] == ""  # the local user's key is not another tenant's
    reranking.status = lambda key: 500
    fused = host.call("file_search", query="heron")["chunks"]
    assert {chunk["file_path"] for chunk in fused} == {"/best", "/short"}
