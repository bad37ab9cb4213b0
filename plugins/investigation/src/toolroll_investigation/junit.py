"""Making a scenario from JUnit XML, whichever test runner or reporter wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import Factory, define, frozen

from toolroll_investigation.junit_runs import Runs, Test, labels
from toolroll_investigation.junit_words import clean, error_message, test_name
from toolroll_investigation.junit_xml import HOLDERS, JUnitError, read, reports
from toolroll_investigation.scenario import MAX_CASES, Repository, Scenario, ScenarioCase, Workspace

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # for the type only: parsing is defused

LOG_HEAD: Final = 4_000
LOG_TAIL: Final = 8_000
MAX_SIBLINGS: Final = 50

_FAILED: Final = ("failure", "error")
_COUNTED: Final = ("failures", "errors")
_FLAKY: Final = ("flakyFailure", "flakyError")
_STEPS_FAILED: Final = re.compile(r"\d+ test steps? failed\.?")
_PYTEST: Final = "pytest tests"
"""What pytest calls the root of its reports."""
_RERUNS: Final = ("rerunFailure", "rerunError", "rerun")


@frozen
class RunFacts:
    """What the caller knows about the run and the files don't say."""

    version: str = ""
    run_id: str = ""
    git_branch: str = ""
    git_commit: str = ""


@define
class Tally:
    """What the files held.

    `unnamed` failures are counted by a reporter without a test of theirs: a build broke, or a suite
    did not start.
    """

    tests: int = 0
    failed: int = 0
    skipped: int = 0
    flaky: int = 0
    unnamed: int = 0

    @property
    def summary(self) -> str:
        """How the tests went, in words."""
        outcome = f"({self.skipped} skipped, {self.flaky} flaky)"
        return f"{self.failed} of {self.tests} tests failed {outcome}"

    @property
    def note(self) -> str:
        """A sentence about failures that no case stands for, if there are any."""
        if not self.unnamed:
            return ""
        return f" Failures of no test, as of a build or a suite that did not start: {self.unnamed}."


@define
class Imported:
    """The failures found, with the tally of all tests."""

    runs: Runs = Factory(Runs)
    failures: int = 0
    tally: Tally = Factory(Tally)


def import_runs(
    files: Sequence[Path],
    name: str,
    repositories: Sequence[Repository],
    facts: RunFacts | None = None,
) -> tuple[Scenario, Tally]:
    """Make a scenario without ground truth from the failed tests of some JUnit files, or of all in
    a directory.

    Cases are numbered in the order of files and tests. Each names the other failures of its suite
    as siblings, and in its log how a test of its name went in the other files. A test that failed
    and then passed on a rerun is counted as flaky and left out, and so is one that has nothing to
    say but that its subtests failed.

    Raises:
        JUnitError: a file is no JUnit XML, no test failed, or too many did.
    """
    facts = facts or RunFacts()
    imported = Imported()
    files = [report for path in files for report in reports(path)]
    for file, run in zip(files, labels(files), strict=True):
        root = read(file)
        imported.tally.unnamed += _unnamed(root)
        for suite in _suites(root):
            tests = _tests(suite, by_pytest=root.get("name") == _PYTEST)
            _take_suite(suite, tests, run, facts.version, imported)
    tally = imported.tally
    if not imported.failures:
        nothing = f"none of {tally.tests} tests failed: there is nothing to investigate"
        if not tally.tests:
            nothing = "no test was run: the run may have ended before its first test"
        raise JUnitError(f"{nothing}.{tally.note}" if tally.unnamed else nothing)
    if imported.failures > MAX_CASES:
        raise JUnitError(
            f"{tally.summary}, and a scenario has at most {MAX_CASES} cases: give fewer files, or "
            "mend first what breaks so many"
        )
    scenario = Scenario(
        name=name,
        description=f"{tally.summary} in {', '.join(file.name for file in files)}.{tally.note}",
        run_summary=f"{tally.summary}.{tally.note}",
        run_id=facts.run_id,
        git_branch=facts.git_branch,
        git_commit=facts.git_commit,
        cases=tuple(imported.runs.cases),
        workspace=Workspace(repos=tuple(repositories)),
    )
    return scenario, tally


def _suites(root: Element) -> Iterator[Element]:
    """Every element that holds tests itself: suites may be nested, or be left out by Node.js."""
    for element in root.iter():
        if element.tag in HOLDERS and element.find("testcase") is not None:
            yield element


