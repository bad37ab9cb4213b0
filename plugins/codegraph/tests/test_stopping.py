"""A host that ends stops an index run wherever it is: nothing was changed then."""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

import toolroll
from toolroll.jobs import Supervisor
from toolroll_codegraph import service
from toolroll_codegraph.indexing import indexer, resolution
from toolroll_codegraph.storage import store, tables
from toolroll_codegraph.watching import Watcher

if TYPE_CHECKING:
    from conftest import Project

WAIT = 120.0
PROGRAM = {
    "a.py": "from b import g\n\ndef f():\n    g()\n",
    "b.py": "def g():\n    pass\n",
    "c.rb": "def h\n  i\nend\n\ndef i; end\n",
    "d.js": "function j() { k() }\nfunction k() {}\n",
}
LANGUAGES = ("python", "javascript", "ruby")


class Stop:
    """Raises at one of the moments at which a run asks whether to go on."""

    def __init__(self, at: float) -> None:
        self._at = at
        self.asked = 0

    def __call__(self) -> None:
        self.asked += 1
        service.stop_at_the_end(self.asked >= self._at)


def rows(project: Project) -> dict[str, list[Any]]:
    with project.context.database.read() as session:
        return {
            table.name: sorted(map(tuple, session.execute(sa.select(table))), key=repr)
            for table in tables.metadata.sorted_tables
        }


def run(project: Project, stop: Stop) -> bool:
    """Index, and say whether that came to its end."""
    try:
        service.index(project.context, project.root, LANGUAGES, include_tests=True, check=stop)
    except toolroll.ResourceBusy:
        return False
    return True


def test_a_run_that_is_stopped_at_any_moment_changes_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_ROWS", 1)
    for path, text in PROGRAM.items():
        project.write(path, text)
    project.call("index_code_graph", languages=["python"])
    before = rows(project)
    project.write("a.py", "from b import g\n\ndef f():\n    pass\n\ndef more():\n    g()\n")
    for moment in itertools.count(1):
        if run(project, Stop(moment)):
            break
        assert rows(project) == before
    assert moment > 12
    assert project.callers("g") == ["a.py::more"]


def test_a_run_in_processes_is_stopped_with_them(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolution, "LARGE", 0)
    monkeypatch.setattr(indexer, "MANY", 0)
    for path, text in PROGRAM.items():
        project.write(path, text)

    for moment in (1, 3, 8):
        assert not run(project, Stop(moment))
        assert project.call("get_function_context", function_name="g")["success"] is False
    assert run(project, Stop(float("inf")))
    assert project.callers("g") == ["a.py::f"]


def test_the_tool_stops_when_the_host_ends(project: Project) -> None:
    for path, text in PROGRAM.items():
        project.write(path, text)
    project.runtime.caller.call_off()
    told = project.call("index_code_graph", languages=["python"])
    assert told == {
        "success": False,
        "error": "the host ends; nothing was changed, index again",
    }


def test_a_watcher_ends_at_once(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    project.write("a.py", PROGRAM["a.py"])
    project.index("python")
    watcher = Watcher(project.root)
    stepped = threading.Event()

    def step(context: toolroll.PackContext) -> bool:
        more = watcher.step(context)
        stepped.set()
        return more

    supervisor = Supervisor([toolroll.Worker("watch", step, end=watcher.end)], project.context)
    supervisor.start()
    assert stepped.wait(WAIT)
    assert supervisor.stop(WAIT)
    assert not supervisor.failing
    assert not caplog.records
