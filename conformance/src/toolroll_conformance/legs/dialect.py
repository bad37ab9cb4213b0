"""The two protocol eras as a client writes them: bare JSON-RPC, so that what is sent is exact.

The suite has a client of its own for the wire, because an SDK's refuses to send what a hostile
caller sends, repairs or validates what comes back, and hides the process it talks to. That a real
SDK client understands the server is a rule of its own (`sdk-client`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["DISCOVER", "ERAS", "HANDSHAKE_ERA", "STATELESS_ERA", "Dialect"]

HANDSHAKE_ERA: Final = "2025-11-25"
STATELESS_ERA: Final = "2026-07-28"
DISCOVER: Final = "server/discover"
"""The method that every server of the stateless era has: which revisions it speaks."""
ERAS: Final = (HANDSHAKE_ERA, STATELESS_ERA)

METHOD_NOT_FOUND: Final = -32601
_CLIENT: Final = {"name": "toolroll-conformance", "version": "1"}
_META: Final = {
    "io.modelcontextprotocol/protocolVersion": STATELESS_ERA,
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Dialect:
    """Builds messages of one era and numbers the requests of one connection.

    Attributes:
        revision: The one that both sides agreed on: the era's, or an older one of the server's.
    """

    def __init__(self, era: str) -> None:
        if era not in ERAS:
            raise ValueError(f"unknown era {era!r}; known: {', '.join(ERAS)}")
        self.era = era
        self.revision = era
        self._ids = itertools.count(1)

    @property
    def has_handshake(self) -> bool:
        """Whether a connection begins with `initialize`."""
        return self.era == HANDSHAKE_ERA

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request with an id of its own."""
        body = dict(params)
        if not self.has_handshake:
            body["_meta"] = {**_META, **body.get("_meta", {})}
        return {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": body}

    def initialize(self) -> dict[str, Any]:
        """Return the request that opens a connection."""
        return self.request(
            "initialize",
            {"protocolVersion": self.era, "capabilities": {}, "clientInfo": _CLIENT},
        )

    def initialized(self) -> dict[str, Any]:
        """Return the notification that ends the handshake."""
        return {"jsonrpc": "2.0", "method": "notifications/initialized"}

    def cancelled(self, request_id: int) -> dict[str, Any]:
        """Return the notification that nobody waits for a request any more."""
        params = {"requestId": request_id, "reason": "not needed any more"}
        return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}

    def agree(self, greeting: Mapping[str, Any]) -> None:
        """Take the revision that a server answers `initialize` with, which may be an older one."""
        if isinstance(revision := greeting.get("protocolVersion"), str):
            self.revision = revision

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response to a request of the server's, which may wait for it.

        Every client owes an answer to `ping`, this one has no capability for anything else.
        """
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        if request["method"] == "ping":
            return {**response, "result": {}}
        message = f"the suite has no capability for {request['method']}"
        return {**response, "error": {"code": METHOD_NOT_FOUND, "message": message}}

    def headers(self, message: Mapping[str, Any], session: str | None) -> dict[str, str]:
        """Return the HTTP headers that go with a message."""
        headers = {"accept": "application/json, text/event-stream"}
        method = message.get("method", "")  # a response has none
        if method != "initialize":
            headers["mcp-protocol-version"] = self.revision
        if self.has_handshake:
            if session:
                headers["mcp-session-id"] = session
        else:
            headers["mcp-method"] = method
            if isinstance(name := message.get("params", {}).get("name"), str):
                headers["mcp-name"] = name
        return headers
