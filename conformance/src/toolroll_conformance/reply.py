"""What comes back from a server: the answer to a call, or a protocol error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from attrs import frozen

__all__ = [
    "Malformed",
    "NoReply",
    "ProtocolError",
    "Reply",
    "ServerGone",
    "as_object",
    "brief",
    "parse_json",
    "same_json",
]


class ProtocolError(Exception):
    """A JSON-RPC error instead of a result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"JSON-RPC error {code}: {message}")
        self.code = code
        self.message = message
        self.data = data


class Malformed(ProtocolError):
    """A result that MCP's schema of it refuses."""

    def __init__(self, message: str) -> None:
        super().__init__(0, message)
        self.args = (message,)


class NoReply(Exception):
    """No answer came in time."""


class ServerGone(Exception):
    """The server process ended, or its connection broke, before it answered."""


@frozen
class Reply:
    """The answer to one `tools/call`, as it came over the wire.

    Attributes:
        text: The text content; "" where there was none.
        structured: `structuredContent`, or None.
        is_error: Whether the call failed.
        code: The error code where the way in shows one that the payload doesn't (in process).
        deeds: What the call did to the process, as far as it is noticed (in process).
    """

    text: str
    structured: Any
    is_error: bool
    code: str | None = None
    deeds: tuple[str, ...] = ()

    @property
    def payload(self) -> Any:
        """The text content as JSON; Markdown and other text as it is."""
        try:
            return parse_json(self.text)
        except ValueError:
            return self.text

    @property
    def error_code(self) -> str | None:
        """The code of an error answer; None for a success, or where the envelope has none."""
        if not self.is_error:
            return None
        code = (as_object(self.payload) or {}).get("code")
        return code if isinstance(code, str) else self.code

    def brief(self) -> str:
        """Return the answer on one line, short enough for a report."""
        text = (
            self.text if len(self.text) <= 600 else f"{self.text[:600]}… ({len(self.text)} chars)"
        )
        return f"{'error' if self.is_error else 'answer'} {text}"


def parse_json(text: str) -> Any:
    """Parse JSON as RFC 8259 has it.

    Raises:
        ValueError: It is none; `NaN` and infinities, which Python would take, are none either.
    """
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def as_object(value: Any) -> dict[str, Any] | None:
    """Return a JSON value if it is an object, else None."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def same_json(one: Any, other: Any) -> bool:
    """Say whether two JSON values are equal, `1`, `1.0` and `true` being three different ones."""
    return _canonical(one) == _canonical(other)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def brief(arguments: Mapping[str, Any]) -> str:
    """Return arguments on one line, short enough for a report."""
    text = ascii(dict(arguments))
    return text if len(text) <= 300 else f"{text[:300]}… ({len(text)} characters)"
