"""What hosts share: rate limits and secrets in Redis, the call log in a table."""

from __future__ import annotations

import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import anyio
import httpx
import pytest
from sqlalchemy.exc import OperationalError

import toolroll
from toolroll.audit import CallRecord
from toolroll.calls.table import CallFilter, CallTable
from toolroll.context import LOCAL, Principal, tenant_of
from toolroll.storage.redis import SharedRedis

redis_library = pytest.importorskip("redis")

WAIT = 120
ADA, BOB = (Principal(tenant_of(name), name) for name in ("ada", "bob"))


def call(host, tool, arguments=None, principal=LOCAL):
    return anyio.run(host.runtime.caller.call, tool, arguments or {}, principal)


def test_hosts_share_the_bucket_of_a_tenant(redis_url, redis):
    one, two = SharedRedis(redis_url).rates(3), redis.rates(3)
    one.take("t")
    two.take("t")
    one.take("t")
    with pytest.raises(toolroll.RateLimited, match="try again in") as refused:
        two.take("t")
    assert 0 < refused.value.details["retry_after_seconds"] <= 20
    two.take("another tenant")


def test_no_token_is_given_twice(redis):
    rates = redis.of_pack("p", "1").rates("calls", 1, burst=50)

    def take(_: int) -> bool:
        try:
            rates.take("t")
        except toolroll.RateLimited:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        given = sum(pool.map(take, range(200)))
    assert 50 <= given <= 60  # one is regained in a minute; two hosts would give 100


def test_buckets_vanish_once_they_are_full_again(redis):
    redis.rates(1).take("t")
    [key] = redis._client.keys("*")
    assert 0 < redis._client.pttl(key) <= 61_000


def test_packs_have_buckets_of_their_own_size(redis):
    rates = redis.of_pack("one", "1").rates("reads", 1, burst=2)
    others = redis.of_pack("two", "1").rates("reads", 1, burst=1)
    rates.take("t")
    rates.take("t")
    others.take("t")
    for limits in (rates, others):
        with pytest.raises(toolroll.RateLimited):
            limits.take("t")


def cache_of(shared, pack="p", version="1", **bounds):
    bounds = {"entries": 100, "size": 10_000, "seconds": 600, **bounds}
    return shared.of_pack(pack, version).cache("files", **bounds)


def test_hosts_share_a_cache_and_packs_do_not(redis_url, redis):
    one, two = cache_of(SharedRedis(redis_url)), cache_of(redis)
    assert one.find("a") is None
    one.put("a", b"\x00first")
    assert two.find("a") == b"\x00first"
    two.put("a", b"second")
    assert one.find("a") == b"second"
    assert one.held(["b", "a"]) == [False, True]
    assert cache_of(redis, "q").held(["a"]) == [False]
    assert cache_of(redis, version="2").held(["a"]) == [False]
    one.drop("a")
    one.drop("a")
    assert two.find("a") is None
    assert two.held([]) == []


def test_a_shared_cache_forgets_what_was_used_longest_ago(redis):
    cache = cache_of(redis, entries=3, size=25)
    for name in "abc":
        cache.put(name, name.encode())
    cache.find("a")
    cache.put("d", b"d")
    assert cache.held(list("abcd")) == [True, False, True, True]
    cache.put("long", b"x" * 24)  # room for one byte more: for the one used last
    assert cache.held([*"abcd", "long"]) == [False, False, False, True, True]
    cache.put("huge", b"x" * 26)
    assert cache.held(["d", "long", "huge"]) == [True, True, False]
    cache.put("long", b"")
    for name in "ef":
        cache.put(name, b"y" * 12)
    assert cache.held([*"def", "long"]) == [False, True, True, True]


def test_a_shared_cache_forgets_by_time_and_leaves_nothing(redis):
    brief, lasting = cache_of(redis, seconds=0.000_001), cache_of(redis, "q", seconds=60)
    brief.put("a", b"a")
    assert brief.find("a") is None
    lasting.put("a", b"a")
    kept = redis._client.keys("*:q:*")
    assert len(kept) == 4
    assert all(0 < redis._client.pttl(key) <= 60_000 for key in kept)


def test_a_shared_cache_is_empty_while_redis_is_away(tmp_path, caplog):
    cache = cache_of(SharedRedis(f"unix://{tmp_path}/nobody"))
    cache.put("a", b"a")
    assert cache.find("a") is None
    assert cache.held(["a", "b"]) == [False, False]
    assert "Redis is away" in caplog.text


