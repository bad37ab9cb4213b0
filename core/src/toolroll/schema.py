"""JSON Schema 2020-12 as a document would print it, from pydantic models.

No generated titles, no class docstrings, no `anyOf … null`, no `default: null`
(design 2: the advertised input schema equals the one printed in the pack's document).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

__all__ = ["advertised", "input_schema", "is_plain", "output_schema"]


class _PlainJsonSchema(GenerateJsonSchema):
    """Pydantic's generator without what no document prints."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return _plain(super().model_schema(schema))

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return _plain(super().typed_dict_schema(schema))

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        result = super().default_schema(schema)
        if result.get("default", ...) is None:
            del result["default"]
        return result


def _plain(schema: JsonSchemaValue) -> JsonSchemaValue:
    schema.pop("title", None)
    schema.pop("description", None)  # the class docstring speaks to developers, not to models
    return schema


def input_schema(params: type[BaseModel]) -> dict[str, Any]:
    """Return the schema that `params` validates, an object with unknown names refused."""
    schema = _inlined(params.model_json_schema(schema_generator=_PlainJsonSchema))
    schema.setdefault("properties", {})
    return schema


def output_schema(returns: Any) -> tuple[dict[str, Any], bool]:
    """Return the schema of `structuredContent` for a result type, and whether it is wrapped.

    Arrays and texts travel as `{"result": …}`: the 2025 protocol allows objects only.
    """
    mode: JsonSchemaMode = "serialization"
    adapter = TypeAdapter[Any](returns)
    schema = _inlined(adapter.json_schema(schema_generator=_PlainJsonSchema, mode=mode))
    if schema.get("type") == "object":
        return schema, False
    wrapped: dict[str, Any] = {
        "type": "object",
        "properties": {"result": schema},
        "required": ["result"],
    }
    if "$defs" in schema:
        wrapped["$defs"] = schema.pop("$defs")
    return wrapped, True


def is_plain(schema: Mapping[str, Any]) -> bool:
    """Say whether values of a schema are texts, integers and truths alone, and what holds them.

    Then every one of them is a JSON value; a number could be NaN, and anything could be anything.
    """
    match schema:
        case {"anyOf": [*members]}:
            return all(map(is_plain, members))
        case {"type": "object"}:
            others = schema.get("additionalProperties", False)
            inside = [*schema.get("properties", {}).values()]
            return all(map(is_plain, inside)) and (not others or is_plain(_mapping(others)))
        case {"type": "array", "items": {} as items}:
            return is_plain(_mapping(items))
        case {"type": "string" | "integer" | "boolean" | "null"}:
            return True
        case _:
            return False


def advertised(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output schema as clients get it: the first item of an array stands for all.

    Clients check every answer. In Python that takes them some 4 µs for each field of each item,
    several times what the whole call takes where a list is long. An answer is held to the full
    schema by the conformance suite, so that a client needs no more than a sample.
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        match key:
            case "properties" | "$defs":
                result[key] = {name: advertised(part) for name, part in value.items()}
            case "anyOf" | "oneOf" | "allOf":
                result[key] = [advertised(part) for part in value]
            case "additionalProperties" if isinstance(value, dict):
                result[key] = advertised(_mapping(value))
            case "items" if isinstance(value, dict) and "prefixItems" not in schema:
                result["prefixItems"] = [advertised(_mapping(value))]
            case _:
                result[key] = value
    if "prefixItems" in result and "prefixItems" not in schema:
        said = [schema["description"]] if "description" in schema else []
        result["description"] = " ".join([*said, "All items are like the first."])
    return result


def _mapping(schema: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", schema) if isinstance(schema, dict) else {}


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Put what each `$ref` names in its place; only types that hold themselves keep theirs.

    Clients validate each answer, and a reference costs them as much for each item of a list as
    a part of the item does; some clients know no references at all.
    """
    definitions = schema.get("$defs", {})
    recursive = False

    def inlined(part: Any, inside: tuple[str, ...]) -> Any:
        nonlocal recursive
        if isinstance(part, list):
            return [inlined(item, inside) for item in cast("list[Any]", part)]
        if not isinstance(part, dict):
            return part
        here = cast("dict[str, Any]", part)
        if "$ref" not in here:
            return {name: inlined(value, inside) for name, value in here.items()}
        name = str(here["$ref"]).rsplit("/", 1)[-1]
        if name in inside:
            recursive = True
            return here
        beside = {key: value for key, value in here.items() if key != "$ref"}
        return inlined(definitions[name] | beside, (*inside, name))

    result = inlined({name: value for name, value in schema.items() if name != "$defs"}, ())
    if recursive:
        result["$defs"] = definitions
    return result
