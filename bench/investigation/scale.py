"""How long the tools of `investigation` take at 1,000 cases.

    python bench/investigation/scale.py [--cases 1000] [--callers 1] [--data DIR]

Starts a suite of that many real failures and drives every case to its end, prompt by prompt, in
process through the host's own call pipeline: validation, SQL with every commit synced to disk,
files and JSON included, the wire excluded. Prints p50, p95 and the slowest call in milliseconds for
each tool by the clock, and p95 of the processor, which a busy machine distorts less. Ends with 1
when a p95 by the clock is over its target. `--callers` drives cases in parallel; their waiting for
one another is then part of the time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from toolroll.context import LOCAL
from toolroll.runtime import Runtime

TARGETS_MS = {"get_prompt": 10.0, "submit_artifact": 15.0}
LOG = "\n".join(f"10:00:{second:02} worker[7]: retrying chunk {second}" for second in range(60))


def write_scenario(directory: Path, cases: int) -> None:
    """Failures of 50 jobs, with logs; none has a known answer, so that knowledge is shared."""
    scenario = {
        "name": "scale",
        "cases": [
            {
                "id": f"C{number}",
                "version": f"4.{number % 5}",
                "job": f"job {number % 50}",
                "test_name": f"upload of size {number % 700} survives a lost packet",
                "error_message": f"chunk {number} was not acknowledged within 30 s",
                "log_snippet": LOG,
            }
            for number in range(1, cases + 1)
        ],
        "workspace": {
            "repos": [{"name": name, "purpose": "code"} for name in ("client", "server", "tests")]
        },
    }
    (directory / "scale.json").write_text(json.dumps(scenario))


def answer(number: int, step: str) -> dict[str, Any]:
    """One case in four is a skip, one loops once, one chooses repositories, one goes straight."""
    match step:
        case "F1_TRIAGE":
            category = "infra" if number % 4 == 0 else "product"
            repositories = ["client"] if number % 4 == 1 else ["client", "server"]
            return {"symptom_category": category, "candidate_repos": repositories}
        case "F2_RESOLVE":
            return {"selected_repos": [{"name": "client", "reason": "It owns the retry limit."}]}
        case "F3_INVESTIGATE":
            return {
                "rca_message": f"The retry limit is read too early (case {number}).",
                "defect_type": "pb001",
                "component": "client",
                "convergence_score": 0.9,
                "evidence_refs": ["client:retry.py:limit"],
            }
        case "F5_REVIEW":
            return {"decision": "approve"}
        case "F6_REPORT":
            return {"summary": "The retry limit is read too early.", "defect_type": "pb001"}
        case _:
            return {}


class Bench:
    """Calls tools and keeps the time of each call in milliseconds."""

    def __init__(self, runtime: Runtime) -> None:
        self._call = runtime.caller.call
        self.times: defaultdict[str, list[float]] = defaultdict(list)
        self.processor: defaultdict[str, list[float]] = defaultdict(list)

    async def call(self, tool: str, **arguments: Any) -> str:
        """The text of an answer, which must be a success."""
        started, busy = time.perf_counter(), time.process_time()
        reply = await self._call(tool, arguments, LOCAL)
        self.times[tool].append((time.perf_counter() - started) * 1000)
        self.processor[tool].append((time.process_time() - busy) * 1000)
        if reply.is_error:
            raise SystemExit(f"{tool} failed: {reply.text}")
        return reply.text

    async def drive(self, number: int) -> None:
        """Take one case from its first prompt to its report."""
        step: str | None = "F0_RECALL"
        while step:
            place = {"case_id": f"C{number}", "step": step}
            await self.call("get_prompt", **place)
            outcome = json.loads(
                await self.call("submit_artifact", **place, artifact=answer(number, step))
            )
            step = outcome.get("next_step")

    async def run(self, cases: int, callers: int) -> None:
        """Drive every case; each caller takes the next one that is left."""
        await self.call("start_investigation", scenario="scale")
        waiting = iter(range(1, cases + 1))

        async def work() -> None:
            for number in waiting:
                await self.drive(number)

        await asyncio.gather(*(work() for _ in range(callers)))
        await self.call("get_status")
        await self.call("get_report")


def p95(taken: list[float]) -> float:
    """The 95th percentile; of one call, that call."""
    return statistics.quantiles(taken, n=20)[-1] if len(taken) > 1 else taken[0]


def report(bench: Bench) -> bool:
    """Print the table; true when every target is met."""
    met = True
    print(f"{'tool':<22}{'calls':>7}{'p50 ms':>9}{'p95 ms':>9}{'max ms':>9}{'cpu p95':>9}  target")
    for tool, taken in sorted(bench.times.items()):
        target = TARGETS_MS.get(tool)
        verdict = (
            "" if target is None else f"{target:.0f} {'ok' if p95(taken) <= target else 'MISSED'}"
        )
        met = met and (target is None or p95(taken) <= target)
        print(
            f"{tool:<22}{len(taken):>7}{statistics.median(taken):>9.2f}{p95(taken):>9.2f}"
            f"{max(taken):>9.2f}{p95(bench.processor[tool]):>9.2f}  {verdict}"
        )
    return met


def main() -> int:
    """Run the benchmark; 0 when every target is met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--callers", type=int, default=1)
    parser.add_argument("--data", type=Path, help="a directory on the disk to measure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.data) as scratch:
        root = Path(scratch)
        write_scenario(root, options.cases)
        settings = {
            "packs": {"allow": ("investigation",)},
            "host": {"calls_per_minute": 0},
            "investigation": {"scenario_dirs": ["."]},
        }
        with Runtime.open(roots=[root], data_dir=root / "data", overrides=settings) as runtime:
            bench = Bench(runtime)
            asyncio.run(bench.run(options.cases, options.callers))
    return 0 if report(bench) else 1


if __name__ == "__main__":
    sys.exit(main())