def test_a_redis_that_hangs_is_waited_for_once(redis, monkeypatch, caplog):
    asked = []

    def hang(self, *command, **options):
        asked.append(command)
        raise redis_library.TimeoutError("Timeout reading from socket")

    cache = cache_of(redis)
    with monkeypatch.context() as hanging:
        hanging.setattr(redis_library.Redis, "execute_command", hang)
        assert [cache.find("a") for _ in range(3)] == [None] * 3
        assert len(asked) == 1
        redis._client._until = 0.001  # the pause is over
        assert [cache.find("a") for _ in range(3)] == [None] * 3
        assert len(asked) == 2
    redis._client._until = 0.001
    cache.put("a", b"a")
    assert cache.find("a") == b"a"
    assert caplog.text.count("Redis is away") == 1


def test_without_redis_each_host_limits_alone(tmp_path, caplog):
    rates = SharedRedis(f"unix://{tmp_path}/nobody").rates(1)
    rates.take("t")
    with pytest.raises(toolroll.RateLimited):
        rates.take("t")
    assert "Redis is away" in caplog.text


def test_no_limit_asks_nobody(tmp_path):
    SharedRedis(f"unix://{tmp_path}/nobody").rates(0).take("t")


def test_secrets_are_shared_and_expire(redis_url, redis):
    one, two = SharedRedis(redis_url).secrets(), redis.secrets()
    one.put("k", b"\0sealed\xff", 60)
    assert two.get("k") == b"\0sealed\xff"
    assert 0 < redis._client.pttl("k") <= 60_000
    two.delete("k")
    assert one.get("k") is None


def test_secrets_that_cannot_be_had_now_are_busy(tmp_path):
    secrets = SharedRedis(f"unix://{tmp_path}/nobody").secrets()
    with pytest.raises(toolroll.ResourceBusy):
        secrets.get("k")


def test_an_address_that_is_not_redis_is_refused():
    with pytest.raises(toolroll.SettingsError, match="redis_url"):
        SharedRedis("http://example.org")


def test_a_host_uses_redis_and_serves_on_without_it(redis_url, redis, serve, drawer, tmp_path):
    host = serve(drawer, storage={"redis_url": redis_url}, host={"calls_per_minute": 2})
    answer = httpx.get(f"{host.url}/readyz", timeout=120)
    assert answer.json() == {"status": "ready", "checks": {"redis": "ok", "data_dir": "ok"}}
    codes = [call(host, "echo", {"text": "x"}, ADA).code for _ in range(3)]
    assert codes == ["", "", "rate_limited"]
    away = serve(drawer, storage={"redis_url": f"unix://{tmp_path}/nobody"})
    answer = httpx.get(f"{away.url}/readyz", timeout=120)
    assert answer.json() == {
        "status": "degraded",
        "checks": {"redis": "unavailable", "data_dir": "ok"},
    }
    assert answer.is_success
    assert call(away, "echo", {"text": "x"}, ADA).code == ""


@pytest.fixture
def table(serve, drawer):
    """Make some calls on a host with a call table; return the table with all of them in it."""
    host = serve(drawer, audit={"table": True})
    call(host, "echo", {"text": "very-private" * 100}, ADA)
    call(host, "echo", {"text": ""}, BOB)
    call(host, "report", {}, BOB)
    host.runtime.calls.close()
    return host.runtime.calls


def tools(records):
    return [record.tool for record in records]


def test_every_call_is_found_newest_first(table):
    assert len({record.time for record in table.find(CallFilter())}) == 3
    assert tools(table.find(CallFilter())) == ["report", "echo", "echo"]
    assert tools(table.find(CallFilter(limit=1))) == ["report"]


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (CallFilter(tool="echo"), 2),
        (CallFilter(tenant=ADA.tenant), 1),
        (CallFilter(tenant=BOB.tenant[:6]), 2),
        (CallFilter(tenant="%"), 0),
        (CallFilter(outcome="error"), 1),
        (CallFilter(code="invalid_arguments"), 1),
        (CallFilter(tool="echo", outcome="ok"), 1),
        (CallFilter(since=datetime.now(UTC) + timedelta(days=1)), 0),
        (CallFilter(since=datetime.now(UTC) - timedelta(days=1)), 3),
    ],
)
def test_filters_narrow_the_calls(table, wanted, count):
    assert len(table.find(wanted)) == count


def test_the_table_holds_no_content(table, tmp_path):
    kept = json.dumps([record.arguments for record in table.find(CallFilter())])
    assert "very-private" not in kept
    assert "sha256" in kept


def test_old_calls_are_removed(open_runtime, drawer):
    runtime = open_runtime(drawer, audit={"table": True, "retention_days": 1})
    old, new = record_at(timedelta(days=2)), record_at(timedelta(hours=1))
    for record in (old, new):
        runtime.calls.write(record)
    runtime.calls.close()
    assert [r.call_id for r in runtime.calls.find(CallFilter())] == [new.call_id]


