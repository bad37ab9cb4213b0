"""Schemas of servers in other languages, and answers that are none: told, not stumbled over."""

from __future__ import annotations

from typing import Any

import pytest

from toolroll_conformance.generation import invalid_arguments, sample, valid_arguments
from toolroll_conformance.inspection import schema_problem
from toolroll_conformance.legs.results import reply_of
from toolroll_conformance.listing import all_pages
from toolroll_conformance.reply import Malformed
from toolroll_conformance.schemas import parameters, understood

HELD = {"type": "object", "properties": {"in": {"$ref": "#/$defs/Box"}}}
ODD: dict[str, dict[str, Any]] = {
    "holds itself": {
        "type": "object",
        "properties": {"box": {"$ref": "#/$defs/Box"}},
        "required": ["box"],
        "$defs": {"Box": HELD},
    },
    "leads elsewhere": {
        "type": "object",
        "properties": {"a": {"$ref": "https://example.org/a.json"}},
        "required": ["a"],
    },
    "an ECMA pattern": {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^\\p{L}+$"}},
        "patternProperties": {"^\\p{Lu}": {"type": "integer"}},
        "required": ["a"],
    },
    "truths for schemas": {"type": "object", "properties": {"a": True, "b": False, "c": {}}},
    "no schema": {"type": "object", "properties": {"a": {"type": "strin"}}, "required": ["a"]},
    "nothing keeps it": {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 5, "maximum": 3}},
        "required": ["n"],
    },
}


@pytest.mark.parametrize("schema", ODD.values(), ids=list(ODD))
def test_arguments_are_made_of_whatever_schema(schema: dict[str, Any]) -> None:
    assert set(understood(schema).get("required", ())) <= set(sample(schema))
    for arguments in (*valid_arguments(schema, 5), *invalid_arguments(schema, 5)):
        assert isinstance(arguments, dict)
        schema_problem(schema, arguments)


def test_what_is_generated_keeps_a_schema_that_holds_itself() -> None:
    schema = ODD["holds itself"]
    assert not any(schema_problem(schema, item) for item in valid_arguments(schema, 20))
    broken = invalid_arguments(schema, 20)
    assert broken
    assert all(schema_problem(schema, item) for item in broken)


def test_only_what_cannot_be_judged_is_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "pattern": "^a+$", "default": {"pattern": "("}},
            "$ref": {"const": {"$ref": "x"}},
        },
    }
    assert understood(schema) == schema
    assert understood(ODD["no schema"]) == {"type": "object"}
    assert parameters(ODD["an ECMA pattern"]) == {"a": {"type": "string"}}
    assert parameters(ODD["truths for schemas"]) == {"a": {}, "b": {"not": {}}, "c": {}}


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"content": "said"},
        {"content": [None]},
        {"content": [{"text": "said"}]},
        {"content": [{"type": "text", "text": 5}]},
        {"content": [], "isError": "yes"},
    ],
)
def test_an_answer_that_is_none_is_told(result: dict[str, Any]) -> None:
    with pytest.raises(Malformed, match=r"content|isError"):
        reply_of({"jsonrpc": "2.0", "id": 1, "result": result})


def test_an_answer_may_hold_more_than_text() -> None:
    image = {"type": "image", "data": "AAEC", "mimeType": "image/png"}
    said = {"type": "text", "text": "a dot"}
    reply = reply_of({"jsonrpc": "2.0", "id": 1, "result": {"content": [image, said]}})
    assert (reply.text, reply.is_error) == ("a dot", False)


class Lister:
    """Lists one page."""

    def __init__(self, page: dict[str, Any]) -> None:
        self._page = page

    def list_tools(self, cursor: str | None = None) -> dict[str, Any]:
        return self._page


SOUND = {"name": "a", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    "page",
    [
        {},
        {"tools": None},
        {"tools": "a"},
        {"tools": [None]},
        {"tools": [{"name": "a"}]},
        {"tools": [{"inputSchema": {}}]},
        {"tools": [{**SOUND, "description": 5}]},
        {"tools": [SOUND], "nextCursor": 5},
    ],
)
def test_a_listing_that_is_none_is_told(page: dict[str, Any]) -> None:
    with pytest.raises(Malformed, match=r"tool|nextCursor"):
        all_pages(Lister(page))  # type: ignore[arg-type]
    assert all_pages(Lister({"tools": [SOUND]})) == [SOUND]  # type: ignore[arg-type]
