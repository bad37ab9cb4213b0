"""What every way in has in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from toolroll_conformance.reply import Reply
from toolroll_conformance.storage import Storage
from toolroll_conformance.workspace import Workspace

__all__ = ["CALL_TIMEOUT", "FIRST", "SECOND", "CannotServe", "Connection", "Leg", "Pending"]

CALL_TIMEOUT: Final = 120.0
"""Seconds to wait for an answer; twice the host's own deadline, so that the host speaks first."""
FIRST: Final = "first"
"""The tenant that calls unless a step says otherwise."""
SECOND: Final = "second"
"""The other tenant."""


class CannotServe(Exception):
    """The server does not start, or does not load the pack; the message says why."""


class Pending(Protocol):
    """A call under way."""

    def result(self, timeout: float = CALL_TIMEOUT) -> Reply:
        """Wait for the answer.

        Raises:
            ProtocolError: The server answered with a JSON-RPC error.
            NoReply: Nothing came in time, or the call was cancelled.
            ServerGone: The server ended first.
        """
        ...

    def cancel(self) -> None:
        """Tell the server that nobody waits for the answer any more."""
        ...


class Connection(Protocol):
    """A running server on one workspace; safe to use from several threads."""

    def list_tools(self, cursor: str | None = None) -> dict[str, Any]:
        """Return the result of `tools/list` as it came: `tools`, and `nextCursor` if any."""
        ...

    def begin(self, tool: str, arguments: Mapping[str, Any], tenant: str = FIRST) -> Pending:
        """Send a call without waiting for its answer."""
        ...

    def restart(self, *, kill: bool) -> None:
        """End the server, with SIGKILL or in order, and start it again on the same data."""
        ...

    def close(self) -> None:
        """End the server."""
        ...


class Leg(Protocol):
    """One way in.

    Attributes:
        name: `memory`, `stdio` or `http`.
        era: The protocol revision spoken; "" in process, where none is.
        abilities: What cases and rules can ask of it: `files`, `settings`, `commands`, `restart`,
            `kill`, `tenants`, `wire`.
        storage: Where its servers keep their data.
    """

    @property
    def name(self) -> str: ...
    @property
    def era(self) -> str: ...
    @property
    def abilities(self) -> frozenset[str]: ...
    @property
    def storage(self) -> Storage: ...

    def open(self, workspace: Workspace) -> Connection:
        """Start a server on a workspace."""
        ...

    def close(self) -> None:
        """Release what the leg keeps between servers."""
        ...
