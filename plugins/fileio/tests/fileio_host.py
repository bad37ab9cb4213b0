"""A host with the fileio pack alone, in process, and short ways to call it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from attrs import frozen
from sqlalchemy import text

import toolroll_fileio
from toolroll.context import LOCAL, PackContext, Principal, tenant_of
from toolroll.registry import Source
from toolroll.runtime import Runtime

PROJECT = "proj"
SECOND = Principal(tenant=tenant_of("second"), name="second")


class Failed(Exception):
    """A call was answered with an error."""

    def __init__(self, payload: dict[str, Any]) -> None:
        super().__init__(payload["message"])
        self.code = payload["code"]
        self.retryable = payload["retryable"]


@frozen(eq=False)
class Host:
    """A running pack."""

    runtime: Runtime

    @property
    def context(self) -> PackContext:
        return self.runtime.context("fileio")

    @property
    def pack(self) -> toolroll_fileio.FileIO:
        return self.runtime.registry.packs["fileio"].pack  # type: ignore[return-value]

    def call(self, tool: str, *, tenant: Principal = LOCAL, **arguments: Any) -> Any:
        """Return a tool's payload, or raise `Failed`; the project is `proj` unless given."""
        if tool != "file_list_projects":
            arguments.setdefault("project", PROJECT)
        answer = asyncio.run(self.runtime.caller.call(tool, arguments, tenant))
        payload = json.loads(answer.text)
        if answer.is_error:
            raise Failed(payload)
        return payload

    def write(self, path: str, content: str = "x", **arguments: Any) -> None:
        self.call("file_write", path=path, content=content, **arguments)

    def paths(self, **arguments: Any) -> list[str]:
        listed = self.call("file_list", depth=99, limit=1024, **arguments)
        return [entry["path"] for entry in listed["entries"]]

    def found(self, query: str, **arguments: Any) -> list[str]:
        chunks = self.call("file_search", query=query, **arguments)["chunks"]
        return [chunk["file_path"] for chunk in chunks]

    def index(self) -> None:
        """Work on every due job, as the worker does."""
        while self.pack.engine(self.context).indexer.step(self.context):
            pass

    def rows(self, sql: str, **bound: Any) -> list[Any]:
        with self.context.database.read() as session:
            return list(session.connection().execute(text(sql), bound))

    def run(self, sql: str, **bound: Any) -> None:
        with self.context.database.begin() as session:
            session.connection().execute(text(sql), bound)


def open_host(root: Path, **settings: Any) -> Host:
    """Start a host on a directory, without workers."""
    source = Source("fileio", "toolroll-fileio", "0", lambda: toolroll_fileio)
    sources = [source, *settings.pop("beside", ())]
    overrides = {"fileio": settings.pop("fileio", {}), **settings}
    return Host(Runtime.open(roots=[root], overrides=overrides, sources=lambda: sources))
