"""The HTTP host: who may call, from where, in both protocol eras."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
import uvicorn
from attrs import frozen
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

import toolroll
from toolroll import SettingsError
from toolroll.host.http import Address, build_app, parse_address, serve_http
from toolroll.host.keys import KeyStore
from toolroll.registry import Source, discover
from toolroll.runtime import Runtime
from toolroll_conformance.legs.starting import started
from toolroll_conformance.processes.child import ColdLauncher

ERAS = ("legacy", "2026-07-28")
WAIT = 120
"""Seconds for what takes milliseconds, unless the machine has much else to do."""
TOKENS = {"reader": ("read",), "writer": ("read", "write")}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
ACCEPT = {"accept": "application/json, text/event-stream"}


@frozen
class Host:
    """A host that listens on loopback in a thread of this process."""

    port: int
    keys: dict[str, str]
    store: KeyStore
    runtime: Runtime

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def post(self, *, key: str = "", body: Any = INITIALIZE, **headers: str) -> httpx.Response:
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if key:
            headers["authorization"] = f"Bearer {self.keys.get(key, key)}"
        return httpx.post(self.url, headers={**ACCEPT, **headers}, json=body, timeout=WAIT)

    async def client(self, stack: AsyncExitStack, mode: str, key: str = "") -> Client:
        headers = {"authorization": f"Bearer {self.keys[key]}"} if key else {}
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=WAIT))
        transport = streamable_http_client(self.url, http_client=http)
        return await stack.enter_async_context(Client(transport, mode=mode))  # type: ignore[arg-type]


@contextmanager
def listening(
    directory: Path, sources: Callable[[], list[Source]], *, keys: bool, **tables: Any
) -> Iterator[Host]:
    root = directory / "project"
    root.mkdir(parents=True)
    store = KeyStore(directory / "data")
    made = {name: store.create(name, scopes=scopes) for name, scopes in TOKENS.items() if keys}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        runtime = Runtime.open(
            roots=[root], data_dir=directory / "data", overrides=tables, sources=sources
        )
        app = build_app(runtime, Address("127.0.0.1", port))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()  # connections wait in the listener's queue until the server accepts them
        try:
            yield Host(port, made, store, runtime)
        finally:
            server.should_exit = True
            thread.join(WAIT)


@pytest.fixture(scope="module")
def probe_source() -> Iterator[Callable[[], list[Source]]]:
    probe = str(Path(__file__).parent / "distributions" / "probe")
    sys.path.insert(0, probe)
    yield lambda: [source for source in discover() if source.name == "probe"]
    sys.path.remove(probe)


@pytest.fixture(scope="module")
def guarded(
    tmp_path_factory: pytest.TempPathFactory, probe_source: Callable[[], list[Source]]
) -> Iterator[Host]:
    with listening(
        tmp_path_factory.mktemp("guarded"),
        probe_source,
        keys=True,
        http={"max_request_bytes": 100_000, "allowed_origins": ("https://trusted.example",)},
    ) as host:
        yield host


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_lists_and_calls_in_both_eras(guarded: Host, mode: str) -> None:
    async with AsyncExitStack() as stack:
        client = await guarded.client(stack, mode, "writer")
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == sorted(names)
        echoed = await client.call_tool("probe_echo", {"text": "hé"})
        assert (echoed.structured_content, echoed.is_error) == ({"text": "hé"}, False)
        stored = await client.call_tool("probe_put", {"key": mode, "text": "x"})
        assert not stored.is_error
        surrogate = await client.call_tool("probe_surrogate", {})
        assert surrogate.structured_content == {"text": "caf\\udce9"}
        boom = await client.call_tool("probe_boom", {})
        assert boom.is_error
        assert "secret" not in str(boom)
        with pytest.raises(MCPError, match="Unknown tool: nope") as unknown:
            await client.call_tool("nope", {})
        assert unknown.value.code == -32602


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("tool", ["probe_count_up", "probe_count_up_async"])
async def test_progress_reaches_the_caller(guarded: Host, mode: str, tool: str) -> None:
    heard: list[float] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append(done)

    async with AsyncExitStack() as stack:
        client = await guarded.client(stack, mode, "reader")
        result = await client.call_tool(tool, {}, progress_callback=hear)
        assert result.structured_content == {"count": 3}
    assert heard == sorted(heard)
    assert set(heard) <= {1, 2, 3}
    if mode == "legacy":
        assert heard == [1, 2, 3]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_a_key_without_the_scope_may_read_and_not_write(guarded: Host, mode: str) -> None:
    async with AsyncExitStack() as stack:
        client = await guarded.client(stack, mode, "reader")
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert "probe_count" in listed
        assert "probe_put" not in listed
        assert not (await client.call_tool("probe_count", {})).is_error
        refused = await client.call_tool("probe_put", {"key": "a", "text": "x"})
        assert refused.is_error
        assert refused.structured_content is None
        assert json.loads(refused.content[0].text)["code"] == "permission_denied"  # type: ignore[union-attr]
        caller = (await client.call_tool("probe_caller", {})).structured_content
        record = guarded.store.verify(guarded.keys["reader"])
        assert record is not None
        assert caller == {"tenant": record.tenant, "scopes": ["read"]}


@pytest.mark.anyio
async def test_a_key_of_the_local_users_name_is_a_key(guarded: Host) -> None:
    guarded.keys["local"] = guarded.store.create("local", scopes=("read",))
    async with AsyncExitStack() as stack:
        client = await guarded.client(stack, "legacy", "local")
        caller = (await client.call_tool("probe_caller", {})).structured_content
        assert caller is not None
        assert caller["scopes"] == ["read"]
    guarded.store.revoke("local")


@pytest.mark.parametrize("key", ["", "tr_wrong", "x" * 5000])
def test_without_a_live_key_nobody_is_let_in(guarded: Host, key: str) -> None:
    answer = guarded.post(key=key)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert "Traceback" not in answer.text


def test_another_scheme_is_no_key(guarded: Host) -> None:
    assert guarded.post(authorization=f"Basic {guarded.keys['reader']}").status_code == 401


def test_a_revoked_key_ends_at_once(guarded: Host) -> None:
    guarded.keys["guest"] = guarded.store.create("guest")
    assert guarded.post(key="guest").status_code == 200
    guarded.store.revoke("guest")
    assert guarded.post(key="guest").status_code == 401


def test_a_session_belongs_to_the_key_that_began_it(guarded: Host) -> None:
    session = guarded.post(key="writer").headers["mcp-session-id"]
    assert (
        guarded.post(key="reader", body=LIST, mcp_session_id=session).status_code
        == httpx.codes.NOT_FOUND
    )


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1"])
def test_another_host_name_is_refused(
    guarded: Host, host: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert guarded.post(key="writer", host=host).status_code == 421
    assert f"{host}; if callers may use it, add it to [http] allowed_hosts\n" in caplog.text


def test_another_name_of_loopback_is_accepted(guarded: Host) -> None:
    assert guarded.post(key="writer", host=f"localhost:{guarded.port}").status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://evil.example", 403),
        ("null", 403),
        ("https://trusted.example", 200),
        ("http://localhost:{port}", 200),
    ],
)
def test_only_known_origins_may_call(guarded: Host, origin: str, status: int) -> None:
    answer = guarded.post(key="writer", origin=origin.format(port=guarded.port))
    assert answer.status_code == status


def test_a_body_over_the_limit_is_refused(guarded: Host) -> None:
    body = {**INITIALIZE, "padding": "x" * 100_000}
    assert guarded.post(key="writer", body=body).status_code == 413


@pytest.mark.parametrize(
    ("headers", "body", "status", "said"),
    [
        ({"host": "evil.example"}, INITIALIZE, 421, "add the name to [http] allowed_hosts"),
        ({"origin": "http://evil.example"}, INITIALIZE, 403, "add it to [http] allowed_origins"),
        ({"content_type": "text/plain"}, INITIALIZE, 400, "Content-Type of a request"),
        ({}, {"padding": "x" * 100_000}, 413, "larger than [http] max_request_bytes"),
        ({}, [INITIALIZE], 400, 'a request has "jsonrpc": "2.0"'),
        ({"mcp_session_id": "of-before-a-restart"}, LIST, 404, "started anew"),
        ({}, LIST, 400, "call initialize first"),
        (
            {"accept": "text/html", "mcp_protocol_version": "2026-07-28"},
            INITIALIZE,
            406,
            "name both in the Accept header",
        ),
    ],
)
def test_what_is_refused_is_a_json_rpc_error_that_says_what_to_do(
    guarded: Host, headers: dict[str, str], body: Any, status: int, said: str
) -> None:
    answer = guarded.post(key="writer", body=body, **headers)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error["code"] in (-32600, -32602)
    assert said in error["message"]
    assert "\n" not in error["message"]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_shows_that_its_key_is_none(guarded: Host, mode: str) -> None:
    guarded.keys["lost"] = "tr_lost"

    async def list_tools() -> None:
        async with AsyncExitStack() as stack:
            client = await guarded.client(stack, mode, "lost")
            await client.list_tools()

    with pytest.raises(ExceptionGroup) as refused:
        await list_tools()
    assert "this host wants a key" in "".join(traceback.format_exception(refused.value))


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_shows_why_it_is_refused(guarded: Host, mode: str) -> None:
    async with AsyncExitStack() as stack:
        client = await guarded.client(stack, mode, "writer")
        with pytest.raises(MCPError, match="the request is larger than"):
            await client.call_tool("probe_echo", {"text": "x" * 100_000})


@pytest.mark.parametrize(
    ("header", "value", "status"), [("host", "evil.example", 421), ("origin", "http://evil", 403)]
)
def test_metrics_are_told_to_no_page_of_another_name(
    tmp_path: Path,
    probe_source: Callable[[], list[Source]],
    header: str,
    value: str,
    status: int,
) -> None:
    with listening(tmp_path, probe_source, keys=False) as host:
        address = host.url.replace("/mcp", "/metrics")
        answer = httpx.get(address, headers={header: value}, timeout=WAIT)
        assert answer.status_code == status


def test_health_needs_no_key(guarded: Host) -> None:
    answer = httpx.get(guarded.url.replace("/mcp", "/healthz"), timeout=WAIT)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_damaged_key_file_lets_nobody_in(
    tmp_path: Path, probe_source: Callable[[], list[Source]]
) -> None:
    with listening(tmp_path, probe_source, keys=True) as host:
        assert host.post(key="writer").status_code == 200
        (tmp_path / "data" / "keys.json").write_text("{", "utf-8")
        assert host.post(key="writer").status_code == 401
        (tmp_path / "data" / "keys.json").unlink()
        assert host.post(key="writer").status_code == 401
        assert host.post().status_code == 401


@pytest.mark.anyio
async def test_without_keys_loopback_serves_the_local_user(
    tmp_path: Path, probe_source: Callable[[], list[Source]]
) -> None:
    with listening(
        tmp_path, probe_source, keys=False, http={"json_response": True, "stateless": True}
    ) as host:
        assert host.post(host="evil.example").status_code == 421
        streamed = httpx.get(host.url, headers={"accept": "text/event-stream"}, timeout=WAIT)
        assert (streamed.status_code, streamed.headers["allow"]) == (405, "POST")
        assert "only POST" in streamed.json()["error"]["message"]
        async with AsyncExitStack() as stack:
            client = await host.client(stack, "legacy")
            result = await client.call_tool("probe_echo", {"text": "hi"})
            assert result.structured_content == {"text": "hi"}


def test_once_there_is_a_key_every_call_needs_it_also_on_a_host_that_runs(
    tmp_path: Path, probe_source: Callable[[], list[Source]]
) -> None:
    def measured(key: str = "") -> bool:
        """Whether metrics are told; without what counts them, that there are none."""
        headers = {"authorization": f"Bearer {key}"} if key else {}
        address = host.url.replace("/mcp", "/metrics")
        return httpx.get(address, headers=headers, timeout=WAIT).status_code in (200, 501)

    with listening(tmp_path, probe_source, keys=False) as host:
        assert host.post().status_code == 200
        assert host.post(key="of-another-time").status_code == 200
        assert measured()
        key = host.store.create("late")
        assert host.post().status_code == 401
        assert host.post(key="of-another-time").status_code == 401
        assert not measured()
        assert host.post(key=key).status_code == 200
        assert measured(key)
        host.store.revoke("late")
        assert host.post(key=key).status_code == 401
        assert host.post().status_code == 401


def test_damaged_keys_let_nobody_in(
    tmp_path: Path, probe_source: Callable[[], list[Source]]
) -> None:
    with listening(tmp_path, probe_source, keys=False) as host:
        (tmp_path / "data" / "keys.json").write_text("{", "utf-8")
        assert host.post().status_code == 401


@pytest.mark.parametrize("address", ["0.0.0.0:8000", "[::]:8000", "192.0.2.1:80", "example.org:80"])
def test_a_public_address_is_refused_without_keys(tmp_path: Path, address: str) -> None:
    with Runtime.open(roots=[tmp_path], sources=list) as runtime:
        with pytest.raises(SettingsError, match=r"without keys.* same --root, --data-dir"):
            build_app(runtime, parse_address(address))
        KeyStore(runtime.data_dir).create("ci")
        build_app(runtime, parse_address(address))


@pytest.mark.parametrize(
    ("text", "host", "port", "loopback", "netloc"),
    [
        ("8000", "127.0.0.1", 8000, True, "127.0.0.1:8000"),
        (":8000", "127.0.0.1", 8000, True, "127.0.0.1:8000"),
        ("localhost:0", "localhost", 0, True, "localhost:0"),
        ("[::1]:80", "::1", 80, True, "[::1]:80"),
        ("0.0.0.0:80", "0.0.0.0", 80, False, "0.0.0.0:80"),
    ],
)
def test_an_address_is_parsed(text: str, host: str, port: int, loopback: bool, netloc: str) -> None:
    address = parse_address(text)
    assert (address.host, address.port) == (host, port)
    assert (address.is_loopback, address.netloc) == (loopback, netloc)


def test_an_address_that_is_not_ours_is_said_so(tmp_path: Path) -> None:
    with Runtime.open(roots=[tmp_path], sources=list) as runtime:
        KeyStore(runtime.data_dir).create("ci")
        with pytest.raises(SettingsError, match=r"cannot listen on 192\.0\.2\.1:0: "):
            serve_http(runtime, Address("192.0.2.1", 0))


def test_a_port_that_is_taken_is_said_so(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        Runtime.open(roots=[tmp_path], sources=list) as runtime,
        pytest.raises(SettingsError, match=r"cannot listen on 127[^(]*in use; choose another"),
    ):
        serve_http(runtime, Address("127.0.0.1", taken.getsockname()[1]))


@pytest.mark.parametrize("text", ["", "localhost", "localhost:http", "localhost:70000", "::1"])
def test_an_address_without_a_port_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="--http wants"):
        parse_address(text)


def test_a_url_is_no_address() -> None:
    with pytest.raises(SettingsError, match="--http wants HOST:PORT"):
        parse_address("http://127.0.0.1:8000")


class Nothing(toolroll.Params):
    pass


class Site(toolroll.Pack):
    name = "site"

    @toolroll.tool()
    def site_read(self, ctx: toolroll.ToolContext, args: Nothing) -> list[int]:
        """Read."""
        return []

    def routes(self) -> list[Route]:
        return [
            Route("/page", lambda request: PlainTextResponse("the page")),
            Route("/size", _size, methods=["POST"]),
        ]


async def _size(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


@pytest.mark.parametrize("keys", [True, False])
def test_the_routes_of_a_pack_are_guarded_like_its_tools(
    tmp_path: Path, make_source: Callable[..., Source], keys: bool
) -> None:
    with listening(tmp_path, lambda: [make_source(Site())], keys=keys) as host:
        page = host.url.replace("/mcp", "/packs/site/page")
        if keys:
            assert httpx.get(page, timeout=WAIT).status_code == 401
            headers = {"authorization": f"Bearer {host.keys['reader']}"}
            assert httpx.get(page, headers=headers, timeout=WAIT).text == "the page"
        else:
            assert httpx.get(page, timeout=WAIT).text == "the page"
        headers = {"host": "evil.example"}
        assert httpx.get(page, headers=headers, timeout=WAIT).status_code == 421
        headers = {"origin": "http://evil.example"}
        assert httpx.get(page, headers=headers, timeout=WAIT).status_code == 403


def test_the_body_that_a_pack_is_sent_is_bounded(
    tmp_path: Path, make_source: Callable[..., Source]
) -> None:
    sources = [make_source(Site())]
    with listening(tmp_path, lambda: sources, keys=False, http={"max_request_bytes": 1024}) as host:
        size = host.url.replace("/mcp", "/packs/site/size")
        assert httpx.post(size, content=b"x" * 1024, timeout=WAIT).text == "1024"
        assert httpx.post(size, content=b"x" * 1025, timeout=WAIT).status_code == 413


class NoSite(Site):
    name = "nosite"

    @toolroll.tool()
    def nosite_read(self, ctx: toolroll.ToolContext, args: Nothing) -> list[int]:
        """Read."""
        return []

    site_read = None  # type: ignore[assignment]

    routes_today: Any = None

    def routes(self) -> list[Route]:
        if isinstance(self.routes_today, BaseException):
            raise self.routes_today
        return self.routes_today


@pytest.mark.parametrize("routes", [RuntimeError("no routes today"), SystemExit(1), 5, ["/page"]])
def test_a_pack_whose_routes_fail_takes_none_with_it(
    tmp_path: Path, make_source: Callable[..., Source], routes: Any
) -> None:
    bad = NoSite()
    bad.routes_today = routes
    sources = [make_source(bad), make_source(Site())]
    with (
        listening(tmp_path, lambda: sources, keys=False) as host,
        httpx.Client(base_url=host.url.removesuffix("/mcp"), timeout=WAIT) as client,
    ):
        assert client.get("/packs/site/page").text == "the page"
        assert client.get("/packs/nosite/page").status_code == 404


def test_an_interrupt_ends_the_host_as_it_should_end(
    tmp_path: Path, probe_environment: dict[str, str]
) -> None:
    arguments = ["serve", "--http", "127.0.0.1:0", "--packs", "probe", "--root", str(tmp_path)]
    host = started(
        ColdLauncher(environment=probe_environment), arguments, cwd=tmp_path, logs=tmp_path
    )
    with host:
        host.address()
        host.process.send(signal.SIGINT)
        assert host.process.wait(WAIT) == 0


def test_sigterm_lets_a_write_under_way_answer_and_nobody_else_in(
    tmp_path: Path, probe_environment: dict[str, str]
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    os.mkfifo(root / "entered")
    os.mkfifo(root / "leave")
    (root / "toolroll.toml").write_text("[http]\ndrain_seconds = 600\n", "utf-8")
    arguments = ["serve", "--http", "127.0.0.1:0", "--packs", "probe", "--root", str(root)]
    host = started(ColdLauncher(environment=probe_environment), arguments, cwd=root, logs=tmp_path)
    with host, httpx.Client(headers=ACCEPT, timeout=WAIT) as client:
        url = host.address()
        began = client.post(url, json=INITIALIZE)
        session = {"mcp-session-id": began.headers["mcp-session-id"]}
        client.post(
            url, headers=session, json={"jsonrpc": "2.0", "method": "notifications/initialized"}
        )
        answers: list[httpx.Response] = []
        body = {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "probe_gate", "arguments": {}},
        }
        caller = threading.Thread(
            target=lambda: answers.append(client.post(url, headers=session, json=body))
        )
        caller.start()
        (root / "entered").open("rb").close()
        with socket.create_connection((httpx.URL(url).host, httpx.URL(url).port)) as idle:
            # asked once, so that the host has it, and not still the kernel
            idle.settimeout(WAIT)
            idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert idle.recv(12) == b"HTTP/1.1 200"
            host.process.send(signal.SIGTERM)
            while idle.recv(4096):
                pass
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((httpx.URL(url).host, httpx.URL(url).port)).close()
        (root / "leave").open("wb").close()
        caller.join(WAIT)
        assert host.process.wait(WAIT) in (0, -signal.SIGTERM)
    [line] = [text for text in answers[0].text.splitlines() if text.startswith("data: {")]
    assert json.loads(line[6:])["result"]["structuredContent"] == {"text": "passed"}
