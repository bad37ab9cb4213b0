#!/usr/bin/env python3
"""What a call costs on the server tier: by hosts, by files in a project, and until it is found.

    python bench/server/load.py hosts              # 1 and 3 hosts: calls/s, CPU per call
    python bench/server/load.py hosts --rate 20    # the same with as many calls/s for each host
    python bench/server/load.py growth [--files 1000 10000 100000]
    python bench/server/load.py fresh              # commit -> searchable at 50 writes/s

Clients, hosts and PostgreSQL share one machine, so that calls/s say what is left for all of them;
CPU per call says what a host costs, and carries over to machines of its own.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from cluster import cluster, percentile
from driving import (
    CLIENTS,
    FIRST,
    HEALTHZ,
    ask,
    at_rest,
    drive,
    fill,
    path_of,
    quiet,
    show,
    text_of,
)

WARM = 120
"""Calls of each tool for each host, before anything is measured."""
WRITES = 50
"""A second, until they are found."""


def hosts(options: argparse.Namespace) -> None:
    """Compare one host with three: as fast as they go, or with equal load on each.

    All hosts run all the time, and one or all are called in turns, so that the machine is the same
    for both. Each has answered as many calls as the others before it counts: a connection prepares
    a statement when it is used for the fifth time. What a host takes at rest is measured first and
    not charged to calls.
    """
    works: dict[str, Callable[[int], tuple[str, dict]]] = {
        HEALTHZ: lambda n: (HEALTHZ, {}),
        "file_read": lambda n: ("file_read", {"project": "p", "path": path_of(n % 200)}),
        "file_list": lambda n: ("file_list", {"project": "p", "path": "/d0000", "depth": 2}),
        "file_search": lambda n: (
            "file_search",
            {"project": "p", "query": f"marker{n % 200:07}x header socket"},
        ),
        "file_write": lambda n: (
            "file_write",
            {"project": f"w{n % 16}", "path": f"/{next(files)}.txt", "content": text_of(n)},
        ),
    }
    files, most = itertools.count(), max(options.hosts)
    with cluster(most, "[fileio.search]\nenabled = true\n") as fleet:
        for number in range(200):
            fleet.call(
                fleet.hosts[number % most], "file_write", project="p",
                path=path_of(number), content=text_of(number), mode="TRUNCATE",
            )  # fmt: skip
        for work in works.values():
            drive(fleet, math.inf, work, calls=WARM * most, settle=True)
        rest, base = at_rest(fleet, options.seconds)
        print(f"at rest: {rest * 1000:.1f} ms/s for each host, PostgreSQL {base * 1000:.1f} ms/s")
        for name in options.tools or works:
            found: dict[int, list[dict[str, float]]] = {size: [] for size in options.hosts}
            for size in options.hosts * options.rounds:
                figures = drive(
                    fleet, options.seconds, works[name], options.rate or 0, size,
                    settle=name == "file_write",
                )  # fmt: skip
                passed = figures["seconds"] / figures["calls"] * 1000
                figures["host CPU ms"] -= rest * most * passed
                figures["PostgreSQL CPU ms"] -= base * passed
                found[size].append(figures)
            for size, rounds in found.items():
                middle = {key: statistics.median(r[key] for r in rounds) for key in rounds[0]}
                show(f"{size} host{'s' * (size > 1)}, {name}", middle)


def growth(options: argparse.Namespace) -> None:
    """Measure every operation at growing numbers of files in one project."""
    with cluster(1, "max_file_bytes = 1000000\n[fileio.search]\nenabled = false\n") as fleet:
        fleet.call(fleet.hosts[0], "file_write", project="big", path=FIRST, content="x")
        for count in options.files:
            fill(fleet, count)
            works: dict[str, Callable[[int], tuple[str, dict]]] = {
                "file_stat": lambda n, c=count: (
                    "file_stat", {"project": "big", "path": path_of(n * 7919 % c)}
                ),
                "file_read": lambda n, c=count: (
                    "file_read", {"project": "big", "path": path_of(n * 7919 % c)}
                ),
                "file_list, a directory of 20": lambda n, c=count: (
                    "file_list", {"project": "big", "path": f"/d{n % max(c // 1000, 1):04}"}
                ),
                "file_write": lambda n, c=count: (
                    "file_write",
                    {"project": "big", "path": path_of(n * 7919 % c), "content": text_of(n),
                     "mode": "TRUNCATE"},
                ),
            }  # fmt: skip
            for name, work in works.items():
                drive(fleet, 1, work)
                show(f"{count:>8} files, {name}", drive(fleet, options.seconds, work))


def fresh(options: argparse.Namespace) -> None:
    """Write 50 files a second over three hosts, and search for some until they are found."""
    rate = options.rate or WRITES
    with cluster(3) as fleet:
        lags: list[float] = []
        begun: list[float] = []
        guard = threading.Lock()
        start = time.monotonic() + 1

        def write(number: int) -> None:
            pause = start + number / rate - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            project = f"p{number % 8}"
            host = fleet.hosts[number % 3]
            while True:
                fine, answer = ask(
                    fleet, host, "file_write", project=project, path=f"/{number}.txt",
                    content=text_of(number),
                )  # fmt: skip
                if fine or not answer["retryable"]:
                    break
            committed = time.monotonic()
            with guard:
                begun.append(committed)
            if number % 25:
                return
            other = fleet.hosts[(number + 1) % 3]
            word = f"marker{number:07}x"
            while time.monotonic() < committed + 30:
                fine, answer = ask(
                    fleet, other, "file_search", project=project, query=word,
                    path_prefix=f"/{number}.txt",
                )  # fmt: skip
                if fine and any(word in c["chunk_content"] for c in answer["chunks"]):
                    break
                time.sleep(0.02)
            with guard:
                lags.append(time.monotonic() - committed)

        count = int(options.seconds * rate)
        with ThreadPoolExecutor(CLIENTS * 4) as pool:
            list(pool.map(write, range(count)))
        reached = (len(begun) - 1) / (max(begun) - min(begun))
        print(f"{reached:.0f} writes/s over 3 hosts, {len(lags)} of them searched on another host")
        print(
            f"commit -> found: p50 {percentile(lags, 0.5):.2f} s, p95 {percentile(lags, 0.95):.2f}"
            f" s, longest {max(lags):.2f} s, mean {statistics.fmean(lags):.2f} s"
        )
        print(f"the queue was empty {quiet(fleet):.1f} s after the last write")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measure", choices=["hosts", "growth", "fresh"])
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--files", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--hosts", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--rounds", type=int, default=3, help="of each number of hosts, in turns")
    parser.add_argument("--tools", nargs="+", help="these alone; /healthz is one of them")
    parser.add_argument("--rate", type=float, help="calls a second: for each host, or in all")
    options = parser.parse_args()
    {"hosts": hosts, "growth": growth, "fresh": fresh}[options.measure](options)


if __name__ == "__main__":
    main()
