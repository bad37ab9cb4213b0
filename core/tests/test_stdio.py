"""The stdio host as a real process: both eras, a clean wire, and no lost write."""

from __future__ import annotations

import itertools
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from toolroll.host.client import HostClient

ERAS = ("legacy", "2026-07-28")
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Wire:
    """A host process, spoken to line by line without any SDK."""

    def __init__(self, options: list[str], env: dict[str, str]) -> None:
        self._ids = itertools.count(1)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "toolroll", "serve", "--packs", "probe", *options],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, method: str, **params: Any) -> int:
        assert self.process.stdin is not None
        number = next(self._ids)
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        message["params"] = {**params, "_meta": ENVELOPE}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return number

    def answer(self, number: int) -> dict[str, Any]:
        """Return the answer to a request; anything that isn't JSON on the wire fails here."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                return message
        raise AssertionError("the host closed its output without an answer")

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        number = self.send("tools/call", name=tool, arguments=arguments)
        return self.answer(number)["result"]

    def end(self) -> str:
        """Close the input, and return what the host wrote to stderr."""
        _, errors = self.process.communicate(timeout=120)
        return errors.decode()


@pytest.fixture
def start(tmp_path: Path, probe_environment: dict[str, str]) -> Iterator[Callable[..., Wire]]:
    root = tmp_path / "project"
    root.mkdir()
    with ExitStack() as stack:

        def run(*options: str) -> Wire:
            wire = Wire(
                ["--root", str(root), "--data-dir", str(tmp_path / "data"), *options],
                probe_environment,
            )
            stack.enter_context(wire.process)
            stack.callback(wire.process.kill)
            return wire

        yield run


def stored(directory: Path) -> int:
    """Count what the probe has on disk."""
    with closing(sqlite3.connect(directory / "data" / "probe.db")) as database:
        return database.execute("SELECT count(*) FROM entry").fetchone()[0]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_lists_and_calls_in_both_eras(
    tmp_path: Path, probe_environment: dict[str, str], mode: str
) -> None:
    heard: list[float] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append(done)

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "toolroll", "serve", "--packs", "probe", "--root", str(tmp_path)],
        env=probe_environment,
    )
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == sorted(tool.name for tool in tools)
        by_name = {tool.name: tool for tool in tools}
        assert by_name["probe_put"].input_schema == {
            "type": "object",
            "properties": {"key": {"type": "string", "minLength": 1}, "text": {"type": "string"}},
            "required": ["key", "text"],
            "additionalProperties": False,
        }
        hints = by_name["probe_put"].annotations
        assert hints is not None
        assert (hints.read_only_hint, hints.idempotent_hint) == (False, True)
        assert (await client.list_tools()).tools == tools
        for tool in ("probe_echo", "probe_echo_async"):
            result = await client.call_tool(tool, {"text": "hé"})
            assert result.structured_content == {"text": "hé"}
        for tool in ("probe_count_up", "probe_count_up_async"):
            heard.clear()
            await client.call_tool(tool, {}, progress_callback=hear)
            assert heard == [1, 2, 3]
        printed = await client.call_tool("probe_print", {})
        assert printed.structured_content == {"text": "printed"}
        surrogate = await client.call_tool("probe_surrogate", {})
        assert surrogate.structured_content == {"text": "caf\\udce9"}
        for tool in ("probe_boom", "probe_exit"):
            failed = await client.call_tool(tool, {})
            assert failed.is_error
            assert "secret" not in str(failed)
        wrong = await client.call_tool("probe_echo", {"text": 5, "more": 1})
        assert wrong.is_error
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("nope", {})
        assert unknown.value.code == -32602
        assert (await client.call_tool("probe_count", {})).structured_content == {"count": 0}


def test_nothing_but_the_protocol_is_on_the_wire(start: Callable[..., Wire]) -> None:
    wire = start()
    assert wire.call("probe_print")["structuredContent"] == {"text": "printed"}
    assert wire.call("probe_boom")["isError"]
    unknown = wire.answer(wire.send("tools/call", name="nope", arguments={}))
    assert unknown["error"] == {"code": -32602, "message": "Unknown tool: nope"}
    cursor = wire.answer(wire.send("tools/list", cursor="nowhere"))
    assert cursor["error"]["code"] == -32602
    errors = wire.end()
    for words in ("print() was here", "os.write() was here", "a child was here"):
        assert words in errors
    assert wire.process.returncode == 0


def test_a_message_may_be_longer_than_a_pipe_holds(start: Callable[..., Wire]) -> None:
    wire = start()
    text = "é" * 90_000
    assert wire.call("probe_echo", text=text)["structuredContent"] == {"text": text}
    assert wire.call("probe_echo", text=text * 20)["isError"]
    assert wire.call("probe_echo", text="after it")["structuredContent"] == {"text": "after it"}


def test_a_client_that_stops_reading_first_ends_the_host_in_order(
    start: Callable[..., Wire], tmp_path: Path
) -> None:
    wire = start()
    wire.call("probe_put", key="a", text="x")
    assert wire.process.stdin is not None
    assert wire.process.stdout is not None
    wire.process.stdout.close()
    wire.send("tools/call", name="probe_put", arguments={"key": "b", "text": "x"})
    wire.process.stdin.close()
    assert wire.process.stderr is not None
    assert b"Traceback" not in wire.process.stderr.read()
    assert wire.process.wait(120) == 0


def test_a_client_may_speak_over_a_socket(
    tmp_path: Path, probe_environment: dict[str, str]
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
    command = [sys.executable, "-m", "toolroll", "serve", "--packs", "probe"]
    ours, theirs = socket.socketpair()
    with (
        ours,
        subprocess.Popen(
            [*command, "--root", str(tmp_path)],
            env=probe_environment,
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        theirs.close()
        ours.sendall(json.dumps(message).encode() + b"\n")
        answer = json.loads(ours.makefile("rb").readline())
        assert "probe_echo" in [tool["name"] for tool in answer["result"]["tools"]]
        ours.close()
        assert process.wait(120) == 0


def test_input_from_a_file_ends_the_host_at_its_end(
    tmp_path: Path, probe_environment: dict[str, str]
) -> None:
    command = [sys.executable, "-m", "toolroll", "serve", "--packs", "probe"]
    done = subprocess.run(
        [*command, "--root", str(tmp_path)],
        env=probe_environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_tool_that_is_off_is_neither_listed_nor_callable(start: Callable[..., Wire]) -> None:
    wire = start("--read-only")
    names = [t["name"] for t in wire.answer(wire.send("tools/list"))["result"]["tools"]]
    assert "probe_count" in names
    assert "probe_put" not in names
    off = wire.answer(wire.send("tools/call", name="probe_put", arguments={}))
    assert off["error"]["code"] == -32602


def test_sigterm_lets_a_write_under_way_answer(start: Callable[..., Wire], tmp_path: Path) -> None:
    root = tmp_path / "project"
    os.mkfifo(root / "entered")
    os.mkfifo(root / "leave")
    wire = start()
    number = wire.send("tools/call", name="probe_gate", arguments={})
    (root / "entered").open("rb").close()  # the handler is inside
    wire.process.send_signal(signal.SIGTERM)
    (root / "leave").open("wb").close()
    assert wire.answer(number)["result"]["structuredContent"] == {"text": "passed"}
    assert wire.process.wait(120) == 0
    assert stored(tmp_path) == 1


def test_a_client_that_goes_leaves_no_write_half_done(
    start: Callable[..., Wire], tmp_path: Path
) -> None:
    root = tmp_path / "project"
    os.mkfifo(root / "entered")
    os.mkfifo(root / "leave")
    wire = start()
    wire.send("tools/call", name="probe_gate", arguments={})
    (root / "entered").open("rb").close()
    assert wire.process.stdin is not None
    wire.process.stdin.close()
    (root / "leave").open("wb").close()
    assert wire.process.wait(120) == 0
    assert stored(tmp_path) == 1


def test_kill_minus_nine_loses_no_acknowledged_write(
    start: Callable[..., Wire], tmp_path: Path
) -> None:
    wire = start()
    sent = [
        wire.send("tools/call", name="probe_put", arguments={"key": str(key), "text": "x"})
        for key in range(60)
    ]
    acknowledged = 0
    assert wire.process.stdout is not None
    for line in wire.process.stdout:
        message = json.loads(line)
        acknowledged += message.get("id") in sent and not message["result"]["isError"]
        if acknowledged == 20:
            wire.process.kill()
        if acknowledged >= 20 and wire.process.poll() is not None:
            break
    assert acknowledged <= stored(tmp_path) <= len(sent)


def test_a_host_serves_on_when_other_packs_are_broken(
    install: Callable[..., Path], start: Callable[..., Wire], probe_environment: dict[str, str]
) -> None:
    install("raises", "raise RuntimeError('on import')")
    site = install("exits", "import sys\nsys.exit(4)")
    probe_environment["PYTHONPATH"] += os.pathsep + str(site)
    wire = start("--packs", "raises,exits,probe")
    assert wire.call("probe_echo", text="hi")["structuredContent"] == {"text": "hi"}
    errors = wire.end()
    assert "pack 'raises' is quarantined at import: RuntimeError: on import" in errors
    assert "pack 'exits' is quarantined at import: SystemExit: 4" in errors
    assert "Traceback" not in errors
    strict = start("--packs", "raises,probe", "--strict")
    assert "quarantined" in strict.end()
    assert strict.process.returncode == 1


NOISY = """
import ctypes, os, subprocess, sys

