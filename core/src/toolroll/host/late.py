"""What comes too late for its session, of which the SDK tells as of a fault of the host."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, cast

import anyio
from mcp.server import streamable_http

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Late"]

_ENDED: Final = (anyio.ClosedResourceError, anyio.BrokenResourceError)
"""What is raised where a message goes to a session that has ended."""


class Late:
    """Ends quietly what the end of its session has overtaken, as when a client cancels and leaves.

    The SDK answers a notification before it hands it to the session. Where that has ended meanwhile
    it logs a traceback and answers once more, for which the server logs another. The answer to a
    request it has begun by then, and leaves it without an end.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        logging.getLogger(streamable_http.__name__).addFilter(_is_a_fault)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = answered = False

        async def send_once(message: Message) -> None:
            nonlocal begun, answered
            if answered:
                return
            begun = True
            answered = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        try:
            await self._app(scope, receive, send_once)
        except _ENDED:
            if not answered:
                raise
        if begun and not answered:
            await send({"type": "http.response.body", "body": b""})


def _is_a_fault(record: logging.LogRecord) -> bool:
    """Say whether a record of the SDK's tells of more than the end of a session."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return group.split(_ENDED)[1] is not None
    return not isinstance(error, _ENDED)
