"""Generated calls that a host must refuse: bad arguments, and paths that try to get out."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TEXTS = [
    *("", " ", "x", "nul\x00", "bell\x07", "\u202eabc", "\ufeff", "é" * 300, "x" * 100_000, "%s%n"),
    *("'; DROP TABLE entry; --", "{{7*7}}", "${HOME}", "$(id)", "`id`", "../..", "null", "NaN"),
    *("\U0001f600", "\\ud800", "</script>", "-1", "1e999", "true", "[]", "{}", "\r\n", "\t"),
]
NUMBERS = [0, -1, 1, 2**31, -(2**63), 2**63, 10**30, 0.5, -0.0, 1e308, True, False]
SEGMENTS = [
    *("..", ".", "", " ", "~", "file.txt", "sub", "out", "out_file", "secret.txt", "loop", "C:"),
    *("outside", "%2e%2e", "..%2f", "....", "con", "nul\x00", "\n", "\u2215", "\uff0e\uff0e", "in"),
    "n" * 300,
]
STARTS = ["", "/", "//", "\\", "\\\\?\\", "C:\\", "./", "../", "file:///", "~/", "{outside}/"]


def valid(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
    """Return some value that a schema takes."""
    while "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        return valid(schema["anyOf"][0], whole)
    kind = schema.get("type", "string")
    match kind if isinstance(kind, str) else kind[0]:
        case "object":
            needed = schema.get("required", ())
            return {name: valid(schema["properties"][name], whole) for name in needed}
        case "array":
            return [valid(schema.get("items", {}), whole)] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return "x" * max(schema.get("minLength", 1), 1)


def junk(dice: random.Random, depth: int = 3) -> Any:
    """Return any JSON value."""
    kind = dice.randrange(7 if depth else 4)
    if kind == 0:
        return None
    if kind == 1:
        return dice.choice(NUMBERS)
    if kind in (2, 3):
        return dice.choice(TEXTS)
    if kind == 4:
        return {dice.choice(TEXTS)[:50]: junk(dice, depth - 1) for _ in range(dice.randrange(3))}
    if kind == 5:
        return [junk(dice, depth - 1) for _ in range(dice.randrange(4))]
    nested: Any = "bottom"
    for _ in range(dice.choice([10, 90, 150])):
        nested = [nested] if dice.random() < 0.5 else {"a": nested}
    return nested


def bad_arguments(dice: random.Random, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with something wrong in most of them."""
    names = list(schema.get("properties", {}))
    arguments = valid(schema, schema)
    for _ in range(dice.randrange(1, 4)):
        match dice.randrange(4):
            case 0 if arguments:
                arguments.pop(dice.choice(list(arguments)))
            case 1 | 2 if names:
                arguments[dice.choice(names)] = junk(dice)
            case _:
                arguments[dice.choice(TEXTS) or "extra"] = junk(dice)
    return arguments


def hostile_path(dice: random.Random, outside: Path) -> str:
    """Return a path that tries to get out."""
    separator = dice.choice(["/", "\\", "//", "/./"])
    parts = [dice.choice(SEGMENTS) for _ in range(dice.randrange(1, 7))]
    return dice.choice(STARTS).format(outside=outside) + separator.join(parts)


def path_parameters(tools: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    """Return every parameter that names a path, marked or by its name."""
    found: list[tuple[dict[str, Any], str]] = []
    for tool in tools:
        for name in tool["inputSchema"].get("properties", {}):
            if name in tool["project_paths"] or "path" in name:
                found.append((tool, name))
    return found


def bad_calls(
    dice: random.Random, tools: list[dict[str, Any]], count: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Generate calls, the tools in turn."""
    for tool in itertools.islice(itertools.cycle(tools), count):
        yield tool["name"], bad_arguments(dice, tool["inputSchema"])


def path_calls(
    dice: random.Random, tools: list[dict[str, Any]], count: int, outside: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Generate calls that are right but for one path, the path parameters in turn."""
    for tool, name in itertools.islice(itertools.cycle(path_parameters(tools)), count):
        schema = tool["inputSchema"]
        yield tool["name"], {**valid(schema, schema), name: hostile_path(dice, outside)}
