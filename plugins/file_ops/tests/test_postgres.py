"""Several hosts on one PostgreSQL that index one collection."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from toolroll_file_ops import store
from toolroll_file_ops.statements import together

if TYPE_CHECKING:
    from conftest import Host

WAITING = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' "
    "AND NOT granted"
)
DROP: dict[str, Callable[[Host], object]] = {
    "what a pass replaced": lambda host: host.index(),
    "a whole collection": lambda host: host.engine.remove(host.context, "proj"),
}


CROWD = (
    "SET LOCAL statement_timeout = 0",
    "INSERT INTO blobs SELECT 'blob' || n, '' FROM generate_series(1, 30000) n",
    "INSERT INTO files (collection_id, path, sha256, size, mtime_ns, inode, file_type, "
    "chunk_count, indexed_at, skipped) "
    "SELECT collection_id, 'file' || n, 'blob' || n, 0, 0, 0, 'py', 0, '', '' "
    "FROM files, generate_series(1, 30000) n",
    "ANALYZE blobs, files",
)


@pytest.mark.parametrize("what", DROP)
def test_who_drops_what_no_file_needs_lets_others_write_first(
    make_host: Callable[..., Host], postgres_database: str, what: str
) -> None:
    one, other = (make_host(storage={"url": postgres_database}) for _ in range(2))
    one.write({"a.py": "a = 1\n"})
    one.index()
    place = other.engine.visible(other.context)[0].id
    one.write({"a.py": "a = 2\n"})
    done: list[str] = []

    def drop() -> None:
        DROP[what](one)
        done.append(what)

    with other.engine.database.begin() as session:
        together(session)
        thread = threading.Thread(target=drop)
        thread.start()
        while not session.scalar(WAITING):
            assert thread.is_alive()
        store.write(session, place, [])
    thread.join()
    assert done == [what]


def test_a_pass_takes_no_longer_for_the_files_of_all_others(
    make_host: Callable[..., Host], postgres_database: str
) -> None:
    # as little memory for 30,000 files as a server has for ten times as many; each statement takes
    # less than a second, and twice the limit where it reads all files for each
    limits = "options=-cwork_mem%3D64kB%20-cstatement_timeout%3D20s"
    url = f"{postgres_database}{'&' if '?' in postgres_database else '?'}{limits}"
    host = make_host(storage={"url": url})
    host.write({"theirs/a.py": "a = 1\n", "ours/b.py": "b = 1\n"})
    host.call("index_collection", collection="theirs", path="theirs")
    with host.engine.database.begin() as session:
        for statement in CROWD:
            session.execute(text(statement))
    ours = host.call("index_collection", collection="ours", path="ours")
    assert ours["added"] == 1
    with host.engine.database.read() as session:
        assert session.scalar(text("SELECT count(*) FROM blobs")) == 30002


def test_a_path_that_is_too_long_for_an_index_keeps_no_other_file_out(
    make_host: Callable[..., Host], postgres_database: str
) -> None:
    host = make_host(storage={"url": postgres_database})
    path = "/".join(secrets.token_hex(100) for _ in range(13)) + "/deep.py"
    host.write({"a.py": "a = 1\n", path: "b = 1\n"})
    done = host.index()
    assert (done["total_files"], done["skipped"]) == (1, 1)
    assert host.answer("get_file_content", collection="proj", file_path=path)[0] == "InvalidPath"


def test_hosts_may_make_one_collection_at_the_same_time(
    make_host: Callable[..., Host], postgres_database: str
) -> None:
    hosts = [make_host(storage={"url": postgres_database}) for _ in range(3)]
    hosts[0].write({"a.py": "a = 1\n"})
    hosts[0].index()
    start = threading.Barrier(len(hosts))

    def make(host: Host) -> list[tuple[str, object]]:
        answers: list[tuple[str, object]] = []
        for number in range(20):
            start.wait()
            answers.append(host.answer("index_collection", collection=f"c{number}", path="."))
        return answers

    with ThreadPoolExecutor() as pool:
        for answers in pool.map(make, hosts):
            assert [(code, payload) for code, payload in answers if code] == []
    assert hosts[0].call("list_collections")["total"] == 21
