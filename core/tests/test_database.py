"""One database interface over SQLite and PostgreSQL: the same promises on both."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import frozen
from sqlalchemy import insert, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from toolroll import InternalError, ResourceBusy, StorageError
from toolroll.locks import FileLocks
from toolroll.storage import Database
from toolroll.storage.migrations import fingerprint
from toolroll.storage.prepared import Prepared
from toolroll.storage.sqlite import SqliteDialect

ONE = """
import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "counter",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("value", sa.Integer(), nullable=False),
    )
    op.create_table(
        "step",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("counter", sa.String(), sa.ForeignKey("counter.name"), nullable=False),
    )
"""
TWO = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("counter", sa.Column("note", sa.String(), nullable=True))
"""
BROKEN = """
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("CREATE TABLE half (id INTEGER)")
    op.execute("CREATE TABLE counter (name TEXT)")
"""
PROCESS = """
import sys
from pathlib import Path
from toolroll.locks import FileLocks
from toolroll.storage import Database
from sqlalchemy import text

kind, where, migrations, task = sys.argv[1:5]
if kind == "sqlite":
    from toolroll.storage.sqlite import SqliteDialect
    dialect = SqliteDialect(Path(where), FileLocks(Path(where).parent / "locks"))
else:
    from toolroll.storage.postgres import PostgresDialect
    url, _, schema = where.rpartition("#")
    dialect = PostgresDialect(url, schema)
database = Database(dialect, migrations=migrations, busy_timeout=120)
sys.stdin.readline()
exec(task)
database.close()
"""


class Base(DeclarativeBase):
    pass


class Counter(Base):
    __tablename__ = "counter"
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[int]


class Doubled(sa.types.TypeDecorator[int]):
    """Shows twice what is stored."""

    impl = sa.Integer
    cache_ok = True

    def process_result_value(self, value: Any, dialect: object) -> Any:
        return value * 2