sys.__stdout__.write("python\\n")
os.write(1, b"raw\\n")
subprocess.run([sys.executable, "-c", "print('child')"])
ctypes.CDLL(None).puts(b"buffered")
raise ImportError("after much noise")
"""


def test_what_is_written_beside_python_while_packs_load_is_kept_off_the_wire(
    install: Callable[..., Path], start: Callable[..., Wire], probe_environment: dict[str, str]
) -> None:
    probe_environment["PYTHONPATH"] += os.pathsep + str(install("noisy", NOISY))
    wire = start("--packs", "noisy,probe")
    assert wire.call("probe_echo", text="hi")["structuredContent"] == {"text": "hi"}
    rest, errors = wire.process.communicate(timeout=120)
    assert rest == b""
    for word in (b"python", b"raw", b"child", b"buffered", b"after much noise"):
        assert word in errors


@pytest.mark.parametrize("words", [("packs", "list", "--json"), ("tools", "list", "--json")])
def test_what_is_written_beside_python_while_packs_load_spoils_no_json(
    install: Callable[..., Path], python: Callable[..., Any], tmp_path: Path, words: tuple[str, ...]
) -> None:
    site = install("noisy", NOISY.replace('ctypes.CDLL(None).puts(b"buffered")', ""))
    done = python("-m", "toolroll", *words, path=(site,), cwd=tmp_path)
    listed = json.loads(done.stdout)
    assert "raw\nchild\n" in done.stderr
    assert isinstance(listed, list)


def test_what_a_handler_prints_is_no_part_of_the_answer_that_the_command_prints(
    tmp_path: Path, probe_environment: dict[str, str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "toolroll", "tools", "call", "probe_print"],
        env=probe_environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == '{"text":"printed"}\n'
    assert "print() was here" in done.stderr
    assert "a child was here" in done.stderr


def test_plain_code_can_be_a_client(
    tmp_path: Path, probe_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", probe_environment["PYTHONPATH"])
    with HostClient.start(["--packs", "probe", "--root", str(tmp_path)]) as client:
        assert "probe_echo" in client.tool_names()
        assert client.call("probe_echo", {"text": "hi"}).structured == {"text": "hi"}
        assert client.call("probe_boom", {}).is_error
