"""The `toolroll` command: what it prints, as text and as JSON, and how it ends."""

from __future__ import annotations

import contextlib
import io
import json
import socket
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
PROBE = Path(__file__).parent / "distributions" / "probe"
RAISES = "raise RuntimeError('on import')"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "here"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture
def broken(install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(install("raises", RAISES)))


pytestmark = pytest.mark.usefixtures("here", "probe_installed")


def test_help_names_every_command_and_imports_no_pack(
    command: Command, broken: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "toolroll_probe", raising=False)
    done = command("--help")
    assert done.code == 0
    for name in ("serve", "demo", "packs", "tools", "doctor", "keys", "client-config", "probe"):
        assert f"\n  {name} " in done.out
    assert "raises" in done.out
    assert "Exit codes: 0 done" in done.out
    assert "toolroll_probe" not in sys.modules


def test_help_says_of_each_command_all_of_its_first_sentence(command: Command) -> None:
    for group in ("keys", "packs", "tools"):
        assert "..." not in command(group, "--help").out.partition("Commands:")[2]
    said = " ".join(command("keys", "--help").out.split())
    assert "new Make a key and print it: this is the only time that it can be seen." in said


@pytest.mark.parametrize(
    "name",
    ["serve", "demo", "packs", "tools", "doctor", "keys", "client-config", "packs new", "probe"],
)
def test_every_command_has_help(command: Command, name: str) -> None:
    done = command(*name.split(), "--help")
    assert done.code == 0
    assert done.out.startswith("Usage:")


def test_the_version_is_that_of_the_distribution(command: Command) -> None:
    from importlib.metadata import version

    assert command("--version").out == f"toolroll, version {version('toolroll')}\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nope", "see 'toolroll --help'; a pack's commands need its distribution installed"),
        ("pack", "did you mean 'packs'?"),
        ("conform", "install toolroll-conformance, which brings it"),
    ],
)
def test_an_unknown_command_is_a_usage_error(
    command: Command, monkeypatch: pytest.MonkeyPatch, name: str, hint: str
) -> None:
    monkeypatch.setattr("toolroll.cli.main._added", dict)  # the suite may be installed here
    done = command(name)
    assert done.code == 2
    assert f"no command is named {name!r}; {hint}" in done.err


def test_a_file_that_cannot_be_written_is_named_in_one_line(
    command: Command, probe_installed: None, tmp_path: Path
) -> None:
    done = command("packs", "freeze", "probe", "--output", tmp_path / "none" / "contract.json")
    assert done.code == 1
    assert done.err == f"toolroll: {tmp_path}/none/contract.json: No such file or directory\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the streams")
@pytest.mark.parametrize(
    ("words", "streams"), [("packs list", ">&- 2>&-"), ("keys new ci", "2>&-"), ("serve", "<&-")]
)
def test_standard_streams_may_be_closed(here: Path, words: str, streams: str) -> None:
    def run(streams: str) -> tuple[int, bytes]:
        line = f'exec "$0" -m toolroll {words} < /dev/null {streams}'
        done = subprocess.run(
            ["/bin/sh", "-c", line, sys.executable], capture_output=True, cwd=here, check=False
        )
        return done.returncode, done.stderr

    assert run(streams) == (0, b"" if "2>&-" in streams else run("")[1])


def test_packs_list_shows_what_is_loaded_and_what_is_not(command: Command, broken: None) -> None:
    done = command("packs", "list", "--json")
    rows = {row["name"]: row for row in json.loads(done.out)}
    assert done.code == 0
    assert rows["probe"]["state"] == "loaded"
    assert rows["probe"]["distribution"] == "toolroll-probe"
    assert rows["probe"]["version"] == "1.0"
    assert rows["probe"]["api_version"] == 1
    assert "probe_echo" in rows["probe"]["tools"]
    assert rows["probe"]["capabilities"] == ["database", "project_root", "tenants"]
    assert rows["raises"] == {
        "name": "raises",
        "distribution": "toolroll-raises",
        "version": "1.0",
        "state": "quarantined",
        "stage": "import",
        "cause": "RuntimeError: on import",
        "remedy": "mend or remove toolroll-raises",
    }
    text = command("packs", "list")
    assert "probe\ttoolroll-probe\t1.0\tloaded" in text.out
    assert "RuntimeError: on import" in text.out
    assert command("packs", "list", "--strict").code == 1


