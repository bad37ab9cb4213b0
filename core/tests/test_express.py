"""Calls over stdio past the SDK: taken as soon as they may be, and answered to the letter alike."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import anyio
import anyio.to_thread
import pytest
from mcp.server.stdio import stdio_server
from opentelemetry import trace
from pydantic import BaseModel

import toolroll
from toolroll.host.express import ALONE_AFTER, Express
from toolroll.host.pipes import Input, Output
from toolroll.host.server import Warmup, build_server
from toolroll.runtime import Runtime

OpenRuntime = Callable[..., Runtime]
WAIT = 120.0
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Nothing(toolroll.Params):
    pass


class Given(toolroll.Params):
    text: str


class Text(BaseModel):
    text: str


class Lab(toolroll.Pack):
    name = "lab"
    errors: ClassVar = {}

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.leave = threading.Event()
        self.left = threading.Event()
        self.asked_to_stop = threading.Event()

    @toolroll.tool()
    def echo(self, ctx: toolroll.ToolContext, args: Given) -> Text:
        """Return the text."""
        return Text(text=args.text)

    @toolroll.tool()
    def texts(self, ctx: toolroll.ToolContext, args: Given) -> list[str]:
        """Return the text in a list."""
        return [args.text]

    @toolroll.tool()
    def shown(self, ctx: toolroll.ToolContext, args: Given) -> toolroll.Markdown:
        """Return the text as Markdown."""
        return toolroll.Markdown(f"# {args.text}")

    @toolroll.tool()
    def fails(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Fail inside."""
        raise toolroll.NotFound("not “there”")

    @toolroll.tool()
    async def counts(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Report progress twice."""
        ctx.progress(1, 2, "one")
        ctx.progress(2)
        return Text(text="counted")

    @toolroll.tool()
    def reads(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Read until released."""
        return self._held()

    @toolroll.tool(writes=True)
    def writes(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Write until released, and say meanwhile when it is asked to stop."""
        self.entered.release()
        while not self.leave.wait(0.01):
            if ctx.cancelled:
                self.asked_to_stop.set()
        self.left.set()
        return Text(text="held")

    @toolroll.tool(writes=True)
    def tells(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Report progress, write until released, and report more."""
        ctx.progress(1, 2)
        self.entered.release()
        assert self.leave.wait(WAIT)
        ctx.progress(2, 2)
        self.left.set()
        return Text(text="told")

    @toolroll.tool(brief=True)
    def looks(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Say which thread reads."""
        with ctx.database.reading():
            return Text(text=threading.current_thread().name)

    @toolroll.tool(writes=True, brief=True)
    def notes(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Say which thread writes."""
        with ctx.database.writing():
            return Text(text=threading.current_thread().name)

    def _held(self) -> Text:
        self.entered.release()
        assert self.leave.wait(WAIT)
        self.left.set()
        return Text(text="held")


class Session:
    """A connection to a host in this process, line by line."""

    def __init__(self, target: int, source: int) -> None:
        self._target = target
        self._answers = os.fdopen(source, "rb")
        self.express: list[bool] = []
        self.meta: dict[str, Any] | None = ENVELOPE

    def send(self, method: str, number: Any = None, **params: Any) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
            if self.meta is not None:
                params["_meta"] = {**self.meta, **params.get("_meta", {})}
        os.write(self._target, json.dumps(message).encode() + b"\n")

    async def next(self) -> dict[str, Any]:
        """Return the next message of the host."""
        return json.loads(await anyio.to_thread.run_sync(self._answers.readline))

    async def call(self, number: Any, tool: str, **arguments: Any) -> dict[str, Any]:
        self.send("tools/call", number, name=tool, arguments=arguments)
        return await self.next()

    def write(self, line: str) -> None:
        """Send a line that may be no message."""
        os.write(self._target, line.encode() + b"\n")

    def close(self) -> None:
        """Close the output of the host."""
        self._answers.close()

    def end(self) -> None:
        """Close the input of the host, once."""
        if self._target >= 0:
            os.close(self._target)
        self._target = -1


@asynccontextmanager
async def connected(runtime: Runtime, *, handshake: bool = False) -> AsyncGenerator[Session]:
    """Serve a runtime on two pipes; `Session.express` says of each line who took it."""
    asked, ask = os.pipe()
    answers, answer = os.pipe()
    os.set_blocking(asked, False)
    os.set_blocking(answer, False)
    source, target = Input(asked), Output(answer)
    session = Session(ask, answers)
    warmup = Warmup(runtime)
    server = build_server(runtime, warmup)

    async def serve() -> None:
        async with Express(runtime, source, target), stdio_server(source, target) as streams:  # type: ignore[arg-type]
            express = source.taken
            source.taken = lambda line: session.express.append(express(line)) or session.express[-1]
            await server.run(*streams, server.create_initialization_options())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve)
        if handshake:
            session.meta = None
            session.send("initialize", 0, **HELLO)
            await session.next()
            session.send("notifications/initialized")
        yield session
        session.end()
    warmup.stop()
    session.close()
    os.close(asked)
    os.close(answer)


@pytest.fixture
def lab() -> Lab:
    return Lab()


@pytest.fixture
def runtime(open_runtime: OpenRuntime, lab: Lab) -> Runtime:
    return open_runtime(lab)


@pytest.mark.anyio
@pytest.mark.parametrize("handshake", [True, False])
async def test_half_of_a_surrogate_pair_gets_an_answer(runtime: Runtime, handshake: bool) -> None:
    async with connected(runtime, handshake=handshake) as session:
        first = await session.call(1, "echo", text="cut \ud83d")
        assert first["id"] == 1
        assert "half of a surrogate pair" in first["error"]["message"]
        assert "result" in await session.call(2, "echo", text="whole 🦉")
        second = await session.call(3, "echo", text="cut \ud83d")
        assert second["result"]["isError"]
        assert "structuredContent" not in second["result"]
        assert "half of a surrogate pair" in second["result"]["content"][0]["text"]
        assert "error" in await session.call(4, "nothing", text="\udc00")
        assert "result" in await session.call(5, "echo", text="whole")


DEEP = '{"a":' * 900 + "1" + "}" * 900
CALL = '"method":"tools/call","params":{"name":"echo","arguments":{"id":9,"text":%s}}'
UNREAD = {
    "deep": (f'{{"jsonrpc":"2.0",{CALL % DEEP},"id":7}}', 7, -32700, "recursion limit"),
    "long number": (f'{{"id":"x","jsonrpc":"2.0",{CALL % ("1" * 5_000)}}}', "x", -32700, "number"),
    "cut": (f'{{"jsonrpc":"2.0","id":-3,{CALL % "1"}', -3, -32700, "EOF"),
    "method": ('{"jsonrpc":"2.0","id":1,"method":5}', 1, -32600, "a method that is a text"),
    "params": ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 1, -32600, "an object"),
    "version": ('{"id":1,"method":"ping"}', 1, -32600, '"jsonrpc": "2.0"'),
}
"""A line that the SDK drops; the id under which it is answered, the code, a part of the message."""


@pytest.mark.anyio
async def test_a_request_that_cannot_be_read_gets_an_answer(runtime: Runtime) -> None:
    async with connected(runtime) as session:
        for line, number, code, part in UNREAD.values():
            session.write(line)
            answer = await session.next()
            assert (answer["id"], answer["error"]["code"]) == (number, code)
            assert part in answer["error"]["message"]
        assert "result" in await session.call(2, "echo", text="whole")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "line",
    [
        "", "nonsense", "[]", "{}", '{"jsonrpc":"2.0","method":5}', '{"id":1,"result":',
        '{"jsonrpc":"2.0","id":1.5,"method":5}', '{"jsonrpc":"2.0","id":"\\ud83d","method":5}',
        '{"jsonrpc":"2.0","id":1,"error":{"method":1}}', '{"params":{"id":1,"method":"x"},',
    ],
)  # fmt: skip
async def test_what_is_no_request_gets_none(runtime: Runtime, line: str) -> None:
    async with connected(runtime) as session:
        session.write(line)
        assert (await session.call(2, "echo", text="whole"))["id"] == 2


