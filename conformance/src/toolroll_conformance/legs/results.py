"""From JSON-RPC messages to results and replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolroll_conformance.reply import ProtocolError, Reply

__all__ = ["reply_of", "result_of"]


def result_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result in a response.

    Raises:
        ProtocolError: It is an error instead.
    """
    if (error := message.get("error")) is not None:
        raise ProtocolError(error.get("code", 0), error.get("message", ""), error.get("data"))
    return message["result"]


def reply_of(message: Mapping[str, Any]) -> Reply:
    """Return the answer to a `tools/call`.

    Raises:
        ProtocolError: It is a JSON-RPC error instead.
    """
    result = result_of(message)
    blocks: Sequence[Mapping[str, Any]] = result.get("content", [])
    text = "\n".join(block.get("text", "") for block in blocks if block.get("type") == "text")
    return Reply(text, result.get("structuredContent"), result.get("isError") is True)
