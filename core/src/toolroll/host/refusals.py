"""What the HTTP host refuses before any tool is asked: by name, by size, by patience, in its words.

The SDK answers with a bare line, or with pages of a validator's, and a client shows neither: it
tells its user that there was an error. Of a JSON-RPC error it shows the message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import anyio
import mcp.types as types
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from pydantic_core import to_json
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.websockets import WebSocketClose

from toolroll.host.unread import NO_REQUEST

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "Patience", "Worded"]

BODY_SECONDS: Final = 300.0
"""How long a request may take to come whole: 4 MiB at 14 kB a second."""
_WORDS: Final = {
    400: "the Content-Type of a request is application/json; set this header",
    403: (
        "this host takes no calls from pages of this Origin; if they may call, add it to [http] "
        "allowed_origins"
    ),
    405: "there is only POST here",
    406: (
        "the answer is application/json or text/event-stream; name both in the Accept header of a "
        "request"
    ),
    408: "the request did not come whole in time; send it again, or less at once",
    413: "the request is larger than [http] max_request_bytes; send less at once",
    421: (
        "this host does not answer under the name in the Host header; call it by the address that "
        "it told at its start, or add the name to [http] allowed_hosts"
    ),
}
"""By the status of an answer that the SDK gives as bare text or without any."""
_HELD: Final = {*_WORDS, 401, 404, 503}
"""The statuses of answers that are not sent before their text is known."""
_ALLOW: Final = [(b"allow", b"POST")]
_NO_SESSION: Final = (
    "this host knows no such session, since it was started anew, the session rested too long, or "
    "another key began it; connect again"
)
_INSTEAD: Final = {
    b'"error": "invalid_token"': (
        types.INVALID_REQUEST,
        "this host wants a key, as Authorization: Bearer KEY; what was sent, if anything, has "
        "expired, was revoked or is of another host; 'toolroll keys new NAME' makes one there",
    ),
    b'"message":"Validation error: ': (types.INVALID_PARAMS, NO_REQUEST),
    b'"message":"Session not found"': (types.INVALID_REQUEST, _NO_SESSION),
    b'"message":"Not Found: ': (types.INVALID_REQUEST, _NO_SESSION),
    b'"message":"Bad Request: Missing session ID"': (
        types.INVALID_REQUEST,
        "the request names no session; call initialize first, and send the Mcp-Session-Id header "
        "of its answer with every request",
    ),
    b'"message":"Too many open sessions"': (
        types.INTERNAL_ERROR,
        "as many sessions are open as [http] max_sessions allows; try again later",
    ),
}
"""By a part of the SDK's errors that say too little, or all that its validator says."""


class Guard:
    """The guard of the Host and Origin headers, which the SDK has on `/mcp` alone."""

    def __init__(self, app: ASGIApp, security: TransportSecuritySettings) -> None:
        self._app = app
        self._checks = TransportSecurityMiddleware(security)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal: Any = await self._checks.validate_request(HTTPConnection(scope))  # type: ignore[arg-type]
        if refusal is not None and scope["type"] == "websocket":
            refusal = WebSocketClose()
        await (refusal or self._app)(scope, receive, send)


class Patience:
    """Ends the wait for a request that does not come whole in `BODY_SECONDS`, with 408.

    Whoever holds a key could keep connections, and with them the end of the host, waiting. A caller
    who goes away before it is whole wants no answer, and is no fault that a log should show.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        until = anyio.current_time() + BODY_SECONDS
        whole = False

        async def receive_in_time() -> Message:
            nonlocal whole
            if whole:  # what comes now is the end of the connection, whenever that is
                return await receive()
            with anyio.move_on_after(until - anyio.current_time()):
                message = await receive()
                whole = not message.get("more_body", False)
                return message
            raise _TooSlow

        try:
            await self._app(scope, receive_in_time, send)
        except ClientDisconnect:
            return
        except _TooSlow:
            start: Message = {"type": "http.response.start", "status": 408, "headers": []}
            MutableHeaders(raw=start["headers"])["connection"] = "close"  # the rest may yet come
            await _answer(start, types.INVALID_REQUEST, _WORDS[408], send)


class Worded:
    """Puts our words, as a JSON-RPC error, in place of the SDK's about a request at a path.

    Args:
        app: Whose answers.
        path: Where requests are the SDK's.
        only_post: Refuse other methods: without sessions, the stream that a client opens with GET
            would never carry anything, and hold a connection as long as the client runs.
    """

    def __init__(self, app: ASGIApp, path: str, only_post: bool = False) -> None:
        self._app = app
        self._path = path
        self._only_post = only_post

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return
        if self._only_post and scope["method"] != "POST":
            refused: Message = {"type": "http.response.start", "status": 405, "headers": _ALLOW}
            await _answer(refused, types.INVALID_REQUEST, _WORDS[405], send)
            return
        held: Message | None = None

        async def send_worded(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and message["status"] in _HELD:
                held = message
                return
            if held is None:
                await send(message)
                return
            start, held = held, None
            body = message.get("body", b"")
            bare = "content-type" not in MutableHeaders(raw=list(start["headers"]))
            if bare and start["status"] in _WORDS:
                await _answer(start, types.INVALID_REQUEST, _WORDS[start["status"]], send)
                return
            for part, (code, text) in _INSTEAD.items():
                if part in body:
                    await _answer(start, code, text, send)
                    return
            await send(start)
            await send(message)

        await self._app(scope, receive, send_worded)


class _TooSlow(Exception):
    """A request has not come whole."""


async def _answer(start: Message, code: int, text: str, send: Send) -> None:
    """Send an error under the status of an answer, with its other headers."""
    body = to_json({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": text}})
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-type"] = "application/json"
    headers["content-length"] = str(len(body))
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})
