import pytest
from toolroll_conformance.suite import *  # noqa: F403


@pytest.fixture(scope="session")
def pack() -> str:
    return "notes"
