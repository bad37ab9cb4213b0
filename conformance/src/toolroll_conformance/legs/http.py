"""Over real streamable HTTP: a server on a loopback port with keys, or one at a given address."""

from __future__ import annotations

import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from typing import Any

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from attrs import field, frozen, mutable
from httpx_sse import EventSource

from toolroll.host.keys import KeyStore
from toolroll_conformance.legs.base import (
    CALL_TIMEOUT,
    FIRST,
    SECOND,
    CannotServe,
    Connection,
)
from toolroll_conformance.legs.dialect import DISCOVER, Dialect
from toolroll_conformance.legs.fleet import Elsewhere, Fleet, Hosts
from toolroll_conformance.legs.results import reply_of, result_of
from toolroll_conformance.legs.starting import START_TIMEOUT, PackServer
from toolroll_conformance.reply import NoReply, ProtocolError, Reply, ServerGone, as_object
from toolroll_conformance.storage import EMBEDDED, Storage
from toolroll_conformance.workspace import Workspace

__all__ = ["HttpConnection", "HttpLeg", "RemoteLeg"]


@mutable(eq=False)
class HttpLeg:
    """Starts hosts with two keys for each workspace and speaks one era with them.

    Args:
        starter: Starts one host.
        era: The protocol revision.
        storage: Where they keep their data; several hosts need one that they share.
        hosts: How many there are; calls go to them in turn.
        unrest: Whether hosts are killed and started again all along; see `Fleet`.
    """

    starter: PackServer
    era: str
    storage: Storage = EMBEDDED
    hosts: int = 1
    unrest: bool = False
    abilities: frozenset[str] = frozenset(
        {"files", "settings", "commands", "restart", "kill", "tenants", "wire"}
    )
    name: str = field(default="http", init=False)
    _client: _Client = field(factory=lambda: _Client(), init=False)

    def open(self, workspace: Workspace) -> Connection:
        """Make keys, start a server and greet it."""
        store = KeyStore(workspace.data)
        tokens = {name: store.create(name) for name in (FIRST, SECOND)}
        fleet = Fleet(self.starter, workspace, self.hosts, self.unrest)
        return HttpConnection(self._client, fleet, tokens, self.era)

    def close(self) -> None:
        """Close the client."""
        self._client.close()


@mutable(eq=False)
class RemoteLeg:
    """Speaks with a server that is already there; it can neither be given files nor restarted.

    Args:
        url: Its MCP address.
        tokens: Bearer tokens of the first and second tenant, as many as there are.
    """

    url: str
    era: str
    tokens: tuple[str, ...] = ()
    storage: Storage = EMBEDDED
    name: str = field(default="http", init=False)
    _client: _Client = field(factory=lambda: _Client(), init=False)

    @property
    def abilities(self) -> frozenset[str]:
        """What can be asked of it."""
        return frozenset({"wire", "tenants"} if len(self.tokens) > 1 else {"wire"})

    def open(self, workspace: Workspace) -> Connection:
        """Greet the server; the workspace is not used."""
        tokens: dict[str, str] = dict(zip((FIRST, SECOND), self.tokens, strict=False))
        return HttpConnection(self._client, Elsewhere(self.url), tokens, self.era)

    def close(self) -> None:
        """Close the client."""
        self._client.close()


