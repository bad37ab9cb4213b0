"""Making a scenario from JUnit XML, as pytest, Go, Maven Surefire and Jest write it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import Factory, define, frozen
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, parse

from toolroll_investigation.scenario import Repository, Scenario, ScenarioCase, Workspace

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # for the type only: parsing is defused

MAX_BYTES: Final = 64 * 1024 * 1024
MAX_MESSAGE: Final = 2_000
LOG_HEAD: Final = 4_000
LOG_TAIL: Final = 8_000
MAX_SIBLINGS: Final = 50

# What reporters write into `message` when they have nothing to say.
_EMPTY_MESSAGES: Final = frozenset({"", "failed", "failure", "error", "test failed"})
_FAILED: Final = ("failure", "error")
_FLAKY: Final = ("flakyFailure", "flakyError")
_RERUNS: Final = ("rerunFailure", "rerunError", "rerun")
# XML can't hold the escape character; pytest spells it out.
_ANSI: Final = re.compile(r"(?:\x1b|#x1B)\[[0-9;?]*[ -/]*[@-~]")
# What Go's runner writes between a test's own lines; the frames of a panic have no second colon.
_GO_MARK: Final = re.compile(r"\s*(?:===|---) [A-Z]+:? ")
_GO_LOCATED: Final = re.compile(r"\s*\S+\.go:\d+:\s*(\S.*)$")
_GO_PANIC: Final = re.compile(r"^(?:panic|fatal error): .+$", re.MULTILINE)
_TESTIFY: Final = re.compile(r"^\s*Error:\s+(.+?)\n\s*(?:Test|Messages):", re.MULTILINE | re.DOTALL)


class JUnitError(Exception):
    """A file can't be read as JUnit XML; the text names it and says why."""


@frozen
class RunFacts:
    """What the caller knows about the run and the files don't say."""

    version: str = ""
    run_id: str = ""
    git_branch: str = ""
    git_commit: str = ""


@define
class Tally:
    """What the files held."""

    tests: int = 0
    failed: int = 0
    skipped: int = 0
    flaky: int = 0


@define
class Imported:
    """The failures found, with the tally of all tests."""

    cases: list[ScenarioCase] = Factory(list[ScenarioCase])
    tally: Tally = Factory(Tally)


def import_runs(
    files: Sequence[Path],
    name: str,
    repositories: Sequence[Repository],
    facts: RunFacts | None = None,
) -> tuple[Scenario, Tally]:
    """Make a scenario without ground truth from the failed tests of some JUnit files.

    Cases are numbered in the order of files and tests; each names the other failures of its suite
    as siblings. A test that failed and then passed on a rerun is counted as flaky and left out.

    Raises:
        JUnitError: a file is no JUnit XML, or no test failed.
    """
    facts = facts or RunFacts()
    imported = Imported()
    for file in files:
        for suite in _suites(_read(file)):
            _take_suite(suite, file.stem, facts.version, imported)
    tally = imported.tally
    if not imported.cases:
        raise JUnitError(f"none of {tally.tests} tests failed: there is nothing to investigate")
    summary = (
        f"{tally.failed} of {tally.tests} tests failed ({tally.skipped} skipped, "
        f"{tally.flaky} flaky)"
    )
    scenario = Scenario(
        name=name,
        description=f"{summary} in {', '.join(file.name for file in files)}.",
        run_summary=f"{summary}.",
        run_id=facts.run_id,
        git_branch=facts.git_branch,
        git_commit=facts.git_commit,
        cases=tuple(imported.cases),
        workspace=Workspace(repos=tuple(repositories)),
    )
    return scenario, tally


