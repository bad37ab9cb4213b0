"""One host's packs with their resources: made once, closed once, each pack on its own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import pytest

import toolroll
from toolroll.registry import Source
from toolroll.runtime import Runtime

OpenRuntime = Callable[..., Runtime]


class Nothing(toolroll.Params):
    pass


class NotesSettings(toolroll.Settings):
    colour: str = "blue"


class Notes(toolroll.Pack):
    name = "notes"
    settings = NotesSettings
    migrations = "toolroll_probe.migrations"

    @toolroll.tool()
    def notes_read(self, ctx: toolroll.ToolContext, args: Nothing) -> list[int]:
        """Read."""
        return []


class Other(toolroll.Pack):
    name = "other"
    migrations = "toolroll_probe.migrations"
    errors: ClassVar = {}

    @toolroll.tool()
    def other_read(self, ctx: toolroll.ToolContext, args: Nothing) -> list[int]:
        """Read."""
        return []


def test_the_resources_of_a_pack_are_made_once(open_runtime: OpenRuntime) -> None:
    runtime = open_runtime(Notes(), Other())
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(runtime.context, ["notes"] * 32))
    assert all(context is made[0] for context in made)
    assert runtime.context("other") is not made[0]
    assert runtime.context("other").database is not made[0].database
    assert runtime.context("other").data_dir != made[0].data_dir
    with pytest.raises(KeyError):
        runtime.context("nope")


def test_a_pack_gets_its_table_of_the_settings(open_runtime: OpenRuntime) -> None:
    runtime = open_runtime(Notes(), notes={"colour": "red"})
    assert runtime.context("notes").settings == NotesSettings(colour="red")


def test_a_wrong_table_of_a_pack_stops_the_host(open_runtime: OpenRuntime) -> None:
    with pytest.raises(toolroll.SettingsError, match="'color' is unknown"):
        open_runtime(Notes(), notes={"color": "red"})
    with pytest.raises(toolroll.SettingsError, match=r"\[nodes\].*did you mean 'notes'"):
        open_runtime(Notes(), nodes={})


def test_tables_of_packs_that_are_not_served_are_no_error(
    tmp_path: Path, make_source: Callable[..., Source]
) -> None:
    def explode() -> None:
        raise RuntimeError

    sources = [make_source(Notes()), make_source(Other()), Source("bad", "d", "1", explode)]
    tables = {"bad": {"x": 1}, "other": {"y": 1}, "packs": {"block": ("other",)}}
    with Runtime.open(roots=[tmp_path], overrides=tables, sources=lambda: sources) as runtime:
        assert list(runtime.registry.packs) == ["notes"]
        assert [bad.source.name for bad in runtime.registry.quarantined] == ["bad"]


@pytest.mark.usefixtures("probe_installed")
def test_one_bad_database_does_not_keep_others_from_opening(
    open_runtime: OpenRuntime, caplog: pytest.LogCaptureFixture
) -> None:
    runtime = open_runtime(Notes(), Other())
    runtime.make_data_dir()
    (runtime.data_dir / "notes.db").write_bytes(b"no database" * 1000)
    with caplog.at_level(logging.ERROR):
        runtime.warm()
    assert [record.name for record in caplog.records] == ["toolroll.pack.notes"]
    assert (runtime.data_dir / "other.db").is_file()
    with runtime.context("other").database.read():
        pass


def test_the_data_of_a_pack_is_private(open_runtime: OpenRuntime) -> None:
    runtime = open_runtime(Notes())
    directory = runtime.context("notes").data_dir
    assert directory == runtime.data_dir / "notes"
    assert directory.stat().st_mode & 0o777 == 0o700


def test_a_runtime_that_is_closed_twice_is_closed(open_runtime: OpenRuntime) -> None:
    runtime = open_runtime(Notes())
    runtime.context("notes")
    runtime.close()
    runtime.close()


def test_a_link_in_place_of_the_data_directory_is_not_followed(tmp_path: Path) -> None:
    """A served repository must not choose where the host writes."""
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    (root / ".toolroll").symlink_to(elsewhere, target_is_directory=True)
    with pytest.raises(toolroll.SettingsError, match="is a symlink"):
        Runtime.open(roots=[root], sources=list)
    assert not list(elsewhere.iterdir())
    Runtime.open(roots=[root], data_dir=elsewhere, sources=list).close()
