"""The pack against its contract, its cases and the rules for every pack."""

from __future__ import annotations

import pytest

from toolroll_conformance.suite import *  # noqa: F403


@pytest.fixture(scope="session")
def pack() -> str:
    return "file_ops"