class _Client:
    """An asynchronous HTTP client in a thread of its own, so that calls can be abandoned.

    It begins with its first call; checks that run side by side share it.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._starting = threading.Lock()
        self._portal: BlockingPortal | None = None
        # How long to wait is the caller's matter: `Pending.result` has a timeout.
        self.http = httpx.AsyncClient(timeout=None, trust_env=False)  # noqa: S113  # nosec B113
        self.http.follow_redirects = True  # as SDKs do: frameworks answer `/mcp` with `/mcp/`

    @property
    def portal(self) -> BlockingPortal:
        """Where its coroutines run."""
        with self._starting:
            if self._portal is None:
                self._portal = self._stack.enter_context(start_blocking_portal())
            return self._portal

    def close(self) -> None:
        """Close its connections and end its thread."""
        if self._portal is not None:
            self._portal.call(self.http.aclose)
            self._stack.close()


@frozen(eq=False)
class _PendingCall:
    connection: HttpConnection
    request_id: int
    tenant: str
    future: Future[dict[str, Any]]

    def result(self, timeout: float = CALL_TIMEOUT) -> Reply:
        return reply_of(_wait(self.future, timeout))

    def cancel(self) -> None:
        """Close the stream (2026), or say so in a message of its own (2025)."""
        dialect = self.connection.dialect
        if dialect.has_handshake:
            self.connection.tell(dialect.cancelled(self.request_id), self.tenant)
        else:
            self.future.cancel()


class HttpConnection:
    """A client of HTTP hosts, with one session for each tenant in the era that has sessions.

    Attributes:
        tokens: Bearer tokens by tenant.
    """

    def __init__(self, client: _Client, hosts: Hosts, tokens: Mapping[str, str], era: str) -> None:
        self._client = client
        self._hosts = hosts
        self.tokens = dict(tokens)
        self._era = era
        self._start()

    def _start(self) -> None:
        self.dialect = Dialect(self._era)
        self._sessions: dict[str, str | None] = {}
        self._hosts.start()
        try:
            self._greet(FIRST)
        except (NoReply, ServerGone, ProtocolError) as error:
            self.close()
            raise CannotServe(str(error)) from None

    def _greet(self, tenant: str) -> None:
        if tenant in self._sessions or not self.dialect.has_handshake:
            return
        self._sessions[tenant] = None
        greeting = result_of(_wait(self._send(self.dialect.initialize(), tenant), START_TIMEOUT))
        self.dialect.agree(greeting)
        self.tell(self.dialect.initialized(), tenant)

    def list_tools(self, cursor: str | None = None) -> dict[str, Any]:
        """Return the result of `tools/list`."""
        params = {} if cursor is None else {"cursor": cursor}
        request = self.dialect.request("tools/list", params)
        return result_of(_wait(self._send(request, FIRST), CALL_TIMEOUT))

    def discover(self) -> dict[str, Any]:
        """Return the result of `server/discover`."""
        request = self.dialect.request(DISCOVER, {})
        return result_of(_wait(self._send(request, FIRST), START_TIMEOUT))

    def begin(self, tool: str, arguments: Mapping[str, Any], tenant: str = FIRST) -> _PendingCall:
        """Send a call with the tenant's key."""
        self._greet(tenant)
        request = self.dialect.request("tools/call", {"name": tool, "arguments": dict(arguments)})
        return _PendingCall(self, request["id"], tenant, self._send(request, tenant))

    def tell(self, message: Mapping[str, Any], tenant: str) -> None:
        """Send a notification."""
        _wait(self._send(message, tenant), CALL_TIMEOUT)

    def restart(self, *, kill: bool) -> None:
        """End every host and start as many again, on other ports."""
        self._hosts.end(kill=kill)
        self._start()

    def close(self) -> None:
        """End the hosts."""
        self._hosts.end(kill=False)

    def _send(self, message: Mapping[str, Any], tenant: str) -> Future[dict[str, Any]]:
        return self._client.portal.start_task_soon(self._post, message, tenant)

    async def _post(self, message: Mapping[str, Any], tenant: str) -> dict[str, Any]:
        with self._hosts.lend() as url:
            return await self._post_to(url, message, tenant)

    async def _post_to(self, url: str, message: Mapping[str, Any], tenant: str) -> dict[str, Any]:
        headers = self.dialect.headers(message, self._sessions.get(tenant))
        headers["content-type"] = "application/json"
        if token := self.tokens.get(tenant):
            headers["authorization"] = f"Bearer {token}"
        body = json.dumps(message).encode()
        request_id = message.get("id") if "method" in message else None
        try:
            async with self._client.http.stream(
                "POST", url, content=body, headers=headers
            ) as response:
                if session := response.headers.get("mcp-session-id"):
                    self._sessions[tenant] = session

                async def respond(request: Mapping[str, Any]) -> None:
                    await self._post_to(url, self.dialect.answer(request), tenant)

                return await _answer(response, request_id, respond)
        except httpx.TransportError as error:
            raise ServerGone(f"the connection broke: {error}") from None


async def _answer(
    response: httpx.Response,
    request_id: int | None,
    respond: Callable[[Mapping[str, Any]], Awaitable[None]],
) -> dict[str, Any]:
    """Return the response to a request from a JSON body or an event stream.

    What the server asks on the stream before is responded to.
    """
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        async for event in EventSource(response).aiter_sse():
            message: dict[str, Any] = json.loads(event.data or "{}")
            if "method" in message and "id" in message:
                await respond(message)
            elif message.get("id") == request_id and "method" not in message:
                return message
        raise ServerGone("the event stream ended without an answer")
    body = await response.aread()
    if request_id is None and response.is_success:
        return {}
    try:
        message = as_object(json.loads(body)) or {}
    except ValueError:
        message = {}
    if message.get("jsonrpc") == "2.0":
        return message
    raise ServerGone(f"HTTP {response.status_code}: {body[:300]!r}")


def _wait(future: Future[dict[str, Any]], timeout: float) -> dict[str, Any]:
    try:
        return future.result(timeout)
    except (TimeoutError, CancelledError):
        raise NoReply(f"no answer within {timeout:g} s, or cancelled") from None