@pytest.mark.anyio
@pytest.mark.parametrize("handshake", [True, False])
async def test_an_answer_is_the_same_whoever_gives_it(runtime: Runtime, handshake: bool) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("echo", {"text": 'é "quoted" \n \u2028 \x7f \x01 \\ 🦉'}),
        ("echo", {"text": 5}),
        ("echo", {"text": "", "more": 1}),
        ("texts", {"text": "ü"}),
        ("shown", {"text": "head"}),
        ("fails", {}),
    ]
    for tool, arguments in calls:
        async with connected(runtime, handshake=handshake) as session:
            slow = await session.call("slow", tool, **arguments)
            fast = await session.call("fast", tool, **arguments)
            assert session.express[-2:] == [False, True]
            assert (slow.pop("id"), fast.pop("id")) == ("slow", "fast")
            assert fast == slow


@pytest.mark.anyio
async def test_a_call_that_breaks_the_host_gets_an_answer(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise OSError("the log is full")

    async with connected(runtime) as session:
        await session.call(1, "echo", text="learnt")
        monkeypatch.setattr(runtime.caller, "call", broken)
        answer = await session.call(2, "echo", text="lost")
        assert session.express[-1]
        assert answer["error"] == {"code": -32603, "message": "Internal server error"}
        monkeypatch.undo()
        assert "result" in await session.call(3, "echo", text="goes on")
    assert "the log is full" in caplog.text


@pytest.mark.anyio
async def test_whatever_is_unusual_goes_to_the_sdk(runtime: Runtime) -> None:
    async with connected(runtime) as session:
        await session.call(1, "echo", text="a")
        await session.call(2, "echo", text="a")
        assert session.express == [False, True]
        assert (await session.call(3, "nope"))["error"]["code"] == -32602
        assert not session.express[-1]
        for change in (
            {"io.modelcontextprotocol/clientInfo": 5},
            {"io.modelcontextprotocol/protocolVersion": "1999-01-01"},
            {"progressToken": True},
            {"progressToken": [1]},
        ):
            meta = {**ENVELOPE, **change}
            session.send("tools/call", 4, name="echo", arguments={"text": "a"}, _meta=meta)
            message = await session.next()
            assert message["id"] == 4
            assert not session.express[-1], change
        session.send("tools/call", 5, name="echo", arguments={"text": "a"}, _meta={"note": "x"})
        assert "result" in await session.next()
        assert session.express[-1]
        for params in ({"name": "echo"}, {"name": "echo", "arguments": [1]}, {"name": 7}):
            session.send("tools/call", 6, **params)
            message = await session.next()
            assert message["id"] == 6
            assert session.express[-1] == (params == {"name": "echo"})
        session.write('{"tools/call"\n["tools/call"]')
        assert "result" in await session.call(7, "echo", text="still")
        assert session.express[-3:] == [False, False, True]


@pytest.mark.anyio
async def test_progress_comes_before_the_answer(runtime: Runtime) -> None:
    async with connected(runtime) as session:
        await session.call(1, "echo", text="a")
        session.send("tools/call", 2, name="counts", arguments={}, _meta={"progressToken": "p"})
        said = [await session.next() for _ in range(3)]
        assert session.express == [False, True]
        assert [message.get("params") for message in said] == [
            {"progressToken": "p", "progress": 1, "total": 2, "message": "one"},
            {"progressToken": "p", "progress": 2},
            None,
        ]
        assert said[2]["id"] == 2


@pytest.mark.anyio
@pytest.mark.parametrize("tool", ["reads", "writes"])
async def test_a_call_that_is_called_off_gets_no_answer(
    runtime: Runtime, lab: Lab, tool: str
) -> None:
    async with connected(runtime) as session:
        await session.call(1, "echo", text="a")
        session.send("tools/call", 7, name=tool, arguments={})
        assert await anyio.to_thread.run_sync(lab.entered.acquire, True, WAIT)
        session.send("notifications/cancelled", requestId="7")
        assert (await session.call(8, "echo", text="b"))["id"] == 8
        assert session.express == [False, True, True, True]
        lab.leave.set()
        assert await anyio.to_thread.run_sync(lab.left.wait, WAIT)
        assert (await session.call(9, "echo", text="c"))["id"] == 9


@pytest.mark.anyio
async def test_a_call_that_comes_with_what_calls_it_off_is_forgotten(runtime: Runtime) -> None:
    """Its caller is alone again: brief writers take no thread then."""
    here = threading.current_thread().name
    async with connected(runtime) as session:
        await session.call(1, "notes")
        session.send("tools/call", 2, name="reads", arguments={})
        session.send("notifications/cancelled", requestId=2)
        answers = [await session.call(number, "notes") for number in range(3, ALONE_AFTER + 5)]
        assert session.express[1:3] == [True, True]
        assert answers[-1]["result"]["structuredContent"] == {"text": here}


@pytest.mark.anyio
@pytest.mark.parametrize("handshake", [True, False])
@pytest.mark.parametrize("by_sdk", [True, False])
async def test_a_writer_that_is_called_off_tells_no_more_progress(
    runtime: Runtime, lab: Lab, handshake: bool, by_sdk: bool
) -> None:
    async with connected(runtime, handshake=handshake) as session:
        if not by_sdk:
            await session.call(1, "echo", text="a")
        session.send("tools/call", 7, name="tells", arguments={}, _meta={"progressToken": 7})
        assert (await session.next())["params"]["progress"] == 1
        assert session.express[-1] == (not by_sdk)
        session.send("notifications/cancelled", requestId=7)
        assert (await session.call(8, "echo", text="b"))["id"] == 8
        lab.leave.set()
        assert await anyio.to_thread.run_sync(lab.left.wait, WAIT)
        assert (await session.call(9, "echo", text="c"))["id"] == 9


@pytest.mark.anyio
async def test_the_end_of_the_input_interrupts_readers_and_waits_for_writers(
    runtime: Runtime, lab: Lab
) -> None:
    async with connected(runtime) as session:
        await session.call(1, "echo", text="a")
        session.send("tools/call", 2, name="reads", arguments={})
        session.send("tools/call", 3, name="writes", arguments={})
        for _ in range(2):
            assert await anyio.to_thread.run_sync(lab.entered.acquire, True, WAIT)
        session.send("notifications/cancelled", requestId=4)  # nobody's
        session.end()
        assert await anyio.to_thread.run_sync(lab.asked_to_stop.wait, WAIT)
        interrupted = await session.next()
        assert (interrupted["id"], interrupted["error"]["code"]) == (2, -32000)
        lab.leave.set()
        written = await session.next()
        assert (written["id"], written["result"]["structuredContent"]) == (3, {"text": "held"})


@pytest.mark.anyio
async def test_traced_calls_go_through_the_sdk(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connected(runtime) as session:
        await session.call(1, "echo", text="a")
        monkeypatch.setattr(trace, "get_tracer_provider", trace.NoOpTracerProvider)
        assert "result" in await session.call(2, "echo", text="a")
        assert session.express == [False, False]


@pytest.mark.anyio
async def test_brief_tools_take_no_thread_where_nobody_is_kept_waiting(
    runtime: Runtime, lab: Lab
) -> None:
    here = threading.current_thread().name

    async def is_here(number: int, tool: str) -> bool:
        answer = await session.call(number, tool)
        return answer["result"]["structuredContent"]["text"] == here

    async with connected(runtime) as session:
        # the first opens the database, and is answered by the SDK
        places = [await is_here(number, "notes") for number in range(ALONE_AFTER + 3)]
        assert places == [False] * (ALONE_AFTER + 1) + [True] * 2
        assert await is_here(20, "looks")
        session.send("tools/call", 21, name="writes", arguments={})
        assert await anyio.to_thread.run_sync(lab.entered.acquire, True, WAIT)
        assert not await is_here(22, "notes")
        assert await is_here(23, "looks")
        lab.leave.set()
        assert (await session.next())["id"] == 21
        assert not await is_here(24, "notes")
