"""Threads for handlers: so many at once, in order, and nothing begun that nobody waits for."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from toolroll import ResourceBusy
from toolroll import threads as threads_module
from toolroll.threads import Threads

WAIT = 120.0


@pytest.mark.anyio
async def test_what_waits_for_a_thread_is_begun_in_order_unless_called_off() -> None:
    threads = Threads(1)
    entered, leave, begun = threading.Event(), threading.Event(), list[str]()

    def hold() -> str:
        entered.set()
        assert leave.wait(WAIT)
        return "held"

    held = asyncio.create_task(threads.run(hold))
    waiting = [asyncio.create_task(threads.run(begun.append, name)) for name in "abc"]
    assert await asyncio.to_thread(entered.wait, WAIT)
    assert threads.waiting == 3
    waiting[1].cancel()
    await asyncio.wait([waiting[1]])
    leave.set()
    assert await held == "held"
    await asyncio.gather(waiting[0], waiting[2])
    assert begun == ["a", "c"]
    assert threads.waiting == 0
    threads.close()


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [ValueError, StopIteration, SystemExit, KeyboardInterrupt])
async def test_an_exception_is_returned_and_costs_no_thread(kind: type[BaseException]) -> None:
    threads = Threads(1)

    def fail() -> None:
        raise kind

    assert isinstance(await threads.run(fail), kind)
    assert await threads.run(threading.current_thread) == await threads.run(
        threading.current_thread
    )
    threads.close()


@pytest.mark.anyio
async def test_a_function_sees_the_context_of_its_caller_and_threads_end() -> None:
    threads = Threads(2)
    told = contextvars.ContextVar("told", default="nothing")
    told.set("this")
    assert await threads.run(told.get) == "this"
    worker: threading.Thread = await threads.run(threading.current_thread)
    threads.close()
    await asyncio.to_thread(worker.join, WAIT)
    assert not worker.is_alive()
    assert await threads.run(told.get) == "this"  # further calls find new threads
    threads.close()


def test_a_loop_that_ends_leaves_its_thread_to_others() -> None:
    threads = Threads(1)
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        entered.set()
        assert leave.wait(WAIT)

    async def abandon() -> None:
        call = asyncio.create_task(threads.run(hold))
        assert await asyncio.to_thread(entered.wait, WAIT)
        call.cancel()
        await asyncio.wait([call])

    async def ask() -> str:
        return await threads.run(str, "there")

    asyncio.run(abandon())
    leave.set()
    assert asyncio.run(ask()) == "there"
    threads.close()


@pytest.mark.anyio
async def test_what_nobody_waits_for_any_more_keeps_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads_module, "PATIENCE_SECONDS", 0.0)
    threads = Threads(1)
    entered, leave, left = threading.Semaphore(0), threading.Event(), threading.Semaphore(0)

    def hang() -> None:
        entered.release()
        assert leave.wait(WAIT)
        left.release()

    for _ in range(3):
        call = asyncio.create_task(threads.run(hang))
        assert await asyncio.to_thread(entered.acquire, timeout=WAIT)
        call.cancel()
        await asyncio.wait([call])
    held = asyncio.create_task(threads.run(hang))
    assert await asyncio.to_thread(entered.acquire, timeout=WAIT)
    waits = asyncio.create_task(threads.run(threading.current_thread))
    await asyncio.sleep(0)
    assert threads.waiting == 1  # behind the one that somebody waits for
    leave.set()
    await held
    for _ in range(4):
        assert await asyncio.to_thread(left.acquire, timeout=WAIT)
    await waits
    threads.close()


@pytest.mark.anyio
async def test_what_takes_too_long_keeps_nobody_waiting_though_somebody_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads_module, "PATIENCE_SECONDS", 0.0)
    threads = Threads(1)
    leave = threading.Event()
    held = asyncio.create_task(threads.run(leave.wait, WAIT, within=0.0))
    await asyncio.sleep(0)
    late = asyncio.create_task(threads.run(leave.wait, WAIT, within=0.0))  # has yet to begin
    assert await threads.run(str, "there") == "there"
    leave.set()
    assert await held
    assert await late
    threads.close()


@pytest.mark.anyio
async def test_where_nothing_ends_calls_are_refused_and_the_log_says_why(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(threads_module, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(threads_module, "MOST_LOST", 2)
    threads = Threads(1)
    leave, entered = threading.Event(), threading.Semaphore(0)

    def hang() -> None:
        entered.release()
        assert leave.wait(WAIT)

    hung = [asyncio.create_task(threads.run(hang, name="tool hang")) for _ in range(3)]
    for call in hung[:2]:
        assert await asyncio.to_thread(entered.acquire, timeout=WAIT)
        call.cancel()
    assert await asyncio.to_thread(entered.acquire, timeout=WAIT)
    waiting = asyncio.create_task(threads.run(str, "waiting"))
    await asyncio.sleep(0)
    hung[2].cancel()
    assert isinstance(await waiting, ResourceBusy)
    assert isinstance(await threads.run(str, "late"), ResourceBusy)
    assert threads.waiting == 0
    assert "tool hang does not end, as 2 others don't; 0 of 1 threads are left" in caplog.text
    leave.set()
    while isinstance(answer := await threads.run(str, "there"), ResourceBusy):
        await asyncio.to_thread(entered.acquire, timeout=0.001)
    assert answer == "there"
    threads.close()
