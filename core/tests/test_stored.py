"""`toolroll stored`: what packs keep is shown, and goes only when an operator says so."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolroll.holdings import presence
from toolroll.locks import FileLocks
from toolroll.storage import Database
from toolroll.storage.sqlite import SqliteDialect

Command = Callable[..., Any]

KEEPS = """
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import toolroll
from pydantic import BaseModel


class Text(BaseModel):
    text: str


class Keeps(toolroll.Pack):
    name = "keeps"

    @toolroll.tool()
    def look(self, ctx: toolroll.ToolContext, args: toolroll.Params) -> Text:
        'Look.'

    def holdings(self, context):
        kept = context.data_dir / "kept.json"
        names = json.loads(kept.read_text()) if kept.exists() else []
        if "broken" in names:
            raise RuntimeError("no table")
        return [
            toolroll.Holding(
                name=name.rpartition("/")[2], directory=name if "/" in name else "",
                tenant=tenant * 64, size=1500, used=datetime.now(UTC) - timedelta(days=days),
                only_copy=name.startswith("precious"),
            )
            for name, tenant, days in names
        ]

    def release(self, context, holding):
        if holding.name == "held":
            raise toolroll.ResourceBusy("held is in use; try again")
        kept = context.data_dir / "kept.json"
        names = [one for one in json.loads(kept.read_text())
                 if not (one[0].endswith(holding.name) and one[1] * 64 == holding.tenant)]
        kept.write_text(json.dumps(names))


@toolroll.hookimpl
def toolroll_pack():
    return Keeps()
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install: Callable[..., Path]) -> Path:
    monkeypatch.syspath_prepend(str(install("keeps", KEEPS)))
    directory = tmp_path / "here"
    (directory / "work" / "other").mkdir(parents=True)
    monkeypatch.chdir(directory)
    return directory


def keep(here: Path, *what: Any) -> None:
    place = here / ".toolroll" / "keeps"
    place.mkdir(parents=True, exist_ok=True)
    (place / "kept.json").write_text(json.dumps(what))


def names(command: Command, *options: str) -> list[str]:
    told = json.loads(command("stored", "list", "--json", *options).out)
    return [item["name"] for item in told if item["pack"] == "keeps"]


def test_a_directory_is_gone_only_where_the_one_around_it_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "file").touch()
    told = {
        name: presence(str(tmp_path / name))
        for name in ("disk", "no", "file", "disk/x", "disk/x/y", "file/x")
    }
    assert told == {
        "disk": "there",
        "no": "gone",
        "file": "gone",
        "disk/x": "away",
        "disk/x/y": "away",
        "file/x": "away",
    }
    assert presence("") == ""


def test_what_is_stored_is_listed_with_what_became_of_its_directory(
    command: Command, here: Path
) -> None:
    keep(here, (f"{here}/work/other", "", 0), (f"{here}/work/no", "a", 3), ("suite", "", 9))
    lines = [line.split("\t") for line in command("stored", "list").out.splitlines()]
    assert [line[1:7] for line in lines if line[0] == "keeps"] == [
        ["no", "aaaaaaaaaaaa", "-", f"{here}/work/no", "gone", "2 kB"],
        ["other", "-", "-", f"{here}/work/other", "there", "2 kB"],
        ["suite", "-", "-", "-", "-", "2 kB"],
    ]
    assert names(command, "--gone") == ["no"]
    assert "ok\tstored\t1 directory is gone" in command("doctor").out


def test_what_has_no_directory_any_more_goes_when_it_is_said(
    command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(
        here, (f"{here}/work/other", "", 0), (f"{here}/work/no", "", 3), (f"{here}/disk/x", "", 9),
        (f"{here}/held", "", 5), ("suite", "", 9),
    )  # fmt: skip
    assert command("stored", "prune", "--unused-for", "6").out == "nothing to remove\n"
    monkeypatch.setattr("sys.stdin", io.StringIO())
    unasked = command("stored", "prune")  # there is nobody to ask
    assert unasked.code == 1
    assert len(names(command)) == 5
    done = command("stored", "prune", "--yes")
    assert (done.code, done.out) == (1, "removed keeps no\n")
    assert done.err == (
        "1 directory may be on a disk that is not mounted; --away takes what is stored of them "
        "too\nkeeps held: held is in use; try again\n"
    )
    command("stored", "prune", "--yes", "--away")
    assert names(command) == ["held", "other", "suite"]
    assert (here / "work" / "other").is_dir()


def test_one_is_removed_by_its_name(command: Command, here: Path) -> None:
    keep(here, ("suite", "a", 1), ("suite", "b", 1), ("more", "", 1))
    several = command("stored", "remove", "keeps", "suite")
    assert several.code == 1
    assert "several have it (aaaaaaaaaaaa, bbbbbbbbbbbb); choose one with --tenant" in several.err
    assert command("stored", "remove", "keeps", "suite", "--tenant", "bb").code == 0
    assert names(command) == ["more", "suite"]
    unknown = command("stored", "remove", "keeps", "none")
    assert "keeps stores nothing named 'none'; see 'toolroll stored list'" in unknown.err


def test_whose_key_is_gone_is_found_and_removed_when_it_is_said(
    command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("alice", "bob"):
        command("keys", "new", name)
    records = json.loads((here / ".toolroll" / "keys.json").read_text())["keys"]
    for record, digit in zip(records, "ab", strict=True):
        record["tenant"] = digit * 64
    (here / ".toolroll" / "keys.json").write_text(json.dumps({"keys": records}))
    keep(here, ("precious", "a", 1), ("precious", "b", 1), ("precious own", "", 1))
    told = json.loads(command("stored", "list", "--json").out)
    assert [one["key"] for one in told if one["pack"] == "keeps"] == ["alice", "bob", ""]
    assert names(command, "--keyless") == []
    command("keys", "revoke", "bob")
    assert names(command, "--keyless") == ["precious"]
    monkeypatch.setattr("sys.stdin", io.StringIO())
    remove = ("stored", "remove", "keeps", "precious", "--tenant", "b")
    unasked = command(*remove)  # there is nobody to ask
    assert (unasked.code, "kept nowhere else" in unasked.out) == (1, True)
    assert command(*remove, "--yes").out == "removed keeps precious\n"
    assert names(command) == ["precious", "precious own"]
    assert command("stored", "prune", "--yes").out == "nothing to remove\n"


def test_a_pack_that_cannot_tell_keeps_no_other_from_it(
    command: Command, here: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep(here, "broken")
    assert command("stored", "list").code == 0
    assert "pack keeps can't tell what it stores: RuntimeError: no table" in caplog.text


def test_a_file_is_written_anew_where_much_of_it_is_free(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    database = Database(SqliteDialect(file, FileLocks(tmp_path / "locks")))
    with database.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x)")
        connection.exec_driver_sql("INSERT INTO t VALUES (zeroblob(1000000)), ('kept')")
    with database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM t WHERE x != 'kept'")
    with database.reading() as reader:
        reader.exec_driver_sql("SELECT * FROM t")
        database.compact()  # somebody reads what was: it stays for now
    database.compact()
    assert file.stat().st_size < 20_000
    with database.reading() as connection:
        assert connection.exec_driver_sql("SELECT x FROM t").scalar_one() == "kept"
    database.close()
    shutil.copy(file, tmp_path / "y.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "y.db")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
