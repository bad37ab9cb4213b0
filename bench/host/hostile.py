"""A host under attack: `python bench/host/hostile.py [--calls 10000] [--paths 2000] [--seed 1]`.

A real host over stdio serves every installed pack and gets generated bad calls, hostile paths and
malformed lines; another is killed with signal 9 in the middle of 200 writes. It passes if there was
no protocol error, no hang, no escape from the project, no traceback and no acknowledged write lost.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from attrs import field, frozen
from hostile_input import bad_calls, path_calls
from wire import PACKS, Hang, ProtocolError, Wire

CANARY = "canary-4711-from-outside"
WRITES = 200
NOT_SERVED = {"echo", "echo_async"}  # two benchmark packs with one tool name

LINES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "\\ud800"}}',
    b'{"jsonrpc": "2.0", "id": 1e999, "method": "tools/list", "params": {}}',
    b'{"jsonrpc": "2.0", "id": "x", "result": {}}',
    b"[" * 5000,
]


@frozen
class Report:
    """What was sent and what came back."""

    sent: Counter[str] = field(factory=Counter)
    codes: Counter[str] = field(factory=Counter)
    faults: list[str] = field(factory=list)

    def fault(self, what: str) -> None:
        """Note a broken promise."""
        self.faults.append(what)


def toolroll(*arguments: str) -> Any:
    """Run a `toolroll` command and return its JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "toolroll", *arguments, "--json"],
        env={**os.environ, "PYTHONPATH": str(PACKS)},
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def serve(packs: list[str], root: Path, data: Path) -> list[str]:
    """Return the command of a host."""
    place = ["--root", str(root), "--data-dir", str(data), "--packs", ",".join(packs)]
    return [sys.executable, "-m", "toolroll", "serve", *place]


def attack(
    wire: Wire, calls: Iterator[tuple[str, dict[str, Any]]], what: str, report: Report
) -> None:
    """Make calls and look at every answer."""
    for tool, arguments in calls:
        report.sent[what] += 1
        shown = f"{tool}({json.dumps(arguments)[:200]})"
        try:
            result = wire.call(tool, arguments)
        except ProtocolError as error:
            report.fault(f"protocol error {error} for {shown}")
            continue
        text = "".join(part.get("text", "") for part in result["content"])
        if CANARY in text:
            report.fault(f"escape: {shown}")
        if "Traceback (most recent call last)" in text:
            report.fault(f"traceback: {shown}")
        if not result.get("isError"):
            report.codes["answered"] += 1
            continue
        body = json.loads(text)
        code = str(body.get("code", "error"))
        report.codes[code] += 1
        if code == "internal_error" or "the log has it as call" in text:
            report.fault(f"defect inside: {shown}")


def malformed(wire: Wire, report: Report) -> None:
    """Send lines that are no requests; the host need not answer, but has to live."""
    assert wire.process.stdin is not None
    for line in LINES * 10:
        wire.process.stdin.write(line + b"\n")
        report.sent["malformed lines"] += 1
    wire.request("tools/list")


def outside_of(place: Path) -> tuple[Path, Path]:
    """Make a project with ways out, and what lies outside."""
    root, outside = place / "project", place / "outside"
    (root / "sub").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text(CANARY, "utf-8")
    (root / "file.txt").write_text("inside\n", "utf-8")
    (root / "sub" / "file.txt").write_text("inside\n", "utf-8")
    (root / "in").symlink_to("sub")
    (root / "out").symlink_to(outside)
    (root / "out_file").symlink_to(outside / "secret.txt")
    (root / "loop").symlink_to("loop")
    return root, outside


def writes_survive(place: Path, report: Report) -> None:
    """Kill a host in the middle of writes, at three places, and count what is there."""
    for stop in (20, 100, 180):
        data = place / f"data-{stop}"
        with Wire(serve(["journal"], place, data)) as wire:
            numbers = {
                wire.send("tools/call", name="write_entry", arguments={"number": number}): number
                for number in range(WRITES)
            }
            acknowledged: set[int] = set()
            try:
                while True:
                    message = json.loads(wire.line())
                    if message["id"] in numbers and not message["result"].get("isError"):
                        acknowledged.add(numbers[message["id"]])
                    if len(acknowledged) == stop:
                        wire.process.kill()
            except EOFError:
                pass  # all that had left the host has been read
        with closing(sqlite3.connect(data / "journal.db")) as database:
            kept = {row[0] for row in database.execute("SELECT number FROM entry")}
        report.sent["writes"] += WRITES
        print(f"killed after {stop} answers: {len(acknowledged)} acknowledged, {len(kept)} kept")
        if lost := acknowledged - kept:
            report.fault(f"{len(lost)} acknowledged writes were lost: {sorted(lost)[:5]}")
        if len(acknowledged) < stop:
            report.fault(f"only {len(acknowledged)} writes were acknowledged")


def main() -> int:
    """Attack, print what came of it, and return 0 if every promise was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--paths", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=30.0, help="seconds until a hang")
    options = parser.parse_args()
    report, dice = Report(), random.Random(options.seed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        root, outside = outside_of(place)
        rows = toolroll("packs", "list")
        loaded = [row["name"] for row in rows if row["state"] == "loaded"]
        packs = [name for name in loaded if name not in NOT_SERVED]
        tools = [tool for tool in toolroll("tools", "list") if tool["pack"] in packs]
        print(f"packs: {', '.join(packs)}; {len(tools)} tools")
        log = place / "stderr"
        with log.open("wb") as errors:
            command = serve(packs, root, place / "data")
            with Wire(command, patience=options.patience, errors=errors) as wire:
                try:
                    attack(wire, bad_calls(dice, tools, options.calls), "bad calls", report)
                    hostile = path_calls(dice, tools, options.paths, outside)
                    attack(wire, hostile, "hostile paths", report)
                    malformed(wire, report)
                except (Hang, EOFError) as error:
                    report.fault(f"the host hung or died: {error}")
                    wire.process.kill()
        if [path.name for path in outside.iterdir()] != ["secret.txt"] or (
            outside / "secret.txt"
        ).read_text("utf-8") != CANARY:
            report.fault("something outside the project was changed")
        for logged in log.read_text("utf-8", "replace").split("Traceback (most recent call last)")[
            1:
        ]:
            causes = [line for line in logged.splitlines() if line[:1].isalpha()]
            report.fault(f"a traceback in the log: {(causes or ['no cause'])[0][:200]}")
        writes_survive(place, report)
    print(", ".join(f"{count} {what}" for what, count in report.sent.items()))
    print("answers: " + ", ".join(f"{count} {code}" for code, count in report.codes.most_common()))
    print(f"{time.monotonic() - began:.0f} s, {len(report.faults)} faults")
    for fault in report.faults[:20]:
        print(f"  {fault}")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
