"""What a pack promises, as data: tools, schemas, errors, envelope, capabilities.

A contract is frozen into `contract.json`, reviewed like code, and compared with the live pack at
load. `toolroll-conformance` holds a pack, or any other MCP server, to one (design 2 and 7).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from toolroll.errors import Envelope

__all__ = ["CONTRACT_FORMAT", "Annotations", "Contract", "ToolContract"]

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
