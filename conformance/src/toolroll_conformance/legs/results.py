"""From JSON-RPC messages to results and replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from toolroll_conformance.reply import Malformed, ProtocolError, Reply, as_object

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
        raise Malformed(f"the response has neither a result nor an error: {message!r:.300}")
    return result


def reply_of(message: Mapping[str, Any]) -> Reply:
    """Return the answer to a `tools/call`.

    Raises:
        ProtocolError: It is a JSON-RPC error instead, or malformed.
    """
    result = result_of(message)
    content = result.get("content")
    if not isinstance(content, list):
        raise Malformed(f"the result has no list 'content': {result!r:.300}")
    blocks = [as_object(block) or {} for block in cast("list[Any]", content)]
    for block in blocks:
        kind, said = block.get("type"), block.get("text")
        if not isinstance(kind, str) or (kind == "text" and not isinstance(said, str)):
            raise Malformed(f"'content' holds what is no content block: {content!r:.300}")
    if not isinstance(result.get("isError", False), bool):
        raise Malformed(f"'isError' is {result['isError']!r}, neither true nor false")
    text = "\n".join(str(block.get("text")) for block in blocks if block.get("type") == "text")
    return Reply(text, result.get("structuredContent"), result.get("isError") is True)
