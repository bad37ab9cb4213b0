"""Parameter models: strict at run time, and advertised exactly as a document would print them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, ValidationError
from typing_extensions import TypedDict

import toolroll
from toolroll.schema import advertised, input_schema, is_plain, output_schema


class Filter(BaseModel):
    """A docstring for developers."""

    language: str
    depth: int | None = None


class Search(toolroll.Params):
    """A docstring for developers."""

    query: str = Field(min_length=1, max_length=500, description="What to look for")
    limit: int = Field(default=10, ge=1, le=100)
    offset: int | None = Field(default=None, ge=0)
    ratio: float = 0.5
    exact: bool = False
    order: Literal["asc", "desc"] = "asc"
    tags: list[str] = Field(default=[], max_length=5)
    filters: Filter | None = None
    path: toolroll.ProjectPath = "."
    key: Annotated[str | None, toolroll.Private] = None


class Either(toolroll.Params):
    target: str | int


class Nothing(toolroll.Params):
    pass


class Nullable(toolroll.Params):
    required_or_null: str | None


class Row(BaseModel):
    id: int
    note: str | None = None


class Shape(TypedDict):
    id: int


def test_the_schema_is_what_a_document_prints() -> None:
    assert input_schema(Search) == {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": 500,
                "description": "What to look for",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "offset": {"type": "integer", "minimum": 0},
            "ratio": {"type": "number", "default": 0.5},
            "exact": {"type": "boolean", "default": False},
            "order": {"type": "string", "enum": ["asc", "desc"], "default": "asc"},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5, "default": []},
            "filters": {
                "type": "object",
                "properties": {
                    "language": {"type": "string"},
                    "depth": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                },
                "required": ["language"],
            },
            "path": {"type": "string", "default": "."},
            "key": {"type": "string"},
        },
        "required": ["query"],
        "additionalProperties": False,
    }


class Node(BaseModel):
    name: str
    children: list[Node]


def test_only_a_type_that_holds_itself_keeps_a_reference() -> None:
    tree, wrapped = output_schema(list[Node])
    assert wrapped
    validator = Draft202012Validator(tree)
    leaf = {"name": "leaf", "children": []}
    assert validator.is_valid({"result": [{"name": "root", "children": [leaf]}]})
    assert not validator.is_valid({"result": [{"name": "root", "children": [{"name": 3}]}]})


def test_a_tool_without_arguments_still_has_an_object_schema() -> None:
    assert input_schema(Nothing) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_a_union_is_advertised_as_one() -> None:
    target = input_schema(Either)["properties"]["target"]
    assert target == {"anyOf": [{"type": "string"}, {"type": "integer"}]}


def test_null_stays_where_the_field_has_no_default() -> None:
    assert input_schema(Nullable)["properties"]["required_or_null"] == {
        "anyOf": [{"type": "string"}, {"type": "null"}]
    }
    assert Nullable.model_validate({"required_or_null": None}).required_or_null is None


def test_an_absent_optional_argument_is_none() -> None:
    parsed = Search.model_validate({"query": "x"})
    assert (parsed.offset, parsed.filters, parsed.key) == (None, None, None)


@pytest.mark.parametrize("name", ["offset", "filters", "key"])
def test_an_explicit_null_is_refused_for_an_optional_argument(name: str) -> None:
    with pytest.raises(ValidationError):
        Search.model_validate({"query": "x", name: None})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", True),
        ("limit", "5"),
        ("limit", 5.0),
        ("exact", 1),
        ("exact", "true"),
        ("ratio", "0.5"),
        ("ratio", True),
        ("query", 5),
        ("query", ["x"]),
        ("tags", "x"),
        ("tags", {"0": "x"}),
        ("filters", "x"),
        ("order", "ASC"),
    ],
)
def test_nothing_is_coerced(name: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        Search.model_validate({"query": "x", name: value})


def test_a_whole_number_is_a_number() -> None:
    assert Search.model_validate({"query": "x", "ratio": 1}).ratio == 1.0


def test_unknown_arguments_are_refused() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Search.model_validate({"query": "x", "limits": 5})


def test_parsed_arguments_cannot_be_changed() -> None:
    parsed = Search.model_validate({"query": "x"})
    with pytest.raises(ValidationError, match="frozen"):
        parsed.query = "y"  # type: ignore[misc]


def test_a_model_result_is_its_own_object() -> None:
    schema, wrapped = output_schema(Row)
    assert not wrapped
    assert schema == {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["id"],
    }


def test_a_typed_dict_result_is_its_own_object() -> None:
    schema, wrapped = output_schema(Shape)
    assert not wrapped
    assert schema["properties"] == {"id": {"type": "integer"}}


def test_a_list_result_travels_in_an_object() -> None:
    schema, wrapped = output_schema(list[Row])
    assert wrapped
    assert schema["properties"]["result"] == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
            "required": ["id"],
        },
    }


def test_a_markdown_result_travels_in_an_object() -> None:
    assert output_schema(toolroll.Markdown) == (
        {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]},
        True,
    )


@pytest.mark.parametrize(
    ("kind", "plain"),
    [
        (str, True),
        (list[int], True),
        (dict[str, list[bool | None]], True),
        (Literal["a", "b"], True),
        (float, False),
        (list[float | None], False),
        (dict[str, Any], False),
        (list[Any], False),
        (dict[str, float], False),
        (list[Node], False),
    ],
)
def test_a_plain_type_holds_nothing_that_json_does_not_know(kind: Any, plain: bool) -> None:
    assert is_plain(output_schema(kind)[0]) is plain


def test_the_first_item_of_a_list_stands_for_all_where_clients_look() -> None:
    class Row(BaseModel):
        items: list[str]
        notes: dict[str, list[int]]

    class Table(BaseModel):
        rows: Annotated[list[Row] | None, Field(description="Rows.")]

    whole, _ = output_schema(Table)
    shown = advertised(whole)
    text = {"type": "array", "items": {"type": "string"}}
    assert whole["properties"]["rows"]["anyOf"][0]["items"]["properties"]["items"] == text
    like = "All items are like the first."
    assert shown["properties"]["rows"] == {
        "description": "Rows.",
        "anyOf": [
            {
                "type": "array",
                "description": like,
                "prefixItems": [
                    {
                        "type": "object",
                        "required": ["items", "notes"],
                        "properties": {
                            "items": {
                                "type": "array",
                                "prefixItems": [{"type": "string"}],
                                "description": like,
                            },
                            "notes": {
                                "type": "object",
                                "additionalProperties": {
                                    "type": "array",
                                    "prefixItems": [{"type": "integer"}],
                                    "description": like,
                                },
                            },
                        },
                    }
                ],
            },
            {"type": "null"},
        ],
    }
    assert advertised(shown) == shown
    assert advertised({"items": {}, "type": "array", "description": "Some."}) == {
        "type": "array",
        "prefixItems": [{}],
        "description": f"Some. {like}",
    }