def test_a_command_of_a_pack_that_reads_nothing_stored_leaves_nothing(
    command: Command, here: Path
) -> None:
    assert command("probe", "greet").code == 0
    assert not list(here.iterdir())


@pytest.mark.parametrize("marked", [".toolroll/probe.db", "toolroll.toml"])
def test_a_command_of_a_pack_stands_in_the_nearest_root(
    command: Command, here: Path, monkeypatch: pytest.MonkeyPatch, marked: str
) -> None:
    """As git's do; a directory that has neither settings nor data is a root of its own."""
    inner = here / "src" / "pkg"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert command("probe", "greet").out == "hello from pkg\n"
    (here / marked).parent.mkdir(exist_ok=True)
    (here / marked).touch()
    assert command("probe", "greet").out == "hello from here\n"
    assert command("probe", "--root", inner.parent, "greet").out == "hello from src\n"
    monkeypatch.setenv("HOME", str(here))
    assert command("probe", "greet").out == "hello from pkg\n"


def test_packs_check_freeze_and_diff_tell_of_each_other(
    command: Command, here: Path, install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = here.parent / "site"
    monkeypatch.syspath_prepend(str(site))
    install("kept", "")
    (site / "toolroll_kept.py").unlink()
    package = site / "toolroll_kept"
    package.mkdir()
    code = (
        "import toolroll\n"
        "class Nothing(toolroll.Params):\n    limit: int = 5\n"
        "class Kept(toolroll.Pack):\n"
        "    name = 'kept'\n"
        "    @toolroll.tool()\n"
        "    def kept_read(self, ctx: toolroll.ToolContext, args: Nothing) -> list[int]:\n"
        "        'Read.'\n"
        "        return []\n"
        "@toolroll.hookimpl\n"
        "def toolroll_pack():\n    return Kept()\n"
    )
    (package / "__init__.py").write_text(code, "utf-8")

    unfrozen = command("packs", "check", "kept")
    assert unfrozen.code == 1
    assert "run 'toolroll packs freeze kept'" in unfrozen.err
    assert command("packs", "diff", "kept").code == 1

    frozen = command("packs", "freeze", "kept")
    assert (frozen.code, frozen.out) == (0, "kept: 1 tool frozen in contract.json\n")
    assert json.loads((package / "contract.json").read_text("utf-8"))["pack"] == "kept"
    assert command("packs", "check", "kept").code == 0
    whole = (package / "contract.json").read_text("utf-8")
    for damaged in ("{", "{}"):
        (package / "contract.json").write_text(damaged, "utf-8")
        done = command("packs", "diff", "kept")
        assert done.code == 1
        assert "contract.json is no contract: run 'toolroll packs freeze kept'" in done.err
    (package / "contract.json").write_text(whole, "utf-8")
    same = command("packs", "diff", "kept")
    assert (same.code, same.out) == (0, "kept: the code keeps its frozen contract\n")
    assert json.loads(command("packs", "diff", "kept", "--json").out) == []

    def change(old: str, new: str) -> None:
        assert old in code
        (package / "__init__.py").write_text(code.replace(old, new), "utf-8")
        for module in [name for name in sys.modules if name.startswith("toolroll_kept")]:
            monkeypatch.delitem(sys.modules, module)

    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two edits may share a time stamp
    change("'Read.'", "'Reads.'")
    reworded = command("packs", "diff", "kept")
    assert (reworded.code, reworded.out) == (0, "compatible\tkept_read/description\treworded\n")
    assert "stale" in command("packs", "check", "kept").err

    change("limit: int = 5", "limit: int")
    breaking = command("packs", "diff", "kept", "--json")
    assert breaking.code == 1
    assert {"breaking"} == {row["kind"] for row in json.loads(breaking.out)}
    refused = command("packs", "check", "kept")
    assert refused.code == 1
    assert "breaks its frozen contract" in refused.err
    assert command("packs", "freeze", "kept", "--output", here / "c.json").code == 0
    assert (here / "c.json").is_file()


@pytest.mark.parametrize(
    "words",
    [
        ("packs", "check", "nope"),
        ("packs", "freeze", "nope"),
        ("packs", "diff", "nope"),
        ("serve", "--packs", "probe,nope"),
        ("demo", "--pack", "nope"),
    ],
)
def test_a_pack_that_is_not_installed_is_named_with_those_that_are(
    command: Command, words: tuple[str, ...]
) -> None:
    done = command(*words)
    assert done.code == 2
    assert "no pack 'nope' is installed; installed: " in done.err
    assert "probe" in done.err


def test_a_broken_pack_fails_its_commands_in_one_line(command: Command, broken: None) -> None:
    for arguments in (("packs", "check", "raises"), ("packs", "freeze", "raises"), ("raises", "x")):
        done = command(*arguments)
        assert done.code == 1
        assert "RuntimeError: on import" in done.err
        assert "Traceback" not in done.err


def test_tools_are_listed_shown_and_called(command: Command) -> None:
    listed = json.loads(command("tools", "list", "--json").out)
    by_name = {tool["name"]: tool for tool in listed}
    assert by_name["probe_put"]["pack"] == "probe"
    assert "probe_put\tprobe\twrite\tStore a text under a key." in command("tools", "list").out
    shown = json.loads(command("tools", "show", "probe_put").out)
    assert shown["annotations"]["readOnlyHint"] is False

    called = command("tools", "call", "probe_echo", "--args", '{"text": "hé"}')
    assert (called.code, called.out) == (0, '{"text":"hé"}\n')
    failed = command("tools", "call", "probe_echo", "--args", '{"txt": 1}')
    assert failed.code == 1
    assert json.loads(failed.out)["code"] == "invalid_arguments"


def test_arguments_of_a_call_may_come_from_standard_input(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"text": "piped"}'))
    assert command("tools", "call", "probe_echo", "--args", "-").out == '{"text":"piped"}\n'


@pytest.mark.parametrize("arguments", ["{", "[]", "5"])
def test_arguments_that_are_no_object_are_a_usage_error(command: Command, arguments: str) -> None:
    done = command("tools", "call", "probe_echo", "--args", arguments)
    assert done.code == 2
    assert "--args" in done.err


@pytest.mark.parametrize("name", ["show", "call"])
def test_an_unknown_tool_is_told_with_the_nearest(command: Command, name: str) -> None:
    done = command("tools", name, "probe_ecko")
    assert done.code == 2
    assert "no tool is named 'probe_ecko'; did you mean 'probe_echo'?" in done.err


def test_keys_are_made_listed_and_revoked(command: Command, here: Path) -> None:
    made = json.loads(command("keys", "new", "ci", "--scope", "read", "--days", "2", "--json").out)
    assert made["name"] == "ci"
    plain = command("keys", "new", "admin")
    assert plain.out.startswith("tr_")
    rows = json.loads(command("keys", "list", "--json").out)
    assert [(row["name"], row["scopes"]) for row in rows] == [
        ("admin", ["read", "write"]),
        ("ci", ["read"]),
    ]
    assert rows[1]["expires_at"] > rows[1]["created_at"]
    listing = command("keys", "list").out
    assert made["key"] not in listing
    assert "ci\t" in listing
    assert (here / ".toolroll" / "keys.json").is_file()
    assert command("keys", "revoke", "ci").out == "revoked ci\n"
    again = command("keys", "revoke", "ci")
    assert again.code == 1
    assert again.err == "toolroll: no key is named 'ci'; keys: admin\n"
    assert command("keys", "new", "admin").code == 2
    assert command("keys", "new", "x", "--scope", "root").code == 2
    assert command("keys", "new", "x", "--days", "0").code == 2


def test_keys_lie_in_the_data_directory_that_is_named(command: Command, tmp_path: Path) -> None:
    command("keys", "new", "ci", "--data-dir", tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "keys.json").is_file()


def test_the_doctor_says_what_is_there_and_what_is_wrong(command: Command) -> None:
    done = command("doctor", "--json")
    found = {item["what"]: item for item in json.loads(done.out)}
    assert found["pack probe"]["ok"]
    assert found["database of probe"]["detail"] == "sqlite, schema up to date"
    assert found["settings"]["detail"] == "defaults (no toolroll.toml)"
    text = command("doctor")
    assert "ok\tpython" in text.out


def test_without_any_pack_commands_say_what_to_install(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    for words in (["packs", "list"], ["tools", "list"]):
        done = command(*words)
        assert done.code == 0
        assert done.err == "toolroll: no pack is installed; try: pip install toolroll-file-assoc\n"
    done = command("doctor")
    assert done.code == 1
    assert "WRONG\tpacks\tno pack is installed; try: pip install" in done.out


def test_the_doctor_finds_keys_that_no_host_can_read(command: Command, here: Path) -> None:
    command("keys", "new", "ci")
    assert "ok\tkeys\t1 key" in command("doctor").out
    (here / ".toolroll" / "keys.json").write_text("{", "utf-8")
    done = command("doctor")
    assert done.code == 1
    assert "WRONG\tkeys\tkeys.json is damaged" in done.out
    assert "move it away and make new keys" in command("keys", "new", "other").err


def test_the_doctor_finds_broken_packs_and_databases(
    command: Command, broken: None, here: Path
) -> None:
    command("tools", "call", "probe_count")
    for leftover in (here / ".toolroll").glob("probe.db*"):
        leftover.unlink()
    (here / ".toolroll" / "probe.db").write_bytes(b"no database" * 1000)
    done = command("doctor")
    assert done.code == 1
    assert "WRONG\tpack raises\timport: RuntimeError: on import" in done.out
    assert "WRONG\tdatabase of probe\tcannot open the sqlite database" in done.out
    assert "Traceback" not in done.out + done.err


def test_the_doctor_finds_migrations_that_were_edited_after_they_ran(
    command: Command, here: Path
) -> None:
    command("tools", "call", "probe_count")
    assert command("doctor").code == 0
    with contextlib.closing(sqlite3.connect(here / ".toolroll" / "probe.db")) as database:
        [(table, column)] = database.execute(
            "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
            "WHERE m.type = 'table' AND m.name <> 'alembic_version' AND NOT c.pk LIMIT 1"
        ).fetchall()
        database.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO older")
    done = command("doctor")
    assert done.code == 1
    assert (
        f"WRONG\tdatabase of probe\tlacks {table}.{column}, which its migrations make" in done.out
    )


@pytest.mark.parametrize(
    ("method", "found"),
    [
        (
            "migrations = 'nowhere'",
            "database of clumsy\tthe migrations in nowhere fail: ModuleNotF",
        ),
        (
            "migrations = 'toolroll.calls.migrations'\n"
            "    def remarks(self, context): raise RuntimeError('none today')",
            "pack clumsy\tits remarks: RuntimeError: none today",
        ),
    ],
)
def test_the_doctor_looks_on_where_a_pack_is_clumsy(
    command: Command,
    install: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    found: str,
) -> None:
    site = install(
        "clumsy",
        "import toolroll\n"
        "class Nothing(toolroll.Params): pass\n"
        "class Clumsy(toolroll.Pack):\n"
        "    name = 'clumsy'\n"
        "    @toolroll.tool()\n"
        "    def clumsy_read(self, ctx: toolroll.ToolContext, args: Nothing) -> list[int]:\n"
        "        'Read.'\n"
        "        return []\n"
        f"    {method}\n"
        "@toolroll.hookimpl\n"
        "def toolroll_pack(): return Clumsy()\n",
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "toolroll_clumsy", raising=False)
    done = command("doctor")
    assert done.code == 1
    assert f"WRONG\t{found}" in done.out
    assert "ok\tpack probe" in done.out


@pytest.mark.parametrize("client", ["claude-code", "claude-desktop", "cursor", "vscode", "codex"])
def test_a_client_configuration_starts_this_python_on_this_root(
    command: Command, here: Path, client: str
) -> None:
    done = command("client-config", client)
    assert done.code == 0
    assert "paste into" in done.err
    if client == "codex":
        server = tomllib.loads(done.out)["mcp_servers"]["toolroll"]
    elif client == "vscode":
        server = json.loads(done.out)["servers"]["toolroll"]
        assert server["type"] == "stdio"
    else:
        server = json.loads(done.out)["mcpServers"]["toolroll"]
    assert server["command"] == sys.executable
    assert server["args"] == ["-P", "-m", "toolroll", "serve", "--root", str(here)]
    assert command("client-config", "other").code == 2


@pytest.mark.parametrize(
    ("client", "header"),
    [
        ("claude-code", "Bearer ${TOOLROLL_KEY}"),
        ("cursor", "Bearer ${env:TOOLROLL_KEY}"),
        ("vscode", "Bearer ${input:toolroll-key}"),
    ],
)
def test_a_client_configuration_of_a_host_over_http_has_its_address_and_no_key(
    command: Command, client: str, header: str
) -> None:
    done = command("client-config", client, "--url", "https://tools.example/")
    read = json.loads(done.out)
    server = read["servers" if client == "vscode" else "mcpServers"]["toolroll"]
    assert (server["url"], server["headers"]) == (
        "https://tools.example/mcp",
        {"Authorization": header},
    )
    assert "toolroll keys new" in done.err
    assert [asked["id"] for asked in read.get("inputs", ())] == ["toolroll-key"] * (
        client == "vscode"
    )


def test_clients_without_headers_in_their_configuration_are_told_of_http_in_their_way(
    command: Command,
) -> None:
    read = tomllib.loads(command("client-config", "codex", "--url", "http://[::1]:8000/mcp").out)
    assert read["mcp_servers"]["toolroll"] == {
        "url": "http://[::1]:8000/mcp",
        "bearer_token_env_var": "TOOLROLL_KEY",
    }
    for url, plain in (("http://localhost:1", False), ("http://inside:80/team/mcp", True)):
        read = json.loads(command("client-config", "claude-desktop", "--url", url).out)
        server = read["mcpServers"]["toolroll"]
        assert server["args"][:2] == ["-y", "mcp-remote"]
        assert ("--allow-http" in server["args"]) is plain
        assert server["env"] == {"AUTHORIZATION": "Bearer KEY"}


@pytest.mark.parametrize(
    "words", [["--url", "127.0.0.1:8000"], ["--url", "http://a", "--root", "."]]
)
def test_a_client_configuration_wants_a_url_or_roots(command: Command, words: list[str]) -> None:
    assert command("client-config", "cursor", *words).code == 2


def test_a_client_configuration_can_name_any_directory(command: Command, tmp_path: Path) -> None:
    odd = tmp_path / 'say "héron 🦉" \\ del\x7f'
    odd.mkdir()
    for client in ("codex", "cursor"):
        out = command("client-config", client, "--root", str(odd)).out
        read = tomllib.loads(out) if client == "codex" else json.loads(out)
        (servers,) = read.values()
        assert servers["toolroll"]["args"][-1] == str(odd)


def test_a_pack_brings_commands_with_its_own_context(command: Command, here: Path) -> None:
    (here / "toolroll.toml").write_text("[probe]\ngreeting = 'moin'\n", "utf-8")
    assert command("probe", "greet").out == "moin from here\n"
    assert "greet" in command("probe").out + command("probe").err
    refused = command("probe", "refuse")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == "toolroll: nothing is there; put something first\n"
    assert command("probe", "nope").code == 2


def test_commands_that_cannot_be_loaded_end_in_one_line(
    command: Command, install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import toolroll\n"
        "class Nothing(toolroll.Params):\n    pass\n"
        "class Odd(toolroll.Pack):\n"
        "    name = 'odd'\n"
        "    @toolroll.tool()\n"
        "    def odd_read(self, ctx: toolroll.ToolContext, args: Nothing) -> list[int]:\n"
        "        'Read.'\n"
        "        return []\n"
        "    def commands(self):\n        raise ImportError('no such library')\n"
        "@toolroll.hookimpl\n"
        "def toolroll_pack():\n    return Odd()\n"
    )
    site = install("odd", code)
    monkeypatch.syspath_prepend(str(site))
    entry_points = site / "toolroll_odd-1.0.dist-info" / "entry_points.txt"
    with entry_points.open("a", encoding="utf-8") as file:
        file.write("[toolroll.commands]\nodder = toolroll_nowhere:command\n")
    broken = command("odd", "x")
    assert broken.code == 1
    assert "the commands of pack 'odd' can't be loaded: ImportError: no such" in broken.err
    missing = command("odder")
    assert missing.code == 1
    assert "command 'odder' can't be loaded: ModuleNotFoundError" in missing.err
    assert "odder          From toolroll-odd." in command("--help").out


def test_a_data_directory_that_cannot_be_made_is_told_in_one_line(
    command: Command, here: Path
) -> None:
    (here / "file").touch()
    done = command("tools", "call", "probe_echo", "--data-dir", here / "file" / "data")
    assert done.code == 2
    assert done.err.startswith("toolroll: cannot make the data directory")
    assert done.err.count("\n") == 1


def test_the_doctor_looks_on_where_the_data_directory_cannot_be_made(
    command: Command, here: Path
) -> None:
    (here / "file").touch()
    done = command("doctor", "--data-dir", here / "file" / "data")
    assert done.code == 1
    assert "WRONG\tdata directory\tcannot make the data directory" in done.out
    assert "ok\tpack probe" in done.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is full")
def test_what_cannot_be_written_for_want_of_room_is_one_line(
    command: Command, probe_installed: None
) -> None:
    done = command("packs", "freeze", "probe", "--output", "/dev/full")
    assert (done.code, done.out) == (1, "")
    assert done.err == "toolroll: cannot write: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no current directory")
def test_a_current_directory_that_is_gone_is_told_in_one_line(
    command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "gone").mkdir()
    monkeypatch.chdir(here / "gone")
    (here / "gone").rmdir()
    done = command("tools", "list")
    assert (done.code, done.out) == (1, "")
    assert done.err == "toolroll: the current directory has been removed; change to another\n"


def test_a_pack_command_minds_the_tables_of_other_packs_only_by_name(
    command: Command, here: Path, broken: None
) -> None:
    (here / "toolroll.toml").write_text("[raises]\nx = 1\n[probe]\ngreeting = 'moin'\n", "utf-8")
    assert command("probe", "greet").out == "moin from here\n"


@pytest.mark.parametrize(
    "arguments",
    [("tools", "list"), ("doctor",), ("probe", "greet"), ("serve",), ("keys", "list")],
    ids=" ".join,
)
def test_a_wrong_setting_ends_every_command_with_one_line(
    command: Command, here: Path, arguments: tuple[str, ...]
) -> None:
    (here / "toolroll.toml").write_text("[host]\ntime_out = 1\n", "utf-8")
    done = command(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("toolroll: 'time_out' is unknown in [host] in toolroll.toml; did")
    assert done.err.count("\n") == 1


def test_a_public_address_without_keys_ends_with_one_line(command: Command) -> None:
    with socket.create_server(("0.0.0.0", 0)) as taken:  # refused before anything listens there
        address = f"0.0.0.0:{taken.getsockname()[1]}"
        done = command("serve", "--http", address, "--packs", "probe")
    assert done.code == 2
    assert done.err.startswith(f"toolroll: refusing to listen on {address} without keys")
    assert command("serve", "--http", "nowhere").code == 2


def test_a_selection_that_selects_nothing_is_told(command: Command, here: Path) -> None:
    (here / "toolroll.toml").write_text(
        '[packs]\nblock = ["prob"]\n[tools]\ndisable = ["probe_ecco", "probe_*"]\n'
    )
    done = command("doctor")
    assert done.code == 1
    told = [line for line in done.out.splitlines() if "check its spelling" in line]
    assert [line.split("'")[1] for line in told] == ["prob", "probe_ecco"]


def test_tools_that_are_missed_are_told_with_the_packs_set_aside(
    command: Command, broken: None
) -> None:
    why = "pack 'raises' is quarantined at import: RuntimeError: on import"
    assert why in command("tools", "list").err
    missed = command("tools", "call", "raises_read")
    assert (missed.code, why in missed.err) == (2, True)


def test_strict_serving_ends_when_a_pack_is_quarantined(command: Command, broken: None) -> None:
    done = command("serve", "--strict", "--packs", "raises,probe")
    assert done.code == 1
    assert "pack 'raises' is quarantined at import: RuntimeError: on import" in done.err


def test_a_demo_that_finds_nothing_to_show_has_no_fault(
    python: Callable[..., Any], here: Path
) -> None:
    (here / "empty").mkdir()
    words = ("-m", "toolroll", "demo", "--pack", "probe", "--path", "empty")
    done = python(*words, path=(PROBE,), cwd=here)
    assert "There is nothing here. Name another repository with --path" in done.stdout
    assert "was never called" not in done.stdout


def test_the_demo_shows_a_pack_over_a_real_host_and_fails_for_tools_not_called(
    python: Callable[..., Any], here: Path
) -> None:
    (here / "click.py").write_text("raise SystemExit('a module of the repository was run')")
    done = python("-P", "-m", "toolroll", "demo", "--pack", "probe", path=(PROBE,), cwd=here)
    assert done.returncode == 1, done.stderr
    assert "The root is here." in done.stdout
    assert '→ probe_echo(text="hi")' in done.stdout
    assert "probe_put: was never called" in done.stdout
    assert '"mcpServers"' in done.stdout
    assert '"mcpServers"' in done.stdout
    assert not (here / ".toolroll").exists()


def test_a_demo_that_nobody_reads_to_its_end_ends_quietly(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(PROBE))
    with subprocess.Popen(
        [sys.executable, "-m", "toolroll", "demo", "--pack", "probe"],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as demo:
        assert demo.stdout is not None
        assert demo.stderr is not None
        while b"A host over stdio serves" not in demo.stdout.readline():
            assert demo.poll() is None
        demo.stdout.close()
        assert demo.stderr.read() == b""
    assert demo.returncode == 1
