"""Asking for more files shows more of them, behind those that were shown before."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Host

PARTS = {
    f"parts/part{n:02}.py": "\n".join(
        f"def step{n}_{i}(pump, valve):\n    '''{'Open the valve. ' * (n % 5)}Start the pump.'''\n"
        f"    {'pump.start(valve); ' * (n % 7 + 1)}return {'valve' * (i % 3)!r}, {'x' * 900!r}\n"
        for i in range(n % 4 + 2)
    )
    for n in range(60)
}


@pytest.fixture
def indexed(make_host: Callable[..., Host]) -> Host:
    host = make_host(search={"embedder": "none", "candidates": 20})
    host.write(PARTS)
    host.index()
    return host


def files(host: Host, limit: int) -> list[Any]:
    found: list[Any] = host.call(
        "search_vectors",
        collection="proj",
        query="open the valve and start the pump",
        limit=limit,
        group_by_file=True,
    )["results"]
    return found


def test_the_order_of_files_does_not_depend_on_how_many_are_asked_for(indexed: Host) -> None:
    every = [row["file_path"] for row in files(indexed, 60)]
    assert len(every) == 60
    for limit in (5, 10, 20):
        assert [row["file_path"] for row in files(indexed, limit)] == every[:limit]


def test_scores_fall_from_one_file_to_the_next(indexed: Host) -> None:
    scores = [row["score"] for row in files(indexed, 60)]
    assert scores == sorted(scores, reverse=True)
