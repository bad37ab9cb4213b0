"""JSON Schema 2020-12 as a document would print it, from pydantic models.

No generated titles, no class docstrings, no `anyOf … null`, no `default: null`
(design 2: the advertised input schema equals the one printed in the pack's document).
"""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

__all__ = ["input_schema", "output_schema"]


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
