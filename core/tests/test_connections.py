"""Connections of an HTTP host on which no request comes, and too many of them."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from toolroll.host import refusals
from toolroll.host.connections import tell_of_full

WAIT = 120
SERVE = """
import sys
from toolroll.cli.main import main
from toolroll.host import http, refusals
http._KEEP_ALIVE_SECONDS, refusals.BODY_SECONDS = map(float, sys.argv[1:])
sys.argv[1:] = ["serve", "--http", "127.0.0.1:0"]
main()
"""
BRIEF = 0.2
"""Seconds of a host's patience, for what a test wants to see ended."""
HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@contextmanager
def serving(root: Path, *, idle: float, body: float) -> Iterator[tuple[str, int]]:
    """Start a host and give its address.

    Args:
        root: Its directory.
        idle: Seconds that a connection may be without a request.
        body: Seconds that a request may take to come whole.
    """
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(idle), str(body)],
        cwd=root,
        stderr=subprocess.PIPE,
        text=True,
    ) as host:
        assert host.stderr is not None
        said = next(line for line in host.stderr if "http://" in line)  # or that there is no pack
        name, _, port = said.split("/")[2].partition(":")
        yield name, int(port)
        host.kill()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """Where a host listens whose connections may be idle for a moment only."""
    with serving(tmp_path_factory.mktemp("root"), idle=BRIEF, body=WAIT) as found:
        yield found


def is_closed(connection: socket.socket, begun: bytes) -> bool:
    """Say whether the host closes a connection on which no more than this is sent."""
    try:
        connection.sendall(begun)
        return connection.recv(1) == b""
    except ConnectionError:  # it was closed before that came
        return True


def answered(address: tuple[str, int]) -> socket.socket:
    """Return a connection on which a request was answered; the host may close it before that."""
    while True:
        connection = socket.create_connection(address, timeout=WAIT)
        heard = b""
        with contextlib.suppress(ConnectionError):
            connection.sendall(HEAD + b"\r\n")
            while part := connection.recv(4_096):
                heard += part
                if heard.endswith(b'{"status":"ok"}'):
                    return connection
        connection.close()


@pytest.mark.parametrize("begun", [b"", b"GET", HEAD], ids=["nothing", "a word", "half a head"])
def test_a_connection_without_a_request_is_closed(address: tuple[str, int], begun: bytes) -> None:
    with socket.create_connection(address, timeout=WAIT) as connection:
        assert is_closed(connection, begun)


def test_a_connection_whose_next_request_never_ends_is_closed(address: tuple[str, int]) -> None:
    with answered(address) as connection:
        assert is_closed(connection, HEAD)


def test_a_request_that_never_comes_whole_is_ended(tmp_path: Path) -> None:
    with (
        serving(tmp_path, idle=WAIT, body=BRIEF) as (name, port),
        socket.create_connection((name, port), timeout=WAIT) as connection,
    ):
        head = f"POST /mcp HTTP/1.1\r\nHost: {name}:{port}\r\n"
        connection.sendall(head.encode() + b"Content-Length: 9\r\n\r\n{")
        heard = b""
        while part := connection.recv(4_096):
            heard += part
    assert heard.startswith(b"HTTP/1.1 408 ")
    assert b'"message":"the request did not come whole in time;' in heard


@pytest.mark.anyio
async def test_a_caller_who_goes_away_amid_a_request_is_no_fault() -> None:
    async def reading(scope: Scope, receive: Receive, send: Send) -> None:
        await Request(scope, receive).body()

    parts = iter([{"type": "http.request", "body": b"{", "more_body": True}])
    sent: list[Message] = []

    async def receive() -> Message:
        return next(parts, {"type": "http.disconnect"})

    async def send(message: Message) -> None:
        sent.append(message)

    await refusals.Patience(reading)({"type": "http"}, receive, send)
    assert sent == []


def test_too_many_open_files_are_told_once_and_other_errors_as_ever(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loop = asyncio.new_event_loop()
    tell_of_full(loop)
    full = OSError(errno.EMFILE, "Too many open files")
    for _ in range(1_000):
        loop.call_exception_handler({"message": "out of resource", "exception": full})
    loop.call_exception_handler({"message": "else", "exception": ValueError("else")})
    loop.close()
    assert [(record.name, record.levelno) for record in caplog.records] == [
        ("toolroll.http", logging.ERROR),
        ("asyncio", logging.ERROR),
    ]
    assert "ulimit -n" in caplog.messages[0]
