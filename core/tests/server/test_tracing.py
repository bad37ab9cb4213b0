"""Spans as a collector gets them from a real `toolroll serve`, over OTLP on the loopback."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from toolroll.context import tenant_of
from toolroll.host.keys import KeyStore
from toolroll_conformance.legs.starting import started
from toolroll_conformance.processes.child import ColdLauncher

WAIT = 120
NEEDED = ("opentelemetry.instrumentation", "opentelemetry.distro", "opentelemetry.proto")
META = "io.modelcontextprotocol"


@pytest.fixture
def collector() -> Iterator[Any]:
    """An OTLP collector: its address, and a queue of the requests that reach it."""
    received: queue.Queue[tuple[str, bytes]] = queue.Queue()

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            received.put((self.path, body))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", received
        server.shutdown()
        thread.join()


def call(client: httpx.Client, key: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    meta = {
        f"{META}/protocolVersion": "2026-07-28",
        f"{META}/clientInfo": {"name": "test", "version": "1"},
        f"{META}/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    answer = client.post(
        "/mcp",
        headers={
            "Authorization": f"Bearer {key}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        },
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
    )
    return json.loads(answer.text)["result"]


def test_a_host_that_ends_has_sent_every_span_and_nothing_secret(
    tmp_path, probe_environment, collector
):
    try:
        missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    except ModuleNotFoundError:  # of the package above it
        missing = ["opentelemetry"]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    address, received = collector
    (tmp_path / "toolroll.toml").write_text(
        "[http]\nstateless = true\njson_response = true\ndrain_delay_seconds = 0\n\n"
        "[packs]\nallow = ['probe']\n",
        "utf-8",
    )
    key = KeyStore(tmp_path / ".toolroll").create("ada")
    environment = {
        **(probe_environment or os.environ),
        "OTEL_SERVICE_NAME": "toolroll-under-test",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_LOGS_EXPORTER": "none",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": address,
        "OTEL_BSP_SCHEDULE_DELAY": "3600000",  # so that only the end of the host sends them
    }
    launcher = "from opentelemetry.instrumentation.auto_instrumentation import run; run()"
    command = [sys.executable, "-c", launcher, sys.executable, "-m", "toolroll"]
    words = ["serve", "--http", "127.0.0.1:0", "--root", str(tmp_path)]
    with started(ColdLauncher(command, environment), words, cwd=tmp_path, logs=tmp_path) as host:
        base = host.address().removesuffix("/mcp")
        with httpx.Client(base_url=base, timeout=WAIT) as client:
            assert not call(client, key, "probe_echo", {"text": "very-private"})["isError"]
            assert call(client, key, "probe_echo", {"text": 7})["isError"]
        host.process.send(signal.SIGTERM)
        assert host.process.wait(WAIT) in (0, -signal.SIGTERM)

    spans: dict[str, list[dict[str, Any]]] = {}
    raw = b""
    while not received.empty():
        path, body = received.get()
        assert path == "/v1/traces"
        raw += body
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            names = {a.key: a.value.string_value for a in resource.resource.attributes}
            assert names["service.name"] == "toolroll-under-test"
            for scope in resource.scope_spans:
                for span in scope.spans:
                    found = {a.key: a.value.string_value for a in span.attributes}
                    spans.setdefault(f"{scope.scope.name} {span.name}", []).append(found)
    good, bad = spans["toolroll call probe_echo"]
    assert good == {
        "gen_ai.tool.name": "probe_echo",
        "toolroll.pack": "probe",
        "toolroll.tenant": tenant_of(key)[:12],
        "toolroll.outcome": "ok",
    }
    assert bad["toolroll.outcome"] == "error"
    assert bad["error.type"]
    assert b"very-private" not in raw
    assert key.encode() not in raw
