"""How a call ends: by a deadline or a cancel, in its turn, while the host goes."""

from __future__ import annotations

import asyncio
import importlib
import json
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Literal

import anyio
import anyio.to_thread
import pytest
from pydantic import BaseModel

import toolroll
from toolroll import ToolContext
from toolroll.answers import Answer
from toolroll.context import LOCAL
from toolroll.runtime import Runtime

OpenRuntime = Callable[..., Runtime]
Call = Callable[..., Answer]
WAIT = 120.0


class Nothing(toolroll.Params):
    pass


class Echo(toolroll.Params):
    text: str


class Raised(toolroll.Params):
    name: Literal["CancelledError", "KeyboardInterrupt", "GeneratorExit", "SystemExit"]


RAISED = {
    "CancelledError": asyncio.CancelledError,
    "KeyboardInterrupt": KeyboardInterrupt,
    "GeneratorExit": GeneratorExit,
    "SystemExit": SystemExit,
}


class Text(BaseModel):
    text: str


class Lab(toolroll.Pack):
    """Tools that events hold in the middle."""

    name = "lab"
    errors: ClassVar = {}

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.leave = threading.Event()
        self.left = threading.Event()
        self.context: ToolContext | None = None

    def hold(self, ctx: ToolContext) -> Text:
        self.context = ctx
        self.entered.set()
        self.leave.wait(WAIT)
        self.left.set()
        return Text(text="held")

    @toolroll.tool()
    def echo(self, ctx: ToolContext, args: Echo) -> Text:
        """Echo."""
        return Text(text=args.text)

    @toolroll.tool()
    async def echo_async(self, ctx: ToolContext, args: Echo) -> Text:
        """Echo without a thread."""
        return Text(text=args.text)

    @toolroll.tool()
    def hold_read(self, ctx: ToolContext, args: Nothing) -> Text:
        """Read until released."""
        return self.hold(ctx)

    @toolroll.tool(timeout=0.05)
    def slow_read(self, ctx: ToolContext, args: Nothing) -> Text:
        """Read past the deadline."""
        return self.hold(ctx)

    @toolroll.tool(timeout=0.05)
    async def slow_read_async(self, ctx: ToolContext, args: Nothing) -> Text:
        """Read past the deadline, on the loop."""
        await anyio.sleep_forever()
        raise AssertionError

    @toolroll.tool(writes=True)
    def hold_write(self, ctx: ToolContext, args: Nothing) -> Text:
        """Write until released."""
        return self.hold(ctx)

    @toolroll.tool(writes=True, timeout=0.01)
    def slow_write(self, ctx: ToolContext, args: Nothing) -> Text:
        """Write past the deadline."""
        return self.hold(ctx)

    @toolroll.tool(writes=True)
    async def hold_write_async(self, ctx: ToolContext, args: Nothing) -> Text:
        """Write until released, on the loop."""
        self.entered.set()
        await anyio.to_thread.run_sync(self.leave.wait, WAIT)
        self.left.set()
        return Text(text="held")

    @toolroll.tool()
    def count(self, ctx: ToolContext, args: Nothing) -> Text:
        """Report progress from a thread."""
        for done in (1, 2, 3):
            ctx.progress(done, 3, f"step {done}")
        return Text(text="counted")

    @toolroll.tool()
    def count_oddly(self, ctx: ToolContext, args: Nothing) -> Text:
        """Report what is no progress, and what is no text, in between."""
        ctx.progress(1, math.inf, "caf\udce9")
        ctx.progress(math.nan, 4, "no number")
        ctx.progress(1, 4, "no more than before")
        ctx.progress(3, 4)
        ctx.progress(2, 4, "less")
        return Text(text="counted")

    @toolroll.tool()
    async def count_async(self, ctx: ToolContext, args: Nothing) -> Text:
        """Report progress from the loop."""
        for done in (1, 2, 3):
            ctx.progress(done, 3, f"step {done}")
        await anyio.lowlevel.checkpoint()
        return Text(text="counted")

    @toolroll.tool()
    def raises(self, ctx: ToolContext, args: Raised) -> Text:
        """Raise what would end a thread."""
        raise RAISED[args.name]

    @toolroll.tool()
    def imports(self, ctx: ToolContext, args: Echo) -> Text:
        """Import a module when it is first called."""
        return Text(text=str(importlib.import_module(args.text)))

    @toolroll.tool(brief=True)
    def raises_briefly(self, ctx: ToolContext, args: Raised) -> Text:
        """Raise it on the loop, without a coroutine."""
        raise RAISED[args.name]

    @toolroll.tool()
    async def raises_async(self, ctx: ToolContext, args: Raised) -> Text:
        """Raise it on the loop."""
        raise RAISED[args.name]

    @toolroll.tool()
    async def gives_up(self, ctx: ToolContext, args: Nothing) -> Text:
        """Wait for a task that is called off."""
        task = asyncio.create_task(asyncio.sleep(WAIT))
        task.cancel()
        await task
        raise AssertionError

    @toolroll.tool()
    def details(self, ctx: ToolContext, args: Nothing) -> Text:
        """Fail with what is no JSON."""
        raise toolroll.ToolError("not there", details={"size": float("nan")})

    @toolroll.tool()
    def check(self, ctx: ToolContext, args: Nothing) -> Text:
        """Check before and after the caller went."""
        ctx.check()
        ctx.cancel.cancel()
        ctx.check()
        raise AssertionError


