"""Schemas as far as Python can judge by them: servers are written in any language.

Their patterns are ECMA's regular expressions (`\\p{L}`), a reference may lead elsewhere, and what a
stranger lists may be no schema at all, which `tool-schema` tells.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from jsonschema import Draft202012Validator, FormatChecker, SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

__all__ = [
    "check",
    "dead_references",
    "parameters",
    "resolver",
    "understood",
    "validator",
    "without_references",
]

_NO_FORMATS: Final = FormatChecker(())
_BY_NAME: Final = {"properties", "patternProperties", "$defs", "dependentSchemas"}
"""Keywords whose values hold schemas by name."""
_VALUES: Final = {"const", "default", "enum", "examples"}
"""Keywords whose values are no schemas, whatever they look like."""


def understood(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without what cannot be judged here; of what is none, that of any object."""
    return _understood(json.dumps(schema))


def check(schema: Mapping[str, Any]) -> None:
    """Hold a schema to JSON Schema 2020-12, its patterns apart.

    Raises:
        SchemaError: It is none.
    """
    Draft202012Validator.check_schema(schema, format_checker=_NO_FORMATS)


def validator(schema: Mapping[str, Any] | bool) -> Any:
    """Return a validator of what is understood of a schema."""
    return _validator(json.dumps(schema))


def parameters(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the schema of each parameter by its name; `true` and `false` with keywords, too."""
    named: Mapping[str, Any] = understood(schema).get("properties", {})
    return {
        name: ({} if inner else {"not": {}}) if isinstance(inner, bool) else inner
        for name, inner in named.items()
    }


def without_references(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema in which what a reference stands for may be anything."""
    return _changed(dict(schema), lambda key, value: key != "$ref")


def dead_references(schema: Mapping[str, Any]) -> set[str]:
    """Return the references of a schema that lead nowhere inside it."""
    inside = resolver(schema)
    dead: set[str] = set()
    for reference in _references(schema):
        try:
            inside.lookup(reference)
        except Unresolvable:
            dead.add(reference)
    return dead


def resolver(schema: Mapping[str, Any]) -> Any:
    """Return what finds the places that references of a schema lead to."""
    registry: Registry[Any] = Registry()
    return registry.with_resource("", DRAFT202012.create_resource(schema)).resolver()


@functools.lru_cache(maxsize=512)
def _understood(text: str) -> dict[str, Any]:
    schema = json.loads(text)
    try:
        check(schema)
    except SchemaError:
        return {"type": "object"}
    dead = dead_references(schema)

    def is_kept(key: str, value: Any) -> bool:
        return not (key == "pattern" and not _is_known(value)) and not (
            key == "$ref" and value in dead
        )

    return _changed(schema, is_kept)


@functools.lru_cache(maxsize=512)
def _validator(text: str) -> Any:
    schema = json.loads(text)
    return Draft202012Validator(schema if isinstance(schema, bool) else _understood(text))


def _is_known(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _changed(part: Any, is_kept: Callable[[str, Any], bool]) -> Any:
    """Return a schema with those keywords that are kept, and patterns of names that are known."""
    if isinstance(part, list):
        return [_changed(item, is_kept) for item in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    result: dict[str, Any] = {}
    for key, value in cast("dict[str, Any]", part).items():
        if key in _BY_NAME:
            result[key] = {
                name: _changed(inner, is_kept)
                for name, inner in value.items()
                if key != "patternProperties" or _is_known(name)
            }
        elif key in _VALUES:
            result[key] = value
        elif is_kept(key, value):
            result[key] = _changed(value, is_kept)
    return result


def _references(value: Any) -> Iterator[str]:
    match value:
        case {"$ref": str(reference), **rest}:
            yield reference
            yield from _references(rest)
        case dict():
            for item in cast("dict[str, Any]", value).values():
                yield from _references(item)
        case list():
            for item in cast("list[Any]", value):
                yield from _references(item)
        case _:
            return
