"""What is SQLite's own: its file, its modes, and others that open or change it at the same time."""

from __future__ import annotations

import itertools
import sqlite3
import sys
import traceback
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from toolroll.errors import InternalError, InvalidArguments, ResourceBusy, StorageError
from toolroll.locks import FileLocks
from toolroll.storage import Database
from toolroll.storage.sqlite import SqliteDialect, log_ahead

FIRST = """
from alembic import op

revision = "0001"
down_revision = None


def upgrade():
    op.execute("CREATE TABLE entry (id INTEGER)")
"""
SECOND = """
import sqlite3
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    other = sqlite3.connect({file!r}, timeout=0)
    try:
        other.execute("INSERT INTO entry VALUES (1)")
        other.commit()
    except sqlite3.OperationalError:
        op.execute("INSERT INTO entry VALUES (2)")
    other.close()
    op.execute("CREATE TABLE more (id INTEGER)")
"""


def test_a_sqlite_file_that_is_none_is_refused_with_its_cause(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"this is no database" * 100)
    database = Database(
        SqliteDialect(tmp_path / "x.db", FileLocks(tmp_path / "locks")),
        migrations="toolroll.calls.migrations",
    )
    with pytest.raises(StorageError, match="database: its file is no database, or damaged"):
        database.open()
    with pytest.raises(InternalError, match=r"be opened: its file is no .*; put a backup"):
        database.ping()  # as a call would: its caller may read the cause


def test_sqlite_syncs_every_commit_and_keeps_its_own_wait(tmp_path: Path) -> None:
    database = Database(
        SqliteDialect(tmp_path / "x.db", FileLocks(tmp_path / "locks"), busy_timeout=4.0),
        busy_timeout=4.0,
    )

    def pragma(session: Session, name: str) -> Any:
        return session.execute(text(f"PRAGMA {name}")).scalar()

    with database.begin(timeout=0.5) as session:
        assert pragma(session, "busy_timeout") <= 500
    with database.read() as session:
        assert pragma(session, "busy_timeout") == 4000
        assert pragma(session, "journal_mode") == "wal"
        assert pragma(session, "synchronous") == 2
        assert pragma(session, "foreign_keys") == 1
    database.close()


def test_a_large_change_leaves_no_large_log(tmp_path: Path) -> None:
    database = Database(SqliteDialect(tmp_path / "x.db", FileLocks(tmp_path / "locks")))
    log = tmp_path / "x.db-wal"
    with database.begin() as session:
        session.execute(text("CREATE TABLE t (x)"))
        session.execute(text("INSERT INTO t VALUES (zeroblob(48000000))"))
    assert log.stat().st_size > 40_000_000
    with database.begin() as session:
        session.execute(text("INSERT INTO t VALUES (1)"))
    assert log.stat().st_size <= 32 * 1024 * 1024
    with database.read() as session:
        assert session.execute(text("SELECT count(*) FROM t")).scalar() == 2
    database.close()


def test_a_file_is_at_hand_once_it_is_open_and_while_nobody_here_changes_it(tmp_path: Path) -> None:
    database = Database(SqliteDialect(tmp_path / "x.db", FileLocks(tmp_path / "locks")))
    assert not database.is_at_hand(writing=False)
    with database.writing():
        assert database.is_at_hand(writing=False)
        assert not database.is_at_hand(writing=True)
    assert database.is_at_hand(writing=True)
    database.close()
    assert not database.is_at_hand(writing=False)


