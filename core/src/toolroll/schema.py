"""JSON Schema 2020-12 as a document would print it, from pydantic models.

No generated titles, no class docstrings, no `anyOf … null`, no `default: null`
(design 2: the advertised input schema equals the one printed in the pack's document).
"""

from __future__ import annotations

from typing import Any

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
    schema = params.model_json_schema(schema_generator=_PlainJsonSchema)
    schema.setdefault("properties", {})
    return schema


def output_schema(returns: Any) -> tuple[dict[str, Any], bool]:
    """Return the schema of `structuredContent` for a result type, and whether it is wrapped.

    Arrays and texts travel as `{"result": …}`: the 2025 protocol allows objects only.
    """
    mode: JsonSchemaMode = "serialization"
    schema = TypeAdapter[Any](returns).json_schema(schema_generator=_PlainJsonSchema, mode=mode)
    if _is_object(schema):
        return schema, False
    definitions = schema.pop("$defs", None)
    wrapped: dict[str, Any] = {
        "type": "object",
        "properties": {"result": schema},
        "required": ["result"],
    }
    if definitions:
        wrapped["$defs"] = definitions
    return wrapped, True


def _is_object(schema: dict[str, Any]) -> bool:
    root = schema
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema.get("type") == "object"
