"""`toolroll.toml`: what is unknown or wrong is refused by name; defaults are safe."""

from __future__ import annotations

from pathlib import Path

import pytest

import toolroll
from toolroll.configuration import CONFIG_NAME, Configuration, load
from toolroll.errors import SettingsError
from toolroll.registry import Registry
from toolroll.runtime import Runtime
from toolroll.settings import HostSettings, PackSelection, StorageSettings


class NotesSettings(toolroll.Settings):
    colour: str = "blue"
    most: int = 5


@pytest.fixture
def write(tmp_path: Path) -> Path:
    return tmp_path / CONFIG_NAME


def loaded(file: Path, text: str) -> Configuration:
    file.write_text(text, "utf-8")
    return load(file)


def test_without_a_file_every_setting_has_its_default(tmp_path: Path) -> None:
    configuration = load(None, root=tmp_path)
    assert configuration.path is None
    assert configuration.table("host", HostSettings) == HostSettings()
    assert configuration.table("packs", PackSelection).allow is None
    assert configuration.table("notes", NotesSettings).colour == "blue"


def test_the_file_in_the_root_is_found(write: Path) -> None:
    write.write_text("[host]\ntimeout_seconds = 3\n[notes]\nmost = 7\n", "utf-8")
    configuration = load(None, root=write.parent)
    assert configuration.path == write
    assert configuration.table("host", HostSettings).timeout_seconds == 3
    assert configuration.table("notes", NotesSettings).most == 7


def test_what_stands_in_the_root_and_is_no_file_is_refused(write: Path) -> None:
    write.mkdir()
    with pytest.raises(SettingsError, match="is no file with settings"):
        load(None, root=write.parent)
    write.rmdir()
    write.symlink_to("nowhere")
    with pytest.raises(SettingsError, match="is no file with settings"):
        load(None, root=write.parent)


def test_a_named_file_must_exist(write: Path) -> None:
    with pytest.raises(toolroll.SettingsError, match=r"cannot read toolroll\.toml"):
        load(write)


