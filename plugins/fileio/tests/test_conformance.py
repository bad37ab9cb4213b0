"""The pack, held to its contract on every way in."""

from __future__ import annotations

import pytest

from toolroll_conformance.suite import *  # noqa: F403  # the suite's tests are collected from here


@pytest.fixture(scope="session")
def pack() -> str:
    return "fileio"
