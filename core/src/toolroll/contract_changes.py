"""What differs between two contracts, and whether it breaks those who call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, cast

from attrs import asdict, frozen

from toolroll.contract import Contract, ToolContract

__all__ = ["Change", "ChangeKind", "compare"]

Schema = Mapping[str, Any]

_WORDS: Final = frozenset({"$comment", "description", "examples", "title"})
"""Keywords of JSON Schema that tell readers of a value; nothing is judged by them."""
_SCHEMAS_BY_NAME: Final = frozenset({"$defs", "patternProperties", "properties"})
"""Keywords whose keys are names, which may be those of keywords."""
_COMPARED: Final = frozenset({"$defs", "properties", "required"})
"""Keywords of an object's schema that are compared name by name."""
_VALUES: Final = frozenset({"const", "default", "enum"})
"""Keywords that hold values, not schemas."""


class ChangeKind(StrEnum):
    """Whether a caller that kept to the old contract can notice a change."""

    BREAKING = "breaking"
    COMPATIBLE = "compatible"


@frozen
class Change:
    """One difference between two contracts."""

    kind: ChangeKind
    where: str
    what: str

    def to_json(self) -> dict[str, str]:
        """Return the change as a JSON object."""
        return {key: str(value) for key, value in asdict(self).items()}


def compare(old: Contract, new: Contract) -> list[Change]:
    """Name every difference from `old` to `new`, breaking ones first.

    Removing or narrowing what callers may send, and removing or retyping what they get, breaks
    them; adding an optional argument, a result field, a tool or a code does not.
    """
    changes = [*_pack_changes(old, new), *_tool_changes(old, new)]
    return sorted(changes, key=lambda change: (change.kind, change.where, change.what))


