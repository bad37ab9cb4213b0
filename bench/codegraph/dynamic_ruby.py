"""Recall and precision on a real gem, against the calls its own test suite makes.

    python dynamic_ruby.py DIRECTORY [--under lib]… [--peers unique_names] [--show 20] -- COMMAND…

DIRECTORY is an unpacked gem or source tree, COMMAND runs its tests (`ruby -Ilib -Itest
test/all.rb`). They run in a copy under `TracePoint`, in every process of Ruby that the command
starts. Truth is every call from one method of the gem to another; calls through libraries have no
caller here, what blocks call belongs to the method they stand in. Only methods written with `def`
are called. Recall is exact. A predicted call counts against precision only if its line ran
(`Coverage`), and even then a branch not taken may be to blame.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from accuracy import score, toolroll
from peers import RUBY, Ends
from record_ruby import nodes_of

_HOOK = """
require 'coverage'
require 'json'
$__root, $__calls = ENV.fetch('CALLS_ROOT'), {}
$__trace = TracePoint.new(:call) do |point|
  path = point.path
  next unless path.start_with?($__root)
  from = caller_locations(2, 8)&.find { |place| !(place.path || '').start_with?('<internal') }
  at = from && (from.absolute_path || from.path)
  $__calls[[at, from.lineno, path, point.lineno]] = true if at && at.start_with?($__root)
end
at_exit do
  $__trace.disable
  ran = Coverage.running? ? Coverage.peek_result : {}
  ran = ran.select { |path, _| path.start_with?($__root) }
  File.write("#{ENV.fetch('CALLS_OUTPUT')}/#{Process.pid}.json",
             JSON.generate([$__calls.keys, ran.transform_values { |it| it[:lines] || [] }]))
end
Coverage.start(lines: true)
$__trace.enable
"""
Lines = dict[str, dict[int, int]]
"""For each file how often a line ran; lines that no statement begins on are missing."""


def record(directory: Path, command: list[str]) -> tuple[list[tuple[str, int, str, int]], Lines]:
    """Run the tests on a copy; return who called whom (path and line of each) and what ran."""
    with tempfile.TemporaryDirectory() as scratch:
        copy, output = Path(scratch).resolve() / "gem", Path(scratch) / "calls"
        shutil.copytree(directory, copy, symlinks=True)
        output.mkdir()
        hook = Path(scratch).resolve() / "hook.rb"
        hook.write_text(_HOOK)
        base = f"{copy}/"
        done = subprocess.run(
            command, cwd=copy, capture_output=True, check=False, timeout=300, env=os.environ |
            {"RUBYOPT": f"-W0 -r{hook}", "CALLS_ROOT": base, "CALLS_OUTPUT": str(output)},
        )  # fmt: skip
        text = (done.stdout.strip() or done.stderr.strip()).decode(errors="replace")
        print(f"  tests: exit {done.returncode}",
              [line for line in text.splitlines() if line.strip()][-3:])  # fmt: skip
        rows: list[tuple[str, int, str, int]] = []
        lines: Lines = defaultdict(dict)
        for found in sorted(output.iterdir()):
            calls, covered = json.loads(found.read_text())
            rows += [
                (caller.removeprefix(base), first, callee.removeprefix(base), second)
                for caller, first, callee, second in calls
            ]
            for path, counts in covered.items():
                known = lines[path.removeprefix(base)]
                for index, count in enumerate(counts):
                    if count is not None:
                        known[index + 1] = known.get(index + 1, 0) + count
        return rows, lines


def ran(lines: Lines, path: str, line: int) -> bool:
    """Whether the statement around a line ran."""
    known = lines.get(path, {})
    while line > 0 and line not in known:
        line -= 1
    return known.get(line, 0) > 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("command", nargs="+")
    parser.add_argument("--under", action="append")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--peers", default="")
    options = parser.parse_args()
    directory = options.directory.resolve()
    files = [
        str(path.relative_to(directory))
        for part in options.under or ["lib"]
        for path in sorted((directory / part).rglob("*.rb"))
    ]
    texts = {path: (directory / path).read_text(errors="replace") for path in files}
    defined: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for item in nodes_of(texts).values():
        if item["kind"] == "function":
            defined[item["file"]].append((item["line"], item["end_line"]))
    first_lines = {path: {line for line, _ in known} for path, known in defined.items()}

    def around(path: str, line: int) -> str:
        inside = [first for first, last in defined[path] if first <= line <= last]
        return f"{path}:{max(inside) if inside else '<module>'}"

    rows, lines = record(directory, options.command)
    truth = {
        (around(caller, first), f"{callee}:{second}")
        for caller, first, callee, second in rows
        if caller in texts and second in first_lines.get(callee, ())
    }

    # The line of a `def` runs when the method is defined, not only when it is called.
    entered = {f"{callee}:{second}" for _, _, callee, second in rows}

    def judged(found: Ends) -> set[tuple[str, str]]:
        return {
            edge
            for edge, at in found.items()
            if edge in truth
            or (
                (edge[0].endswith("<module>") or edge[0] in entered)
                and any(ran(lines, edge[0].rpartition(":")[0], line) for line in at)
            )
        }

    peers = [RUBY[name] for name in options.peers.split(",") if name]
    for tool in (*peers, toolroll):
        found = tool(directory, files)
        found = {
            edge: at
            for edge, at in found.items()
            if int(edge[1].rpartition(":")[2]) in first_lines.get(edge[1].rpartition(":")[0], ())
        }
        extra, missing = judged(found) - truth, truth - found.keys()
        precision, recall, f1 = score(len(truth & found.keys()), len(extra), len(missing))
        print(f"  {directory.name:<24} {tool.__name__:<12} calls {len(truth)}  "
              f"P >= {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}")  # fmt: skip
    random.seed(1)
    for title, edges in (("missing", missing), ("extra", extra)):
        for edge in random.sample(sorted(edges), min(options.show, len(edges))):
            print(f"    {title}: {edge[0]} -> {edge[1]}", *sorted(found.get(edge, ())))


if __name__ == "__main__":
    sys.exit(main())