def record_at(age: timedelta) -> CallRecord:
    moment = datetime.now(UTC) - age
    return CallRecord(
        time=moment.isoformat(timespec="milliseconds"),
        call_id=f"{int(age.total_seconds()):016x}",
        pack="drawer",
        tool="echo",
        tenant="t",
        duration_ms=1.5,
        outcome="ok",
        code="",
        arguments={"text": "\0"},
    )


def test_a_database_that_is_away_costs_records_but_no_call(
    open_runtime, drawer, monkeypatch, caplog
):
    runtime = open_runtime(drawer, audit={"table": True})

    def away(*_: object, **__: object) -> None:
        raise toolroll.StorageError("away")

    monkeypatch.setattr(runtime.calls.database, "begin", away)
    answer = anyio.run(runtime.caller.call, "echo", {"text": "x"}, LOCAL)
    runtime.calls.close()
    assert not answer.is_error
    assert runtime.calls.dropped >= 1
    assert "were lost" in caplog.text


def away_for_now():
    return toolroll.ResourceBusy("the database server is away; try again")


def without_room():
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorname = "SQLITE_FULL"
    error = toolroll.InternalError("the database refused the statement: its disk is full")
    error.__cause__ = OperationalError("INSERT", {}, full)
    return error


def put_away(database, monkeypatch, error=away_for_now):
    """Let a database be away from now on; the event says that it was asked for."""
    asked = threading.Event()

    def away(*_: object, **__: object) -> None:
        asked.set()
        raise error()

    monkeypatch.setattr(database, "begin", away)
    return asked


@pytest.mark.parametrize("error", [away_for_now, without_room])
def test_calls_made_while_the_database_is_away_are_in_its_table_once_it_is_back(
    open_runtime, drawer, monkeypatch, caplog, error
):
    runtime = open_runtime(drawer, audit={"table": True})
    with monkeypatch.context() as patched:
        asked = put_away(runtime.calls.database, patched, error)
        anyio.run(runtime.caller.call, "echo", {"text": "x"}, LOCAL)
        assert asked.wait(WAIT)
        anyio.run(runtime.caller.call, "report", {}, LOCAL)
    runtime.calls.close()
    assert sorted(tools(runtime.calls.find(CallFilter()))) == ["echo", "report"]
    assert runtime.calls.dropped == 0
    assert "Traceback" not in caplog.text


def test_a_host_that_ends_does_not_wait_for_its_database(open_runtime, drawer, monkeypatch, caplog):
    runtime = open_runtime(drawer, audit={"table": True})
    asked = put_away(runtime.calls.database, monkeypatch)
    anyio.run(runtime.caller.call, "echo", {"text": "x"}, LOCAL)
    assert asked.wait(WAIT)
    anyio.run(runtime.caller.call, "report", {}, LOCAL)
    runtime.calls.close()
    assert runtime.calls.dropped == 2
    assert "2 call records are not in the table" in caplog.text


def test_the_command_shows_calls(command, serve, drawer, tmp_path):
    (tmp_path / "toolroll.toml").write_text("[audit]\ntable = true\n", "utf-8")
    host = serve(drawer)
    call(host, "echo", {"text": "x"}, ADA)
    call(host, "echo", {"text": ""}, ADA)
    host.runtime.calls.close()
    found = json.loads(command("calls", "--root", tmp_path, "--since", "1h", "--json").out)
    assert [item["outcome"] for item in found] == ["error", "ok"]
    shown = command("calls", "--root", tmp_path, "--outcome", "error")
    assert "invalid_arguments" in shown.out
    for wrong in ("soon", "999999999999d"):
        assert command("calls", "--root", tmp_path, "--since", wrong).code == 2


def test_the_doctor_asks_redis(command, redis_url, tmp_path):
    settings = tmp_path / "toolroll.toml"
    settings.write_text(f'[storage]\nredis_url = "{redis_url}"\n', "utf-8")
    assert "ok\tredis\tanswers" in command("doctor", "--root", tmp_path).out
    nobody = f"unix://{tmp_path}/nobody.sock"
    settings.write_text(f'[storage]\nredis_url = "{nobody}"\n', "utf-8")
    done = command("doctor", "--root", tmp_path)
    assert done.code == 1
    assert "WRONG\tredis\t" in done.out


def test_the_command_says_what_to_do_without_a_table(command, tmp_path):
    done = command("calls", "--root", tmp_path)
    assert (done.code, "table = true" in done.err) == (2, True)


def test_hosts_write_into_one_table(postgres_url, open_runtime, drawer):
    runtime = open_runtime(drawer, audit={"table": True}, storage={"url": postgres_url})
    assert isinstance(runtime.calls, CallTable)
    anyio.run(runtime.caller.call, "echo", {"text": "x"}, ADA)
    runtime.calls.write(record_at(timedelta(0)))
    runtime.calls.close()
    assert tools(runtime.calls.find(CallFilter(tool="echo"))) == ["echo", "echo"]
    assert runtime.check()["calls"] == "ok"
