"""Tests that stand in several files of one import: jobs of a matrix, or tries of one run.

That a test failed here and passed there tells a configuration or a flake from a broken product.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from attrs import Factory, define, frozen

from toolroll_investigation.scenario import ScenarioCase

MAX_NAMED: Final = 5
"""Files named of each outcome."""


@frozen
class Test:
    """What a report calls a test, and its suite; other projects may call theirs alike."""

    suite: str
    owner: str
    name: str


@define
class Runs:
    """How each test went in each file, by the file's label."""

    _passed: defaultdict[Test, list[str]] = Factory(lambda: defaultdict[Test, list[str]](list))
    _failed: defaultdict[Test, list[str]] = Factory(lambda: defaultdict[Test, list[str]](list))
    _places: defaultdict[str, set[str]] = Factory(lambda: defaultdict[str, set[str]](set))
    _cases: list[tuple[ScenarioCase, Test, str]] = Factory(list[tuple[ScenarioCase, Test, str]])

    def passed(self, test: Test, run: str) -> None:
        """Note a test that passed."""
        self._passed[test].append(run)

    def failed(self, case: ScenarioCase, test: Test, run: str) -> None:
        """Note a test that failed, and its case."""
        self._failed[test].append(run)
        self._places[test.suite].add(run)
        self._cases.append((case, test, run))

    @property
    def cases(self) -> list[ScenarioCase]:
        """The cases in their order; each tells how a test of its name went in other files."""
        return [self._told(*noted) for noted in self._cases]

    def _told(self, case: ScenarioCase, test: Test, run: str) -> ScenarioCase:
        outcomes = {"passed": self._passed, "failed": self._failed}
        others = {
            outcome: list(dict.fromkeys(other for other in runs.get(test, ()) if other != run))
            for outcome, runs in outcomes.items()
        }
        told = " and ".join(f"{how} in {_named(where)}" for how, where in others.items() if where)
        changes: dict[str, str] = {}
        if test.suite and len(self._places[test.suite]) > 1:
            changes["job"] = f"{case.job} ({run})"
        if told:
            note = f"[this is the result in {run}; a test of this name {told}]"
            changes["log_snippet"] = f"{case.log_snippet or '[no log]'}\n{note}"
        return case.model_copy(update=changes)


def labels(files: Sequence[Path]) -> list[str]:
    """What each file is called: by its name, and its directory where names are the same."""
    names = Counter(file.stem for file in files)
    return [
        file.stem if names[file.stem] == 1 else f"{file.absolute().parent.name}/{file.stem}"
        for file in files
    ]


def _named(runs: Sequence[str]) -> str:
    more = f" and {len(runs) - MAX_NAMED} more" if len(runs) > MAX_NAMED else ""
    return f"{', '.join(runs[:MAX_NAMED])}{more}"
