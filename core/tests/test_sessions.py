"""Sessions of the handshake's era that end while a message is on its way to them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolroll.host.http import Address, build_app
from toolroll.host.late import Late
from toolroll.registry import Source
from toolroll.runtime import Runtime

HEADERS = {
    "host": "127.0.0.1:80",
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
}
HELLO: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
CANCELLED = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}


async def ask(
    app: ASGIApp, method: str, body: object, session: str = "", then: Any = None
) -> dict[str, Any]:
    """Make a request and return the start of its answer; `then` is awaited once that has begun."""
    headers = HEADERS | ({"mcp-session-id": session} if session else {})
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": "/mcp",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    requests = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]
    starts: list[dict[str, Any]] = []
    ended = False

    async def receive() -> Message:
        if not requests:
            await anyio.sleep_forever()
        return requests.pop()

    async def send(message: Message) -> None:
        nonlocal ended
        assert not ended, "a second answer"
        if message["type"] == "http.response.start":
            starts.append(dict(message))
            if then is not None:
                await then()
        ended = message["type"] == "http.response.body" and not message.get("more_body")

    await app(scope, receive, send)
    assert ended
    (start,) = starts
    return start


@pytest.mark.anyio
@pytest.mark.parametrize("plain", [False, True], ids=["stream", "plain"])
@pytest.mark.parametrize("late", [CANCELLED, LIST], ids=["notification", "request"])
async def test_what_comes_too_late_for_its_session_is_no_fault(
    tmp_path: Path,
    make_source: Callable[..., Source],
    caplog: pytest.LogCaptureFixture,
    late: object,
    plain: bool,
) -> None:
    http = {"json_response": plain}
    with Runtime.open(roots=[tmp_path], sources=list, overrides={"http": http}) as runtime:
        app = build_app(runtime, Address("127.0.0.1", 80))
        async with app.router.lifespan_context(app):
            begun = await ask(app, "POST", INITIALIZE)
            session = dict(begun["headers"])[b"mcp-session-id"].decode()

            async def leave() -> None:
                assert (await ask(app, "DELETE", None, session))["status"] == 200

            await ask(app, "POST", late, session, leave)
            assert (await ask(app, "POST", LIST, session))["status"] == 404
    told = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert told == []


@pytest.mark.anyio
async def test_an_answer_that_was_begun_and_left_is_ended() -> None:
    sent: list[Message] = []

    async def leaves(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b": ping", "more_body": True})

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await Late(leaves)({"type": "http"}, receive, send)
    assert [message.get("more_body", False) for message in sent] == [False, True, False]
