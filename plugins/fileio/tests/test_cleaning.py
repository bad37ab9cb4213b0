"""Retention: what the cleaner removes, and what it keeps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from fileio_host import Failed, Host

from toolroll_fileio import cleaning


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%d %H:%M:%S.%f")


def test_deleted_files_go_after_their_retention(make_host: Callable[..., Host]) -> None:
    host = make_host(fileio={"delete_retention_days": 7})
    for path in ("/old", "/young", "/alive"):
        host.write(path)
    host.call("file_delete", path="/old")
    host.call("file_delete", path="/young")
    host.run("UPDATE mcp_files SET deleted_at = :t WHERE path = '/old'", t=days_ago(7.1))
    host.run("UPDATE mcp_files SET deleted_at = :t WHERE path = '/young'", t=days_ago(6.9))
    with pytest.raises(Failed):  # past its retention, purged or not
        host.call("file_undelete", path="/old")
    assert not cleaning.clean(host.context)
    assert {row.path for row in host.rows("SELECT path FROM mcp_files")} == {"/young", "/alive"}
    host.write("/old", "again")
    assert host.call("file_undelete", path="/young") == {"restored_count": 1}


def test_a_change_does_not_make_the_cleaner_work(host: Host) -> None:
    hearing = {worker.name: worker.hears for worker in host.pack.workers()}
    assert hearing == {"fileio-index": True, "fileio-cleaning": False}


def test_the_cleaner_works_in_bounded_steps(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleaning, "MOST_ROWS", 500)
    host.write("/a")
    host.run(
        "INSERT INTO mcp_file_index_jobs (apikey_hash, project, file_path, operation, status, "
        "available_at, created_at, updated_at) "
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700) "
        "SELECT 'x', 'p', '/f', 'UPSERT', CASE i % 2 WHEN 0 THEN 'done' ELSE 'failed' END, "
        ":t, :t, :t FROM n",
        t=days_ago(9),
    )
    assert cleaning.clean(host.context)
    assert not cleaning.clean(host.context)
    assert [row.status for row in host.rows("SELECT status FROM mcp_file_index_jobs")] == [
        "pending"
    ]


def test_an_index_behind_the_trimmed_changes_is_filled_anew(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.write("/a", "avocet")
    host.index()
    assert host.found("avocet") == ["/a"]
    # another process indexes and trims, while this one's indexes stand still
    engine = host.pack.engine(host.context)
    host.pack._engines.clear()
    host.call("file_delete", path="/a")
    host.write("/b", "an avocet too")
    host.index()
    monkeypatch.setattr(cleaning, "CHANGES_KEPT", 0)
    while cleaning.clean(host.context):
        pass
    assert host.rows("SELECT count(*) FROM mcp_file_index_changes")[0][0] == 0
    host.pack._engines[host.context.database] = engine
    assert host.found("avocet") == ["/b"]


def test_a_clock_that_is_set_back_takes_no_change_for_an_older_one(
    make_host: Callable[..., Host],
) -> None:
    host = make_host()
    host.write("/a", "first")
    host.run("UPDATE mcp_file_projects SET updated_at = :t", t=days_ago(-2))
    [(before,)] = host.rows("SELECT updated_at FROM mcp_file_projects")
    host.write("/a", "second", mode="TRUNCATE")
    [(changed,)] = host.rows("SELECT updated_at FROM mcp_files")
    host.call("file_delete", path="/a")
    [(deleted,)] = host.rows("SELECT deleted_at FROM mcp_files")
    assert before < changed < deleted
    assert host.call("file_undelete", path="/a") == {"restored_count": 1}


def test_what_is_restored_is_found_again(make_host: Callable[..., Host]) -> None:
    host = make_host()
    host.write("/a.md", "The heron stands in the reeds.")
    host.index()
    host.call("file_delete", path="/a.md")
    host.index()
    assert host.found("heron") == []
    host.call("file_undelete", path="/a.md")
    host.index()
    assert host.found("heron") == ["/a.md"]


def test_a_clock_that_jumps_ahead_costs_hours_of_deleted_files_and_not_all(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleaning, "MOST_ROWS", 1)
    host = make_host(fileio={"delete_retention_days": 7})
    for number in range(5):
        host.write(f"/{number}")
        host.call("file_delete", path=f"/{number}")
        host.run(
            "UPDATE mcp_files SET deleted_at = :t WHERE path = :p",
            t=days_ago(900 - number / 12),
            p=f"/{number}",
        )
    (cleaner,) = [one for one in host.pack.workers() if one.name == "fileio-cleaning"]
    while cleaner.step(host.context):
        pass
    assert {row.path for row in host.rows("SELECT path FROM mcp_files")} == {"/2", "/3", "/4"}
    while cleaning.clean(host.context):  # as the command does, which somebody asked for
        pass
    assert not host.rows("SELECT path FROM mcp_files")
