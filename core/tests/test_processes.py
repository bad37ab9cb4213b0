"""Worker processes do what is submitted, and never outlive who started them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from toolroll.processes import available_processors, worker_processes

# without the guard that scripts must have whose main module workers import
PARENT = """
import os, sys
from toolroll.processes import worker_processes

with worker_processes(1) as executor:
    print(executor.submit(os.getpid).result(), flush=True)
    sys.stdin.read()
"""


def test_work_is_done_in_other_processes() -> None:
    with worker_processes(1) as executor:
        assert executor.submit(os.getpid).result() != os.getpid()
        assert list(executor.map(abs, [-1, 2])) == [1, 2]


def test_a_worker_that_dies_ends_the_call() -> None:
    with worker_processes(1) as executor, pytest.raises(BrokenProcessPool):
        executor.submit(os._exit, 3).result()


def test_work_is_given_up_when_its_workers_are_killed() -> None:
    with worker_processes(1) as executor:
        executor.submit(os.getpid).result()
        work = executor.submit(signal.pause)
        executor.kill()
        with pytest.raises(BrokenProcessPool):
            work.result()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_workers_leave_what_ends_a_group_to_their_parent(number: int) -> None:
    with worker_processes(1) as executor:
        worker = executor.submit(os.getpid).result()
        os.kill(worker, number)
        assert executor.submit(os.getpid).result() == worker


def test_a_worker_that_is_killed_takes_the_others_with_it() -> None:
    with worker_processes(2) as executor:
        # with a third, the executor looks at the processes again and knows both
        left = [executor.submit(signal.pause) for _ in range(3)]
        os.kill(next(iter(executor._processes)), signal.SIGKILL)
        for work in left:
            with pytest.raises(BrokenProcessPool):
                work.result(timeout=120)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_worker_starts_does_not_end_it(number: int) -> None:
    with worker_processes(1) as executor:
        answer = executor.submit(os.getpid)
        [worker] = executor._processes
        os.kill(worker, number)  # long before it could have said that it ignores them
        assert answer.result() == worker


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert int(parent.stdout.readline()) != parent.pid
        parent.kill()
        # Workers hold the same output: it ends when the last of them has.
        rest, _ = parent.communicate(timeout=120)
    assert rest == b""


def test_there_is_a_processor() -> None:
    assert 1 <= available_processors() <= (os.cpu_count() or 1)


def test_what_is_for_nothing_is_not_waited_for() -> None:
    executor = worker_processes(1)
    executor.submit(os.getpid).result()
    endless = executor.submit(signal.pause)
    with contextlib.suppress(KeyError), executor:
        raise KeyError
    assert endless.done()
