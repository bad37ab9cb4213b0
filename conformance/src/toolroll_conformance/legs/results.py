"""From JSON-RPC messages to results and replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolroll_conformance.reply import ProtocolError, Reply, as_object

__all__ = ["reply_of", "result_of"]


def result_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result in a response.

    Raises:
        ProtocolError: It is an error instead.
    """
    if "error" in message:
        error = as_object(message["error"]) or {}
        raise ProtocolError(error.get("code", 0), str(error.get("message")), error.get("data"))
    result = as_object(message.get("result"))
    if result is None:
        raise ProtocolError(0, f"the response has neither a result nor an error: {message!r:.300}")
    return result


def reply_of(message: Mapping[str, Any]) -> Reply:
    """Return the answer to a `tools/call`.

    Raises:
        ProtocolError: It is a JSON-RPC error instead.
    """
    result = result_of(message)
    content: list[Any] = result.get("content") or []
    blocks = [block for block in map(as_object, content) if block is not None]
    text = "\n".join(str(block.get("text")) for block in blocks if block.get("type") == "text")
    return Reply(text, result.get("structuredContent"), result.get("isError") is True)