@pytest.fixture
def lab() -> Lab:
    return Lab()


@pytest.fixture
def runtime(open_runtime: OpenRuntime, lab: Lab) -> Runtime:
    return open_runtime(lab)


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        *(("raises", name) for name in RAISED),
        # not GeneratorExit on the loop, which closing a coroutine raises
        *(("raises_briefly", name) for name in RAISED if name != "GeneratorExit"),
        *(("raises_async", name) for name in RAISED if name != "GeneratorExit"),
    ],
)
def test_what_would_end_the_host_ends_the_call(
    runtime: Runtime, call: Call, caplog: pytest.LogCaptureFixture, tool: str, name: str
) -> None:
    runtime.context("lab").database.open()
    assert call(runtime, tool, {"name": name}).code == "internal_error"
    assert name in caplog.text


def test_a_cancellation_that_nobody_asked_for_is_a_failure(runtime: Runtime, call: Call) -> None:
    assert call(runtime, "gives_up").code == "internal_error"


def test_code_that_went_under_the_host_is_told_from_what_is_missing(
    runtime: Runtime, call: Call
) -> None:
    gone = call(runtime, "imports", {"text": "toolroll.gone"})
    assert gone.code == "internal_error"
    assert gone.structured["message"].endswith("if it was updated, restart the host")
    missing = call(runtime, "imports", {"text": "surely_not_installed"})
    assert "restart" not in missing.structured["message"]


def test_an_error_that_is_no_json_is_a_failure_inside(runtime: Runtime, call: Call) -> None:
    answer = call(runtime, "details")
    assert answer.code == "internal_error"
    assert "details failed inside" in answer.structured["message"]


def audit_lines(runtime: Runtime) -> list[dict[str, Any]]:
    [file] = (runtime.data_dir / "audit").iterdir()
    return [json.loads(line) for line in file.read_text("ascii").splitlines()]


@pytest.mark.parametrize("tool", ["slow_read", "slow_read_async"])
def test_a_reader_ends_at_its_deadline(runtime: Runtime, call: Call, lab: Lab, tool: str) -> None:
    answer = call(runtime, tool)
    while tool == "slow_read" and not lab.entered.is_set():  # its thread had yet to begin
        answer = call(runtime, tool)
    assert answer.code == "deadline_exceeded"
    assert answer.structured["retryable"]
    assert not lab.left.is_set()
    lab.leave.set()
    if tool == "slow_read":
        assert lab.left.wait(WAIT)
        assert lab.context is not None
        assert lab.context.cancelled
        with pytest.raises(toolroll.ToolError, match="cancelled"):
            lab.context.check()


def test_a_writer_runs_to_its_own_end_past_the_deadline(
    runtime: Runtime, call: Call, lab: Lab
) -> None:
    def release_late() -> None:
        assert lab.entered.wait(WAIT)
        assert lab.context is not None
        while time.monotonic() <= lab.context.deadline:
            threading.Event().wait(0.001)
        lab.leave.set()

    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(release_late)
        answer = call(runtime, "slow_write")
        late.result()
    assert not answer.is_error
    assert lab.left.is_set()


async def cancelled_call(runtime: Runtime, lab: Lab, tool: str, release: bool) -> Answer | None:
    """Call a tool, cancel the caller while it runs, and return what came back all the same."""
    got: list[Answer] = []

    async def run() -> None:
        got.append(await runtime.caller.call(tool, {}, LOCAL))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        assert await anyio.to_thread.run_sync(lab.entered.wait, WAIT)
        tasks.cancel_scope.cancel()
        if release:
            with anyio.CancelScope(shield=True):
                await anyio.lowlevel.cancel_shielded_checkpoint()
                assert not lab.left.is_set()
                lab.leave.set()
    return got[0] if got else None


@pytest.mark.anyio
@pytest.mark.parametrize("tool", ["hold_write", "hold_write_async"])
async def test_a_writer_is_never_abandoned_by_a_cancel(
    runtime: Runtime, lab: Lab, tool: str
) -> None:
    answer = await cancelled_call(runtime, lab, tool, release=True)
    assert lab.left.is_set()
    assert answer is None or not answer.is_error
    [line] = audit_lines(runtime)
    assert line["outcome"] == "ok"


