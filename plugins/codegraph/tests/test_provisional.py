"""What a host tells of an edit of a large program at once, and how it comes to be exact."""

from __future__ import annotations

import time
from array import array
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from toolroll.processes import WorkerProcesses
from toolroll_codegraph import reconciling, service
from toolroll_codegraph.commands import commands
from toolroll_codegraph.indexing import edits, resolution
from toolroll_codegraph.indexing.lines import line_marks, moved_lines
from toolroll_codegraph.reconciling import Reconciler

if TYPE_CHECKING:
    from conftest import Project

LANGUAGES = ("python", "javascript", "typescript", "ruby")
ROBOT = "class Robot:\n    def move(self): pass\n    def stop(self): pass\n"
DRIVER = (
    "def drive(robot):\n    robot.move()\n    robot.stop()\n\n\n"
    "def idle():\n    return None\n\n\ndef start():\n    idle()\n"
)
MAIN = "from robot import Robot\nfrom driver import drive\ndef main(): drive(Robot())\n"


@pytest.fixture
def robots(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project that counts as large, where only `main` tells what `drive` is given."""
    monkeypatch.setattr(edits, "QUICK", 0)
    monkeypatch.setattr(reconciling, "QUIET", 0)
    monkeypatch.setattr("toolroll_codegraph.indexing.neighbours.NEAR", 250)
    project.write("robot.py", ROBOT)
    project.write("driver.py", DRIVER)
    project.write("main.py", MAIN)
    assert not _index(project)
    return project


def _index(project: Project, *languages: str) -> bool:
    answer = service.index(
        project.context, project.root, languages or LANGUAGES, include_tests=True,
        provisionally=True,
    )  # fmt: skip
    return answer.provisional


def _callees(project: Project, name: str) -> list[str]:
    context = project.call("get_function_context", function_name=name, max_depth=1)["context"]
    return sorted(item["name"] for item in context["callees"])


def _is_provisional(project: Project) -> bool:
    context = project.call("get_function_context", function_name="start")["context"]
    related = project.call("find_related_code", file_path="main.py")
    assert context["provisional"] == related["provisional"]
    return context["provisional"]


def _reconcile(project: Project) -> None:
    service.reconcile(
        project.context, project.root, service.reconciliation(project.context, project.root)
    )


def test_calls_stay_on_lines_that_did_not_change_and_new_ones_are_told(robots: Project) -> None:
    robots.write("helpers.py", "def log(text): pass\n")
    robots.write(
        "driver.py", DRIVER.replace("    return None", "    from helpers import log\n    log('')")
    )
    assert _index(robots)
    assert _is_provisional(robots)
    assert _callees(robots, "drive") == ["Robot.move", "Robot.stop"]  # told by main.py alone
    assert _callees(robots, "idle") == ["log"]
    assert robots.callers("log") == ["driver.py::idle"]
    _reconcile(robots)
    assert not _is_provisional(robots)
    assert _callees(robots, "drive") == ["Robot.move", "Robot.stop"]


def test_an_edited_line_keeps_the_methods_that_it_still_calls(robots: Project) -> None:
    robots.write("driver.py", DRIVER.replace("robot.move()", "robot.move('fast')"))
    assert _index(robots)
    assert _callees(robots, "drive") == ["Robot.move", "Robot.stop"]
    robots.write("driver.py", DRIVER.replace("robot.move()", "print()"))
    assert _index(robots)
    assert _callees(robots, "drive") == ["Robot.stop"]


def test_what_an_edit_tells_otherwise_replaces_what_was_called(robots: Project) -> None:
    other = "class Cart:\n    def move(self): pass\n\n\n"
    robots.write(
        "driver.py", other + DRIVER.replace("    robot.move", "    robot = Cart()\n    robot.move")
    )
    assert _index(robots)
    assert "Cart.move" in (told := _callees(robots, "drive"))
    assert "Robot.move" not in told


def test_functions_and_files_that_are_gone_are_told_of_no_more(robots: Project) -> None:
    before = robots.index(*LANGUAGES)
    robots.write("driver.py", DRIVER.replace("def idle():\n    return None\n", ""))
    (robots.root / "robot.py").unlink()
    assert _index(robots)
    assert _callees(robots, "drive") == []
    assert _callees(robots, "start") == []
    assert robots.call("get_function_context", function_name="idle")["success"] is False
    counts = robots.index(*LANGUAGES)
    assert counts["files_indexed"] == before["files_indexed"] - 1
    assert counts["functions_indexed"] == before["functions_indexed"] - 3
    assert counts["classes_indexed"] == before["classes_indexed"] - 1


def test_a_file_that_is_left_out_from_now_on(robots: Project) -> None:
    robots.write("driver.py", b"a = 1\0\n")
    assert _index(robots)
    assert robots.call("get_function_context", function_name="drive")["success"] is False
    _reconcile(robots)
    assert not _index(robots)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("web/new.js", "import { old } from './old.js';\nexport function run() { old(); }\n"),
        ("web/new.ts", "import { old } from './old.js';\nexport const run = () => old();\n"),
        ("lib/new.rb", "require_relative 'old'\nclass New\n  def run; Old.new.old; end\nend\n"),
        ("pkg/new.py", "from .old import old\ndef run(): old()\n"),
    ],
)
def test_new_files_of_every_language(robots: Project, path: str, source: str) -> None:
    robots.write("web/old.js", "export function old() {}\n")
    robots.write("lib/old.rb", "class Old\n  def old; end\nend\n")
    robots.write("pkg/old.py", "def old(): pass\n")
    assert _index(robots)
    _reconcile(robots)
    robots.write(path, source)
    assert _index(robots)
    assert "old" in _callees(robots, f"{path}::{'New.run' if 'rb' in path else 'run'}")[-1]


def test_an_edit_of_a_large_file_waits_if_it_is_much_of_its_program(
    robots: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits, "NEAR", 20)
    robots.write("driver.py", DRIVER + "def again(): idle()\n")
    assert not _index(robots)
    robots.write("others.py", "".join(f"def other_{number}(): pass\n" for number in range(20)))
    assert not _index(robots)
    robots.write("driver.py", DRIVER + "def later(): idle()\n")
    assert _index(robots)
    assert _callees(robots, "later") == ["idle"]


def test_an_edit_is_resolved_within_the_bounds_of_its_whole_program(
    robots: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolroll_codegraph.resolve.ruby.rules.LARGE", 40)
    robots.write("steps.rb", "".join(f"class K{n}\n  def step; end\nend\n" for n in range(12)))
    robots.write("others.rb", "".join(f"def other_{n}; end\n" for n in range(40)))
    assert _index(robots)
    _reconcile(robots)
    every = ", ".join(f"K{number}.new" for number in range(12))
    monkeypatch.setattr("toolroll_codegraph.indexing.neighbours.NEAR", 2_000)
    methods = f"  def run; all.each {{ |it| it.step }}; end\n  def all; [{every}]; end\n"
    robots.write("run.rb", f"require_relative 'steps'\nclass Runner\n{methods}end\n")
    assert _index(robots)
    told = _callees(robots, "Runner.run")
    # of twelve: so much does a slot of a large program hold
    assert sum(name.endswith(".step") for name in told) == 8
    _reconcile(robots)
    assert _callees(robots, "Runner.run") == told


def test_an_edit_while_it_is_reconciled_begins_it_again(
    robots: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    robots.write("driver.py", DRIVER + "def one(): idle()\n")
    assert _index(robots)
    finish = resolution.Resolver.finish

    def edit_and_finish(self: resolution.Resolver, *check: Any) -> Any:
        robots.write("driver.py", DRIVER + "def two(): idle()\n")
        assert _index(robots)
        return finish(self, *check)

    with monkeypatch.context() as patched:
        patched.setattr(resolution.Resolver, "finish", edit_and_finish)
        _reconcile(robots)
    assert _is_provisional(robots)
    assert robots.callers("idle") == ["driver.py::start", "driver.py::two"]
    _reconcile(robots)
    assert not _is_provisional(robots)
    assert robots.callers("idle") == ["driver.py::start", "driver.py::two"]


def test_an_edit_ends_what_is_being_resolved_and_the_next_begins_later(
    robots: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolution, "LARGE", 0)  # in a process, which is killed
    monkeypatch.setattr("toolroll_codegraph.indexing.reconciling.LOOK", 0)
    monkeypatch.setattr(reconciling, "QUIET", 1)
    now = time.time_ns()
    monkeypatch.setattr("toolroll_codegraph.reconciling.time.time_ns", lambda: now)
    robots.write("driver.py", DRIVER + "def one(): idle()\n")
    assert _index(robots)
    told: list[str] = []
    reconciler = Reconciler(robots.root, lambda: told.append("exact"))
    start, kill, killed = resolution.Resolver.start, WorkerProcesses.kill, list[WorkerProcesses]()

    def start_and_edit(self: resolution.Resolver, *task: Any) -> None:
        start(self, *task)
        robots.write("driver.py", DRIVER + "def two(): idle()\n")
        assert _index(robots)

    def kill_and_tell(self: WorkerProcesses) -> None:
        killed.append(self)
        kill(self)

    monkeypatch.setattr(WorkerProcesses, "kill", kill_and_tell)
    with monkeypatch.context() as patched:
        patched.setattr(resolution.Resolver, "start", start_and_edit)
        patched.setattr(resolution, "wait", lambda futures, _: SimpleNamespace(not_done=futures))
        now = time.time_ns() + 2
        reconciler.step(robots.context)
    assert len(killed) == 1
    (project,) = service.provisional_projects(robots.context)
    edited = max(project.provisional.values())
    now = edited + 2  # quiet enough for a first time, but not after one for nothing
    reconciler.step(robots.context)
    assert told == []
    now = edited + 3
    reconciler.step(robots.context)
    assert told == ["exact"]
    assert robots.callers("idle") == ["driver.py::start", "driver.py::two"]


def test_what_is_given_up_stays_provisional(
    robots: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolution, "LARGE", 0)  # in a process, which is killed
    robots.write("driver.py", DRIVER + "def one(): idle()\n")
    assert _index(robots)
    reconciler = Reconciler(robots.root)
    start = resolution.Resolver.start

    def start_and_end(self: resolution.Resolver, *task: Any) -> None:
        start(self, *task)
        reconciler.end()

    with monkeypatch.context() as patched:
        patched.setattr(resolution.Resolver, "start", start_and_end)
        reconciler.step(robots.context)
    assert _is_provisional(robots)
    told: list[str] = []
    Reconciler(robots.root, lambda: told.append("exact")).step(robots.context)
    assert told == ["exact"]
    assert not _is_provisional(robots)


def test_a_clock_that_is_set_back_puts_nothing_off(
    robots: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    robots.write("driver.py", DRIVER + "def one(): idle()\n")
    assert _index(robots)
    yesterday = time.time_ns() - 24 * 60 * 60 * 1_000_000_000
    monkeypatch.setattr("toolroll_codegraph.reconciling.time.time_ns", lambda: yesterday)
    Reconciler(robots.root).step(robots.context)
    assert not _is_provisional(robots)


def test_a_changed_layout_is_indexed_instead(robots: Project) -> None:
    robots.write("driver.py", DRIVER + "def one(): idle()\n")
    assert _index(robots)
    robots.write("package.json", '{"name": "robots"}')
    _reconcile(robots)
    assert not _is_provisional(robots)


def test_a_query_tells_what_is_stale_and_what_is_provisional(robots: Project) -> None:
    stale, provisional = "Their lines may have moved; run: ", "the last edits are still being"

    def told() -> tuple[bool, bool]:
        output = CliRunner().invoke(commands, ["query", "idle"], obj=robots.context).output
        return stale in output, provisional in output

    assert told() == (False, False)
    robots.write("driver.py", DRIVER + "def one(): idle()\n")
    assert told() == (True, False)
    assert _index(robots)
    assert told() == (False, True)


def test_a_command_waits_for_what_is_exact(robots: Project) -> None:
    robots.write("driver.py", DRIVER + "def one(): idle()\n")
    assert _index(robots)
    assert not service.index(robots.context, robots.root, LANGUAGES, include_tests=True).provisional
    assert not _is_provisional(robots)


def test_a_host_is_provisional_only_while_it_reconciles(robots: Project) -> None:
    arguments = {"languages": list(LANGUAGES), "include_tests": True}
    robots.write("driver.py", DRIVER + "def one(): idle()\n")
    assert not robots.call("index_code_graph", **arguments)["provisional"]
    _, worker = robots.runtime.registry.packs["codegraph"].pack.workers()
    worker.step(robots.context)
    robots.write("driver.py", DRIVER + "def two(): idle()\n")
    assert robots.call("index_code_graph", **arguments)["provisional"]
    assert robots.call("index_code_graph", **arguments)["provisional"]
    worker.step(robots.context)
    assert not robots.call("index_code_graph", **arguments)["provisional"]


TEXTS = st.lists(st.sampled_from([b"", b"a", b"b", b"c", b"d"]), max_size=12)


@given(before=TEXTS, after=TEXTS)
def test_every_line_is_where_it_was_or_new(before: list[bytes], after: list[bytes]) -> None:
    old, new = line_marks(b"\n".join(before)), line_marks(b"\n".join(after))
    moved = moved_lines(old, new)
    first, last = array("H", old), array("H", new)
    assert sorted([*moved.now, *moved.replaced]) == list(range(1, len(first) + 1))
    assert sorted([*moved.now.values(), *moved.fresh]) == list(range(1, len(last) + 1))
    assert [moved.now[line] for line in sorted(moved.now)] == sorted(moved.now.values())
    assert all(first[line - 1] == last[now - 1] for line, now in moved.now.items())
