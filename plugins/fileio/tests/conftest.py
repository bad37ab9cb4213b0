"""Hosts for the tests, closed at their end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # importlib mode leaves it out

from fileio_host import Host, open_host


@pytest.fixture
def make_host(tmp_path: Path) -> Iterator[Callable[..., Host]]:
    opened: list[Host] = []

    def make(**settings: Any) -> Host:
        opened.append(open_host(tmp_path, **settings))
        return opened[-1]

    yield make
    for host in opened:
        host.runtime.close()


@pytest.fixture
def host(make_host: Callable[..., Host]) -> Host:
    return make_host()
