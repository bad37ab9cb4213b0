"""All mutating tools against a plain model: two tenants, two projects, two processes."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fileio_host import LOCAL, SECOND, Failed, open_host
from fileio_model import PlainProject, Refused
from fileio_neighbour import Neighbour
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

QUOTA = 60
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Thousands of synced commits take minutes on a disk; nothing here is about the disk."""
segments = st.sampled_from(["a", "b", "a-b", "a.b", "a_b", "aXb", "A"])
paths = st.lists(segments, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))
contents = st.sampled_from(["", "x", "é", "yz€", "0123456789"])
tenants = st.sampled_from([LOCAL, SECOND])
projects = st.sampled_from(["one", "two"])


@functools.cache
def neighbour() -> Neighbour:
    """Start the second process once for all examples."""
    found = Neighbour()
    atexit.register(found.end)
    return found


class Divergence(RuleBasedStateMachine):
    """Drives both, and compares every answer and everything that can be seen afterwards.

    A short run here; `bench/fileio/modelling.py` makes as many steps as it is asked for.
    """

    compared: ClassVar[Counter[str]] = Counter()
    """Calls so far, by tool and by who answered."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="fileio-model-", dir=MEMORY))
        settings: dict[str, Any] = {
            "fileio": {"max_project_bytes": QUOTA},
            "audit": {"enabled": False},
        }
        self.host = open_host(self.root, **settings)
        neighbour().open(self.root, **settings)
        self.model = {
            (tenant.tenant, project): PlainProject(QUOTA)
            for tenant in (LOCAL, SECOND)
            for project in ("one", "two")
        }
        self.touched: tuple[Any, str] = (LOCAL, "one")
        self.there = False

    def teardown(self) -> None:
        self.host.runtime.close()
        shutil.rmtree(self.root)

    @rule(there=st.booleans())
    def change_sides(self, there: bool) -> None:
        """Let the other process make the next calls."""
        self.there = there

    def both(
        self, who: Any, project: str, tool: str, method: str, *plain: Any, **args: Any
    ) -> None:
        self.touched = (who, project)
        self.compared[f"{tool}, {'another' if self.there else 'this'} process"] += 1
        try:
            expected: Any = getattr(self.model[who.tenant, project], method)(*plain)
        except Refused as refused:
            expected = refused.code
        try:
            caller = neighbour() if self.there else self.host
            payload = caller.call(tool, tenant=who, project=project, **args)
            (got,) = payload.values()
        except Failed as failed:
            got = failed.code
        assert got == expected, (tool, args)

    @rule(
        who=tenants,
        project=projects,
        path=paths,
        content=contents,
        mode=st.sampled_from(["APPEND", "OVERWRITE", "TRUNCATE"]),
        offset=st.integers(0, 6),
    )
    def write(
        self, who: Any, project: str, path: str, content: str, mode: str, offset: int
    ) -> None:
        arguments = {"path": path, "content": content, "mode": mode, "offset": offset}
        plain = (path, content.encode(), mode, offset)
        self.both(who, project, "file_write", "write", *plain, **arguments)

    @rule(who=tenants, project=projects, path=paths | st.just(""), recursive=st.booleans())
    def delete(self, who: Any, project: str, path: str, recursive: bool) -> None:
        self.both(
            who, project, "file_delete", "delete", path, recursive, path=path, recursive=recursive
        )

    @rule(who=tenants, project=projects, source=paths, goal=paths, overwrite=st.booleans())
    def rename(self, who: Any, project: str, source: str, goal: str, overwrite: bool) -> None:
        arguments = {"from_path": source, "to_path": goal, "overwrite": overwrite}
        plain = (source, goal, overwrite)
        self.both(who, project, "file_rename", "rename", *plain, **arguments)

    @rule(who=tenants, project=projects, path=paths | st.just(""))
    def undelete(self, who: Any, project: str, path: str) -> None:
        self.both(who, project, "file_undelete", "undelete", path, path=path)

    @rule(
        who=tenants,
        project=projects,
        path=paths | st.just(""),
        depth=st.integers(1, 4),
        limit=st.integers(1, 7),
    )
    def pages(self, who: Any, project: str, path: str, depth: int, limit: int) -> None:
        """Pages of any size, joined, are the whole listing."""
        plain = self.model[who.tenant, project]
        if path and not plain.below(path):
            return
        seen: list[tuple[str, str]] = []
        cursor = ""
        while True:
            page = self.host.call(
                "file_list_page",
                tenant=who,
                project=project,
                path=path,
                depth=depth,
                limit=limit,
                cursor=cursor,
            )
            seen += [(entry["path"], entry["type"]) for entry in page["entries"]]
            cursor = page["next_cursor"]
            if not cursor:
                break
        assert seen == plain.entries(path, depth)

    @invariant()
    def same_files(self) -> None:
        who, project = self.touched
        plain = self.model[who.tenant, project]
        listed = self.host.call("file_list", tenant=who, project=project, depth=9, limit=1024)
        entries = listed["entries"]
        assert [(entry["path"], entry["type"]) for entry in entries] == plain.entries("", 9)
        rows = self.host.rows(
            "SELECT path, content FROM mcp_files WHERE deleted = 0 AND apikey_hash = :tenant "
            "AND project = :project",
            tenant=who.tenant,
            project=project,
        )
        assert {row.path: row.content for row in rows} == plain.files

    @invariant()
    def derived_tables_are_sums(self) -> None:
        """Totals and directory times are what the files say, no more and no less."""
        totals = self.host.rows(
            "SELECT apikey_hash, project, count(*), sum(size) FROM mcp_files WHERE deleted = 0 "
            "GROUP BY apikey_hash, project ORDER BY 1, 2"
        )
        kept = self.host.rows(
            "SELECT apikey_hash, project, file_count, total_bytes FROM mcp_file_projects "
            "WHERE file_count > 0 ORDER BY 1, 2"
        )
        assert totals == kept
        newest: dict[tuple[str, str, str], str] = {}
        for row in self.host.rows("SELECT * FROM mcp_files WHERE deleted = 0"):
            parts = row.path.split("/")
            for i in range(1, len(parts)):
                key = (row.apikey_hash, row.project, "/".join(parts[:i]))
                newest[key] = max(newest.get(key, ""), row.updated_at)
        times = self.host.rows("SELECT apikey_hash, project, path, updated_at FROM mcp_file_times")
        assert {tuple(row[:3]): row.updated_at for row in times} == newest


Divergence.TestCase.settings = settings(
    max_examples=12,
    stateful_step_count=90,
    suppress_health_check=list(HealthCheck),
)
test_no_divergence = pytest.mark.marathon(Divergence.TestCase)
