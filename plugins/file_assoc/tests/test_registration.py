"""Registering files and linking them: spellings, changes, races, and a killed writer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolroll.context import Principal

if TYPE_CHECKING:
    from conftest import Project

segments = st.text(
    st.characters(codec="utf-8", exclude_characters="/\\", exclude_categories=("Cc", "Cs")),
    min_size=1,
    max_size=12,
).filter(lambda name: name not in {".", ".."} and name.strip() and name[1:2] != ":")
detours = st.sampled_from(("", "./", ".//", "up/../", "a/b/../../", ".\\", "x\\..\\"))


def test_a_key_that_leaves_the_project_out_is_told_nothing_of_it(project: Project) -> None:
    file = project.call("register_file", path="a.py")["id"]
    issue = project.issue_id()
    project.call("add_file_association", file_id=file, issue_id=issue, assoc_type="bug_in")
    inside = project.root / "inside"
    inside.mkdir()
    limited = Principal(tenant="l" * 64, name="limited", roots=(str(inside),))
    link = {"file_id": file, "issue_id": issue, "assoc_type": "task_for"}
    for tool, arguments in {
        "list_files": {},
        "get_file": {"file_id": file},
        "get_file_timeline": {"file_id": file},
        "get_issue_files": {"issue_id": issue},
        "add_file_association": link,
        "register_file": {"path": "inside/b.py"},
    }.items():
        answer = anyio.run(project.runtime.caller.call, tool, arguments, limited)
        assert (answer.is_error, json.loads(answer.text)["code"]) == (True, "permission_denied")
    whole = Principal(tenant="w" * 64, name="whole", roots=(str(project.root),))
    answer = anyio.run(project.runtime.caller.call, "list_files", {}, whole)
    assert json.loads(answer.text)["total"] == 1


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(names=st.lists(segments, min_size=1, max_size=4), noise=st.lists(detours, min_size=5))
def test_every_spelling_of_a_path_is_one_file(
    project: Project, names: list[str], noise: list[str]
) -> None:
    plain = "/".join(names)
    odd = "".join(f"{noise[index]}{name}/" for index, name in enumerate(names)).rstrip("/")
    first = project.call("register_file", path=plain)
    again = project.call("register_file", path=odd)
    assert first["path"] == plain
    assert again == first


def test_a_path_longer_than_the_system_allows_is_one_of_a_file_that_is_not_there(
    project: Project,
) -> None:
    path = f"{'d/' * 2047}xx"
    assert project.call("register_file", path=path)["path"] == path


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(names=st.lists(st.sampled_from(("a", "..", ".", "", "b c")), min_size=1, max_size=7))
def test_a_path_is_accepted_exactly_when_it_stays_inside(
    project: Project, names: list[str]
) -> None:
    path = "/".join(names)
    depth, inside = [], bool(path.strip()) and not path.startswith("/")
    for name in names:
        if name == ".." and not depth:
            inside = False
        elif name == "..":
            depth.pop()
        elif name not in {"", "."}:
            depth.append(name)
    inside = inside and bool(depth)
    code = project.fails("register_file", path=path)
    assert (code is None) == inside
    if not inside:
        assert code in {"invalid_path", "validation_error"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"language": "x" * 256}, "validation_error"),
        ({"file_type": "x" * 256}, "validation_error"),
        ({"language": "a\0b"}, "validation_error"),
        ({"file_type": "\ud800"}, "validation_error"),
        ({"metadata": {"x": "y" * 70_000}}, "validation_error"),
        ({"metadata": {"x": float("nan")}}, "validation_error"),
        ({"path": "x" * 300}, "invalid_path"),
        ({"path": "x/" * 2_500 + "y"}, "invalid_path"),
    ],
)
def test_what_cannot_be_stored_is_refused(
    project: Project, arguments: dict[str, Any], code: str
) -> None:
    assert project.fails("register_file", **{"path": "a.py", **arguments}) == code
    assert project.call("list_files")["total"] == 0


@pytest.mark.parametrize(("before", "after"), [(1, True), (False, 0), ([1], [True])])
def test_numbers_and_truth_values_of_metadata_are_told_apart(
    project: Project, before: Any, after: Any
) -> None:
    project.call("register_file", path="a.py", metadata={"k": before})
    record = project.call("register_file", path="a.py", metadata={"k": after})
    assert json.dumps(record["metadata"]["k"]) == json.dumps(after)
    assert project.call("get_file_timeline", file_id=record["id"])["total"] == 1


def test_metadata_of_any_json_comes_back(project: Project) -> None:
    metadata = {"ü": [1, 2.5, None, True, {"deep": "\u2028"}], "nul": "a\0b", "big": 2**70}
    record = project.call("register_file", path="a.py", metadata=metadata)
    assert record["metadata"] == metadata
    assert project.call("get_file", file_id=record["id"])["file"]["metadata"] == metadata


def test_threads_that_register_one_path_get_one_file(project: Project) -> None:
    ids: list[str] = []
    start = threading.Barrier(8)

    def register() -> None:
        start.wait()
        ids.append(project.file_id("src/a.py"))

    threads = [threading.Thread(target=register) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 8
    assert len(set(ids)) == 1


WRITER = """
import json, sys, anyio
from pathlib import Path
from toolroll.context import LOCAL
from toolroll.registry import Source
from toolroll.runtime import Runtime
import toolroll_file_assoc

