"""What a call answers: a result or an error as JSON or Markdown, bounded, always encodable."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, cast

from attrs import frozen
from pydantic_core import from_json

from toolroll.errors import OutputTooLarge, ToolError

if TYPE_CHECKING:
    from toolroll.tools import Tool

__all__ = ["Answer", "encodable", "failure", "success"]

# Made once: json.dumps would make one for every answer.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


@frozen
class Answer:
    """The answer to a call.

    Attributes:
        text: The document's payload as JSON, or Markdown; always encodable as UTF-8.
        json: The same as the text of a JSON object.
        code: "" for a success, else the code in the pack's contract.
    """

    text: str
    json: str
    code: str = ""

    @property
    def structured(self) -> dict[str, Any]:
        """`json` as a value."""
        return from_json(self.json)

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return bool(self.code)


def success(tool: Tool, value: Any, bound: int) -> Answer:
    """Return the answer that holds what a handler returned.

    Args:
        tool: The tool that was called.
        value: The handler's result.
        bound: Most characters of its text.

    Raises:
        OutputTooLarge: The text is longer.
        TypeError, ValueError: The value can't be what the tool says it returns.
    """
    contract = tool.contract
    text = _markdown(tool, value) if contract.markdown else _json_of(tool, value)
    if len(text) > bound:
        raise OutputTooLarge(
            f"the answer has {len(text)} characters, more than {bound}; ask for less: a "
            "smaller limit with an offset, a narrower filter, or a part of the file"
        )
    if not contract.wrapped:
        return Answer(text, text)
    return Answer(text, f'{{"result":{_json(text) if contract.markdown else text}}}')


def failure(tool: Tool, error: ToolError) -> Answer:
    """Return the answer that says what went wrong, in the envelope of the tool's pack."""
    code = tool.pack.code_of(error)
    text = _encodable_json(tool.pack.envelope.render(error, code))
    return Answer(text, text, code)


def _markdown(tool: Tool, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{tool.name} returned {type(value).__name__}, not Markdown")
    return encodable(str(value))


def _json_of(tool: Tool, value: Any) -> str:
    """Return a result as JSON text: in one step where its type holds nothing that JSON doesn't."""
    if isinstance(value, Iterator):  # read once, it would be empty the second time
        raise TypeError(f"{tool.name} returned {_kind(value)}; return what it yields")
    if tool.is_plain:
        with contextlib.suppress(ValueError):  # a surrogate, or not of the type: looked at below
            return _object(tool, value, tool.adapter.dump_json(value, warnings="error").decode())
    text = _encodable_json(tool.adapter.dump_python(value, mode="json", warnings=False))
    if tool.is_plain:
        _check(tool, text)
    return _object(tool, value, text)


def _object(tool: Tool, value: Any, text: str) -> str:
    """Return a JSON text, which is that of an object where nothing wraps it."""
    if not tool.contract.wrapped and not text.startswith("{"):
        raise TypeError(f"{tool.name} returned {_kind(value)}, which is no object")
    return text


def _check(tool: Tool, text: str) -> None:
    """Refuse what only looks like the result; a dictionary may well be one."""
    from jsonschema import Draft202012Validator  # seldom needed, and start-up is short

    value = from_json(text)
    validator: Any = Draft202012Validator(tool.contract.output_schema)
    for error in validator.iter_errors({"result": value} if tool.contract.wrapped else value):
        where = ".".join(map(str, error.absolute_path)) or "the result"
        raise TypeError(
            f"{tool.name} returned what its schema refuses: {error.validator} of {where}"
        )


def _kind(value: Any) -> str:
    return type(value).__name__


def _encodable_json(value: Any) -> str:
    text = _json(value)
    return text if _is_encodable(text) else _json(_clean(value))


def _json(value: Any) -> str:
    """Return JSON text; a NaN or infinity is a defect of the pack, not a null."""
    return _ENCODER.encode(value)


def encodable(text: str) -> str:
    """Return a text as UTF-8 can hold it: a lone surrogate is written out as `\\udcff`."""
    return text if _is_encodable(text) else _visible(text)


def _is_encodable(text: str) -> bool:
    """Say whether a text holds no lone surrogate: a single one kills the SDK's stdio writer."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _visible(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _clean(value: Any) -> Any:
    """Return a JSON value with every lone surrogate written out as `\\udcff`."""
    match value:
        case str():
            return _visible(value)
        case dict():
            items = cast("dict[str, Any]", value)
            return {_visible(key): _clean(item) for key, item in items.items()}
        case list():
            return [_clean(item) for item in cast("list[Any]", value)]
        case _:
            return value
