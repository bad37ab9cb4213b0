"""Writers that wait for one another share one commit, and fail each for itself."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import OperationalError

from toolroll import InternalError, ResourceBusy
from toolroll.locks import FileLocks
from toolroll.storage import Database, group_commit
from toolroll.storage.sqlite import SqliteDialect


class Writers:
    """Threads that write into one database in a known order."""

    def __init__(self, directory: Path) -> None:
        self.dialect = SqliteDialect(directory / "x.db", FileLocks(directory / "locks"))
        self.database = Database(self.dialect)
        self.commits = 0
        with self.database.begin() as session:
            session.execute(text("CREATE TABLE note (line TEXT PRIMARY KEY)"))
        event.listen(self.database.engine, "commit", self._count)
        self._pool = ThreadPoolExecutor(8)
        self._go = threading.Event()

    def _count(self, _connection: object) -> None:
        self.commits += 1

    def first(self, line: str, error: Exception | None = None) -> Future[None]:
        """Begin to write, and go on when all others wait."""
        inside = threading.Event()
        done = self._pool.submit(self._write, line, error, lambda: (inside.set(), self._go.wait()))
        assert inside.wait(60)
        return done

    def then(self, line: str, error: Exception | None = None, verb: str = "INSERT") -> Future[None]:
        """Wait for the turn after those before."""
        waiters = self.dialect._writers._waiters
        before = len(waiters)
        done = self._pool.submit(self._write, line, error, tuple, verb)
        while len(waiters) == before:
            threading.Event().wait(0.001)
        return done

    def _write(
        self,
        line: str,
        error: Exception | None,
        during: Callable[[], Any],
        verb: str = "INSERT",
    ) -> None:
        with self.database.begin(timeout=60) as session:
            session.execute(text(f"{verb} INTO note VALUES (:line)"), {"line": line})
            during()
            if error:
                raise error

    def go(self) -> None:
        self._go.set()
        self._pool.shutdown()

    def lines(self) -> list[str]:
        with self.database.read() as session:
            return list(session.scalars(text("SELECT line FROM note ORDER BY line")))


@pytest.fixture
def writers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Writers]:
    monkeypatch.setattr(group_commit, "LONGEST_SECONDS", 60.0)
    made = Writers(tmp_path)
    yield made
    made.go()
    made.database.close()


def test_writers_that_wait_share_one_commit(writers: Writers) -> None:
    done = [writers.first("a"), *(writers.then(line) for line in "bcd")]
    writers.go()
    for each in done:
        each.result()
    assert writers.lines() == ["a", "b", "c", "d"]
    assert writers.commits == 1


def test_a_writer_alone_commits_at_once(writers: Writers) -> None:
    writers._go.set()
    for line in "ab":
        writers.first(line).result()
    assert writers.commits == 2


@pytest.mark.parametrize("failing", ["a", "b", "c"])
def test_a_writer_fails_alone(writers: Writers, failing: str) -> None:
    def error_of(line: str) -> Exception | None:
        return ZeroDivisionError() if line == failing else None

    done = {"a": writers.first("a", error_of("a"))}
    done |= {line: writers.then(line, error_of(line)) for line in "bc"}
    writers.go()
    for line, each in done.items():
        if line == failing:
            with pytest.raises(ZeroDivisionError):
                each.result()
        else:
            each.result()
    assert writers.lines() == [line for line in "abc" if line != failing]


def test_a_refused_statement_costs_only_its_writer(writers: Writers) -> None:
    done = [writers.first("a"), writers.then("a"), writers.then("b")]
    writers.go()
    done[0].result()
    with pytest.raises(InternalError):
        done[1].result()
    done[2].result()
    assert writers.lines() == ["a", "b"]


def test_nobody_is_told_of_success_when_the_transaction_is_lost(writers: Writers) -> None:
    """A conflict that rolls all back stands for what SQLite does when, say, a disk is full."""
    done = [
        writers.first("a"),
        writers.then("a", verb="INSERT OR ROLLBACK"),
        writers.then("c"),
    ]
    writers.go()
    for each in done[:2]:
        with pytest.raises((ResourceBusy, InternalError)):
            each.result()
    done[2].result()
    assert writers.lines() == ["c"]


def test_all_who_share_a_commit_are_told_that_the_disk_is_full(writers: Writers) -> None:
    def fail(connection: Connection) -> None:
        connection.exec_driver_sql("ROLLBACK")  # as SQLite does by itself
        cause = sqlite3.OperationalError("database or disk is full")
        cause.sqlite_errorname = "SQLITE_FULL"
        raise OperationalError("COMMIT", None, cause)

    event.listen(writers.database.engine, "commit", fail)
    done = [writers.first("a"), *(writers.then(line) for line in "bc")]
    writers.go()
    for each in done:
        with pytest.raises(InternalError, match="its disk is full; make room"):
            each.result()
    assert writers.lines() == []


def test_who_stops_waiting_keeps_nobody_out(writers: Writers) -> None:
    done = writers.first("a")
    with pytest.raises(ResourceBusy), writers.database.begin(timeout=0.01):
        pass
    after = writers.then("b")
    writers.go()
    done.result()
    after.result()
    assert writers.lines() == ["a", "b"]


def test_a_group_is_closed_when_it_is_large_enough(
    writers: Writers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "MOST_MEMBERS", 2)
    done = [writers.first("a"), *(writers.then(line) for line in "bcd")]
    writers.go()
    for each in done:
        each.result()
    assert writers.lines() == ["a", "b", "c", "d"]
    assert writers.commits == 2
