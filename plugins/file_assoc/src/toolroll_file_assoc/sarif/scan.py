"""What one run of a scanner says about the project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from toolroll_file_assoc.params import Severity

__all__ = ["Omitted", "Scan", "ScannedFinding"]


@frozen(kw_only=True)
class ScannedFinding:
    """One problem that a scanner reports.

    Attributes:
        path: Canonical path of the file.
        line_start: Counted from 1; None where the problem is the file's as a whole.
        suggestion: How to mend it; "" where the scanner says nothing.
        metadata: What else is worth keeping, as a JSON object.
    """

    path: str
    rule_id: str
    message: str
    severity: Severity
    line_start: int | None = None
    line_end: int | None = None
    suggestion: str = ""
    metadata: Mapping[str, Any] = field(factory=dict[str, Any])


@frozen(kw_only=True)
class Omitted:
    """Results that are no finding of a project file, counted by reason."""

    outside: int = 0
    """In a file outside the project."""
    unplaced: int = 0
    """Without a place in any file."""
    suppressed: int = 0
    """Suppressed in the source or by the scanner's configuration."""
    passed: int = 0
    """No problem: a passed or inapplicable check, or one that is gone since the baseline."""


@frozen(kw_only=True)
class Scan:
    """One run of a scanner.

    Attributes:
        source: The scanner's name, as `scan_source` filters by it.
        run_id: Names the run where the log does; "" otherwise.
        covered: Canonical paths that the scanner looked at, with findings or without.
        failed: The scanner says that it failed, or nothing of results: what it lacks may still be
            there.
        languages: The language that the log gives for a path.
        warnings: What was read only with a guess.
    """

    source: str
    run_id: str = ""
    findings: tuple[ScannedFinding, ...] = ()
    covered: frozenset[str] = frozenset()
    failed: bool = False
    languages: Mapping[str, str] = field(factory=dict[str, str])
    omitted: Omitted = field(factory=Omitted)
    warnings: tuple[str, ...] = ()