@pytest.mark.parametrize("content", [b"[host", b"\xff\xfe", b"a = 1\na = 2\n"])
def test_what_is_not_toml_is_refused(write: Path, content: bytes) -> None:
    write.write_bytes(content)
    with pytest.raises(toolroll.SettingsError, match=r"toolroll\.toml is not TOML"):
        load(write)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[host]\ntimeout_second = 3\n",
            "'timeout_second' is unknown in [host] in toolroll.toml; "
            "did you mean 'timeout_seconds'?",
        ),
        ("[packs]\nxyz = 1\n", "'xyz' is unknown in [packs] in toolroll.toml; known: allow, block"),
        (
            "[host]\nmax_concurrency = 0\n",
            "'max_concurrency' in [host] in toolroll.toml must be greater than or equal to 1",
        ),
        (
            "[storage]\npool_size = '8'\n",
            "'pool_size' in [storage] in toolroll.toml must be a valid integer",
        ),
        (
            "[host]\ntimeout_seconds = true\n",
            "'timeout_seconds' in [host] in toolroll.toml must be a valid number",
        ),
        ("[tools]\nenable = 'all'\n", "'enable' in [tools] in toolroll.toml must be a list"),
        ("[http]\njwt = 5\n", "'jwt' in [http] in toolroll.toml must be a table"),
        (
            "[http.jwt]\nissuers = 'x'\n",
            "'issuers' is unknown in [http.jwt] in toolroll.toml; did you mean 'issuer'?",
        ),
        (
            "[http.jwt]\nissuer = 'x'\n",
            "'jwt' in [http] in toolroll.toml: an issuer needs an audience",
        ),
        (
            "[storage]\nurl = 'mysql://db'\n",
            "'url' in [storage] in toolroll.toml: must begin with postgresql://",
        ),
        (
            "[storage]\nurl = 'postgresql://me:pass:word@host:543x/db'\n",
            "'url' in [storage] in toolroll.toml: is not of the form postgresql://user:password@",
        ),
        ("host = 5\n", "[host] in toolroll.toml must be a table"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(write: Path, text: str, sentence: str) -> None:
    with pytest.raises(toolroll.SettingsError) as refused:
        loaded(write, text)
    assert str(refused.value).startswith(sentence)
    assert "543x" not in str(refused.value)  # it may be of a password


def test_a_byte_order_mark_before_the_settings_is_passed_over(write: Path) -> None:
    write.write_bytes(b"\xef\xbb\xbf[host]\nmax_queue = 9\n")
    assert load(write).table("host", HostSettings).max_queue == 9


def test_only_installed_packs_can_be_allowed(write: Path) -> None:
    configuration = loaded(write, "[packs]\nallow = ['file_oi']\n")
    with pytest.raises(
        toolroll.SettingsError, match=r"'file_oi', which is not.*did you mean 'fileio'"
    ):
        configuration.refuse_uninstalled(["fileio", "notes"])
    configuration.override({"packs": {"allow": ["notes"]}}).refuse_uninstalled(["notes"])


def test_every_wrong_setting_of_a_table_is_told_at_once(write: Path) -> None:
    with pytest.raises(toolroll.SettingsError) as refused:
        loaded(write, "[audit]\nenable = true\nretention_days = 0\n")
    assert str(refused.value).count(";") >= 1
    assert "'enable'" in str(refused.value)
    assert "'retention_days'" in str(refused.value)


def test_a_table_of_a_pack_is_held_to_the_model_of_the_pack(write: Path) -> None:
    configuration = loaded(write, "[notes]\ncolor = 'red'\n")
    with pytest.raises(toolroll.SettingsError, match=r"'color' is unknown in .*'colour'"):
        configuration.table("notes", NotesSettings)


def test_a_table_that_belongs_to_nobody_is_refused_with_the_nearest(write: Path) -> None:
    configuration = loaded(write, "[note]\n")
    with pytest.raises(toolroll.SettingsError, match=r"\[note\].*did you mean 'notes'\?"):
        configuration.refuse_unknown(["notes"])
    loaded(write, "[notes]\n[backends]\n").refuse_unknown(["notes"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("limit = 5\n", r"'limit' in toolroll.toml must be a table, \[limit\]"),
        ("notes = ['a']\n", "'notes' in toolroll.toml must be a table"),
        ("[[notes]]\n", "'notes' in toolroll.toml must be a table"),
        ("[backends.locks]\nnam = 'x'\n", r"'name' in \[backends.locks\].* must be given"),
        ("[audit]\nretention_days = 99999999999\n", "'retention_days' in .* less than or equal"),
    ],
)
def test_what_no_table_can_hold_is_refused(write: Path, text: str, message: str) -> None:
    with pytest.raises(toolroll.SettingsError, match=message):
        loaded(write, text)


def test_the_command_line_replaces_single_keys(write: Path) -> None:
    configuration = loaded(write, "[host]\nread_only = true\nmax_queue = 9\n")
    changed = configuration.override({"host": {"max_queue": 3}, "packs": {"allow": ("a",)}})
    assert changed.table("host", HostSettings).max_queue == 3
    assert changed.table("host", HostSettings).read_only
    assert changed.table("packs", PackSelection).allow == ("a",)
    assert configuration.table("host", HostSettings).max_queue == 9


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        StorageSettings().pool_size = 1  # type: ignore[misc]


def test_the_roots_of_the_file_are_relative_to_it_and_options_replace_them(
    write: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (write.parent / "one").mkdir()
    (write.parent / "two").mkdir()
    write.write_text(
        "[host]\nroots = ['one', 'two']\ndata_dir = 'data'\n[audit]\nenabled = false\n", "utf-8"
    )
    monkeypatch.chdir(write.parent)

    def nothing() -> list[object]:
        return []

    with Runtime.open(config=write, sources=nothing) as runtime:  # type: ignore[arg-type]
        assert [root.path.name for root in runtime.roots] == ["one", "two"]
        assert runtime.data_dir == write.parent / "data"
    with Runtime.open(roots=["two"], config=write, sources=nothing) as runtime:  # type: ignore[arg-type]
        assert [root.path.name for root in runtime.roots] == ["two"]


def test_a_root_that_is_no_directory_is_refused(write: Path) -> None:
    with pytest.raises(toolroll.SettingsError, match="root is not a directory"):
        Runtime.open(roots=[write.parent / "missing"], sources=list)


def test_the_data_directory_ignores_itself(tmp_path: Path) -> None:
    runtime = Runtime(Registry(), Configuration(None, {}), [tmp_path])
    assert runtime.make_data_dir() == tmp_path / ".toolroll"
    assert (tmp_path / ".toolroll" / ".gitignore").read_text("utf-8").endswith("*\n")
    assert (tmp_path / ".toolroll").stat().st_mode & 0o777 == 0o700
    runtime.close()
