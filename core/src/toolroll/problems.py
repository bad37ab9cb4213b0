"""What is wrong with a call's arguments, in sentences a model can act on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from attrs import frozen
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

__all__ = ["Problem", "parse"]

P = TypeVar("P", bound=BaseModel)

MOST_PROBLEMS: Final = 20
"""Problems told of one call; mending these shows the rest."""
LONGEST_NAME: Final = 200
"""Characters of a location that are repeated to the caller."""


@frozen
class Problem:
    """One thing wrong with the arguments.

    Attributes:
        parameter: The top-level argument at fault; "" where it is none of them.
        message: A full sentence without the value itself, which may be private.
    """

    parameter: str
    message: str


def parse(
    model: type[P],
    schema: Mapping[str, Any],
    arguments: Mapping[str, Any],
    paths: Collection[str] = (),
) -> P | list[Problem]:
    """Validate `arguments` with `model`, or say what is wrong: at most 20 problems, in order.

    Args:
        model: The tool's parameter model.
        schema: The schema advertised for it; the sentences are worded from it.
        arguments: JSON values as they came.
        paths: Parameters whose text the path check judges, with an error of its own.
    """
    try:
        parsed = _validated(model, arguments)
    except ValidationError as error:
        all_found = error.errors(include_url=False, include_context=True, include_input=False)
        found = cast("list[Mapping[str, Any]]", all_found[:MOST_PROBLEMS])
        unknown = [item for item in found if _is_unknown(item)]
        # The arguments that there are stand behind the last that there is not: once is enough.
        told = (_problem(schema, item, hinted=item in unknown[-1:]) for item in found)
        return list(dict.fromkeys(told))  # the members of a union all say the same
    broken = [
        Problem(name, f"{name} holds half of a surrogate pair, which no UTF-8 text can; mend it")
        for name, value in arguments.items()
        if name not in paths and not _is_unicode(value)
    ]
    return broken or parsed


def _validated(model: type[P], arguments: Mapping[str, Any]) -> P:
    """Validate JSON values strictly.

    Pydantic's strict mode wants dates, members of an enumeration, sets and the like ready made of
    Python values, and as JSON has them of JSON text. Few tools take any, so that text comes second.
    """
    try:
        return model.model_validate(arguments)
    except ValidationError as refused:
        try:
            return model.model_validate_json(to_json(arguments))
        except ValidationError as error:
            too_deep = error.errors(include_url=False)[0]["type"] == "json_invalid"
            raise (refused if too_deep else error) from None
        except ValueError:  # half of a surrogate pair, which no text can hold
            raise refused from None


def _is_unicode(value: Any) -> bool:
    """Say whether every text in a JSON value can be encoded; databases and files need it."""
    match value:
        case str():
            try:
                value.encode()
            except UnicodeEncodeError:
                return False
            return True
        case dict():
            items = cast("dict[str, Any]", value)
            return all(_is_unicode(key) and _is_unicode(item) for key, item in items.items())
        case list():
            return all(_is_unicode(item) for item in cast("list[Any]", value))
        case _:
            return True


def _is_unknown(item: Mapping[str, Any]) -> bool:
    return item["type"] == "extra_forbidden" and len(item["loc"]) == 1


def _problem(schema: Mapping[str, Any], item: Mapping[str, Any], *, hinted: bool) -> Problem:
    location: Sequence[str | int] = item["loc"]
    parameter = _shortened(str(location[0])) if location else ""
    where = _shortened(".".join(map(str, location))) or "the arguments"
    known = ", ".join(sorted(schema.get("properties", {})))
    match item["type"]:
        case "missing":
            return Problem(parameter, f"{where} is required")
        case _ if _is_unknown(item):
            hint = f"known arguments: {known}" if known else "this tool takes no arguments"
            end = f"; {hint}" if hinted else ""
            return Problem(parameter, f"unknown argument {where}{end}")
        case "value_error" | "assertion_error":
            return Problem(parameter, f"{where} {item['ctx']['error']}")
        case _:
            reached, there = _followed(schema, location)
            if expected := _expectation(there):
                return Problem(parameter, f"{_shortened(reached)} must be {expected}")
            return Problem(parameter, _own_words(where, item))


def _shortened(name: str) -> str:
    """A caller made the name up, and may have made it long."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _own_words(where: str, item: Mapping[str, Any]) -> str:
    message = str(item["msg"])
    return f"{where}: {message[:1].lower()}{message[1:]}"


def _followed(
    schema: Mapping[str, Any], location: Sequence[str | int]
) -> tuple[str, Mapping[str, Any]]:
    """Follow `location` into the schema as far as it goes; return what was reached, and as what.

    A location goes further than the schema where pydantic names the member of a union in it.
    """
    reached, here = "the arguments", schema
    for done, step in enumerate(location, 1):
        inner = _member(here, step)
        while "$ref" in inner:
            inner = schema["$defs"][inner["$ref"].rsplit("/", 1)[-1]]
        if not inner:
            break
        reached, here = ".".join(map(str, location[:done])), inner
    return reached, here


def _member(schema: Mapping[str, Any], step: str | int) -> Mapping[str, Any]:
    if isinstance(step, int):
        return schema.get("items", {})
    properties: Mapping[str, Any] = schema.get("properties", {})
    others = schema.get("additionalProperties", {})
    return properties.get(step, others if isinstance(others, dict) else {})


_NOUNS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


def _expectation(schema: Mapping[str, Any]) -> str:
    """Say in words what a schema wants: `an integer in [1, 10000]`, `one of "asc", "desc"`."""
    if "enum" in schema:
        return "one of " + ", ".join(f'"{value}"' for value in schema["enum"])
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "anyOf" in schema:
        members = dict.fromkeys(map(_expectation, schema["anyOf"]))
        return " or ".join(members) if all(members) else ""
    kinds: str | Sequence[str] = schema.get("type", "")
    if not isinstance(kinds, str):  # ["integer", "null"]
        return " or ".join(_expectation({**schema, "type": kind}) for kind in kinds)
    noun = _NOUNS.get(kinds, "")
    if not noun or kinds == "null":
        return noun
    if kinds in {"integer", "number"}:
        return f"{noun} {' and '.join(_bounds(schema))}".rstrip()
    shortest, longest = schema.get("minLength"), schema.get("maxLength")
    if shortest is not None or longest is not None:
        noun = f"{noun} of {shortest or 0} to {longest or 'any number of'} characters"
    if "pattern" in schema:
        return f"{noun} matching {schema['pattern']}"
    if "format" in schema:
        return f"{noun} in the format {schema['format']}"
    if schema.get("type") == "array" and "items" in schema:
        fewest, most = schema.get("minItems"), schema.get("maxItems")
        if fewest is not None or most is not None:
            return f"{noun} of {fewest or 0} to {most or 'any number of'} items"
    return noun


_BOUNDS: Final = {
    "minimum": "of at least",
    "maximum": "of at most",
    "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
    "multipleOf": "divisible by",
}


def _bounds(schema: Mapping[str, Any]) -> list[str]:
    """Say what a number has to keep: `of at least 1`, `divisible by 5`."""
    told = [f"{words} {schema[key]}" for key, words in _BOUNDS.items() if key in schema]
    if "minimum" in schema and "maximum" in schema:
        told[:2] = [f"in [{schema['minimum']}, {schema['maximum']}]"]
    return told