@pytest.mark.anyio
async def test_a_reader_is_abandoned_by_a_cancel_and_told_so(runtime: Runtime, lab: Lab) -> None:
    assert await cancelled_call(runtime, lab, "hold_read", release=False) is None
    assert not lab.left.is_set()
    assert lab.context is not None
    assert lab.context.cancelled
    lab.context.progress(1, 2, "nobody hears")
    lab.leave.set()
    assert lab.left.wait(WAIT)
    [line] = audit_lines(runtime)
    assert (line["outcome"], line["code"]) == ("cancelled", "")


def test_a_long_reader_notices_that_its_caller_went(runtime: Runtime, call: Call) -> None:
    assert "cancelled" in call(runtime, "check").structured["message"]


@pytest.mark.anyio
@pytest.mark.parametrize("tool", ["count", "count_async"])
async def test_progress_comes_in_order_from_threads_and_from_the_loop(
    runtime: Runtime, tool: str
) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def sink(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    answer = await runtime.caller.call(tool, {}, LOCAL, sink)
    assert not answer.is_error
    assert heard == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]
    assert not (await runtime.caller.call(tool, {}, LOCAL)).is_error


@pytest.mark.anyio
async def test_progress_is_what_mcp_can_carry(runtime: Runtime) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def sink(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    assert not (await runtime.caller.call("count_oddly", {}, LOCAL, sink)).is_error
    assert heard == [(1, None, "caf\\udce9"), (3, 4, None)]


@pytest.mark.anyio
async def test_one_call_too_many_is_busy_at_once(open_runtime: OpenRuntime, lab: Lab) -> None:
    runtime = open_runtime(lab, host={"max_queue": 1})
    held: list[Answer] = []

    async def hold() -> None:
        held.append(await runtime.caller.call("hold_read", {}, LOCAL))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hold)
        assert await anyio.to_thread.run_sync(lab.entered.wait, WAIT)
        busy = await runtime.caller.call("echo", {"text": "x"}, LOCAL)
        assert (busy.code, busy.structured["retryable"]) == ("resource_busy", True)
        lab.leave.set()
    assert not held[0].is_error
    assert not (await runtime.caller.call("echo", {"text": "x"}, LOCAL)).is_error


@pytest.mark.anyio
async def test_further_calls_wait_for_a_thread(open_runtime: OpenRuntime, lab: Lab) -> None:
    runtime = open_runtime(lab, host={"max_concurrency": 1})
    order: list[str] = []

    async def run(tool: str, arguments: dict[str, Any]) -> None:
        assert not (await runtime.caller.call(tool, arguments, LOCAL)).is_error
        order.append(tool)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, "hold_read", {})
        assert await anyio.to_thread.run_sync(lab.entered.wait, WAIT)
        tasks.start_soon(run, "echo", {"text": "waits"})
        await run("echo_async", {"text": "needs no thread"})
        lab.leave.set()
    assert order[0] == "echo_async"
    assert sorted(order[1:]) == ["echo", "hold_read"]


@pytest.mark.anyio
async def test_draining_refuses_new_calls_and_waits_for_old_ones(
    runtime: Runtime, lab: Lab
) -> None:
    answers: list[Answer] = []

    async def hold() -> None:
        answers.append(await runtime.caller.call("hold_write", {}, LOCAL))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hold)
        assert await anyio.to_thread.run_sync(lab.entered.wait, WAIT)
        assert not runtime.caller.drain(0)
        refused = await runtime.caller.call("echo", {"text": "x"}, LOCAL)
        assert refused.code == "resource_busy"
        lab.leave.set()
        assert await anyio.to_thread.run_sync(runtime.caller.drain, WAIT)
    assert not answers[0].is_error


@pytest.mark.anyio
async def test_a_writer_past_its_deadline_keeps_no_others_waiting(
    open_runtime: OpenRuntime, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolroll.threads.PATIENCE_SECONDS", 0.0)
    runtime = open_runtime(lab, host={"max_concurrency": 1})
    writer = asyncio.create_task(runtime.caller.call("slow_write", {}, LOCAL))
    answer = await runtime.caller.call("echo", {"text": "there"}, LOCAL)
    assert (answer.text, writer.done()) == ('{"text":"there"}', False)
    lab.leave.set()
    assert not (await writer).is_error


@pytest.mark.anyio
async def test_a_host_that_ends_asks_writers_to_stop(runtime: Runtime, lab: Lab) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(runtime.caller.call, "hold_write", {}, LOCAL)
        assert await anyio.to_thread.run_sync(lab.entered.wait, WAIT)
        assert lab.context is not None
        assert not lab.context.cancelled
        runtime.caller.call_off()
        assert lab.context.cancelled
        lab.leave.set()
    await runtime.caller.call("hold_write", {}, LOCAL)
    assert lab.context.cancelled
    assert not (await runtime.caller.call("echo", {"text": "brief"}, LOCAL)).is_error
