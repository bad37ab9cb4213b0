"""Requests over stdio that the SDK cannot read: it drops the line, and whoever sent it waits.

JSON of more than some two hundred levels, a number of thousands of digits, half of a surrogate
pair, a method that is no text: each gets an error under the request's id, where the line still
tells that. Lines that are no request get no answer, as by the SDK.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import mcp.types as types
from pydantic import ValidationError
from pydantic_core import to_json

__all__ = ["NO_REQUEST", "is_encodable", "refusal"]

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:]|[^\s"{}\[\]:,]+', re.DOTALL)
_NUMBER: Final = re.compile(r"-?\d{1,18}")
_HALF: Final = "the call holds half of a surrogate pair, which no UTF-8 text can; mend it"
"""What is said of a text that was cut inside a character, as JavaScript cuts it."""
NO_REQUEST: Final = (
    'a request has "jsonrpc": "2.0", an id that is a number or a text, a method that is a text, '
    "and params, if any, that are an object; mend it"
)


def refusal(line: bytes) -> str | None:
    """The answer to a request that the SDK drops; None for all else."""
    text = line.decode("utf-8", "replace")
    try:
        types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        number = _request(text)
        if number is None:
            return None
        code, message = _reason(text, error)
        answer = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
        return f"{to_json(answer).decode()}\n"
    return None


def _reason(text: str, error: ValidationError) -> tuple[int, str]:
    if _has_half(text):
        return types.INVALID_PARAMS, _HALF
    for problem in error.errors(include_input=False, include_url=False):
        if problem["type"] == "json_invalid":
            return types.PARSE_ERROR, f"the request cannot be read: {problem['msg']}; mend it"
    return types.INVALID_REQUEST, NO_REQUEST


def _has_half(text: str) -> bool:
    """Whether it is JSON but for half of a surrogate pair."""
    try:
        return not is_encodable(json.loads(text))
    except (ValueError, RecursionError):
        return False


def is_encodable(value: Any) -> bool:
    """Whether a JSON value holds no half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _request(text: str) -> int | str | None:
    """The id of what has one and a method, however broken or deep the text is."""
    depth, key, before = 0, "", ""
    found: dict[str, str] = {}
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if depth == 1 and before == ":" and key not in found:
            found[key] = piece
        elif depth == 1 and piece == ":":
            key = before
        if piece in "{[":
            depth += 1
        elif piece in "}]":
            depth -= 1
        before = piece
    number = found.get('"id"', "")
    if '"method"' not in found or '"result"' in found or '"error"' in found:
        return None
    if _NUMBER.fullmatch(number):
        return int(number)
    if not number.startswith('"'):
        return None
    try:
        name = json.loads(number)
        name.encode()
    except ValueError:  # half of a surrogate pair in it too
        return None
    return name
