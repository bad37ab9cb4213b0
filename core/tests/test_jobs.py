"""The one job loop: a worker's step runs again and again, whatever happens to it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import Queue
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

import toolroll
from toolroll import PackContext, Worker, jobs
from toolroll.jobs import Supervisor
from toolroll.runtime import Runtime

WAIT = 120.0
OpenRuntime = Callable[..., Runtime]
CONTEXT: Any = object()


def test_a_step_with_more_work_is_run_again_at_once() -> None:
    left, done = Queue[int](), threading.Event()
    for number in range(100):
        left.put(number)

    def step(_: PackContext) -> bool:
        left.get_nowait()
        if left.empty():
            done.set()
        return not left.empty()

    supervisor = Supervisor([Worker("drain", step, idle=3600)], CONTEXT)
    supervisor.start()
    assert done.wait(WAIT)
    assert supervisor.stop(WAIT)


def test_a_waiting_worker_is_woken() -> None:
    steps = Queue[PackContext]()

    def step(context: PackContext) -> bool:
        steps.put(context)
        return False

    supervisor = Supervisor([Worker("wait", step, idle=3600)], CONTEXT)
    supervisor.start()
    assert steps.get(timeout=WAIT) is CONTEXT
    supervisor.wake()
    steps.get(timeout=WAIT)
    assert supervisor.stop(WAIT)


@pytest.mark.parametrize(
    ("error", "traced"),
    [
        (toolroll.ResourceBusy("the server is away"), False),
        (toolroll.InternalError("the file is gone; start the host again"), False),
        (ValueError("a defect"), True),
    ],
)
def test_only_of_a_defect_the_traceback_is_logged(
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    traced: bool,
) -> None:
    monkeypatch.setattr(jobs, "FIRST_BACKOFF", WAIT)  # it is tried once
    tried = threading.Event()

    def step(_: PackContext) -> bool:
        tried.set()
        raise error

    supervisor = Supervisor([Worker("try", step)], CONTEXT)
    supervisor.start()
    assert tried.wait(WAIT)
    assert supervisor.stop(WAIT)
    (record,) = caplog.records
    assert str(error) in record.message
    assert bool(record.exc_info) is traced


def test_a_defect_that_stays_is_traced_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "FIRST_BACKOFF", 0.0)
    left, tried = ["new", "old", "old", "old"], threading.Event()

    def step(_: PackContext) -> bool:
        if len(left) == 1:
            tried.set()
        raise ValueError(left.pop() if len(left) > 1 else left[0])

    supervisor = Supervisor([Worker("try", step)], CONTEXT)
    supervisor.start()
    assert tried.wait(WAIT)
    assert supervisor.stop(WAIT)
    traced = [bool(record.exc_info) for record in caplog.records]
    assert traced[:4] == [True, False, False, True]
    assert not any(traced[4:])


def test_a_worker_that_does_not_hear_rests_on() -> None:
    steps: dict[str, Queue[None]] = {"hears": Queue(), "deaf": Queue()}

    def worker(name: str) -> Worker:
        def step(_: PackContext) -> bool:
            steps[name].put(None)
            return False

        return Worker(name, step, idle=3600, hears=name == "hears")

    supervisor = Supervisor([worker("deaf"), worker("hears")], CONTEXT)
    supervisor.start()
    for name in steps:
        steps[name].get(timeout=WAIT)
    supervisor.wake()
    steps["hears"].get(timeout=WAIT)
    assert supervisor.stop(WAIT)
    assert steps["deaf"].empty()


def test_a_wake_during_a_step_is_not_lost() -> None:
    entered, go, steps = threading.Event(), threading.Event(), Queue[None]()

    def step(_: PackContext) -> bool:
        entered.set()
        go.wait(WAIT)
        steps.put(None)
        return False

    supervisor = Supervisor([Worker("busy", step, idle=3600)], CONTEXT)
    supervisor.start()
    assert entered.wait(WAIT)
    supervisor.wake()
    go.set()
    steps.get(timeout=WAIT)
    steps.get(timeout=WAIT)
    assert supervisor.stop(WAIT)


def test_who_waits_for_rest_gets_all_work_done_first() -> None:
    entered, go, left, done = threading.Event(), threading.Event(), [3], list[int]()

    def step(_: PackContext) -> bool:
        entered.set()
        go.wait(WAIT)
        if left[0]:
            left[0] -= 1
            done.append(left[0])
        return left[0] > 0

    def fails(_: PackContext) -> bool:
        raise ValueError("nothing here")

    workers = [Worker("works", step, idle=3600), Worker("fails", fails, idle=3600)]
    deaf = Worker("deaf", lambda _: False, idle=3600, hears=False)
    supervisor = Supervisor([*workers, deaf], CONTEXT)
    supervisor.start()
    assert entered.wait(WAIT)
    assert not supervisor.rest(0.01)  # it is at its first step
    go.set()
    assert supervisor.rest(WAIT)
    assert done == [2, 1, 0]
    left[0] = 1
    assert supervisor.rest(WAIT)
    assert done == [2, 1, 0, 0]
    assert supervisor.stop(WAIT)


def test_a_failing_step_is_logged_and_tried_again_and_known_until_it_works(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(jobs, "FIRST_BACKOFF", 0.0)
    tries, done = Queue[int](), threading.Event()

    known: list[str] = []

    def step(_: PackContext) -> bool:
        tries.put(1)
        known.extend(supervisor.failing.values())
        if tries.qsize() < 4:
            raise (RuntimeError, SystemExit, KeyboardInterrupt)[tries.qsize() - 1]("a bad day")
        done.set()
        return False

    supervisor = Supervisor([Worker("flaky", step)], CONTEXT)
    with caplog.at_level(logging.ERROR):
        supervisor.start()
        assert done.wait(WAIT)
    assert supervisor.stop(WAIT)
    assert [record.name for record in caplog.records] == ["toolroll.worker.flaky"] * 3
    raised = ("RuntimeError", "SystemExit", "KeyboardInterrupt")
    assert (known, supervisor.failing) == ([f"{name}: a bad day" for name in raised], {})


def test_one_failing_worker_does_not_stop_another() -> None:
    done = threading.Event()

    def bad(_: PackContext) -> bool:
        raise RuntimeError

    def good(_: PackContext) -> bool:
        done.set()
        return False

    supervisor = Supervisor([Worker("bad", bad), Worker("good", good)], CONTEXT)
    logging.getLogger("toolroll.worker.bad").setLevel(logging.CRITICAL)
    supervisor.start()
    assert done.wait(WAIT)
    assert supervisor.stop(WAIT)


def test_a_step_is_told_that_the_host_ends() -> None:
    began, ended = threading.Event(), threading.Event()

    def step(_: PackContext) -> bool:
        began.set()
        return not ended.wait(WAIT)

    supervisor = Supervisor([Worker("long", step, end=ended.set)], CONTEXT)
    supervisor.start()
    assert began.wait(WAIT)
    assert supervisor.stop(WAIT)
    assert ended.is_set()


def test_stopping_waits_for_the_step_under_way_and_says_if_it_does_not_end() -> None:
    entered, go = threading.Event(), threading.Event()

    def step(_: PackContext) -> bool:
        entered.set()
        go.wait(WAIT)
        return True

    supervisor = Supervisor([Worker("slow", step)], CONTEXT)
    supervisor.start()
    assert entered.wait(WAIT)
    assert not supervisor.stop(0.01)
    go.set()
    assert supervisor.stop(WAIT)


class Nothing(toolroll.Params):
    pass


class Done(BaseModel):
    done: bool


class Busy(toolroll.Pack):
    name = "busy"
    errors: ClassVar = {}

    def __init__(self) -> None:
        self.steps = Queue[PackContext]()

    @toolroll.tool(writes=True)
    def add_work(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:
        """Leave work for the worker."""
        ctx.wake()
        return Done(done=True)

    def workers(self) -> list[Worker]:
        def step(context: PackContext) -> bool:
            self.steps.put(context)
            return False

        return [Worker("busy", step, idle=3600)]


class Broken(Busy):
    name = "broken"

    @toolroll.tool(writes=True)
    def break_work(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:
        """Do nothing."""
        return Done(done=True)

    add_work = None  # type: ignore[assignment]

    def workers(self) -> list[Worker]:
        raise SystemExit("no workers today")


def test_a_host_runs_the_workers_of_its_packs_and_a_call_wakes_them(
    open_runtime: OpenRuntime, call: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    pack = Busy()
    runtime = open_runtime(Broken(), pack)
    runtime.start_workers()
    assert "its workers could not be started" in caplog.text
    assert pack.steps.get(timeout=WAIT) is runtime.context("busy")
    assert not call(runtime, "add_work").is_error
    pack.steps.get(timeout=WAIT)
    runtime.close()
    call(runtime, "add_work")
    assert pack.steps.empty()
