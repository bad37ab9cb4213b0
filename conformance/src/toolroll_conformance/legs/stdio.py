"""Over real stdio: one process, newline-delimited JSON-RPC on its pipes."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from typing import Any, Final

from attrs import field, frozen

from toolroll_conformance.legs.base import CALL_TIMEOUT, FIRST, CannotServe, Connection
from toolroll_conformance.legs.dialect import DISCOVER, Dialect
from toolroll_conformance.legs.results import reply_of, result_of
from toolroll_conformance.legs.starting import START_TIMEOUT, Running, Starter
from toolroll_conformance.processes.group import end_group
from toolroll_conformance.reply import NoReply, ProtocolError, Reply, ServerGone, as_object
from toolroll_conformance.storage import EMBEDDED, Storage
from toolroll_conformance.workspace import Workspace

__all__ = ["StdioConnection", "StdioLeg"]

LEFT_SECONDS: Final = 5.0
"""How long what a killed server has left may hold its standard output."""


@frozen(eq=False)
class StdioLeg:
    """Starts a server process for each workspace and speaks one era with it."""

    starter: Starter
    era: str
    abilities: frozenset[str] = frozenset(
        {"files", "settings", "commands", "restart", "kill", "wire"}
    )
    storage: Storage = EMBEDDED
    name: str = field(default="stdio", init=False)

    def open(self, workspace: Workspace) -> Connection:
        """Start a server and greet it."""
        return StdioConnection(self.starter, workspace, self.era)

    def close(self) -> None:
        """Nothing is kept between servers."""


@frozen(eq=False)
class _PendingCall:
    connection: StdioConnection
    request_id: int
    future: Future[dict[str, Any]]

    def result(self, timeout: float = CALL_TIMEOUT) -> Reply:
        return reply_of(self.connection.wait(self.future, timeout))

    def cancel(self) -> None:
        self.connection.send(self.connection.dialect.cancelled(self.request_id))


class StdioConnection:
    """A server process and the requests it has not answered yet.

    Attributes:
        strays: Lines on its standard output that were no JSON-RPC message.
    """

    def __init__(self, starter: Starter, workspace: Workspace, era: str) -> None:
        self._starter = starter
        self._workspace = workspace
        self._era = era
        self.strays: list[str] = []
        self._start()

    def _start(self) -> None:
        self.dialect = Dialect(self._era)
        self._sending = threading.Lock()
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self.running: Running = self._starter.stdio(self._workspace)
        self._reader = threading.Thread(target=self._read, name="stdio-reader", daemon=True)
        self._reader.start()
        try:
            if self.dialect.has_handshake:
                asked = self.ask(self.dialect.initialize())
                self.dialect.agree(result_of(self.wait(asked, START_TIMEOUT)))
                self.send(self.dialect.initialized())
        except ServerGone as error:  # which has its last words
            self.close()
            raise CannotServe(str(error)) from None
        except (NoReply, ProtocolError) as error:
            words = self.running.last_words()
            self.close()
            raise CannotServe(f"{error}; it said: {words or 'nothing'}") from None

    def list_tools(self, cursor: str | None = None) -> dict[str, Any]:
        """Return the result of `tools/list`."""
        params = {} if cursor is None else {"cursor": cursor}
        request = self.dialect.request("tools/list", params)
        return result_of(self.wait(self.ask(request), CALL_TIMEOUT))

    def discover(self) -> dict[str, Any]:
        """Return the result of `server/discover`."""
        return result_of(self.wait(self.ask(self.dialect.request(DISCOVER, {})), START_TIMEOUT))

    def begin(self, tool: str, arguments: Mapping[str, Any], tenant: str = FIRST) -> _PendingCall:
        """Send a call; whoever calls, stdio has one tenant."""
        request = self.dialect.request("tools/call", {"name": tool, "arguments": dict(arguments)})
        return _PendingCall(self, request["id"], self.ask(request))

    def ask(self, request: Mapping[str, Any]) -> Future[dict[str, Any]]:
        """Send a request and return where its answer will be."""
        future: Future[dict[str, Any]] = Future()
        self._waiting[request["id"]] = future
        self.send(request)
        if not self._reader.is_alive():
            self._give_up()
        return future

    def wait(self, future: Future[dict[str, Any]], timeout: float) -> dict[str, Any]:
        """Wait for the answer to a request.

        Raises:
            NoReply: Nothing came in time; says what else stood on standard output, perhaps a
                message that something was printed into.
        """
        try:
            return future.result(timeout)
        except (TimeoutError, CancelledError):
            raise NoReply(f"no answer within {timeout:g} s{self._strayed()}") from None

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one message; non-ASCII goes as escapes, lone surrogates too."""
        self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        """Write one line as it is."""
        assert self.running.stdin is not None
        try:
            with self._sending:
                data = line + b"\n"
                while data:
                    data = data[self.running.stdin.write(data) :]
        except (BrokenPipeError, ValueError):
            if threading.current_thread() is not self._reader:  # which gives up at its own end
                self._reader.join()
                self._give_up()

    def restart(self, *, kill: bool) -> None:
        """End the process and start another on the same workspace."""
        self._end(kill=kill)
        self._start()

    def close(self) -> None:
        """End the process."""
        self._end(kill=False)

    def _end(self, *, kill: bool) -> None:
        if kill:
            self.running.kill()
        else:
            self.running.stop()
        self._reader.join(LEFT_SECONDS)
        if self._reader.is_alive():  # what it left holds its standard output: rule `ending`
            end_group(self.running.process.pid)
            self._reader.join()
        self.running.release()

    def _read(self) -> None:
        assert self.running.stdout is not None
        for line in self.running.stdout:
            try:
                message = as_object(json.loads(line)) or {}
            except ValueError:
                message = {}
            if message.get("jsonrpc") != "2.0":
                self.strays.append(line.decode("utf-8", "replace")[:200])
            self._take(message)
        self._give_up()

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message:
            if "id" in message:
                self.send(self.dialect.answer(message))
            return
        answered = message.get("id")
        if isinstance(answered, int) and (future := self._waiting.pop(answered, None)):
            future.set_result(message)

    def _give_up(self) -> None:
        while self._waiting:
            try:
                _, future = self._waiting.popitem()
            except KeyError:
                return
            words = self.running.last_words()
            told = f"the server ended before it answered; it said: {words or 'nothing'}"
            future.set_exception(ServerGone(told + self._strayed()))

    def _strayed(self) -> str:
        return f"; on standard output was {self.strays[-1]!r}" if self.strays else ""
