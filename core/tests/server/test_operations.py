"""What a team runs a host with: probes, metrics, spans, draining."""

from __future__ import annotations

import errno
import signal
import tempfile
import threading
import time

import anyio
import httpx
import pytest

import toolroll
from toolroll.availability import Availability
from toolroll.context import LOCAL, Principal, tenant_of
from toolroll.errors import StorageError
from toolroll.host.tracing import traced_call
from toolroll_conformance.legs.starting import started
from toolroll_conformance.processes.child import ColdLauncher

WAIT = 120

prometheus = pytest.importorskip("prometheus_client.parser")


def run(host, tool, arguments=None, principal=LOCAL):
    return anyio.run(host.runtime.caller.call, tool, arguments or {}, principal)


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Return every sample by its name and sorted labels."""
    return {
        (sample.name, *(f"{k}={v}" for k, v in sorted(sample.labels.items()))): sample.value
        for family in prometheus.text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_host_is_healthy_and_ready(serve, drawer):
    host = serve(drawer)
    assert httpx.get(f"{host.url}/healthz", timeout=WAIT).json() == {"status": "ok"}
    answer = httpx.get(f"{host.url}/readyz", timeout=WAIT)
    assert (answer.status_code, answer.json()) == (
        200,
        {"status": "ready", "checks": {"data_dir": "ok"}},
    )
    assert answer.headers["cache-control"] == "no-store"


def test_a_host_whose_database_is_away_is_alive_but_not_ready(serve, drawer, monkeypatch, caplog):
    host = serve(drawer, audit={"table": True})
    host.runtime.calls.database.open()
    assert httpx.get(f"{host.url}/readyz", timeout=WAIT).json()["checks"]["calls"] == "ok"

    def gone() -> None:
        raise StorageError("refused\nby port 1")

    monkeypatch.setattr(host.runtime.calls.database, "ping", gone)
    for _ in range(3):
        answer = httpx.get(f"{host.url}/readyz", timeout=WAIT)
    assert answer.status_code == 503
    assert answer.json()["status"] == "unavailable"
    assert answer.json()["checks"] == {"calls": "unavailable", "data_dir": "ok"}
    assert caplog.messages == ["calls does not answer the readiness check: refused"]
    assert httpx.get(f"{host.url}/healthz", timeout=WAIT).status_code == 200


def test_a_host_says_what_cannot_be_written(serve, monkeypatch, caplog, tmp_path):
    host = serve(Redis())
    database = host.runtime.context("redis").database
    database.open()
    monkeypatch.setattr("toolroll.availability._WRITE_SECONDS", -1.0)
    assert httpx.get(f"{host.url}/readyz", timeout=WAIT).json()["status"] == "ready"
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", full)
        for _ in range(2):
            answer = httpx.get(f"{host.url}/readyz", timeout=WAIT)
        assert answer.json()["checks"] == {"pack redis": "ok", "data_dir": "unwritable"}
        assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    with database.writing() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
    answer = httpx.get(f"{host.url}/readyz", timeout=WAIT)
    assert answer.json()["checks"] == {"pack redis": "unwritable", "data_dir": "ok"}
    assert (answer.status_code, answer.json()["status"]) == (503, "unavailable")
    assert [message.partition(";")[0] for message in caplog.messages] == [
        "data_dir cannot be written, as by the readiness check: the data directory cannot be "
        "written (No space left on device)",
        "pack redis cannot be written, as by the readiness check: the database refused the "
        "statement: its file or directory may only be read, and even readers write beside the file",
    ]


def full(**_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_writing_came_to_is_believed_for_a_while():
    clock, asked = [0.0], []
    availability = Availability(lambda: clock[0])
    writes = {"disk": lambda: asked.append(clock[0])}
    for clock[0] in (0.0, 9.0, 11.0):
        assert availability.of({}, writes) == {"disk": "ok"}
    assert asked == [0.0, 11.0]


def test_a_database_that_somebody_writes_to_can_be_written(serve):
    host = serve(Redis())
    database = host.runtime.context("redis").database
    with database.writing():
        assert host.runtime.check()["pack redis"] == "ok"


class Redis(toolroll.Pack):
    """Stores in a database, and is called like what hosts serve without."""

    name = "redis"
    migrations = "toolroll.calls.migrations"

    @toolroll.tool()
    def look(self, ctx: toolroll.ToolContext, args: toolroll.Params) -> dict[str, int]:
        """Look."""
        return {}


def test_a_pack_named_like_a_server_is_not_spared(serve, monkeypatch):
    host = serve(Redis())
    answer = httpx.get(f"{host.url}/readyz", timeout=WAIT)
    assert answer.json()["status"] == "ready"
    assert answer.json()["checks"]["pack redis"] == "ok"

    def gone() -> None:
        raise StorageError("no such host")

    monkeypatch.setattr(host.runtime.context("redis").database, "ping", gone)
    assert httpx.get(f"{host.url}/readyz", timeout=WAIT).status_code == 503


def test_calls_are_counted_by_tool_and_outcome(serve, drawer):
    host = serve(drawer)
    run(host, "echo", {"text": "a"})
    run(host, "echo", {"text": "b"})
    run(host, "echo", {"text": ""})
    found = samples(httpx.get(f"{host.url}/metrics", timeout=WAIT).text)
    ok = ("toolroll_calls_total", "code=", "outcome=ok", "pack=drawer", "tool=echo")
    failed = ("toolroll_calls_total", "code=invalid_arguments", "outcome=error", *ok[3:])
    assert (found[ok], found[failed]) == (2, 1)
    assert found[("toolroll_call_duration_seconds_count", "pack=drawer", "tool=echo")] == 3
    assert found[("toolroll_calls_in_flight",)] == found[("toolroll_calls_waiting",)] == 0
    assert found[("toolroll_packs", "state=loaded")] == 1
    assert found[("toolroll_workers_failing",)] == 0


def test_calls_under_way_are_seen(serve, drawer):
    host = serve(drawer, host={"max_concurrency": 1})
    caller = threading.Thread(target=run, args=(host, "walk", {"most": 2}))
    caller.start()
    assert drawer.entered.wait(WAIT)
    found = samples(httpx.get(f"{host.url}/metrics", timeout=WAIT).text)
    drawer.go_on.set()
    caller.join()
    assert found[("toolroll_calls_in_flight",)] == 1


def test_series_of_packs_are_shown_beside_the_hosts_own(serve, drawer):
    from prometheus_client import REGISTRY, Counter

    counter = Counter("drawer_openings", "How often the drawer was opened")
    try:
        counter.inc(3)
        host = serve(drawer)
        assert (
            samples(httpx.get(f"{host.url}/metrics", timeout=WAIT).text)[("drawer_openings_total",)]
            == 3
        )
    finally:
        REGISTRY.unregister(counter)


def test_metrics_name_no_tenant_and_no_argument(serve, drawer):
    host = serve(drawer)
    run(host, "echo", {"text": "very-private"}, Principal(tenant_of("somebody"), "somebody"))
    text = httpx.get(f"{host.url}/metrics", timeout=WAIT).text
    assert "very-private" not in text
    assert tenant_of("somebody")[:12] not in text


@pytest.mark.parametrize(("mode", "status"), [("guarded", 401), ("open", 200), ("off", 404)])
def test_metrics_are_guarded_unless_opened(key, serve, drawer, mode, status):
    host = serve(drawer, http={"metrics": mode})
    url = f"{host.url}/metrics"
    assert httpx.get(url, timeout=WAIT).status_code == status
    headers = {"Authorization": f"Bearer {key}"}
    answer = httpx.get(url, headers=headers, timeout=WAIT)
    assert answer.status_code == (404 if mode == "off" else 200)


@pytest.fixture
def spans(monkeypatch):
    """Collect the spans of the host."""
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr("toolroll.host.tracing._TRACER", provider.get_tracer("test"))
    return exporter.get_finished_spans


def test_each_call_has_a_span_with_its_outcome(serve, drawer, spans):
    host = serve(drawer)
    principal = Principal(tenant_of("k"), "k")
    anyio.run(traced_call, host.runtime, "echo", {"text": "very-private"}, principal, None)
    anyio.run(traced_call, host.runtime, "echo", {"text": ""}, principal, None)
    good, bad = spans()
    assert good.name == "call echo"
    assert good.attributes == {
        "gen_ai.tool.name": "echo",
        "toolroll.pack": "drawer",
        "toolroll.tenant": tenant_of("k")[:12],
        "toolroll.outcome": "ok",
    }
    assert bad.attributes["error.type"] == "invalid_arguments"
    assert not bad.status.is_ok
    assert "very-private" not in good.to_json()


def test_a_draining_host_says_so_and_still_answers(tmp_path, probe_environment):
    (tmp_path / "toolroll.toml").write_text(
        "[http]\ndrain_delay_seconds = 600\n\n[packs]\nallow = ['probe']\n", "utf-8"
    )
    words = ["serve", "--http", "127.0.0.1:0", "--root", str(tmp_path)]
    launcher = ColdLauncher(environment=probe_environment)
    with started(launcher, words, cwd=tmp_path, logs=tmp_path) as host:
        base = host.address().removesuffix("/mcp")
        with httpx.Client(base_url=base, timeout=WAIT) as client:
            while client.get("/readyz").status_code == 503:
                pass  # it may still be opening its databases
            host.process.send(signal.SIGTERM)
            until = time.monotonic() + WAIT
            while client.get("/readyz").status_code == 200:
                assert time.monotonic() < until
            assert client.get("/readyz").json()["status"] == "draining"
            while client.get("/healthz").headers.get("connection") != "close":
                assert time.monotonic() < until
        host.process.send(signal.SIGTERM)  # a second one ends the wait
        assert host.process.wait(WAIT) in (0, -signal.SIGTERM)
