"""What a pack promises, as data: tools, schemas, errors, envelope, capabilities.

A contract is frozen into `contract.json`, reviewed like code, and compared with the live pack at
load. `toolroll-conformance` holds a pack, or any other MCP server, to one (design 2 and 7).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from attrs import asdict, field, frozen

from toolroll.errors import Envelope

__all__ = ["CONTRACT_FORMAT", "Annotations", "Change", "Contract", "ToolContract", "compare"]

CONTRACT_FORMAT = 1
"""Version of the file format of `contract.json`."""


@frozen
class Annotations:
    """The MCP tool annotations of one tool; hints for clients, checked by the suite."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool

    def to_json(self) -> dict[str, bool]:
        """Return the annotations under the names MCP gives them on the wire."""
        return {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Annotations:
        """Read what `to_json` wrote; absent hints get the defaults of the MCP specification.

        It gives those of `destructiveHint` and `idempotentHint` to writers alone: of a reader,
        which changes nothing, the opposite of both is true.
        """
        read_only = data.get("readOnlyHint", False)
        return cls(
            read_only=read_only,
            destructive=data.get("destructiveHint", not read_only),
            idempotent=data.get("idempotentHint", read_only),
            open_world=data.get("openWorldHint", True),
        )


@frozen
class ToolContract:
    """What one tool promises.

    Attributes:
        name: `[A-Za-z0-9_-]{1,64}`, the rule every known client accepts.
        input_schema: JSON Schema 2020-12 of the arguments.
        output_schema: JSON Schema of `structuredContent`; its root is an object. Empty for a
            server that promises nothing about it.
        wrapped: The payload is an array or text and travels as `{"result": …}`.
        markdown: The text content is Markdown rather than JSON.
        project_paths: Parameters that name project paths; the path battery runs on them.
    """

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    annotations: Annotations
    wrapped: bool = False
    markdown: bool = False
    project_paths: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the tool as it stands in `contract.json`."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "annotations": self.annotations.to_json(),
            "wrapped": self.wrapped,
            "markdown": self.markdown,
            "project_paths": list(self.project_paths),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ToolContract:
        """Read what `to_json` wrote."""
        return cls(
            name=data["name"],
            title=data.get("title", ""),
            description=data.get("description", ""),
            input_schema=data["inputSchema"],
            output_schema=data.get("outputSchema", {}),
            annotations=Annotations.from_json(data.get("annotations", {})),
            wrapped=data.get("wrapped", False),
            markdown=data.get("markdown", False),
            project_paths=tuple(data.get("project_paths", ())),
        )


@frozen
class Contract:
    """What one pack promises.

    Attributes:
        envelope: The shape of its errors; None for a server that promises none.
        errors: Every code a caller can see, with what it means.
        capabilities: What the pack can do; the suite skips a rule only for want of one.
    """

    pack: str
    api_version: int
    envelope: Envelope | None
    errors: dict[str, str]
    capabilities: tuple[str, ...]
    tools: tuple[ToolContract, ...] = field(factory=tuple)

    def tool(self, name: str) -> ToolContract:
        """Return one tool by name; KeyError where there is none."""
        for tool in self.tools:
            if tool.name == name:
                return tool
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Return the contract as the JSON object that `contract.json` holds."""
        return {
            "format": CONTRACT_FORMAT,
            "pack": self.pack,
            "api_version": self.api_version,
            "envelope": self.envelope.value if self.envelope else None,
            "errors": dict(sorted(self.errors.items())),
            "capabilities": sorted(self.capabilities),
            "tools": [tool.to_json() for tool in self.tools],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Contract:
        """Read what `to_json` wrote; ValueError for another format version."""
        if data.get("format") != CONTRACT_FORMAT:
            raise ValueError(f"contract format {data.get('format')!r} is not {CONTRACT_FORMAT}")
        return cls(
            pack=data["pack"],
            api_version=data["api_version"],
            envelope=Envelope(data["envelope"]) if data["envelope"] is not None else None,
            errors=dict(data["errors"]),
            capabilities=tuple(sorted(data["capabilities"])),
            tools=tuple(ToolContract.from_json(tool) for tool in data["tools"]),
        )

    def dumps(self) -> str:
        """Return the text of `contract.json`: stable, readable, ending in a newline."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n"


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


def _schema_changes(
    where: str, old: Mapping[str, Any], new: Mapping[str, Any], *, takes: bool
) -> list[Change]:
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
            if fields_old[name] != fields_new[name]:
                changes.append(Change(ChangeKind.BREAKING, spot, "schema changed"))
            stricter = (name in required_new) - (name in required_old)
            if stricter:
                breaks = (stricter > 0) == takes
                kind = ChangeKind.BREAKING if breaks else ChangeKind.COMPATIBLE
                word = "required" if stricter > 0 else "optional"
                changes.append(Change(kind, spot, f"became {word}"))
    rest_old = {k: v for k, v in old.items() if k not in {"properties", "required"}}
    rest_new = {k: v for k, v in new.items() if k not in {"properties", "required"}}
    if rest_old != rest_new:
        changes.append(Change(ChangeKind.BREAKING, where, "schema keywords changed"))
    return changes