async def main(root, data):
    source = Source("file_assoc", "toolroll-file-assoc", "0", lambda: toolroll_file_assoc)
    with Runtime.open(
        roots=[root],
        data_dir=Path(data),
        overrides={"storage": {"busy_timeout_ms": 120_000}},
        sources=lambda: [source],
    ) as runtime:
        for number in range(10_000):
            path = f"src/{number}.py"
            answer = await runtime.caller.call("register_file", {"path": path}, LOCAL)
            assert not answer.is_error, answer.text
            print(json.loads(answer.text)["id"], path, flush=True)

anyio.run(main, *sys.argv[1:])
"""


def _writer(project: Project) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(project.root), str(project.data)],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.marathon
def test_processes_that_register_the_same_paths_agree_and_a_kill_loses_nothing(
    project: Project,
) -> None:
    writers = [_writer(project), _writer(project)]
    acknowledged: list[dict[str, str]] = []
    try:
        for writer in writers:
            assert writer.stdout is not None
            lines = [writer.stdout.readline().split() for _ in range(60)]
            os.kill(writer.pid, signal.SIGKILL)
            lines += [line.split() for line in writer.stdout.read().splitlines() if "." in line]
            acknowledged.append({line[1]: line[0] for line in lines if len(line) == 2})
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    stored = {row["path"]: row["id"] for row in project.call("list_files", limit=10_000)["results"]}
    for answers in acknowledged:
        assert len(answers) >= 60
        assert answers.items() <= stored.items()


def test_linking_counts_and_unlinking_counts_back(project: Project) -> None:
    file, issue = project.file_id("a.py"), project.issue_id()
    for kind in ("bug_in", "task_for", "bug_in"):
        project.call("add_file_association", file_id=file, issue_id=issue, assoc_type=kind)
    (row,) = project.call("list_files")["results"]
    assert row["associations_count"] == 2
    assert project.command("unlink", file, issue, "--type", "bug_in") == {"links_removed": 1}
    assert project.command("unlink", file, issue, "--type", "bug_in") == {"links_removed": 0}
    (row,) = project.call("list_files")["results"]
    assert row["associations_count"] == 1


def test_a_link_id_is_never_given_out_again(project: Project) -> None:
    """It names an entry of the timeline, and those ids are for ever."""
    file, issue = project.file_id("a.py"), project.issue_id()
    ids: list[str] = []
    for _ in range(2):
        project.call("add_file_association", file_id=file, issue_id=issue, assoc_type="bug_in")
        ids.append(json.dumps(project.call("get_issue_files", issue_id=issue)[0]["id"]))
        project.command("unlink", file, issue)
    assert len(set(ids)) == 2