@frozen
class Place:
    """Where one database lives, and how this and other processes open it."""

    kind: str
    where: str
    package: str
    versions: Path
    opened: ExitStack

    def open(self, *, busy_timeout: float = 5.0, suffix: str = "") -> Database:
        dialect: Any
        if self.kind == "sqlite":
            file = Path(self.where + suffix)
            dialect = SqliteDialect(
                file, FileLocks(file.parent / "locks"), busy_timeout=busy_timeout
            )
        else:
            from toolroll.storage.postgres import PostgresDialect

            url, _, schema = self.where.rpartition("#")
            dialect = PostgresDialect(url, schema + suffix)
        database = Database(dialect, migrations=self.package, busy_timeout=busy_timeout)
        self.opened.callback(database.close)
        return database

    def process(self, task: str) -> subprocess.Popen[str]:
        """Start a process that opens the database once its input says go, and runs `task`."""
        path = os.pathsep.join([str(self.versions.parent.parent)])
        return subprocess.Popen(
            [sys.executable, "-c", PROCESS, self.kind, self.where, self.package, task],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


numbers = itertools.count()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    package = f"migrations_{next(numbers)}"
    versions = tmp_path / "packages" / package / "versions"
    versions.mkdir(parents=True)
    (versions.parent / "__init__.py").touch()
    (versions / "0001.py").write_text(ONE, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    if request.param == "sqlite":
        where = str(tmp_path / "data" / "pack.db")
    else:
        where = f"{request.getfixturevalue('postgres_url')}#{package}"
    with ExitStack() as opened:
        yield Place(request.param, where, package, versions, opened)


@pytest.fixture
def database(place: Place) -> Database:
    return place.open()


def value(database: Database, name: str) -> int | None:
    with database.read() as session:
        return session.scalar(select(Counter.value).where(Counter.name == name))


def count_up(session: Session, name: str) -> None:
    counter = session.get(Counter, name)
    if counter is None:
        session.add(Counter(name=name, value=1))
    else:
        counter.value += 1


def test_a_unit_of_work_commits_whole(database: Database, place: Place) -> None:
    with database.begin() as session:
        session.add(Counter(name="a", value=1))
        session.add(Counter(name="b", value=2))
    assert (value(database, "a"), value(database, "b")) == (1, 2)
    assert value(place.open(), "b") == 2
    assert database.dialect == place.kind


def test_a_unit_of_work_that_fails_writes_nothing(database: Database) -> None:
    def fail() -> None:
        with database.begin() as session:
            session.add(Counter(name="a", value=1))
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert value(database, "a") is None
    with database.begin() as session:  # and nothing is left locked
        session.add(Counter(name="a", value=3))
    assert value(database, "a") == 3


def test_what_a_reader_changes_is_not_kept(database: Database) -> None:
    with database.begin() as session:
        session.add(Counter(name="a", value=1))
    try:
        with database.read() as session:
            session.execute(update(Counter).values(value=9))
    except InternalError:
        pass  # PostgreSQL refuses the statement, SQLite forgets it
    assert value(database, "a") == 1


def test_a_reader_sees_one_snapshot(database: Database) -> None:
    with database.begin() as session:
        session.add(Counter(name="a", value=1))
    query = select(Counter.value).where(Counter.name == "a")
    with database.read() as reader:
        assert reader.scalar(query) == 1
        with database.begin() as writer:
            writer.execute(update(Counter).values(value=2))
        assert reader.scalar(query) == 1
    assert value(database, "a") == 2


def test_an_integrity_error_can_be_handled_inside_and_is_a_defect_outside(
    database: Database,
) -> None:
    with database.begin() as session:
        session.add(Counter(name="a", value=1))
    with database.begin() as session:
        with pytest.raises(IntegrityError), session.begin_nested():
            session.execute(insert(Counter).values(name="a", value=2))
        session.execute(insert(Counter).values(name="b", value=2))
    assert value(database, "b") == 2
    with pytest.raises(InternalError, match="refused"), database.begin() as session:
        session.execute(insert(Counter).values(name="a", value=2))


def test_a_prepared_statement_means_what_it_says(database: Database) -> None:
    table = sa.table("counter", sa.column("name", sa.String), sa.column("value", sa.Integer))
    put = Prepared(table.insert(), ["name", "value"])
    add = Prepared(
        sa.update(table)
        .where(table.c.name == sa.bindparam("which"))
        .values(value=table.c.value + sa.bindparam("more"))
    )
    doubled = sa.type_coerce(table.c.value, Doubled).label("value")
    listed = Prepared(
        sa.select(table.c.name, doubled)
        .where(table.c.name >= sa.bindparam("low"), table.c.name != "hidden")
        .order_by(table.c.name)
        .limit(sa.bindparam("most"))
    )
    with database.writing() as connection:
        put.run(connection, {"name": "hidden", "value": 0})
        put.run(connection, *({"name": name, "value": 1} for name in "abc"))
        add.run(connection, {"which": "b", "more": 4})
    with database.reading() as connection:
        found = listed.all(connection, {"low": "b", "most": 5})
        assert [tuple(row) for row in found] == [("b", 10), ("c", 2)]
        one = listed.first(connection, {"low": "b", "most": 1})
        assert one is not None
        assert tuple(one) == ("b", 10)
        assert listed.first(connection, {"low": "i", "most": 1}) is None
        with pytest.raises((KeyError, sa.exc.StatementError)):
            listed.all(connection, {"low": "b"})
        with database.writing() as other:
            put.run(other, {"name": "d", "value": 1})
        assert len(listed.all(connection, {"low": "", "most": 9})) == 3  # one snapshot
    with pytest.raises(InternalError, match="refused"), database.writing() as connection:
        put.run(connection, {"name": "e", "value": 1}, {"name": "a", "value": 1})
    with database.reading() as connection:
        assert len(listed.all(connection, {"low": "", "most": 9})) == 4


def test_a_prepared_statement_differs_by_dialect_where_it_must(database: Database) -> None:
    table = sa.table("counter", sa.column("name", sa.String), sa.column("value", sa.Integer))
    words = {"sqlite": sa.literal_column("'s'"), "postgresql": sa.literal_column("'p'")}
    which = Prepared({name: sa.select(word) for name, word in words.items()})
    with database.reading() as connection:
        assert which.all(connection, {})[0][0] == database.dialect[0]
        assert Prepared(sa.select(table.c.name)).first(connection, {}) is None


def test_foreign_keys_are_enforced(database: Database) -> None:
    with pytest.raises(InternalError), database.begin() as session:
        session.execute(text("INSERT INTO step (id, counter) VALUES (1, 'nobody')"))


def test_units_of_work_with_one_key_follow_one_another(database: Database) -> None:
    def work(_: int) -> None:
        with database.begin(lock="project", timeout=120) as session:
            count_up(session, "a")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(60)))
    assert value(database, "a") == 60


def test_a_key_that_is_held_is_busy_after_the_timeout(database: Database) -> None:
    def attempt() -> None:
        with database.begin(lock="project", timeout=0.05) as session:
            session.add(Counter(name="never", value=1))

    with database.begin(lock="project") as session, ThreadPoolExecutor(1) as pool:
        session.add(Counter(name="a", value=1))
        with pytest.raises(ResourceBusy) as busy:
            pool.submit(attempt).result()
    assert busy.value.retryable
    assert (value(database, "a"), value(database, "never")) == (1, None)


def test_a_key_held_by_another_host_is_busy_too(place: Place, database: Database) -> None:
    other = place.open()
    with database.begin(lock="project") as session:
        session.add(Counter(name="a", value=1))
        with pytest.raises(ResourceBusy), other.begin(lock="project", timeout=0.05):
            pass
    with other.begin(lock="project", timeout=0.05):
        pass


