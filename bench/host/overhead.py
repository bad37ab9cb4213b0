"""What the host costs on top of the SDK: `python bench/host/overhead.py [--rounds 9]`.

An echo tool is called over stdio on a bare low-level server, on the same server again (the A/A row:
what the machine's noise alone makes of it), on this host with an async and with a plain handler,
and on FastMCP where it is installed. The servers take turns in every round; ratios are medians of
the rounds, so that a neighbour's load falls on all of them alike.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import tempfile
import time
from pathlib import Path

from attrs import asdict, frozen
from wire import Wire

HERE = Path(__file__).parent
WARM_UP = 100
TARGETS = {"host, async handler": 1.3, "host, plain handler": 1.45}
START_TARGET, MEMORY_TARGET = 1.15, 10.0


@frozen
class Row:
    """One run of one server."""

    cpu_ms: float
    p50_ms: float
    start_cpu_s: float
    rss_mib: float


def servers(place: str) -> dict[str, list[str]]:
    """Return the command of each server by its name, the floor first."""
    bare = [sys.executable, str(HERE / "bare_server.py")]
    serve = [sys.executable, "-m", "toolroll", "serve", "--root", place]
    found = {
        "bare low-level": bare,
        "bare again (A/A)": bare,
        "host, async handler": [*serve, "--packs", "echo_async"],
        "host, plain handler": [*serve, "--packs", "echo"],
    }
    if importlib.util.find_spec("fastmcp") is not None:
        found["FastMCP"] = [sys.executable, str(HERE / "fastmcp_server.py")]
    return found


def measure(command: list[str], calls: int, legacy: bool) -> Row:
    """Start a server, call it and end it."""
    arguments = {"text": "hello"}
    with Wire(command, legacy=legacy) as wire:
        wire.connect()
        wire.request("tools/list")
        start_cpu, rss = wire.cpu(), wire.memory()
        for _ in range(WARM_UP):
            wire.call("echo", arguments)
        took: list[float] = []
        before = wire.cpu()
        for _ in range(calls):
            began = time.perf_counter()
            wire.call("echo", arguments)
            took.append(time.perf_counter() - began)
        cpu = wire.cpu() - before
    return Row(cpu / calls * 1e3, statistics.median(took) * 1e3, start_cpu, rss)


def ratio(rows: list[Row], floor: list[Row], field: str) -> float:
    """Return the median over the rounds of one figure against the floor's."""
    return statistics.median(
        getattr(a, field) / getattr(b, field) for a, b in zip(rows, floor, strict=True)
    )


def main() -> int:
    """Measure, print the table, and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--legacy", action="store_true", help="speak 2025-11-25")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        commands = servers(place)
        for command in commands.values():
            measure(command, 1, options.legacy)  # writes bytecode, fills the page cache
        rows: dict[str, list[Row]] = {name: [] for name in commands}
        for _ in range(options.rounds):
            for name, command in commands.items():
                rows[name].append(measure(command, options.calls, options.legacy))
    floor = next(iter(rows.values()))
    print(f"{'':20} {'CPU ms/call':>16} {'p50 ms':>16} {'start-up CPU s':>16} {'RSS MiB':>16}")
    missed: list[str] = []
    for name, found in rows.items():
        cells = [
            f"{statistics.median(asdict(row)[field] for row in found):8.3f} "
            f"({ratio(found, floor, field):4.2f}×)"
            for field in ("cpu_ms", "p50_ms", "start_cpu_s", "rss_mib")
        ]
        print(f"{name:20} " + " ".join(f"{cell:>16}" for cell in cells))
        if name in TARGETS:
            more = statistics.median(
                a.rss_mib - b.rss_mib for a, b in zip(found, floor, strict=True)
            )
            checks = (
                ("CPU per call", ratio(found, floor, "cpu_ms"), TARGETS[name]),
                ("start-up CPU", ratio(found, floor, "start_cpu_s"), START_TARGET),
                ("memory", more, MEMORY_TARGET),
            )
            missed += [
                f"{name}: {what} {value:.2f} is over {most}"
                for what, value, most in checks
                if value > most
            ]
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
