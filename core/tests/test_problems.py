"""What is wrong with arguments, said in sentences a model can act on."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

import toolroll
from toolroll.problems import LONGEST_NAME, MOST_PROBLEMS, Problem, parse
from toolroll.schema import input_schema


class Inner(BaseModel):
    depth: int = Field(ge=0)
    width: int | None = Field(default=None, le=9)


class Other(BaseModel):
    name: str


class Arguments(toolroll.Params):
    text: str = Field(min_length=1, max_length=100)
    limit: int = Field(default=5, ge=1, le=50)
    least: int = Field(default=5, ge=1)
    most: int = Field(default=5, le=50)
    order: Literal["asc", "desc"] = "asc"
    code: str = Field(default="aa", pattern="^[a-z]+$")
    items: list[int] = Field(default=[], max_length=3)
    plain: list[int] = Field(default=[])
    inner: Inner | None = None
    flag: bool = False
    table: dict[str, int] = Field(default={})
    either: int | str = 0
    shape: Inner | Other = Other(name="x")
    even: int = 0

    @field_validator("even")
    @classmethod
    def is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("must be even")
        return value


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Rich(toolroll.Params):
    day: date | None = None
    at: datetime | None = None
    colour: Colour | None = None
    number: UUID | None = None
    names: set[str] | None = None
    pair: tuple[int, int] | None = None
    money: Decimal | None = None
    by_number: dict[int, bool] | None = None
    name: str | None = Field(default=None, max_length=4, pattern="^a")
    above: float | None = Field(default=None, gt=0)
    between: int | None = Field(default=None, gt=0, lt=10)
    even: int | None = Field(default=None, ge=0, le=8, multiple_of=2)


class Nothing(toolroll.Params):
    pass


def problems(arguments: dict[str, Any], model: type[toolroll.Params] = Arguments) -> list[Problem]:
    found = parse(model, input_schema(model), arguments)
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("arguments", "parameter", "sentence"),
    [
        ({}, "text", "text is required"),
        ({"text": 1}, "text", "text must be a string of 1 to 100 characters"),
        ({"text": ""}, "text", "text must be a string of 1 to 100 characters"),
        ({"text": "x", "limit": 0}, "limit", "limit must be an integer in [1, 50]"),
        ({"text": "x", "limit": True}, "limit", "limit must be an integer in [1, 50]"),
        ({"text": "x", "least": 0}, "least", "least must be an integer of at least 1"),
        ({"text": "x", "most": 51}, "most", "most must be an integer of at most 50"),
        ({"text": "x", "order": "up"}, "order", 'order must be one of "asc", "desc"'),
        ({"text": "x", "code": "A"}, "code", "code must be a string matching ^[a-z]+$"),
        ({"text": "x", "items": [1] * 4}, "items", "items must be an array of 0 to 3 items"),
        ({"text": "x", "plain": 1}, "plain", "plain must be an array"),
        ({"text": "x", "plain": [1, "x"]}, "plain", "plain.1 must be an integer"),
        ({"text": "x", "inner": {}}, "inner", "inner.depth is required"),
        ({"text": "x", "inner": None}, "inner", "inner must be an object"),
        (
            {"text": "x", "inner": {"depth": -1}},
            "inner",
            "inner.depth must be an integer of at least 0",
        ),
        (
            {"text": "x", "inner": {"depth": 1, "width": "x"}},
            "inner",
            "inner.width must be an integer of at most 9 or null",
        ),
        ({"text": "x", "flag": 1}, "flag", "flag must be true or false"),
        ({"text": "x", "either": []}, "either", "either must be an integer or a string"),
        ({"text": "x", "table": {"a": "b"}}, "table", "table.a must be an integer"),
        ({"text": "x", "even": 3}, "even", "even must be even"),
    ],
)
def test_the_sentence_says_what_is_expected(
    arguments: dict[str, Any], parameter: str, sentence: str
) -> None:
    assert problems(arguments) == [Problem(parameter, sentence)]


def test_an_unknown_argument_is_named_with_the_known_ones() -> None:
    [problem] = problems({"text": "x", "lines": 5})
    assert problem.parameter == "lines"
    assert problem.message.startswith("unknown argument lines; known arguments: code, either, even")


def test_the_known_arguments_are_told_once() -> None:
    first, second = problems({"text": "x", "lines": 5, "rows": 5})
    assert first.message == "unknown argument lines"
    assert second.message.startswith("unknown argument rows; known arguments: code, either, even")


def test_a_tool_without_arguments_says_so() -> None:
    [problem] = problems({"x": 1}, Nothing)
    assert problem.message == "unknown argument x; this tool takes no arguments"


def test_a_value_of_no_member_of_a_union_of_models_is_told_member_by_member() -> None:
    found = problems({"text": "x", "shape": {}})
    assert [problem.message for problem in found] == [
        "shape.Inner.depth is required",
        "shape.Other.name is required",
    ]


def test_valid_arguments_become_the_model() -> None:
    parsed = parse(Arguments, input_schema(Arguments), {"text": "x", "limit": 7})
    assert isinstance(parsed, Arguments)
    assert parsed.limit == 7


def test_an_invented_name_is_repeated_in_part_only() -> None:
    [problem] = problems({"x" * 1_000_000: 1}, Nothing)
    assert len(problem.message) < LONGEST_NAME + 100


def test_only_the_first_problems_are_told() -> None:
    found = problems({"text": "x", "plain": ["wrong"] * 10_000})
    assert len(found) == MOST_PROBLEMS
    assert found[0].message == "plain.0 must be an integer"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(
    st.dictionaries(
        st.sampled_from([*Arguments.model_fields]) | st.text(max_size=8), json_values, max_size=6
    )
)
def test_any_arguments_are_either_valid_or_explained(arguments: dict[str, Any]) -> None:
    found = parse(Arguments, input_schema(Arguments), arguments)
    if isinstance(found, list):
        assert found
        assert all(problem.message for problem in found)
        assert len(found) <= MOST_PROBLEMS
    else:
        assert isinstance(found, Arguments)


def test_half_a_surrogate_pair_is_refused_wherever_it_hides() -> None:
    """No database or file could hold it; a path is left to the path check, which says more."""

    class Deep(toolroll.Params):
        path: str = ""
        value: dict[str, list[str]] = Field(default_factory=dict)

    schema = input_schema(Deep)
    found = parse(Deep, schema, {"path": "\ud800", "value": {"a": ["\udfff"]}}, ("path",))
    assert [problem.parameter for problem in found] == ["value"]
    found = parse(Deep, schema, {"value": {"\ud800": []}})
    assert [problem.parameter for problem in found] == ["value"]
    assert parse(Deep, schema, {"value": {"a": ["\U0001f600"]}}) == Deep(value={"a": ["😀"]})


@pytest.mark.parametrize(
    ("name", "sent", "got"),
    [
        ("day", "2026-01-31", date(2026, 1, 31)),
        ("at", "2026-01-31T12:00:00Z", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("colour", "red", Colour.RED),
        (
            "number",
            "12345678-1234-5678-1234-567812345678",
            UUID("12345678-1234-5678-1234-567812345678"),
        ),
        ("names", ["a", "b"], {"a", "b"}),
        ("pair", [1, 2], (1, 2)),
        ("money", "1.50", Decimal("1.50")),
        ("by_number", {"1": True}, {1: True}),
    ],
)
def test_types_that_json_has_no_value_of_are_read_as_json_has_them(
    name: str, sent: Any, got: Any
) -> None:
    parsed = parse(Rich, input_schema(Rich), {name: sent})
    assert isinstance(parsed, Rich)
    assert getattr(parsed, name) == got


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"day": "yesterday"}, "day must be a string in the format date"),
        ({"day": 5}, "day must be a string in the format date"),
        ({"at": 5}, "at must be a string in the format date-time"),
        ({"colour": "green"}, 'colour must be one of "red", "blue"'),
        ({"pair": [1]}, "pair.1 is required"),
        ({"pair": ["1", 2]}, "pair must be an array"),
        ({"name": "b"}, "name must be a string of 0 to 4 characters matching ^a"),
        ({"above": 0}, "above must be a number above 0"),
        ({"between": "5"}, "between must be an integer above 0 and below 10"),
        ({"even": 3}, "even must be an integer in [0, 8] and divisible by 2"),
        ({"day": "2026-01-31", "pair": []}, "pair.0 is required"),
    ],
)
def test_what_they_refuse_is_said_as_the_schema_has_it(
    arguments: dict[str, Any], sentence: str
) -> None:
    assert problems(arguments, Rich)[0].message == sentence


def test_arguments_that_no_json_text_can_hold_are_told_all_the_same() -> None:
    nested: list[Any] = []
    for _ in range(300):
        nested = [nested]
    for odd in (nested, "half \ud83d"):
        assert problems({"text": "x", "flag": odd})[0].message == "flag must be true or false"