def test_a_new_file_that_somebody_else_makes_is_waited_for(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    asked: list[str] = []

    def traced(statement: str) -> None:
        asked.extend([statement] * ("journal_mode" in statement))
        if len(asked) == 3:
            other.execute("COMMIT")

    with closing(other), closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.set_trace_callback(traced)
        log_ahead(connection, timeout=60.0)
        assert len(asked) == 3
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_new_file_that_somebody_else_keeps_is_given_up(tmp_path: Path) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as other,
        closing(sqlite3.connect(tmp_path / "x.db")) as connection,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            log_ahead(connection, timeout=0.02)


numbers = itertools.count()


@pytest.fixture
def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the migrations of one pack, with the first; no two have one name."""
    directory = tmp_path / f"migrations_of_{next(numbers)}" / "versions"
    directory.mkdir(parents=True)
    (directory.parent / "__init__.py").touch()
    (directory / "0001.py").write_text(FIRST, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return directory


def of_pack(file: Path, versions: Path) -> Database:
    dialect = SqliteDialect(file, FileLocks(file.parent / "locks"), busy_timeout=0.02)
    return Database(dialect, migrations=versions.parent.name, busy_timeout=0.02)


def test_a_file_that_somebody_else_keeps_is_busy_at_first_use(
    tmp_path: Path, versions: Path
) -> None:
    database = of_pack(tmp_path / "x.db", versions)
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ResourceBusy), database.read():
            pass
    with database.read() as session:
        assert session.execute(text("SELECT count(*) FROM entry")).scalar() == 0
    database.close()


def test_a_migration_lets_no_other_writer_in_once_it_has_begun(
    tmp_path: Path, versions: Path
) -> None:
    """Nobody can change what it has read: SQLite would refuse its changes then, and not wait."""
    file = tmp_path / "x.db"
    with closing(of_pack(file, versions)) as database:
        database.open()
    (versions / "0002.py").write_text(SECOND.format(file=str(file)), "utf-8")
    with closing(of_pack(file, versions)) as database, database.read() as session:
        assert session.execute(text("SELECT id FROM entry")).scalars().all() == [2]
        assert session.execute(text("SELECT count(*) FROM more")).scalar() == 0


def test_a_full_disk_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    dialect = SqliteDialect(tmp_path / "a.db", FileLocks(tmp_path / "locks"))
    database = Database(dialect)
    with database.begin() as session:
        session.execute(text("CREATE TABLE row (data)"))
    with database.begin() as session:
        session.execute(text("PRAGMA max_page_count = 2"))

    def write(statement: str) -> None:
        with database.begin() as session:
            session.execute(text(statement))

    with pytest.raises(InternalError, match="refused the statement: its disk is full"):
        write("INSERT INTO row VALUES (zeroblob(100000))")
    assert caplog.messages == []
    with pytest.raises(InternalError, match=r"refused the statement\Z"):
        write("INSERT INTO nowhere VALUES (1)")
    assert caplog.messages == ["the database refused a statement: no such table: nowhere"]
    database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a process")
@pytest.mark.parametrize(
    ("room", "remedy"),
    [(4_096, "its disk is full; make room"), (4_096 * 9, "look for a quota")],
)
def test_a_file_that_may_not_grow_is_named_and_grows_once_it_may(
    tmp_path: Path, room: int, remedy: str
) -> None:
    """Without room for what lies beside the file nothing can be read, either."""
    import resource

    database = Database(SqliteDialect(tmp_path / "a.db", FileLocks(tmp_path / "locks")))
    with database.begin() as session:
        session.execute(text("CREATE TABLE row (data)"))
    database.close()

    def write() -> None:
        with database.begin() as session:
            session.execute(text("INSERT INTO row VALUES (zeroblob(100000))"))

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises(InternalError, match=remedy):
            write()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    write()
    database.close()


def test_no_error_tells_the_values_of_a_statement(tmp_path: Path) -> None:
    """What is logged with its causes would hold the content of files."""
    planted = "-".join(["secret", "text"])
    database = Database(SqliteDialect(tmp_path / "a.db", FileLocks(tmp_path / "locks")))
    with pytest.raises(InternalError) as caught, database.begin() as session:
        session.execute(text("INSERT INTO nowhere VALUES (:value)"), {"value": planted})
    told = "".join(traceback.format_exception(caught.value))
    assert "no such table: nowhere" in told
    assert planted not in told
    database.close()


@pytest.mark.parametrize("replaced", [False, True])
def test_nothing_is_acknowledged_in_a_file_that_was_removed(tmp_path: Path, replaced: bool) -> None:
    file = tmp_path / "a.db"
    database = Database(SqliteDialect(file, FileLocks(tmp_path / "locks")))
    with database.begin() as session:
        session.execute(text("CREATE TABLE row (data)"))
    for leftover in tmp_path.glob("a.db*"):
        leftover.rename(tmp_path / f"old-{leftover.name}")
    if replaced:
        file.touch()
    for use in (database.begin, database.read):
        with pytest.raises(InternalError, match="removed or replaced; start the host"), use():
            pass
    database.close()
    with database.begin() as session:  # opened again
        session.execute(text("CREATE TABLE row (data)"))
    database.close()


def test_a_text_that_is_none_is_an_argument_that_is_wrong(tmp_path: Path) -> None:
    database = Database(SqliteDialect(tmp_path / "a.db", FileLocks(tmp_path / "locks")))
    with pytest.raises(InvalidArguments, match="not UTF-8"), database.read() as session:
        session.execute(text("SELECT :value"), {"value": "\udcff"})
    database.close()


def test_a_file_that_can_be_written_again_is(tmp_path: Path) -> None:
    """Connections that were opened while it could not be know nothing of that."""
    dialect = SqliteDialect(tmp_path / "x.db", FileLocks(tmp_path / "locks"))
    database = Database(dialect, migrations="toolroll.calls.migrations")
    with database.reading() as one, database.reading() as other, database.writing() as writer:
        for connection in (one, other, writer):
            connection.exec_driver_sql("PRAGMA query_only = ON")
    with pytest.raises(InternalError, match="may only be read"), database.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE entry (id INTEGER)")
    with database.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE entry (id INTEGER)")
    with database.reading() as one, database.reading() as other, database.writing() as writer:
        for connection in (one, other, writer):
            assert connection.exec_driver_sql("PRAGMA query_only").scalar_one() == 0
    database.close()


def test_a_file_that_may_only_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE row (data)")
    dialect = SqliteDialect(file, FileLocks(tmp_path / "locks"))
    with (
        closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection,
        pytest.raises(sqlite3.OperationalError) as refused,
    ):
        connection.execute("INSERT INTO row VALUES (1)")
    assert "may only be read" in dialect.trouble(refused.value)
