"""What a handler does to the process that all packs share is told, or even prevented."""

from __future__ import annotations

import locale
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

import toolroll
from toolroll_conformance.case import Case
from toolroll_conformance.plan import plan
from toolroll_conformance.report import Report
from toolroll_conformance.run import run_checks
from toolroll_conformance.session import Session
from toolroll_conformance.target import Target
from toolroll_zoo.shelf import Count, Shelf, keys

LISTING = {"id": "one", "title": "one", "source": "here", "steps": [{"call": "list_texts"}]}


def listed_by(pack: Shelf) -> Report:
    """Call the tool of a pack once, in process."""
    target = attrs.evolve(Target.of(pack), cases=[Case.model_validate(LISTING)])
    with Session.of_pack(target, ["memory"]) as session:
        return run_checks(pack.name, [check for check in plan(session) if check.rule == "case"])


def doing(deed: Callable[[], object]) -> Shelf:
    """Return the good pack with a tool that does this too."""

    class Doer(Shelf):
        @toolroll.tool()
        def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
            """Return the keys that are in use, sorted."""
            deed()
            return sorted(keys(ctx))[: args.limit]

    return Doer()


def there_and_back() -> None:
    """Change the working directory, for a while."""
    before = Path.cwd()
    os.chdir("/")
    os.chdir(before)


def renaming() -> None:
    """Set a variable that nobody reads, and remove it."""
    os.environ["TOOLROLL_NO_SUCH"] = "1"
    del os.environ["TOOLROLL_NO_SUCH"]


def writing_home() -> None:
    """Write a file where only its owner should."""
    with (Path.home() / ".shelf").open("w"):
        pass


DEEDS = {
    "list_texts with {}": there_and_back,
    "the environment variable TOOLROLL_NO_SUCH": renaming,
    "called os._exit(0), which ends the host": lambda: os._exit(0),
    "forked the host": os.fork,
    "replaced the process": lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
    "sent the host signal 9": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "random.Random(seed)": lambda: random.seed(1),
    "called locale.setlocale": lambda: locale.setlocale(locale.LC_ALL, "C"),
    ".shelf, which is neither the project's nor the data's": writing_home,
}


@pytest.mark.parametrize(("told", "deed"), DEEDS.items(), ids=list(DEEDS))
def test_a_handler_that_changes_or_ends_the_process_is_told_of(
    told: str, deed: Callable[[], object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    report = listed_by(doing(deed))
    assert report.broken_rules() == {"host-intact"}
    assert told in report.failed[0].detail
    assert "test_deeds.py:" in report.failed[0].detail


def test_an_async_handler_that_sleeps_is_told_of() -> None:
    class Sleeper(Shelf):
        @toolroll.tool()
        async def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
            """Return the keys that are in use, sorted."""
            time.sleep(0)
            return sorted(keys(ctx))[: args.limit]

    report = listed_by(Sleeper())
    assert report.broken_rules() == {"host-intact"}
    assert "await asyncio.sleep" in report.failed[0].detail


def test_what_handlers_may_do_is_not_told_of(tmp_path: Path) -> None:
    def ordinary() -> None:
        subprocess.run([sys.executable, "-c", ""], cwd="/", env={}, check=True)
        os.kill(os.getpid(), 0)
        locale.setlocale(locale.LC_ALL)
        random.random()
        time.sleep(0)
        for place in (tmp_path, Path.home() / ".cache" / "toolroll-tests"):
            place.mkdir(parents=True, exist_ok=True)
            (place / "a").write_text("")
            (place / "a").unlink()

    assert listed_by(doing(ordinary)).ok
