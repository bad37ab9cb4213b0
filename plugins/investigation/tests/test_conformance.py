"""The pack held to its contract by the conformance suite."""

from __future__ import annotations

import pytest

from toolroll_conformance.suite import *  # noqa: F403


@pytest.fixture(scope="session")
def pack() -> str:
    """The installed pack."""
    return "investigation"
