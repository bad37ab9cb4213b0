"""`toolroll stored` shows projects, and removes one for good."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fileio_host import LOCAL, SECOND, Host

import toolroll

TABLES = (
    "mcp_files", "mcp_file_chunks", "mcp_file_chunk_embeddings", "mcp_file_chunk_bm25",
    "mcp_file_index_jobs", "mcp_file_times",
)  # fmt: skip


def counts(host: Host) -> dict[str, int]:
    return {name: host.rows(f"SELECT count(*) FROM {name}")[0][0] for name in TABLES}


def test_projects_are_told_as_stored(host: Host) -> None:
    assert host.pack.holdings(host.context) == []
    host.write("/a.txt", "hello")
    (held,) = host.pack.holdings(host.context)
    assert (held.directory, held.tenant, held.size, held.only_copy) == ("", "", 5, True)


def test_a_removed_project_leaves_nothing_and_no_other_loses_anything(host: Host) -> None:
    for tenant in (LOCAL, SECOND):
        host.write("/birds/heron.md", "The heron waits.", tenant=tenant)
        host.index()
    before = counts(host)
    host.write("/birds/duck.md", "Ducks swim.", tenant=SECOND)
    host.write("/pike.md", "Pikes bite.", tenant=SECOND)
    host.call("file_delete", path="/birds/duck.md", tenant=SECOND)
    assert host.found("heron", tenant=SECOND) == ["/birds/heron.md"]
    (held,) = (one for one in host.pack.holdings(host.context) if one.tenant == SECOND.tenant)
    host.pack.release(host.context, held)
    assert counts(host) == {name: number // 2 for name, number in before.items()}
    assert [one.tenant for one in host.pack.holdings(host.context)] == [""]
    assert host.found("heron", tenant=SECOND) == []
    assert host.call("file_list_deleted", tenant=SECOND)["files"] == []
    assert host.call("file_list_projects", tenant=SECOND)["projects"] == []
    assert host.found("heron") == ["/birds/heron.md"]
    with pytest.raises(toolroll.NotFound, match="no files any more"):
        host.pack.release(host.context, held)


def test_a_removed_project_may_begin_anew_on_a_host_that_had_it_open(
    make_host: Callable[..., Host],
) -> None:
    host, other = make_host(), make_host()
    host.write("/heron.md", "The heron waits.")
    host.index()
    assert host.found("heron") == ["/heron.md"]
    (held,) = other.pack.holdings(other.context)
    other.pack.release(other.context, held)
    assert list((host.context.data_dir / "index").iterdir()) == []
    assert host.found("heron") == []
    host.write("/duck.md", "Ducks swim.")
    host.index()
    assert host.found("ducks") == other.found("ducks") == ["/duck.md"]
    assert host.call("file_stat", path="")["exists"]
