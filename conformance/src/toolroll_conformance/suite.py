"""The suite for pytest: `from toolroll_conformance.suite import *`, and a fixture named `pack`.

Each check becomes a test of its own, named after the way in, the rule and what it is applied to, so
that `-k stdio`, `-k 2026` or `-k path-escape` select what one would expect.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from toolroll_conformance.check import Check, Status, perform

__all__ = ["test_conformance"]


def test_conformance(
    conformance_check: Check,
    conformance_known: str | None,
    record_property: Callable[[str, object], None],
) -> None:
    """One check of the conformance suite."""
    result = perform(conformance_check, conformance_known)
    for name in ("title", "source"):
        record_property(name, getattr(result, name))
    match result.status:
        case Status.FAILED:
            pytest.fail(f"{result.title}\n{result.detail}", pytrace=False)
        case Status.SKIPPED:
            pytest.skip(result.detail)
        case Status.KNOWN_FAILURE:
            pytest.xfail(result.detail)
        case Status.PASSED:
            pass
