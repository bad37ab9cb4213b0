"""A check: one rule applied to one thing on one way in; and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from attrs import asdict, field, frozen

from toolroll_conformance.inspection import Finding, RuleBroken

__all__ = ["Check", "Result", "Skipped", "Status", "perform"]


class Status(StrEnum):
    """What came of a check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    KNOWN_FAILURE = "known_failure"
    """It failed, as the list of known failures says it would."""


class Skipped(Exception):
    """A check that cannot be made for want of declared capabilities."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__("needs " + ", ".join(missing))


def _nothing() -> None:
    """Most checks have nothing to prepare."""


@frozen(eq=False)
class Check:
    """One check.

    Attributes:
        subject: What the rule is applied to: a case id, a tool, a parameter.
        rule: The rule's name.
        title: What holds when the check passes, in a sentence.
        source: Where that is promised.
        leg: `memory`, `stdio` or `http`; "" where no server is needed.
        era: The protocol revision; "" where none is spoken.
        run: Makes the check: returns, or raises `RuleBroken` or `Skipped`.
        prepare: What it needs that must be made while nothing else runs, and is kept.
    """

    rule: str
    title: str
    run: Callable[[], None] = field(repr=False)
    subject: str = ""
    source: str = ""
    leg: str = ""
    era: str = ""
    prepare: Callable[[], object] = field(default=_nothing, repr=False)

    @property
    def id(self) -> str:
        """The check's name, unique in a run and stable between runs."""
        return "/".join(part for part in (self.leg, self.era, self.rule, self.subject) if part)


@frozen
class Result:
    """What came of one check.

    Attributes:
        rules: The rules found broken; a case can break a standing rule rather than its own.
        detail: Findings, or the reason of a skip or known failure.
        seconds: How long it took.
    """

    id: str
    rule: str
    title: str
    source: str
    leg: str
    era: str
    status: Status
    rules: tuple[str, ...] = ()
    detail: str = ""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return {**asdict(self), "rules": list(self.rules), "seconds": round(self.seconds, 3)}


def perform(check: Check, known_reason: str | None = None) -> Result:
    """Make a check and return what came of it; only a defect of the suite itself is raised.

    Args:
        check: What to do.
        known_reason: Why it is expected to fail; then it has failed if it passes.
    """
    started = time.perf_counter()
    status, detail, findings = Status.PASSED, "", ()
    try:
        check.run()
    except Skipped as skip:
        status, detail = Status.SKIPPED, str(skip)
    except RuleBroken as broken:
        status, detail, findings = Status.FAILED, str(broken), broken.findings
    if known_reason is not None:
        status, detail, findings = _expected(check, status, detail, findings, known_reason)
    return Result(
        id=check.id,
        rule=check.rule,
        title=check.title,
        source=check.source,
        leg=check.leg,
        era=check.era,
        status=status,
        rules=tuple(sorted({finding.rule for finding in findings})),
        detail=detail,
        seconds=time.perf_counter() - started,
    )


def _expected(
    check: Check, status: Status, detail: str, findings: tuple[Finding, ...], reason: str
) -> tuple[Status, str, tuple[Finding, ...]]:
    if status is Status.FAILED:
        return Status.KNOWN_FAILURE, f"known: {reason}\n{detail}", ()
    if status is Status.PASSED:
        stale = Finding(
            check.rule, f"passed, but is listed as a known failure ({reason}); unlist it"
        )
        return Status.FAILED, stale.message, (stale,)
    return status, detail, findings
