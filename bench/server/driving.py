"""Calls from several clients against a server tier, and a project filled behind its back."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from cluster import Cluster, Host, Refused, percentile

CLIENTS = 8
FIRST = "/first.txt"
"""Written through a host, so that the tables are there."""
HEALTHZ = "/healthz"
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "token",
    "bucket",
    "parser",
    "header",
    "socket",
    "index",
    "vector",
    "cache",
]


def text_of(number: int, size: int = 900) -> str:
    """Return prose whose words depend on the number, ending in a word of its own."""
    picked = (WORDS[(number * 7 + step * step) % len(WORDS)] for step in itertools.count())
    lines: list[str] = []
    while sum(map(len, lines)) < size:
        lines.append(" ".join(itertools.islice(picked, 9)) + "\n")
    return "".join(lines) + f"marker{number:07}x\n"


def path_of(number: int) -> str:
    return f"/d{number // 1000:04}/s{number // 50 % 20:02}/f{number:07}.txt"


def ask(fleet: Cluster, host: Host, tool: str, **arguments: object) -> tuple[bool, dict]:
    """Call a tool; once more where the connection was closed for being idle."""
    try:
        return fleet.call(host, tool, **arguments)
    except Refused:
        return fleet.call(host, tool, **arguments)


def drive(
    fleet: Cluster,
    seconds: float,
    work: Callable[[int], tuple[str, dict]],
    rate: float = 0,
    hosts: int | None = None,
    *,
    calls: float = math.inf,
    settle: bool = False,
) -> dict[str, float]:
    """Call tools from several clients for some seconds; return what it cost.

    Args:
        fleet: The hosts, which calls go to in turn.
        seconds: How long.
        work: Returns a tool and its arguments by the number of the call.
        rate: Calls a second for each host; 0 for as many as the clients manage.
        hosts: How many are called; by default all. What the others take is counted too.
        calls: Most calls.
        settle: Count what is indexed afterwards, too.
    """
    called = fleet.hosts[:hosts]
    numbers, begun = itertools.count(), time.monotonic()
    until, total = begun + seconds, rate * len(called)
    waits: list[float] = []
    guard = threading.Lock()

    def client(_: int) -> None:
        own: list[float] = []
        while time.monotonic() < until:
            with guard:
                number = next(numbers)
            if number >= calls:
                break
            if total:
                time.sleep(max(begun + number / total - time.monotonic(), 0))
            started = time.monotonic()
            tool, arguments = work(number)
            host = called[number % len(called)]
            if tool == HEALTHZ:
                fleet.healthz(host)
                fine, answer = True, {}
            else:
                fine, answer = ask(fleet, host, tool, **arguments)
            if fine:
                own.append(time.monotonic() - started)
            elif not answer["retryable"]:
                raise SystemExit(f"{tool}: {answer}")
        with guard:
            waits.extend(own)

    cpu, base = fleet.host_cpu(), fleet.postgres_cpu()
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(client, range(CLIENTS)))
    took = time.monotonic() - begun
    if settle:
        quiet(fleet)
    return {
        "calls": len(waits),
        "calls/s": len(waits) / took,
        "host CPU ms": (fleet.host_cpu() - cpu) / len(waits) * 1000,
        "PostgreSQL CPU ms": (fleet.postgres_cpu() - base) / len(waits) * 1000,
        "p50 ms": percentile(waits, 0.5) * 1000,
        "p95 ms": percentile(waits, 0.95) * 1000,
        "seconds": time.monotonic() - begun,
    }


def show(name: str, figures: dict[str, float]) -> None:
    hidden = ("calls", "seconds")
    shown = (f"{key} {value:8.2f}" for key, value in figures.items() if key not in hidden)
    print(f"{name:34}" + "  ".join(shown), flush=True)


def quiet(fleet: Cluster, seconds: float = 900) -> float:
    """Wait until no index job is waiting; return how long that took."""
    import psycopg

    started = time.monotonic()
    with psycopg.connect(fleet.postgres.url, autocommit=True) as connection:
        while time.monotonic() < started + seconds:
            row = connection.execute(
                "SELECT count(*) FROM fileio.mcp_file_index_jobs"
                " WHERE status IN ('pending', 'processing')"
            ).fetchone()
            if row is None or row[0] == 0:
                break
            time.sleep(0.25)
    return time.monotonic() - started


def at_rest(fleet: Cluster, seconds: float) -> tuple[float, float]:
    """Return the CPU seconds a second of one host, and of PostgreSQL, that nobody calls."""
    cpu, base = fleet.host_cpu(), fleet.postgres_cpu()
    time.sleep(seconds)
    host = (fleet.host_cpu() - cpu) / len(fleet.hosts)
    return host / seconds, (fleet.postgres_cpu() - base) / seconds


def fill(
    fleet: Cluster, count: int, project: str = "big", name: Callable[[int], str] = path_of
) -> None:
    """Put files into one project by SQL, as many writes would leave them."""
    import hashlib

    import psycopg

    tenant = hashlib.sha256(fleet.key.encode()).hexdigest()
    with psycopg.connect(fleet.postgres.url) as connection:
        have = connection.execute(
            "SELECT count(*) FROM fileio.mcp_files WHERE project = %s AND path <> %s",
            (project, FIRST),
        ).fetchone()
        first, size = (have or (0,))[0], 0
        with connection.cursor() as cursor:
            with cursor.copy(
                "COPY fileio.mcp_files (apikey_hash, project, path, size, content_hash, created_at,"
                " updated_at, deleted, content) FROM STDIN"
            ) as copy:
                for number in range(first, count):
                    data = text_of(number).encode()
                    size += len(data)
                    digest = hashlib.sha256(data).hexdigest()
                    copy.write_row(
                        (tenant, project, name(number), len(data), digest,
                         "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", False, data)
                    )  # fmt: skip
            cursor.execute(
                "INSERT INTO fileio.mcp_file_projects VALUES (%s, %s, %s, %s, now(), 0)"
                " ON CONFLICT (apikey_hash, project) DO UPDATE SET file_count = %s,"
                " total_bytes = mcp_file_projects.total_bytes + %s",
                (tenant, project, count, size, count, size),
            )
            above = {
                path[:end]
                for path in map(name, range(first, count))
                for end in range(1, len(path))
                if path[end] == "/"
            }
            cursor.executemany(
                "INSERT INTO fileio.mcp_file_times VALUES (%s, %s, %s, '2026-01-01T00:00:00Z')"
                " ON CONFLICT DO NOTHING",
                [(tenant, project, directory) for directory in sorted(above)],
            )
        connection.commit()
        connection.autocommit = True
        connection.execute("ANALYZE")
