"""A client of our own host, for `toolroll demo` and tests: a real process, a real MCP session."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from attrs import frozen
from mcp import Client, StdioServerParameters

__all__ = ["HostClient", "Reply"]


@frozen
class Reply:
    """An answer as it came over the wire."""

    text: str
    structured: dict[str, Any] | None
    is_error: bool


class HostClient:
    """Calls tools of a host from plain code; make one with `start` or `at`."""

    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self._client = client
        self._portal = portal

    @classmethod
    @contextmanager
    def start(cls, options: Sequence[str]) -> Generator[HostClient]:
        """Start `toolroll serve OPTIONS…` and connect to it over stdio; end both with the block."""
        server = StdioServerParameters(
            command=sys.executable,
            args=["-P", "-m", "toolroll", "serve", *options],  # none of the modules that lie here
            env=dict(os.environ),  # the SDK's default would hide packs on PYTHONPATH
        )
        with cls._connected(server) as client:
            yield client

    @classmethod
    @contextmanager
    def at(cls, url: str) -> Generator[HostClient]:
        """Connect to a host that listens at a URL and asks for no key."""
        with cls._connected(url) as client:
            yield client

    @classmethod
    @contextmanager
    def _connected(cls, server: StdioServerParameters | str) -> Generator[HostClient]:
        ended: BaseException | None = None
        try:
            with (
                start_blocking_portal() as portal,
                portal.wrap_async_context_manager(Client(server)) as client,
            ):
                try:
                    yield cls(client, portal)
                except BaseException as error:
                    ended = error
                    raise
        except BaseExceptionGroup:  # the portal's, around what ended the block
            if ended is None:
                raise
            raise ended from None

    def tool_names(self) -> list[str]:
        """Return the names of the served tools, in listing order."""
        result = self._portal.call(self._client.list_tools)
        return [tool.name for tool in result.tools]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """Call a tool and return its answer, a success or an error."""
        result: Any = self._portal.call(self._client.call_tool, tool, dict(arguments))
        text = "".join(getattr(part, "text", "") for part in result.content)
        return Reply(text, result.structured_content, bool(result.is_error))
