"""The suite as a pack author uses it, on the good pack of the zoo: everything passes."""

from __future__ import annotations

import pytest

from toolroll_conformance.suite import *  # noqa: F403
from toolroll_zoo.shelf import Shelf


@pytest.fixture(scope="session")
def pack() -> Shelf:
    return Shelf()