def _read(file: Path) -> Element:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise JUnitError(f"{file.name} is larger than {MAX_BYTES} bytes")
        root = parse(file).getroot()
    except OSError as error:
        raise JUnitError(f"{file.name}: {error.strerror or 'can not be read'}") from error
    except DefusedXmlException:
        raise JUnitError(f"{file.name} defines XML entities, which no test report needs") from None
    except (ParseError, ValueError) as error:
        raise JUnitError(f"{file.name} is not XML: {error}") from None
    if root is None or root.tag not in ("testsuites", "testsuite"):
        raise JUnitError(f"{file.name} is not JUnit XML: its root is not testsuites or testsuite")
    return root


def _suites(root: Element) -> Iterator[Element]:
    """Every suite that holds tests itself; they may be nested."""
    for suite in root.iter("testsuite"):
        if suite.find("testcase") is not None:
            yield suite


def _take_suite(suite: Element, stem: str, version: str, imported: Imported) -> None:
    failures: list[tuple[Element, Sequence[Element]]] = []
    for test in suite.findall("testcase"):
        imported.tally.tests += 1
        imported.tally.skipped += test.find("skipped") is not None
        imported.tally.flaky += any(test.find(tag) is not None for tag in _FLAKY)
        if marks := [mark for tag in _FAILED for mark in test.findall(tag)]:
            failures.append((test, marks))
    imported.tally.failed += len(failures)
    names = [_test_name(test) for test, _ in failures]
    for (test, marks), name in zip(failures, names, strict=True):
        log, truncated = _log(suite, test, marks)
        imported.cases.append(
            ScenarioCase(
                id=f"C{len(imported.cases) + 1}",
                version=version,
                job=suite.get("name") or stem,
                test_name=name,
                error_message=_message(marks[0]),
                log_snippet=log,
                log_truncated=truncated,
                siblings=tuple(names[:MAX_SIBLINGS]),
            )
        )


def _test_name(test: Element) -> str:
    """Class and name, unless the name says both already, as Jest's does."""
    name, owner = test.get("name", ""), test.get("classname", "")
    return name if not owner or name.startswith(owner) else f"{owner}.{name}"


def _message(mark: Element) -> str:
    message = _clean(mark.get("message", "")).strip()
    if message.lower() in _EMPTY_MESSAGES:
        message = _first_words(_clean(mark.text or ""))
    kind = mark.get("type", "").strip()
    if kind.lower() not in _EMPTY_MESSAGES and kind.rpartition(".")[2] not in message:
        message = f"{kind}: {message}" if message else kind
    return message[:MAX_MESSAGE]


def _first_words(text: str) -> str:
    """The words that tell what failed: what Go's runner or testify marks so, or the first line."""
    if panic := _GO_PANIC.search(text):
        return panic[0]
    if told := _TESTIFY.search(text):
        return " ".join(told[1].split())
    lines = [line for line in text.splitlines() if line.strip() and not _GO_MARK.match(line)]
    for line in lines:
        if located := _GO_LOCATED.match(line):
            return located[1].strip()
    return lines[0].strip() if lines else ""


def _log(suite: Element, test: Element, marks: Sequence[Element]) -> tuple[str, bool]:
    parts = [mark.text or "" for mark in marks]
    reruns = [mark for tag in _RERUNS for mark in test.findall(tag)]
    if reruns:
        parts.append(f"[failed again on {len(reruns)} reruns]")
    for tag in ("system-out", "system-err"):
        own = test.find(tag)
        # Some reporters keep the output of all tests at the suite; it is better than none.
        output = own if own is not None else suite.find(tag)
        if output is not None and (output.text or "").strip():
            parts.append(f"--- {tag} ---\n{output.text}")
    log = _clean("\n".join(part.strip("\n") for part in parts if part.strip()))
    if len(log) <= LOG_HEAD + LOG_TAIL:
        return log, False
    cut = len(log) - LOG_HEAD - LOG_TAIL
    return f"{log[:LOG_HEAD]}\n[… {cut} characters cut …]\n{log[-LOG_TAIL:]}", True


def _clean(text: str) -> str:
    return _ANSI.sub("", text).replace("\r\n", "\n")
