"""Large projects for benchmarks, filled straight through the pack's own unit of work."""

from __future__ import annotations

import hashlib
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
from attrs import frozen

import toolroll_fileio
from toolroll.context import LOCAL
from toolroll.registry import Source
from toolroll.runtime import Runtime
from toolroll_fileio.engine import Engine
from toolroll_fileio.mutation import UPSERT, mutate
from toolroll_fileio.names import Space
from toolroll_fileio.tables import files


@frozen(eq=False)
class Bench:
    """The pack in process."""

    runtime: Runtime

    @classmethod
    def open(cls, root: Path, database: str = "") -> Bench:
        source = Source("fileio", "toolroll-fileio", "0", lambda: toolroll_fileio)
        limits = {"max_project_bytes": 10**10}
        overrides = {"fileio": limits, "storage": {"url": database}}
        return cls(Runtime.open(roots=[root], overrides=overrides, sources=lambda: [source]))

    @property
    def engine(self) -> Engine:
        pack: Any = self.runtime.registry.packs["fileio"].pack
        return pack.engine(self.runtime.context("fileio"))

    def call(self, tool: str, **arguments: Any) -> Any:
        answer = anyio.run(self.runtime.caller.call, tool, arguments, LOCAL)
        if answer.is_error:
            raise SystemExit(answer.text)
        return answer.structured

    def fill(self, project: str, contents: Mapping[str, bytes], *, index: bool = False) -> None:
        """Write many files in one transaction."""
        context = self.runtime.context("fileio")
        with mutate(context, Space(LOCAL.tenant, project)) as change:
            fields = {
                "apikey_hash": LOCAL.tenant,
                "project": project,
                "created_at": change.now,
                "updated_at": change.now,
            }
            rows = [
                {
                    **fields,
                    "path": path,
                    "size": len(data),
                    "content": data,
                    "content_hash": hashlib.sha256(data).hexdigest(),
                }
                for path, data in contents.items()
            ]
            change.connection.execute(files.insert(), rows)
            change.account(files=len(rows), size=sum(map(len, contents.values())))
            change.touch(contents)
            if index:
                change.enqueue(UPSERT, list(contents))


def timed(call: Callable[[], Any], times: int) -> str:
    """Return the median and 95th percentile of a call in milliseconds, and its processor time."""
    taken: list[float] = []
    cpu = time.process_time()
    for _ in range(times):
        started = time.perf_counter()
        call()
        taken.append((time.perf_counter() - started) * 1000)
    taken.sort()
    used = (time.process_time() - cpu) * 1000 / times
    middle, late = statistics.median(taken), taken[int(times * 0.95)]
    return f"p50 {middle:8.1f} ms   p95 {late:8.1f} ms   CPU {used:6.1f} ms"
