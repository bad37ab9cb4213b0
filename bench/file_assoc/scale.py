"""How long `file_assoc` takes at 100,000 files, 500,000 findings and 50,000 links.

    python bench/file_assoc/scale.py [--rounds 40] [--data DIR]

Builds the data set (once, when `--data` names a directory that keeps it), then calls the tools in
process through the host's own call pipeline: validation, SQL, result models and JSON included, the
wire excluded. Prints p50 and p95 in milliseconds for each shape of query, the slowest last: by the
clock, and of the processor, which a busy machine doesn't distort. Ends with 1 when a p95 by the
clock is over the target of 50 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from toolroll.context import LOCAL
from toolroll.runtime import Runtime
from toolroll_file_assoc import counters
from toolroll_file_assoc.tables import Event, File, Finding, Issue, Link

TARGET_MS = 50.0
LANGUAGES = ("python", "typescript", "go", "rust", "java", "")
SOURCES = ("ruff", "bandit", "semgrep-oss", "codeql")
SEVERITIES = ("critical", "high", "medium", "low", "info")
STATUSES = ("open", "open", "open", "acknowledged", "fixed", "false_positive", "unseen_in_latest")
START = 1_700_000_000_000_000
SECOND = 1_000_000
BATCH = 10_000

Times = dict[str, list[tuple[float, float]]]
"""Milliseconds by the clock and of the processor, by shape."""


def build(runtime: Runtime, files: int, findings: int, links: int) -> None:
    """Fill the database; the counters come from the pack's own code."""
    chance = random.Random(7)
    database = runtime.context("file_assoc").database
    file_ids = [f"bench-f-{number:016x}" for number in range(files)]
    issue_ids = [f"bench-{number:016x}" for number in range(max(links // 10, 1))]
    with database.begin() as session:
        connection = session.connection()
        for model, rows in (
            (File, _files(chance, file_ids)),
            (Issue, _issues(issue_ids)),
            (Finding, _findings(chance, file_ids, findings)),
            (Link, _links(chance, file_ids, issue_ids, links)),
            (Event, _events(chance, file_ids)),
        ):
            statement = insert(model.__table__)
            for batch in _batches(rows):
                connection.execute(statement, batch)
        counters.recount_findings(session, file_ids)
        counters.recount_links(session, file_ids)


def _files(chance: random.Random, ids: list[str]) -> Iterator[dict[str, Any]]:
    for number, file_id in enumerate(ids):
        place = f"src/area{number % 40:02}/module{number % 977:03}"
        first = START + number // 50 * SECOND  # fifty files of one scan share a time
        yield {
            "id": file_id,
            "path": f"{place}/file_{number:06}.py",
            "language": chance.choices(LANGUAGES, weights=(40, 20, 15, 10, 10, 5))[0],
            "file_type": "",
            "first_seen": first,
            "updated_at": first + chance.randrange(1000) * 3600 * SECOND,
            "metadata": f'{{"owner":"team-{number % 12}"}}',
            "seen_on_disk": True,
            "content_sha256": f"{number:064x}",
            "scan_sources": "",
            "associations_count": 0,
            "total_findings": 0,
            "open_findings": 0,
            **dict.fromkeys(SEVERITIES, 0),
        }


def _issues(ids: list[str]) -> Iterator[dict[str, Any]]:
    for number, issue_id in enumerate(ids):
        yield {
            "id": issue_id,
            "title": f"Issue {number}",
            "status": "open",
            "type": "bug",
            "priority": 2,
            "external_key": None,
            "url": "",
            "created_at": START + number,
            "updated_at": START + number,
        }


def _findings(chance: random.Random, ids: list[str], count: int) -> Iterator[dict[str, Any]]:
    """A tenth of all findings in a hundred files, as in real projects; the rest spread out."""
    hot = ids[:: max(len(ids) // 100, 1)]
    for number in range(count):
        first = START + number // 1000 * SECOND
        yield {
            "id": f"bench-sf-{number:016x}",
            "file_id": chance.choice(hot) if number % 10 == 0 else chance.choice(ids),
            "issue_id": None,
            "scan_source": chance.choices(SOURCES, weights=(60, 25, 14, 1))[0],
            "rule_id": f"R{number % 300:03}",
            "severity": chance.choices(SEVERITIES, weights=(1, 9, 30, 40, 20))[0],
            "status": chance.choice(STATUSES),
            "message": "A sentence about what is wrong here, as long as scanners write them.",
            "suggestion": "",
            "scan_run_id": "",
            "line_start": number,
            "line_end": number,
            "seen_count": 1 + number % 3,
            "first_seen": first,
            "updated_at": first + number % 3 * 86_400 * SECOND,
            "last_seen_at": first + number % 3 * 86_400 * SECOND,
            "metadata": '{"column_start":1}',
        }


def _links(
    chance: random.Random, ids: list[str], issues: list[str], count: int
) -> Iterator[dict[str, Any]]:
    seen: set[tuple[str, str]] = set()
    while len(seen) < count:
        pair = (chance.choice(ids), chance.choice(issues))
        if pair not in seen:
            seen.add(pair)
            row = {"file_id": pair[0], "issue_id": pair[1], "assoc_type": "bug_in"}
            yield {**row, "created_at": START + len(seen) * SECOND}


def _events(chance: random.Random, ids: list[str]) -> Iterator[dict[str, Any]]:
    for number in range(len(ids) // 2):
        row = {"file_id": chance.choice(ids), "field": "language", "old_value": "python"}
        yield {**row, "new_value": "rust", "created_at": START + number * SECOND}


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while batch := list(itertools.islice(rows, BATCH)):
        yield batch


def shapes(files: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield name, tool and arguments of every shape: each filter and some together, each order in
    both directions, the first page, one in the middle and the last."""
    filters: dict[str, dict[str, Any]] = {
        "no filter": {},
        "language": {"language": "go"},
        "language=''": {"language": ""},
        "path_prefix wide": {"path_prefix": "src/"},
        "path_prefix narrow": {"path_prefix": "src/area07/module0"},
        "path_prefix none": {"path_prefix": "SRC/"},
        "min_findings 1": {"min_findings": 1},
        "min_findings 100": {"min_findings": 100},
        "has_severity low": {"has_severity": "low"},
        "has_severity critical": {"has_severity": "critical"},
        "scan_source ruff": {"scan_source": "ruff"},
        "scan_source codeql": {"scan_source": "codeql"},
        "scan_source none": {"scan_source": "no-such"},
        "all together": {
            "language": "python",
            "path_prefix": "src/",
            "min_findings": 2,
            "has_severity": "medium",
            "scan_source": "bandit",
        },
    }
    for name, given in filters.items():
        for sort in ("updated_at", "first_seen", "path", "language"):
            for offset in (0, files // 2, files - 100):
                for direction in ("asc", "desc"):
                    arguments = {**given, "sort": sort, "offset": offset, "direction": direction}
                    yield f"list_files {name}", "list_files", arguments
    yield "list_files limit=1000", "list_files", {"limit": 1000}
    yield "list_files limit=10000", "list_files", {"limit": 10_000}


async def measure(runtime: Runtime, rounds: int, files: int) -> Times:
    """Return the milliseconds of every call by the clock and of the processor, by shape."""
    chance = random.Random(11)
    times: Times = {}

    async def timed(name: str, tool: str, arguments: dict[str, Any]) -> None:
        started, worked = time.perf_counter(), time.process_time()
        answer = await runtime.caller.call(tool, arguments, LOCAL)
        spent = (time.perf_counter() - started, time.process_time() - worked)
        times.setdefault(name, []).append((spent[0] * 1000, spent[1] * 1000))
        if answer.is_error:
            raise SystemExit(f"{tool}({arguments}): {answer.text}")

    for _, tool, arguments in shapes(files):  # brings the file into the page cache
        await timed("warm-up", tool, arguments)
    times.clear()
    for name, tool, arguments in shapes(files):
        for _ in range(max(rounds // 10, 2)):
            await timed(name, tool, arguments)
    hot = [f"bench-f-{number:016x}" for number in range(0, files, max(files // 100, 1))]
    for _ in range(rounds * 5):
        any_file = f"bench-f-{chance.randrange(files):016x}"
        some_issue = f"bench-{chance.randrange(5000 * files // 100_000):016x}"
        await timed("get_file any", "get_file", {"file_id": any_file})
        await timed("get_file of 500 findings", "get_file", {"file_id": chance.choice(hot)})
        await timed("get_file_timeline any", "get_file_timeline", {"file_id": any_file})
        hot_page = {"file_id": chance.choice(hot), "offset": chance.choice((0, 400, 800))}
        await timed("get_file_timeline of 500 findings", "get_file_timeline", hot_page)
        one_kind = {**hot_page, "event_type": "finding", "offset": 0}
        await timed("get_file_timeline one kind", "get_file_timeline", one_kind)
        await timed("get_issue_files", "get_issue_files", {"issue_id": some_issue})
    return times


def main() -> int:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--findings", type=int, default=500_000)
    parser.add_argument("--links", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--data", type=Path, help="keep the data set here, and use it again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        root.mkdir()
        data = options.data or Path(scratch) / "data"
        with Runtime.open(roots=[root], data_dir=data, overrides=SETTINGS) as runtime:
            if not (data / "built").exists():
                started = time.perf_counter()
                build(runtime, options.files, options.findings, options.links)
                (data / "built").touch()
                print(f"built in {time.perf_counter() - started:.0f} s")
            size = (data / "file_assoc.db").stat().st_size / 1e6
            print(f"{options.files:,} files, {options.findings:,} findings, {size:.0f} MB")
            times = asyncio.run(measure(runtime, options.rounds, options.files))
    return report(times)


SETTINGS = {"packs": {"allow": ["file_assoc"]}, "audit": {"enabled": False}}


def report(times: Times) -> int:
    """Print one line for each shape; 1 if one that has a target misses it."""
    print(f"{'ms':42} {'calls':>6} {'p50':>8} {'p95':>8} {'max':>8} {'cpu p50':>8} {'cpu p95':>8}")
    missed = 0
    rows = [(name, *map(sorted, zip(*spent, strict=True))) for name, spent in times.items()]
    for name, spent, cpu in sorted(rows, key=lambda row: percentile95(row[1])):
        print(
            f"{name:42} {len(spent):6} {statistics.median(spent):8.2f} {percentile95(spent):8.2f} "
            f"{spent[-1]:8.2f} {statistics.median(cpu):8.2f} {percentile95(cpu):8.2f}"
        )
        missed += percentile95(spent) > TARGET_MS and not name.startswith("list_files limit=")
    print(f"target p95 <= {TARGET_MS:.0f} ms for pages of the default size: ", end="")
    print("met" if not missed else f"missed by {missed} shapes")
    return int(missed > 0)


def percentile95(spent: list[float]) -> float:
    """Return the 95th percentile of sorted values, by nearest rank."""
    return spent[max(-(-len(spent) * 95 // 100) - 1, 0)]


if __name__ == "__main__":
    sys.exit(main())
