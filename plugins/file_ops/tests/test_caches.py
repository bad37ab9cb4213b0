"""Bounds, time, single flight, and the series that the document names."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from prometheus_client import REGISTRY

from toolroll_file_ops.cache_stores import LocalStore
from toolroll_file_ops.caches import Cache


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def cache(clock: Clock, **bounds: Any) -> Cache[str]:
    sizes = {"entries": 100, "size": 1000, "seconds": 600.0, **bounds}
    return Cache("test", LocalStore(weigh=len, clock=clock, **sizes))


@pytest.mark.parametrize("seconds", [600.0, 1800.0, 300.0])
def test_a_value_is_forgotten_after_its_time(seconds: float) -> None:
    clock = Clock()
    values = cache(clock, seconds=seconds)
    assert values.get(("a",), lambda: "one") == ("one", False)
    clock.now = seconds - 1
    assert values.get(("a",), lambda: "two") == ("one", True)
    clock.now = seconds + 1
    assert values.get(("a",), lambda: "two") == ("two", False)


def test_entries_and_bytes_are_bounded() -> None:
    store: LocalStore[str] = LocalStore(entries=3, size=25, seconds=600, weigh=len, clock=Clock())
    values = Cache("test", store)
    for name in "abcd":
        values.get((name,), lambda name=name: name)
    assert len(store) == 3
    assert values.get(("a",), lambda: "again") == ("again", False)
    values.get(("long",), lambda: "x" * 20)
    assert store.bytes <= 25
    values.get(("huge",), lambda: "x" * 26)
    assert values.held([("huge",), ("long",)]) == [False, True]


def test_keys_do_not_run_together() -> None:
    values = cache(Clock())
    values.get(("a", "b:c"), lambda: "one")
    assert values.get(("a:b", "c"), lambda: "two") == ("two", False)


def test_many_threads_load_once() -> None:
    values = cache(Clock())
    loads: list[int] = []
    together = threading.Barrier(16)

    def load() -> str:
        loads.append(1)
        return "value"

    def ask() -> tuple[str, bool]:
        together.wait(120)
        return values.get(("cold",), load)

    with ThreadPoolExecutor(16) as pool:
        answers = [future.result() for future in [pool.submit(ask) for _ in range(16)]]
    assert len(loads) == 1
    assert {value for value, _ in answers} == {"value"}
    assert sum(1 for _, cached in answers if not cached) == 1


def test_a_failed_load_is_tried_again() -> None:
    values = cache(Clock())

    def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        values.get(("a",), fail)
    assert values.get(("a",), lambda: "yes") == ("yes", False)


def test_a_value_that_is_no_longer_true_is_loaded_again() -> None:
    values = cache(Clock())
    values.get(("a",), lambda: "old")
    assert values.get(("a",), lambda: "new", lambda value: value != "old") == ("new", False)


def sample(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_hits_and_misses_add_up_to_the_calls_and_no_label_holds_a_path(host: Any) -> None:
    def counts() -> tuple[float, float, float]:
        return (
            sample("file_cache_hits_total", cache_type="file_content"),
            sample("file_cache_misses_total", cache_type="file_content"),
            sample(
                "file_operation_duration_seconds_count",
                operation="get_file_content",
                collection="proj",
            ),
        )

    host.write({"secret_name.txt": "words\n"})
    host.index()
    before = counts()
    for _ in range(5):
        host.file("get_file_content", "secret_name.txt")
    hits, misses, calls = (now - then for now, then in zip(counts(), before, strict=True))
    assert (hits, misses, calls) == (4, 1, 5)
    labels = [
        value
        for metric in REGISTRY.collect()
        if metric.name.startswith("file_")
        for entry in metric.samples
        for value in entry.labels.values()
    ]
    assert labels
    assert not any("secret_name" in value for value in labels)
    assert sample("file_content_size_bytes_count", collection="proj") >= 5


def test_collections_beyond_a_bound_share_their_series(
    host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Callers name collections, and a series stays as long as the host."""
    monkeypatch.setattr("toolroll_file_ops.metrics.MOST_NAMED", 2)
    monkeypatch.setattr("toolroll_file_ops.metrics._named", set[str]())
    name = "file_operation_duration_seconds_count"
    before = sample(name, operation="get_project_outline", collection="(others)")
    for number in range(4):
        collection = f"numbered-{number}"
        host.call("index_collection", collection=collection, path=".")
        host.call("get_project_outline", collection=collection)
    assert sample(name, operation="get_project_outline", collection="numbered-1") == 1
    assert sample(name, operation="get_project_outline", collection="numbered-2") == 0
    after = sample(name, operation="get_project_outline", collection="(others)")
    assert after - before == 2