def _pack_changes(old: Contract, new: Contract) -> list[Change]:
    changes: list[Change] = []
    for name in ("pack", "api_version", "envelope"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            changes.append(Change(ChangeKind.BREAKING, name, f"{before} became {after}"))
    for code in sorted(old.errors.keys() - new.errors.keys()):
        changes.append(Change(ChangeKind.BREAKING, f"errors/{code}", "removed"))
    for code in sorted(new.errors.keys() - old.errors.keys()):
        changes.append(Change(ChangeKind.COMPATIBLE, f"errors/{code}", "added"))
    for code in sorted(old.errors.keys() & new.errors.keys()):
        if old.errors[code] != new.errors[code]:
            changes.append(Change(ChangeKind.COMPATIBLE, f"errors/{code}", "reworded"))
    for name in sorted(set(old.capabilities) ^ set(new.capabilities)):
        gone = name in old.capabilities
        kind = ChangeKind.BREAKING if gone else ChangeKind.COMPATIBLE
        changes.append(Change(kind, f"capabilities/{name}", "removed" if gone else "added"))
    return changes


def _tool_changes(old: Contract, new: Contract) -> list[Change]:
    before = {tool.name: tool for tool in old.tools}
    after = {tool.name: tool for tool in new.tools}
    changes = [
        Change(ChangeKind.BREAKING, name, "tool removed") for name in before.keys() - after.keys()
    ]
    changes += [
        Change(ChangeKind.COMPATIBLE, name, "tool added") for name in after.keys() - before.keys()
    ]
    for name in before.keys() & after.keys():
        changes += _one_tool(before[name], after[name])
    if list(before) != list(after) and before.keys() == after.keys():
        changes.append(Change(ChangeKind.COMPATIBLE, "tools", "listed in another order"))
    return changes


def _one_tool(old: ToolContract, new: ToolContract) -> list[Change]:
    changes: list[Change] = []
    for name in ("title", "description"):
        if getattr(old, name) != getattr(new, name):
            changes.append(Change(ChangeKind.COMPATIBLE, f"{old.name}/{name}", "reworded"))
    for name in ("wrapped", "markdown", "annotations"):
        if getattr(old, name) != getattr(new, name):
            changes.append(Change(ChangeKind.BREAKING, f"{old.name}/{name}", "changed"))
    if old.project_paths != new.project_paths:
        changes.append(Change(ChangeKind.COMPATIBLE, f"{old.name}/project_paths", "changed"))
    changes += _schema_changes(f"{old.name}/input", old.input_schema, new.input_schema, takes=True)
    changes += _schema_changes(
        f"{old.name}/output", old.output_schema, new.output_schema, takes=False
    )
    return changes


def _schema_changes(where: str, old: Schema, new: Schema, *, takes: bool) -> list[Change]:
    """Compare two object schemas; `takes` says that callers send it rather than get it."""
    if old == new:
        return []
    changes: list[Change] = []
    fields_old: Mapping[str, Any] = old.get("properties", {})
    fields_new: Mapping[str, Any] = new.get("properties", {})
    required_old: Sequence[str] = old.get("required", ())
    required_new: Sequence[str] = new.get("required", ())
    for name in sorted(fields_old.keys() | fields_new.keys()):
        spot = f"{where}/{name}"
        if name not in fields_new:
            changes.append(Change(ChangeKind.BREAKING, spot, "removed"))
        elif name not in fields_old:
            forced = takes and name in required_new
            kind = ChangeKind.BREAKING if forced else ChangeKind.COMPATIBLE
            changes.append(Change(kind, spot, "added" + (" as required" if forced else "")))
        else:
            changes += _nested_changes(spot, fields_old[name], fields_new[name], takes=takes)
            stricter = (name in required_new) - (name in required_old)
            if stricter:
                breaks = (stricter > 0) == takes
                kind = ChangeKind.BREAKING if breaks else ChangeKind.COMPATIBLE
                word = "required" if stricter > 0 else "optional"
                changes.append(Change(kind, spot, f"became {word}"))
    defined_old: Mapping[str, Any] = old.get("$defs", {})
    defined_new: Mapping[str, Any] = new.get("$defs", {})
    for name in sorted(defined_old.keys() & defined_new.keys()):
        spot = f"{where}/$defs/{name}"
        changes += _nested_changes(spot, defined_old[name], defined_new[name], takes=takes)
    rest_old = {key: value for key, value in old.items() if key not in _COMPARED}
    rest_new = {key: value for key, value in new.items() if key not in _COMPARED}
    if rest_old != rest_new:
        changes.append(_schema_change(where, rest_old, rest_new, "schema keywords changed"))
    return changes


def _nested_changes(where: str, old: Schema, new: Schema, *, takes: bool) -> list[Change]:
    """Compare the schemas of one value, which may be an object or a list of them in turn."""
    if old == new:
        return []
    kind = old.get("type")
    if kind == new.get("type") == "object":
        return _schema_changes(where, old, new, takes=takes)
    if kind == new.get("type") == "array" and "items" in old and "items" in new:
        changes = _nested_changes(f"{where}/items", old["items"], new["items"], takes=takes)
        rest_old, rest_new = ({**schema, "items": None} for schema in (old, new))
        return changes + (
            [] if rest_old == rest_new else [_schema_change(where, rest_old, rest_new)]
        )
    return [_schema_change(where, old, new)]


def _schema_change(where: str, old: Schema, new: Schema, what: str = "schema changed") -> Change:
    if _without_words(old) == _without_words(new):
        return Change(ChangeKind.COMPATIBLE, where, "reworded")
    return Change(ChangeKind.BREAKING, where, what)


def _without_words(schema: Any) -> Any:
    """Return a schema without what only tells readers of it: no value is judged by that."""
    if isinstance(schema, list):
        return [_without_words(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    bare: dict[str, Any] = {}
    for key, value in cast("dict[str, Any]", schema).items():
        if key in _SCHEMAS_BY_NAME:  # where a name may be "title"
            bare[key] = {name: _without_words(item) for name, item in value.items()}
        elif key not in _WORDS:
            bare[key] = value if key in _VALUES else _without_words(value)
    return bare
