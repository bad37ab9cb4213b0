"""The report of a run: counts for people, JSON for programs."""

from __future__ import annotations

import json
from collections import Counter
from importlib.metadata import version
from typing import Any

from attrs import field, frozen

from toolroll_conformance.check import Result, Status

__all__ = ["Report"]

REPORT_FORMAT = 1
"""Version of the JSON report."""


@frozen
class Report:
    """The results of one run.

    Attributes:
        subject: The pack's name.
        results: In the order the checks were made.
    """

    subject: str
    results: tuple[Result, ...] = field(converter=tuple)

    @property
    def ok(self) -> bool:
        """Whether something was checked and nothing failed."""
        return bool(self.results) and not self.failed

    @property
    def failed(self) -> tuple[Result, ...]:
        """The checks that failed."""
        return tuple(item for item in self.results if item.status is Status.FAILED)

    def counts(self) -> dict[str, int]:
        """Return how many checks ended in each way, every way named."""
        found = Counter(item.status for item in self.results)
        return {status.value: found[status] for status in Status}

    def broken_rules(self) -> set[str]:
        """Return every rule that a failed check found broken."""
        return {rule for item in self.failed for rule in item.rules}

    def skips(self) -> dict[str, int]:
        """Return how many checks were skipped for each reason."""
        reasons = Counter(i.detail for i in self.results if i.status is Status.SKIPPED)
        return dict(sorted(reasons.items()))

    def by_way_in(self) -> dict[str, dict[str, int]]:
        """Return the counts of each leg and era, so that nobody guesses what ran where."""
        ways = sorted({(item.leg, item.era) for item in self.results})
        return {
            " ".join(part for part in way if part) or "contract": Report(
                self.subject, [item for item in self.results if (item.leg, item.era) == way]
            ).counts()
            for way in ways
        }

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {
            "format": REPORT_FORMAT,
            "suite": f"toolroll-conformance {version('toolroll-conformance')}",
            "subject": self.subject,
            "ok": self.ok,
            "counts": self.counts(),
            "ways_in": self.by_way_in(),
            "skips": self.skips(),
            "checks": [item.to_json() for item in self.results],
        }

    def dumps(self) -> str:
        """Return the JSON report as text."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n"
