"""What a host holds and has stored at a moment, and a table of how that grew."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import psutil

COLUMNS = 8


def held(host: psutil.Process, data: Path, log: Path) -> dict[str, float]:
    """Return what a host has now; the rows of each table are named `database.table`."""
    sizes: dict[Path, int] = {}
    for file in data.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # it has gone meanwhile
            if file.is_file():
                sizes[file] = file.stat().st_size
    found: dict[str, float] = {
        "memory MB": host.memory_full_info().uss / 1e6,
        "threads": host.num_threads(),
        "open files": host.num_fds(),
        "children": len(host.children(recursive=True)),
        "data MB": sum(sizes.values()) / 1e6,
        "of it, WAL MB": sum(s for f, s in sizes.items() if f.name.endswith("-wal")) / 1e6,
        "stored files": len(sizes),
        "log kB": log.stat().st_size / 1e3,
    }
    for file in sorted(data.glob("*.db")):
        with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
            names = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (name,) in names.fetchall():
                if not name.startswith("fts_"):
                    rows = db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
                    found[f"{file.stem}.{name}"] = rows
    return found


def show(states: list[dict[str, float]]) -> None:
    """Print what there was from state to state; of tables those that grew in the second half."""
    step = max(len(states) // (COLUMNS - 1), 1)
    numbers = sorted({0, *range(step - 1, len(states), step), len(states) - 1})
    print(f"{'minute':34}" + "".join(f"{number + 1:9}" for number in numbers))
    for name, last in states[-1].items():
        values = [states[number].get(name, 0) for number in numbers]
        if "." not in name or last > states[len(states) // 2].get(name, 0):
            print(f"{name:34}" + "".join(f"{value:9.0f}" for value in values))
