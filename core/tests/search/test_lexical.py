"""Every lexical engine: the same ranking, the same rules, nothing lost in a crash."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from sqlalchemy import Connection, create_engine, make_url

from toolroll.search import (
    IndexBroken,
    IndexBusy,
    LexicalBatch,
    LexicalDocument,
    LexicalIndex,
    Scope,
    SearchError,
    document_tokens,
    query_tokens,
)
from toolroll.search.lexical import Fts5Index, WhooshIndex
from toolroll.search.lexical.postgres import PostgresIndex

TEXTS = {
    "src/http/header.py": "def parseHTTPHeader(line): split the header line at its colon",
    "src/http/server.py": "class HTTPServer: accept a connection and parse its header",
    "src/limits.py": "rate limit with a token bucket for each caller",
    "src/app_main.py": "start the server and wait",
    "docs/limits.md": "How calls are limited: a bucket of tokens for each caller, refilled slowly",
    "docs/Server.MD": "The server accepts connections",
    "100%_real.txt": "percent and underscore are ordinary characters, limit nothing",
}


def documents(first: int = 1) -> list[LexicalDocument]:
    return [
        LexicalDocument(id, path, document_tokens(text, path=path))
        for id, (path, text) in enumerate(TEXTS.items(), first)
    ]


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    with engine.connect() as opened:
        yield opened
    engine.dispose()


@pytest.fixture
def server_connection(postgres_database: str) -> Iterator[Connection]:
    url = make_url(postgres_database).set(drivername="postgresql+psycopg")
    engine = create_engine(url)
    with engine.connect() as opened:
        yield opened
    engine.dispose()


@pytest.fixture(params=["fts5", "postgres", "whoosh"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LexicalIndex]:
    made: LexicalIndex
    match request.param:
        case "fts5":
            made = Fts5Index(request.getfixturevalue("connection"), "x")
        case "postgres":
            made = PostgresIndex(request.getfixturevalue("server_connection"), "x")
        case _:
            made = WhooshIndex(tmp_path / "index")
    yield made
    made.close()


def ids(index: LexicalIndex, query: str, **scope: object) -> list[int]:
    return [hit.id for hit in index.search(query_tokens(query), scope=Scope(**scope))]  # pyright: ignore


def test_engines_rank_alike(connection: Connection, tmp_path: Path) -> None:
    fts5, whoosh = Fts5Index(connection, "x"), WhooshIndex(tmp_path)
    for engine in (fts5, whoosh):
        engine.apply(LexicalBatch(1, add=documents()))
    for query in ("parse http header", "token bucket caller", "server connection", "limit", "HTTP"):
        assert ids(fts5, query) == ids(whoosh, query), query
    whoosh.close()


def test_an_identifier_and_its_words_find_the_same(index: LexicalIndex) -> None:
    index.apply(LexicalBatch(1, add=documents()))
    assert ids(index, "parseHTTPHeader")[0] == ids(index, "parse http header")[0] == 1


def test_a_new_index_is_empty(index: LexicalIndex) -> None:
    assert index.applied_seq() == 0
    assert index.search(["server"]) == []
    assert index.search([]) == []


def test_a_batch_replaces_and_deletes_and_carries_its_seq(index: LexicalIndex) -> None:
    index.apply(LexicalBatch(3, add=documents()))
    index.apply(LexicalBatch(4, delete=[3, 999], add=[LexicalDocument(5, "docs/x.md", "walru")]))
    assert index.applied_seq() == 4
    assert 3 not in ids(index, "bucket")
    assert ids(index, "walrus") == [5]
    assert 5 not in ids(index, "refilled")


def test_terms_are_counted_by_the_chunks_that_hold_them(index: LexicalIndex) -> None:
    if isinstance(index, WhooshIndex):
        pytest.skip("whoever has Whoosh asks the index that it follows")
    assert isinstance(index, Fts5Index | PostgresIndex)
    assert index.counts(["server"]) == {}
    index.apply(LexicalBatch(1, add=documents()))
    index.apply(LexicalBatch(2, delete=[4]))
    assert index.counts(["server", "bucket", "walrus"]) == {"server": 2, "bucket": 2}


def test_applying_a_batch_again_changes_nothing(index: LexicalIndex) -> None:
    batch = LexicalBatch(2, delete=[4], add=documents()[:3])
    index.apply(batch)
    before = [hit.id for hit in index.search(["server", "header"])]
    index.apply(batch)
    assert [hit.id for hit in index.search(["server", "header"])] == before


def test_clear_starts_anew(index: LexicalIndex) -> None:
    index.apply(LexicalBatch(9, add=documents()))
    index.clear()
    assert index.applied_seq() == 0
    assert ids(index, "server") == []
    index.apply(LexicalBatch(10, add=documents()))
    assert ids(index, "server")


@pytest.mark.parametrize(
    ("scope", "paths"),
    [
        ({"prefix": "src/"}, {"src/http/header.py", "src/http/server.py", "src/limits.py"}),
        ({"prefix": "src/http/"}, {"src/http/header.py", "src/http/server.py"}),
        ({"prefix": "src/http/s"}, {"src/http/server.py"}),
        ({"prefix": "src/l"}, {"src/limits.py"}),
        ({"prefix": "SRC/"}, set[str]()),
        ({"prefix": "%"}, set[str]()),
        ({"prefix": "100%_"}, {"100%_real.txt"}),
        ({"prefix": "s_c/"}, set[str]()),
        ({"extensions": frozenset({"md"})}, {"docs/limits.md", "docs/Server.MD"}),
        ({"prefix": "docs/l", "extensions": frozenset({"md"})}, {"docs/limits.md"}),
    ],
)
def test_the_scope_is_a_raw_prefix_and_decided_before_ranking(
    index: LexicalIndex, scope: dict[str, object], paths: set[str]
) -> None:
    index.apply(LexicalBatch(1, add=documents()))
    by_id = dict(enumerate(TEXTS, 1))
    found = ids(index, "header server limit tokens", **scope)
    assert {by_id[id] for id in found} - {"src/app_main.py"} == paths


def test_the_limit_holds_with_a_partial_prefix(index: LexicalIndex) -> None:
    crowd = [LexicalDocument(i, f"src/other{i}.py", "limit limit limit") for i in range(10, 300)]
    index.apply(LexicalBatch(1, add=[*crowd, LexicalDocument(900, "src/limits.py", "limit rate")]))
    hits = index.search(["limit"], limit=3, scope=Scope(prefix="src/l"))
    assert [hit.id for hit in hits] == [900]


def test_fts5_goes_with_its_transaction(connection: Connection) -> None:
    index = Fts5Index(connection, "x")
    index.apply(LexicalBatch(1, add=documents()))
    connection.commit()
    index.apply(LexicalBatch(2, delete=[1]))
    connection.rollback()
    assert index.applied_seq() == 1
    assert 1 in ids(index, "header")


def test_an_index_of_another_tokeniser_is_broken(
    connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fts5, whoosh = Fts5Index(connection, "x"), WhooshIndex(tmp_path)
    for engine in (fts5, whoosh):
        engine.apply(LexicalBatch(1, add=documents()))
    monkeypatch.setattr("toolroll.search.tokens.TOKENIZER_VERSION", 999)
    for engine in (fts5, whoosh):
        with pytest.raises(IndexBroken, match="tokeniser"):
            engine.search(["server"])
    whoosh.close()


def test_a_bad_index_name_is_refused(connection: Connection) -> None:
    with pytest.raises(SearchError, match="index name"):
        Fts5Index(connection, 'x"; DROP TABLE y')


def test_a_second_writer_of_whoosh_is_told_that_it_is_busy(tmp_path: Path) -> None:
    one, other = WhooshIndex(tmp_path), WhooshIndex(tmp_path)
    writer = one._index.writer()  # pyright: ignore[reportPrivateUsage] - holds the lock
    with pytest.raises(IndexBusy):
        other.apply(LexicalBatch(1, add=documents()))
    writer.cancel()
    other.apply(LexicalBatch(1, add=documents()))
    assert one.applied_seq() == 1
    assert ids(one, "bucket")
    one.close()
    other.close()


@pytest.mark.parametrize(
    "step", ["filedb.filestore.FileStorage.create_file", "writing.SegmentWriter._commit_toc"]
)
def test_a_full_disk_leaves_whoosh_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    index = WhooshIndex(tmp_path)
    index.apply(LexicalBatch(seq=1, add=documents()))
    there = {path.name for path in tmp_path.iterdir()}
    with monkeypatch.context() as full:
        full.setattr(f"whoosh.{step}", refused)
        with pytest.raises(IndexBusy, match="disk is full; make room"):
            index.apply(LexicalBatch(seq=2, add=[LexicalDocument(9, "z.py", "zebra")]))
        assert {path.name for path in tmp_path.iterdir()} == there
        assert (index.applied_seq(), ids(index, "zebra")) == (1, [])
    index.apply(LexicalBatch(seq=2, add=[LexicalDocument(9, "z.py", "zebra")]))
    assert (index.applied_seq(), ids(index, "zebra")) == (2, [9])
    index.close()


@pytest.mark.parametrize("listed", [-1, 0])
def test_what_another_process_does_while_whoosh_opens_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: int
) -> None:
    """The directory was listed before another process created the index, or before its commit."""
    from whoosh.index import TOC

    WhooshIndex(tmp_path).apply(LexicalBatch(seq=1, add=documents()))
    real = TOC._latest_generation
    answers = iter([listed])
    monkeypatch.setattr(TOC, "_latest_generation", lambda *given: next(answers, real(*given)))
    index = WhooshIndex(tmp_path)
    assert next(answers, None) is None
    assert index.ids() == {document.id for document in documents()}


def test_many_whoosh_commits_stay_few_segments(tmp_path: Path) -> None:
    index = WhooshIndex(tmp_path)
    for seq, document in enumerate(documents() * 4, 1):
        index.apply(LexicalBatch(seq, add=[document]))
    assert ids(index, "bucket") == [3, 5] or ids(index, "bucket") == [5, 3]
    assert len(list(tmp_path.glob("*.seg"))) <= 10
    index.close()


def test_postgres_ranks_like_whoosh(server_connection: Connection, tmp_path: Path) -> None:
    postgres, whoosh = PostgresIndex(server_connection, "x"), WhooshIndex(tmp_path)
    PostgresIndex(server_connection, "y").apply(LexicalBatch(1, add=documents(50)))
    for engine in (postgres, whoosh):
        engine.apply(LexicalBatch(1, add=documents()))
        engine.apply(LexicalBatch(2, add=documents(20), delete=[2, 3]))
        engine.apply(LexicalBatch(3, delete=[document.id for document in documents(20)]))
    for query in ("parse http header", "token bucket caller", "server connection", "limit", "HTTP"):
        assert ids(postgres, query) == ids(whoosh, query), query
    whoosh.close()


def test_postgres_finds_what_holds_rare_words_among_many_that_hold_common_ones(
    server_connection: Connection,
) -> None:
    crowd = [LexicalDocument(i, f"f{i}.py", "common " * (i % 7 + 1)) for i in range(1, 5000)]
    index = PostgresIndex(server_connection, "x")
    index.apply(LexicalBatch(1, add=[*crowd, LexicalDocument(9000, "g.py", "common rare")]))
    assert index.search(["common", "rare"], limit=3)[0].id == 9000
    assert len(index.search(["common", "rare"], limit=200)) == 200
    assert len(index.search(["common"], limit=1000)) == 1000


def test_postgres_goes_with_its_transaction(server_connection: Connection) -> None:
    index = PostgresIndex(server_connection, "x")
    index.apply(LexicalBatch(1, add=documents()))
    server_connection.commit()
    index.apply(LexicalBatch(2, delete=[1]))
    server_connection.rollback()
    assert index.applied_seq() == 1
    assert 1 in ids(index, "header")


WRITERS: dict[str, Callable[[Path], str]] = {
    "whoosh": lambda place: (
        f"""
        from toolroll.search.lexical import WhooshIndex
        index = WhooshIndex(Path({str(place)!r}))
        commit = lambda: None
    """
    ),
    "fts5": lambda place: (
        f"""
        from sqlalchemy import create_engine
        from toolroll.search.lexical import Fts5Index
        connection = create_engine("sqlite:///" + {str(place / "x.db")!r}).connect()
        index = Fts5Index(connection, "x")
        commit = connection.commit
    """
    ),
    "postgres": lambda place: (
        """
        import os
        from sqlalchemy import create_engine, make_url
        from toolroll.search.lexical.postgres import PostgresIndex
        url = make_url(os.environ["DATABASE"]).set(drivername="postgresql+psycopg")
        connection = create_engine(url).connect()
        index = PostgresIndex(connection, "x")
        commit = connection.commit
    """
    ),
}


@pytest.mark.marathon
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
@pytest.mark.parametrize("engine", sorted(WRITERS))
@pytest.mark.parametrize("after", [1, 3, 6])
def test_a_kill_leaves_the_last_batch_whole(
    engine: str, after: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Each batch replaces all documents by words of its seq: a mixture would show."""
    program = (
        dedent("""
        from pathlib import Path
        from toolroll.search import LexicalBatch, LexicalDocument
    """)
        + dedent(WRITERS[engine](tmp_path))
        + dedent("""
        seq = index.applied_seq()
        while True:
            seq += 1
            add = [LexicalDocument(i, f"f{i}.py", f"word{seq} common") for i in range(1, 40)]
            index.apply(LexicalBatch(seq, add=add))
            commit()
            print(seq, flush=True)
    """)
    )
    url = request.getfixturevalue("postgres_database") if engine == "postgres" else ""
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        env={**os.environ, "DATABASE": url},
    ) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(after)]
        process.send_signal(signal.SIGKILL)
        process.wait()
        told += process.stdout.readlines()
    last = max(int(line) for line in told if line.strip().isdigit())
    database = create_engine(
        make_url(url).set(drivername="postgresql+psycopg")
        if url
        else f"sqlite:///{tmp_path / 'x.db'}"
    )
    with database.connect() as connection:
        index: LexicalIndex
        match engine:
            case "whoosh":
                index = WhooshIndex(tmp_path)
            case "postgres":
                index = PostgresIndex(connection, "x")
            case _:
                index = Fts5Index(connection, "x")
        seq = index.applied_seq()
        assert seq in {last, last + 1}  # the one in flight may have been committed unannounced
        assert len(index.search([f"word{seq}"])) == 39
        assert index.search([f"word{seq - 1}"]) == []
        assert len(index.search(["common"])) == 39
        index.apply(LexicalBatch(seq + 1, delete=[1]))
        assert len(index.search(["common"])) == 38
        index.close()
    database.dispose()


def test_common_words_add_to_the_score_but_do_not_decide(connection: Connection) -> None:
    index = Fts5Index(connection, "many")
    rare = [LexicalDocument(i, "a", "common rare") for i in range(1, 41)]
    both = [LexicalDocument(i, "a", "common other rare") for i in range(41, 51)]
    often = [LexicalDocument(i, "a", "common other filler") for i in range(51, 701)]
    rest = [LexicalDocument(i, "a", "common filler") for i in range(701, 2001)]
    index.apply(LexicalBatch(1, add=[*rare, *both, *often, *rest]))
    best = [hit.id for hit in index.search(["rare", "other"], limit=20)]  # scores 50 chunks
    assert best[:10] == list(range(41, 51))  # of the rare ones, those with the common word
    assert set(best) <= set(range(1, 51))
    everything = index.search(["rare", "other", "common"], limit=5000)
    assert len(everything) == 2000  # where more is wanted, common words find too
    assert len(index.search(["rare", "other"], limit=100)) == 100
