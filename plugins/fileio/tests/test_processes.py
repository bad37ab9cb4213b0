"""Several processes on one data directory, and processes that are killed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fileio_host import Failed, Host, open_host

from toolroll_fileio.chunking import spread

TESTS = Path(__file__).parent

PREAMBLE = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from fileio_host import open_host
host = open_host(Path({root!r}), fileio={settings!r})
name = sys.argv[1]
def say(text):
    print(text, flush=True)
"""


def script(root: Path, body: str, **settings: object) -> str:
    head = PREAMBLE.format(tests=str(TESTS), root=str(root), settings=settings)
    return head + textwrap.dedent(body)


def start(code: str, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, name], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    found = open_host(tmp_path)
    yield found
    found.runtime.close()


@pytest.mark.marathon
def test_appends_of_three_processes_are_all_there(host: Host, tmp_path: Path) -> None:
    code = script(
        tmp_path,
        """
        for i in range(8):
            host.write("/log", f"[{name}{i}]")
        """,
        lock_timeout_ms=120_000,
    )
    processes = [start(code, name) for name in "abc"]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    content = host.call("file_read", path="/log")["content"]
    assert sorted(content[1:-1].split("][")) == sorted(f"{n}{i}" for n in "abc" for i in range(8))


def test_a_lock_that_another_process_holds_is_busy_and_worth_retrying(
    tmp_path: Path,
) -> None:
    host = open_host(tmp_path, fileio={"lock_timeout_ms": 50})
    host.write("/a")
    code = script(
        tmp_path,
        """
        with host.context.database.begin():
            say("held")
            sys.stdin.readline()
        say("free")
        """,
    )
    process = start(code, "x")
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with pytest.raises(Failed) as caught:
        host.write("/a")
    assert (caught.value.code, caught.value.retryable) == ("RESOURCE_BUSY", True)
    assert host.call("file_read", path="/a")["content"] == "x"  # readers don't wait
    process.communicate("go\n", timeout=60)
    host.write("/a")
    host.runtime.close()


@pytest.mark.marathon
def test_two_processes_search_what_the_other_one_wrote(host: Host, tmp_path: Path) -> None:
    host.write("/first", "a heron")
    assert host.found("heron") == ["/first"]
    code = script(
        tmp_path,
        """
        say(" ".join(host.found("heron")))
        host.write("/second", "an avocet")
        host.found("avocet")
        host.call("file_delete", path="/first")
        """,
    )
    output, _ = start(code, "x").communicate(timeout=120)
    assert output.split() == ["/first"]
    assert host.found("avocet") == ["/second"]
    assert host.found("heron") == []


MUTATING = """
    import random
    chance = random.Random(name)
    say("ready")
    for i in range(10_000):
        path = f"/{name}/{chance.randrange(5)}/{chance.randrange(5)}"
        match chance.randrange(5):
            case 0 | 1 | 2:
                host.write(path, f"word{i} ", mode="APPEND")
                say(f"write {path} word{i}")
            case 3:
                try:
                    host.call("file_rename", from_path=path, to_path=f"/{name}/moved/{i}")
                    say(f"move {path} /{name}/moved/{i}")
                except Exception as error:
                    assert getattr(error, "code", "") == "NOT_FOUND", error
            case 4:
                host.index()
"""


@pytest.mark.marathon
def test_a_killed_process_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(4)
    expected: dict[str, list[str]] = {}
    for run in range(6):
        process = start(script(tmp_path, MUTATING, index={"lease_seconds": 0.001}), f"run{run}")
        assert process.stdout is not None
        lines: list[str] = []
        reader = threading.Thread(target=lambda s=process.stdout, into=lines: into.extend(s))
        assert process.stdout.readline() == "ready\n"
        reader.start()
        reader.join(chance.uniform(0.05, 0.8))  # the moment of the kill
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        reader.join(60)
        process.stdout.close()
        if process.stdin:
            process.stdin.close()
        for line in lines:
            if not line.endswith("\n"):
                continue
            kind, *words = line.split()
            if kind == "write":
                expected.setdefault(words[0], []).append(words[1])
            else:
                expected[words[1]] = expected.pop(words[0], [])
        check(tmp_path, expected)


def check(root: Path, acknowledged: dict[str, list[str]]) -> None:
    """Compare with what was acknowledged; the last call may have been committed unheard."""
    host = open_host(root, fileio={"index": {"lease_seconds": 0.001}})
    try:
        stored = {
            row.path: row.content.decode().split()
            for row in host.rows("SELECT path, content FROM mcp_files WHERE deleted = 0")
        }
        missing = {path: words for path, words in acknowledged.items() if path not in stored}
        assert len(missing) <= 1  # moved by the last call
        for path, words in acknowledged.items():
            if path in stored:
                assert stored[path][: len(words)] == words
                assert len(stored[path]) <= len(words) + 1  # written by the last call
        acknowledged.clear()
        acknowledged.update(stored)
        totals = host.rows("SELECT count(*), sum(size) FROM mcp_files WHERE deleted = 0")[0]
        kept = host.rows("SELECT file_count, total_bytes FROM mcp_file_projects")
        assert [tuple(totals)] == [tuple(row) for row in kept] or not kept
        host.index()
        status = host.rows("SELECT DISTINCT status FROM mcp_file_index_jobs")
        assert {row.status for row in status} <= {"done"}
        assert indexed(host) == rebuilt(host)
    finally:
        host.runtime.close()


def indexed(host: Host) -> dict[str, str]:
    """Return what the index holds: text by path, chunks joined."""
    found: dict[str, str] = {}
    for row in host.rows("SELECT * FROM mcp_file_chunks ORDER BY file_path, chunk_index"):
        found[row.file_path] = found.get(row.file_path, "") + row.chunk_content
    return found


def rebuilt(host: Host) -> dict[str, str]:
    """Return what an index made from the files alone would hold."""
    rows = host.rows("SELECT path, content FROM mcp_files WHERE deleted = 0 AND size > 0")
    return {row.path: row.content.decode() for row in rows}


def test_counted_tokens_spread_to_as_many() -> None:
    assert spread({"b": 1, "a": 2}) == "a a b"