def _unnamed(root: Element) -> int:
    """How many failures are counted in the attributes of the file and stand at no test."""
    counters = [root] if any(f in root.attrib for f in _COUNTED) else root.findall("testsuite")
    counted = sum(_number(suite.get(field, "")) for suite in counters for field in _COUNTED)
    return max(0, counted - sum(1 for element in root.iter() if element.tag in _FAILED))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _take_suite(
    suite: Element, tests: Sequence[Sequence[Element]], run: str, version: str, imported: Imported
) -> None:
    failures: list[tuple[str, str, Sequence[Element]]] = []
    for tries in tests:
        imported.tally.tests += 1
        test = tries[-1]
        marks = _failed(tries) or _could_not_run(test)
        skipped = None if _could_not_run(test) else test.find("skipped")
        imported.tally.skipped += skipped is not None
        imported.tally.flaky += any(test.find(tag) is not None for tag in _FLAKY) or (
            len(tries) > 1 and not marks
        )
        # What is still to be done may fail, and the run passes nevertheless.
        if marks and (skipped is None or skipped.get("type") != "todo"):
            failures.append((test_name(test), error_message(test, marks[0]), tries))
        elif not marks and skipped is None:
            imported.runs.passed(_identity(suite, test), run)
    failed = [name for name, *_ in failures]
    failures = [it for it in failures if not _only_holds(it[0], it[1], failed)]
    imported.tally.failed += len(failures)
    names = [name for name, *_ in failures]
    for name, message, tries in failures:
        log, truncated = _log(suite, tries)
        imported.failures += 1
        case = ScenarioCase(
            id=f"C{imported.failures}",
            version=version,
            job=suite.get("name") or run,
            test_name=name,
            error_message=message,
            log_snippet=log,
            log_truncated=truncated,
            siblings=tuple(names[:MAX_SIBLINGS]),
        )
        imported.runs.failed(case, _identity(suite, tries[-1]), run)


def _identity(suite: Element, test: Element) -> Test:
    return Test(suite.get("name", ""), test.get("classname", ""), test.get("name", ""))


def _tests(suite: Element, *, by_pytest: bool) -> list[list[Element]]:
    """The elements of each test: more than one where pytest tells of reruns, or of its teardown.

    It counts such a test once, unless it has subtests. Other runners mean two tests by the same
    name twice, but for Jest, which says twice that a suite did not start, and counts none.
    """
    elements = suite.findall("testcase")
    named: dict[tuple[str, str], list[Element]] = {}
    for test in elements:
        named.setdefault((test.get("classname", ""), test.get("name", "")), []).append(test)
    counted = suite.get("tests", "")
    if by_pytest or counted == "0" or len(named) <= _number(counted) < len(elements):
        return list(named.values())
    return [[test] for test in elements]


def _failed(tries: Sequence[Element]) -> list[Element]:
    return [mark for test in tries for tag in _FAILED for mark in test.findall(tag)]


def _could_not_run(test: Element) -> list[Element]:
    """The mark of a test that its runner failed to start, which CTest counts among the skipped.

    Those that it did skip say by which of its settings.
    """
    if test.get("status") != "notrun":
        return []
    return [it for it in test.findall("skipped") if not it.get("message", "").startswith("SKIP_")]


def _only_holds(name: str, message: str, failed: Sequence[str]) -> bool:
    """Whether a test says nothing but that one in it failed, as Go's and Deno's do."""
    if message and not _STEPS_FAILED.fullmatch(message):
        return False
    return any(other.startswith((f"{name}/", f"{name} > ")) for other in failed)


def _log(suite: Element, tries: Sequence[Element]) -> tuple[str, bool]:
    test = tries[-1]
    first, *others = _failed(tries) or [test]  # the words of the first are the case's message
    parts = [first.text or "", *((it.text or "").strip() or it.get("message", "") for it in others)]
    reruns = sum(1 for tag in _RERUNS for _ in test.findall(tag))
    reruns += sum(1 for earlier in tries if not _failed([earlier]))
    if reruns:
        parts.append(f"[failed again on {reruns} reruns]")
    for tag in ("system-out", "system-err"):
        own = test.find(tag)
        # Some reporters keep the output of all tests at the suite; it is better than none.
        output = own if own is not None else suite.find(tag)
        if output is not None and (output.text or "").strip():
            parts.append(f"--- {tag} ---\n{output.text}")
    log = clean("\n".join(part.strip("\n") for part in parts if part.strip()))
    if len(log) <= LOG_HEAD + LOG_TAIL:
        return log, False
    cut = len(log) - LOG_HEAD - LOG_TAIL
    return f"{log[:LOG_HEAD]}\n[… {cut} characters cut …]\n{log[-LOG_TAIL:]}", True
