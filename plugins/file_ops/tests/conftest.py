"""A host with this pack alone, in process, on a project of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

import toolroll
from toolroll.context import LOCAL
from toolroll.registry import Source, discover
from toolroll.runtime import Runtime
from toolroll_file_ops.engine import Engine
from toolroll_file_ops.pack import FileOps

COLLECTION = "proj"


class Host:
    """Calls tools the way a client does, and looks behind them where a test must."""

    def __init__(self, runtime: Runtime, root: Path) -> None:
        self.runtime = runtime
        self.root = root

    def answer(self, tool: str, /, **arguments: Any) -> tuple[str, Any]:
        """Return (error code or "", payload)."""

        async def run() -> Any:
            return await self.runtime.caller.call(tool, arguments, LOCAL)

        reply = anyio.run(run)
        return reply.code, json.loads(reply.text)

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Return the payload of a call that must succeed."""
        code, payload = self.answer(tool, **arguments)
        assert not code, payload
        return payload

    def file(self, tool: str, path: str, /, **arguments: Any) -> Any:
        """Call a tool on one file of the collection."""
        return self.call(tool, collection=COLLECTION, file_path=path, **arguments)

    def index(self, **arguments: Any) -> Any:
        """Index the project."""
        return self.call("index_collection", collection=COLLECTION, path=".", **arguments)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files of the project."""
        for path, content in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)

    def found(self, query: str) -> list[str]:
        """Return the paths that a search finds, without repeats."""
        hits = self.call("search_vectors", collection=COLLECTION, query=query, limit=50)
        return list(dict.fromkeys(hit["payload"]["file_path"] for hit in hits["results"]))

    @property
    def context(self) -> toolroll.PackContext:
        """The pack's context."""
        return self.runtime.context("file_ops")

    @property
    def engine(self) -> Engine:
        """What the tools share."""
        pack = self.runtime.registry.packs["file_ops"].pack
        assert isinstance(pack, FileOps)
        return pack.engine(self.context)


@pytest.fixture
def make_host(tmp_path: Path) -> Iterator[Callable[..., Host]]:
    opened: list[Runtime] = []

    def make(
        root: Path | None = None,
        data: Path | None = None,
        *,
        beside: Sequence[Source] = (),
        backends: Mapping[str, object] | None = None,
        storage: Mapping[str, object] | None = None,
        **settings: Any,
    ) -> Host:
        place = root or tmp_path / "project"
        place.mkdir(exist_ok=True)
        settings.setdefault("search", {"embedder": "none"})
        runtime = Runtime.open(
            roots=[place],
            data_dir=data or tmp_path / "data",
            overrides={"file_ops": settings, "backends": backends or {}, "storage": storage or {}},
            sources=lambda: [*discover(), *beside],
        )
        opened.append(runtime)
        return Host(runtime, place)

    yield make
    for runtime in opened:
        runtime.close()


@pytest.fixture
def host(make_host: Callable[..., Host]) -> Host:
    return make_host()
