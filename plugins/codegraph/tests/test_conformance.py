"""The pack held to its contract, its cases and what every pack owes, on every way in."""

from __future__ import annotations

import pytest

from toolroll_conformance.suite import *  # noqa: F403


@pytest.fixture(scope="session")
def pack() -> str:
    return "codegraph"
