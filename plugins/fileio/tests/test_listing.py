"""Listings read what they show, not what lies below it."""

from __future__ import annotations

from typing import Any

import pytest
from fileio_host import PROJECT, Host
from sqlalchemy import event

from toolroll.context import LOCAL
from toolroll_fileio.mutation import mutate
from toolroll_fileio.names import Space
from toolroll_fileio.tables import files


def fill(host: Host, paths: list[str]) -> None:
    with mutate(host.context, Space(LOCAL.tenant, PROJECT)) as change:
        fields: dict[str, Any] = {
            "apikey_hash": LOCAL.tenant,
            "project": PROJECT,
            "size": 0,
            "content_hash": "0" * 64,
            "created_at": change.now,
            "updated_at": change.now,
            "content": b"",
        }
        change.connection.execute(files.insert(), [{**fields, "path": path} for path in paths])
        change.account(files=len(paths), size=0)
        change.touch(paths)


@pytest.mark.parametrize("depth", [1, 2])
def test_the_cost_of_a_listing_does_not_grow_with_what_lies_below(host: Host, depth: int) -> None:
    """SQLite's virtual machine counts its own steps: ten times the files, hardly more steps."""

    def steps() -> int:
        count = 0

        def tick() -> int:
            nonlocal count
            count += 1
            return 0

        def watch(connection: Any, *_: Any) -> None:
            connection.set_progress_handler(tick, 50)

        event.listen(host.context.database.engine, "checkout", watch)
        listed = host.call("file_list", depth=depth)["entries"]
        event.remove(host.context.database.engine, "checkout", watch)
        assert len(listed) == 5 * depth
        return count

    def names(count: int) -> list[str]:
        return [f"/d{d}/e/f-{i}" for d in range(5) for i in range(count)]

    fill(host, names(40))
    few = steps()
    fill(host, [name for name in names(2_000) if name not in set(names(40))])
    assert steps() < 2 * few


def test_an_odd_name_with_many_possible_directories_is_listed(host: Host) -> None:
    odd = "/" + "-." * 250
    for number in range(3):
        host.write(f"{odd}/{number}")
    listed = host.call("file_list", depth=1)["entries"]
    assert [entry["path"] for entry in listed] == [odd]


def test_a_page_behind_a_directory_does_not_go_into_it(host: Host) -> None:
    for path in ("/a/deeper", "/b"):
        host.write(path)
    pages = [host.call("file_list_page", depth=1, limit=1, cursor=cursor) for cursor in ("", "/a")]
    assert [entry["path"] for page in pages for entry in page["entries"]] == ["/a", "/b"]


@pytest.mark.parametrize("fraction", ["000000", "000001", "120000", "999999"])
def test_a_time_is_shown_alike_by_every_tool(host: Host, fraction: str) -> None:
    host.write("/a")
    stored = f"2026-01-02 03:04:05.{fraction}"
    host.run("UPDATE mcp_files SET created_at = :time, updated_at = :time", time=stored)
    [listed] = host.call("file_list")["entries"]
    told = host.call("file_stat", path="/a")
    shown = [answer[name] for answer in (listed, told) for name in ("created_at", "updated_at")]
    expected = "2026-01-02T03:04:05Z" if fraction == "000000" else f"{stored[:10]}T{stored[11:]}Z"
    assert shown == [expected] * 4


@pytest.mark.parametrize("moved", ["/from/in", "/from/in/new"])
def test_a_directory_is_as_new_as_the_newest_file_that_a_move_leaves_in_it(
    host: Host, moved: str
) -> None:
    host.write("/from/old")
    host.write("/from/in/new")
    old = host.call("file_stat", path="/from/old")["updated_at"]
    assert host.call("file_stat", path="/from")["updated_at"] > old
    host.call("file_rename", from_path=moved, to_path="/to/there")
    assert host.call("file_stat", path="/from")["updated_at"] == old
    assert not host.call("file_stat", path="/from/in")["exists"]
    host.write("/from/in/again")
    again = host.call("file_stat", path="/from/in/again")["updated_at"]
    assert host.call("file_stat", path="/from/in")["updated_at"] == again
    assert host.call("file_stat", path="/to")["updated_at"] < again
