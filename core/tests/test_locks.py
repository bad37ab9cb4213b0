"""Locks by key hold across threads and processes, and give up in time."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from toolroll import InternalError, ResourceBusy
from toolroll.locks import FileLocks, KeyedLocks, LockManager, held

WAIT = 120


@pytest.fixture(params=["keyed", "file"])
def locks(request: pytest.FixtureRequest, tmp_path: Path) -> LockManager:
    return KeyedLocks() if request.param == "keyed" else FileLocks(tmp_path / "locks")


def test_equal_keys_exclude_each_other_in_threads(locks: LockManager) -> None:
    inside, most = 0, 0

    def enter(_: int) -> None:
        nonlocal inside, most
        with locks.project("key", timeout=WAIT):
            inside += 1
            most = max(most, inside)
            inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(enter, range(64)))
    assert (inside, most) == (0, 1)


def test_other_keys_are_free(locks: LockManager) -> None:
    with locks.project("one"), locks.project("two", timeout=0):
        pass


def test_a_held_lock_is_busy_after_the_timeout(locks: LockManager) -> None:
    with locks.project("key"), ThreadPoolExecutor(1) as pool:
        tried = pool.submit(lambda: locks.project("key", timeout=0).__enter__())
        with pytest.raises(ResourceBusy, match="not free within 0 s") as busy:
            tried.result()
    assert busy.value.retryable


def test_a_lock_is_free_again_when_its_holder_fails(locks: LockManager) -> None:
    with pytest.raises(ZeroDivisionError), locks.project("key"):
        raise ZeroDivisionError
    with locks.project("key", timeout=0):
        pass


def test_keyed_locks_forget_keys_that_nobody_holds() -> None:
    locks = KeyedLocks()
    for number in range(100):
        with locks.project(str(number)):
            pass
    assert locks.__dict__["_locks"] == {}


def test_one_waits_for_another_and_then_gets_the_lock(locks: LockManager) -> None:
    holds, release = threading.Event(), threading.Event()

    def hold() -> None:
        with locks.project("key"):
            holds.set()
            release.wait(WAIT)

    with ThreadPoolExecutor(2) as pool:
        holder = pool.submit(hold)
        assert holds.wait(WAIT)
        waiter = pool.submit(lambda: locks.project("key", timeout=WAIT).__enter__())
        release.set()
        holder.result()
        waiter.result()


HOLD = """
import sys
from pathlib import Path
from toolroll.locks import FileLocks
with FileLocks(Path(sys.argv[1])).project("key", timeout=120):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Callable[[], subprocess.Popen[str]]:
    def start() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    return start


@pytest.mark.parametrize("ending", ["exit", "kill"])
def test_a_file_lock_holds_against_other_processes_until_they_end(
    tmp_path: Path, holder: Callable[[], subprocess.Popen[str]], ending: str
) -> None:
    locks = FileLocks(tmp_path)
    process = holder()
    with process:
        with pytest.raises(ResourceBusy), locks.project("key", timeout=0):
            pass
        if ending == "kill":
            process.kill()
        process.communicate()
    with locks.project("key", timeout=WAIT):
        pass


@pytest.mark.parametrize("shut", ["data/locks", "data/locks/file"])
def test_locks_that_cannot_be_written_are_named(tmp_path: Path, shut: str) -> None:
    """A file stands where the directory should be, or a directory where the file should be."""
    key = "key"
    name = f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.lock"
    place = tmp_path / shut.replace("file", name)
    if shut.endswith("file"):
        place.mkdir(parents=True)
    else:
        place.parent.mkdir()
        place.touch()
    locks = FileLocks(tmp_path / "data" / "locks")
    with pytest.raises(InternalError, match="data directory cannot be written"), locks.project(key):
        pass


def test_a_data_directory_that_is_removed_is_not_made_again(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path / "data" / "locks")
    with pytest.raises(InternalError, match="data directory is gone"), locks.project("key"):
        pass
    assert not list(tmp_path.iterdir())


COUNT = """
import sys
from pathlib import Path
from toolroll.locks import FileLocks
locks, counter = FileLocks(Path(sys.argv[1]) / "locks"), Path(sys.argv[1]) / "counter"
for _ in range(150):
    with locks.project("key", timeout=120):
        counter.write_text(str(int(counter.read_text()) + 1))
"""


@pytest.mark.marathon
def test_processes_that_wait_for_each_other_again_and_again_exclude_each_other(
    tmp_path: Path,
) -> None:
    (tmp_path / "counter").write_text("0")
    command = [sys.executable, "-c", COUNT, str(tmp_path)]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(WAIT * 4) for process in processes] == [0] * 4
    assert (tmp_path / "counter").read_text() == "600"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such rights")
def test_the_directory_of_locks_is_its_owners_alone(tmp_path: Path) -> None:
    with FileLocks(tmp_path / "locks").project("key"):
        assert (tmp_path / "locks").stat().st_mode & 0o777 == 0o700
        assert [file.stat().st_mode & 0o777 for file in (tmp_path / "locks").iterdir()] == [0o600]


def test_who_waits_for_long_may_think_better_of_it(tmp_path: Path) -> None:
    locks, asked = FileLocks(tmp_path), 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked == 2:
            raise KeyError

    with locks.project("key"), ExitStack() as stack, pytest.raises(KeyError):
        stack.enter_context(held(FileLocks(tmp_path), "key", WAIT, check=check, busy=""))
    with locks.project("key"), ExitStack() as stack, pytest.raises(ResourceBusy, match="it is"):
        stack.enter_context(held(locks, "key", 0.01, check=lambda: None, busy="it is"))
