"""Snapshots tell what changed, and nothing that the host does for itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from toolroll_conformance.case import FileSpec
from toolroll_conformance.snapshot import difference, take
from toolroll_conformance.workspace import Workspace


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with Workspace.make("p") as made:
        made.write({"a.txt": "a", "link": FileSpec(symlink="a.txt")})
        (made.data / "audit").mkdir(parents=True)
        with closing(sqlite3.connect(made.data / "p.db")) as connection:
            connection.execute("CREATE TABLE t (x)")
            connection.commit()
        yield made


def test_what_the_host_keeps_for_itself_does_not_count(workspace: Workspace) -> None:
    before = take(workspace)
    (workspace.data / "audit" / "today.jsonl").write_text("{}")
    (workspace.data / "keys.json").write_text("{}")
    with closing(sqlite3.connect(workspace.data / "p.db")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        assert difference(before, take(workspace)) == ""


def test_what_lies_outside_of_project_and_data_is_named_when_it_changes(
    workspace: Workspace,
) -> None:
    before = take(workspace)
    (workspace.path / "stderr-1.log").write_text("a host's")
    assert difference(before, take(workspace)) == ""
    (workspace.path / "cache" / "a").mkdir(parents=True)
    (workspace.path / "cache" / "a" / "b.txt").write_text("stray")
    expected = "file cache/a/b.txt outside of project and data"
    assert difference(before, take(workspace)) == expected


def test_rows_files_and_links_are_named_when_they_change(workspace: Workspace) -> None:
    before = take(workspace)
    with closing(sqlite3.connect(workspace.data / "p.db")) as connection:
        connection.execute("INSERT INTO t VALUES ('x')")
        connection.commit()
    workspace.write({"b.txt": "b", "link": FileSpec(symlink="b.txt")})
    (workspace.data / "index").write_bytes(b"1")
    workspace.remove("a.txt")
    assert difference(before, take(workspace)) == (
        "data file index, project file a.txt, project file b.txt, project file link, "
        "table t of p.db"
    )


def test_files_are_written_as_they_are_described() -> None:
    with Workspace.make("p") as made:
        made.write(
            {
                "text": FileSpec(text="ab", repeat=3),
                "bytes": FileSpec(base64="AAEC", repeat=2),
                "d/e/": FileSpec(directory=True),
                "named": "${root} ${other}",
            },
            {"root": "r"},
        )
        assert (made.root / "text").read_text() == "ababab"
        assert (made.root / "bytes").read_bytes() == b"\x00\x01\x02" * 2
        assert (made.root / "d" / "e").is_dir()
        assert (made.root / "named").read_text() == "r ${other}"
        made.rename("text", "x/y")
        made.remove("d")
        assert sorted(file.name for file in made.root.iterdir()) == ["bytes", "named", "x"]
    assert not made.path.exists()