INCREMENTS = """
for _ in range(50):
    with database.begin(lock="project", timeout=120) as session:
        if not session.execute(text("UPDATE counter SET value = value + 1")).rowcount:
            session.execute(text("INSERT INTO counter (name, value) VALUES ('a', 1)"))
"""


def test_two_processes_lose_no_update_even_on_a_new_database(place: Place) -> None:
    """Both also migrate the database at once, from nothing."""
    processes = [place.process(INCREMENTS) for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    assert value(place.open(), "a") == 100


def test_threads_migrate_a_new_database_once(place: Place) -> None:
    databases = [place.open() for _ in range(6)]
    start = threading.Barrier(len(databases))

    def begin(database: Database) -> None:
        start.wait(60)
        with database.begin(lock="project", timeout=120) as session:
            count_up(session, "a")

    with ThreadPoolExecutor(len(databases)) as pool:
        list(pool.map(begin, databases))
    assert value(databases[0], "a") == 6


def test_packs_that_migrate_at_once_do_not_meet(place: Place) -> None:
    """Alembic's state is global: databases opened by several threads must not share it."""
    databases = [place.open(suffix=f"_{number}") for number in range(6)]
    start = threading.Barrier(len(databases))

    def migrate(database: Database) -> None:
        start.wait(60)
        database.open()

    with ThreadPoolExecutor(len(databases)) as pool:
        list(pool.map(migrate, databases))
    assert [value(database, "a") for database in databases] == [None] * 6


KILLED = """
with database.begin() as session:
    session.execute(text("INSERT INTO counter (name, value) VALUES ('acknowledged', 1)"))
print("acknowledged", flush=True)
with database.begin() as session:
    session.execute(text("INSERT INTO counter (name, value) VALUES ('under way', 1)"))
    print("under way", flush=True)
    sys.stdin.read()
"""


def test_a_killed_process_keeps_what_it_committed_and_nothing_else(place: Place) -> None:
    process = place.process(KILLED)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.stdout.readline() == "acknowledged\n"
    assert process.stdout.readline() == "under way\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    database = place.open()
    assert (value(database, "acknowledged"), value(database, "under way")) == (1, None)
    with database.begin(timeout=120) as session:  # and its locks are gone
        count_up(session, "acknowledged")


def test_a_newer_version_migrates_what_is_there(place: Place, database: Database) -> None:
    with database.begin() as session:
        session.add(Counter(name="a", value=7))
    database.close()
    (place.versions / "0002.py").write_text(TWO, "utf-8")
    newer = place.open()
    with newer.begin() as session:
        session.execute(text("UPDATE counter SET note = 'kept'"))
    assert value(newer, "a") == 7


def test_an_older_version_refuses_a_newer_database(place: Place) -> None:
    newest = place.versions / "0002.py"
    newest.write_text(TWO, "utf-8")
    place.open().open()
    newest.unlink()
    older = place.open()
    with pytest.raises(StorageError, match="another version of its pack"):
        older.open()
    newest.write_text(TWO, "utf-8")
    place.open().open()  # the refusal changed nothing


def test_a_migration_that_fails_leaves_nothing_behind(place: Place, database: Database) -> None:
    with database.begin() as session:
        session.add(Counter(name="a", value=7))
    database.close()
    bad = place.versions / "0002.py"
    bad.write_text(BROKEN, "utf-8")
    with pytest.raises(StorageError, match="cannot open the"):
        place.open().open()
    bad.unlink()
    mended = place.open()
    assert value(mended, "a") == 7
    with pytest.raises(InternalError), mended.read() as session:
        session.execute(text("SELECT * FROM half"))


def test_a_closed_database_opens_again(database: Database) -> None:
    with database.begin() as session:
        session.add(Counter(name="a", value=1))
    database.close()
    assert value(database, "a") == 1


def test_a_pack_without_migrations_has_an_empty_database(tmp_path: Path) -> None:
    database = Database(SqliteDialect(tmp_path / "x.db", FileLocks(tmp_path / "locks")))
    with database.read() as session:
        assert session.execute(text("SELECT name FROM sqlite_master")).all() == []
    database.close()


def test_a_fingerprint_follows_the_migrations(tmp_path: Path) -> None:
    def of(files: dict[str, str]) -> int:
        directory = tmp_path / str(next(numbers))
        directory.mkdir()
        for name, content in files.items():
            (directory / name).write_text(content, "utf-8")
        return fingerprint(directory)

    one = of({"0001.py": ONE})
    assert one == of({"0001.py": ONE, "notes.txt": "ignored"})
    others = {
        of({}),
        of({"0001.py": ONE + "#"}),
        of({"0002.py": ONE}),
        of({"a.py": "", "b.py": ""}),
    }
    assert len(others | {one}) == 5
    assert 0 not in others
