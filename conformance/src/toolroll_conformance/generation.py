"""Arguments made from a schema: valid ones, and ones that break it.

They are generated once, always the same for a schema, and then sent: what a server does with one
call must not steer which calls follow. Hypothesis reads modules and parses their source: a run has
all of it done before threads import or parse anything else (`Check.prepare`).
"""

from __future__ import annotations

import contextlib
import functools
import json
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from hypothesis_jsonschema import from_schema  # pyright: ignore[reportUnknownVariableType]

from toolroll_conformance.schemas import parameters, understood, validator, without_references

__all__ = ["invalid_arguments", "sample", "valid_arguments"]

Arguments = dict[str, Any]

_SIMPLE: Final[Mapping[str, Any]] = {
    "array": [],
    "boolean": True,
    "integer": 1,
    "null": None,
    "number": 1,
    "object": {},
}
_UNKNOWN: Final = "no_such_argument"
_LONGEST_TEXT: Final = 3 * 2**20
"""Longer texts are not sent: a host may bound the size of a request."""
_generating: Final = threading.Lock()
"""Before 3.11.8 and 3.12.2 Python can't parse in two threads at once."""
_JSON: Final[st.SearchStrategy[Any]] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def valid_arguments(schema: Mapping[str, Any], count: int) -> tuple[Arguments, ...]:
    """Return arguments that a schema allows; fewer where there are not so many."""
    return _generated(json.dumps(schema), count, valid=True)


def invalid_arguments(schema: Mapping[str, Any], count: int) -> tuple[Arguments, ...]:
    """Return arguments that break a schema: each bound by one, each type, then at random."""
    return (*_systematic(schema), *_generated(json.dumps(schema), count, valid=False))


def sample(schema: Mapping[str, Any]) -> Arguments:
    """Return the simplest arguments that a schema allows."""
    required = set(schema.get("required", ()))
    found = valid_arguments(schema, 20) or (_by_hand(schema),)
    return min(found, key=lambda item: (len(set(item) - required), len(json.dumps(item))))


def _by_hand(schema: Mapping[str, Any]) -> Arguments:
    """Return something for each required argument, where nothing can be generated."""
    named = parameters(schema)
    kinds = {name: named.get(name, {}).get("type") for name in schema.get("required", ())}
    return {
        name: _SIMPLE.get(kind, "x") if isinstance(kind, str) else "x"
        for name, kind in kinds.items()
    }


def _systematic(schema: Mapping[str, Any]) -> Iterator[Arguments]:
    """Yield simple arguments with one thing wrong: every bound, type and requirement in turn."""
    base = sample(schema)
    keeps = validator(schema)
    broken: list[Arguments] = [{**base, _UNKNOWN: 1}]
    for name in schema.get("required", ()):
        broken.append({key: value for key, value in base.items() if key != name})
    for name, inner in parameters(schema).items():
        broken += [{**base, name: value} for value in _wrong_values(inner)]
    yield from (item for item in broken if not keeps.is_valid(item))


def _wrong_values(schema: Mapping[str, Any]) -> list[Any]:
    values: list[Any] = [None, True, 0, 1.5, "", "1", [], {}, [None], {"a": None}]
    values += [schema[key] - 1 for key in ("minimum", "exclusiveMinimum") if key in schema]
    values += [schema[key] + 1 for key in ("maximum", "exclusiveMaximum") if key in schema]
    if (shortest := schema.get("minLength", 0)) > 0:
        values.append("x" * (shortest - 1))
    if (longest := schema.get("maxLength", _LONGEST_TEXT)) < _LONGEST_TEXT:
        values.append("x" * (longest + 1))
    values += [f"no_{value}" for value in schema.get("enum", ())]
    return values


def _generated(text: str, count: int, *, valid: bool) -> tuple[Arguments, ...]:
    with _generating:
        return _generated_once(text, count, valid=valid)


@functools.lru_cache(maxsize=256)
def _generated_once(text: str, count: int, *, valid: bool) -> tuple[Arguments, ...]:
    schema = understood(json.loads(text))
    try:
        return _collected(schema, count, valid=valid)
    except Exception:  # of a schema that holds itself, or that nothing keeps
        keeps, open_schema = validator(schema), without_references(schema)
        with contextlib.suppress(Exception):
            found = _collected(open_schema, count, valid=valid)
            return tuple(item for item in found if keeps.is_valid(item) is valid)
        return ()


def _collected(schema: Mapping[str, Any], count: int, *, valid: bool) -> tuple[Arguments, ...]:
    strategy = _allowed(schema) if valid else _broken(schema)
    found: dict[str, Arguments] = {}

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=cast("Any", list(HealthCheck)),
    )
    @given(strategy)
    def collect(arguments: Arguments) -> None:
        found[json.dumps(arguments, sort_keys=True)] = arguments

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about formats it has no strategy for
        with contextlib.suppress(Unsatisfiable):  # an open schema without parameters takes anything
            collect()
    return tuple(found.values())


def _allowed(schema: Mapping[str, Any]) -> st.SearchStrategy[Arguments]:
    return cast("Any", from_schema(dict(schema)))


@st.composite
def _broken(draw: st.DrawFn, schema: Mapping[str, Any]) -> Arguments:
    """Break valid arguments: leave one out, put anything in its place, or add an unknown one."""
    arguments: Arguments = dict(draw(_allowed(schema)))
    names = sorted(schema.get("properties", {}))
    ways = ["add"]
    ways += ["replace", "replace", "replace"] if names else []
    ways += ["leave out"] if schema.get("required") else []
    match draw(st.sampled_from(ways)):
        case "add":
            arguments[draw(st.sampled_from([_UNKNOWN, "", "__proto__", "a" * 300]))] = draw(_JSON)
        case "leave out":
            arguments.pop(draw(st.sampled_from(sorted(schema["required"]))), None)
        case _:
            arguments[draw(st.sampled_from(names))] = draw(_JSON)
    assume(not validator(schema).is_valid(arguments))
    return arguments
