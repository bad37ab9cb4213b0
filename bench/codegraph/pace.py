"""How long packages take to resolve, against reading them: where work outgrows the source.

python pace.py DIRECTORY… [--language javascript --language typescript]

Each directory is one package. Its files are parsed and turned into facts, which grows with the
source whatever is in it, and their calls are resolved, which need not. The packages that take most
in proportion stand last.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import resource
import time
from operator import itemgetter
from pathlib import Path

from speed import LANGUAGES, megabytes

FAMILIES = (("python",), ("ruby",), ("javascript", "typescript"))
MOST_BYTES = 1_500_000
"""Larger files are generated."""
Row = tuple[float, float, int, int, int, str]
"""Seconds to read and to resolve, files, calls, megabytes, the package."""


def measure(job: tuple[Path, frozenset[str]]) -> Row:
    """Read and resolve one package, in a process of its own so that its memory can be told."""
    from toolroll_codegraph.indexing.parsing import allow_recursion
    from toolroll_codegraph.indexing.walk import walk
    from toolroll_codegraph.languages.registry import extract
    from toolroll_codegraph.resolve.graph import resolve

    root, languages = job
    allow_recursion()
    files = [
        file
        for file in walk(root, languages, include_tests=True).files
        if file.language in languages and file.size <= MOST_BYTES
    ]
    started = time.process_time()
    facts = [
        (file.path, extract(file.path, file.language, (root / file.path).read_bytes()))
        for file in files
    ]
    reading = time.process_time() - started
    gc.disable()  # as worker processes do
    started = time.process_time()
    calls = 0
    for family in FAMILIES:
        own = [one for one, file in zip(facts, files, strict=True) if file.language in family]
        calls += len(resolve(sorted(own, key=itemgetter(0))).edges)
    resolving = time.process_time() - started
    memory = megabytes(resource.RUSAGE_SELF)
    return reading, resolving, len(files), calls, memory, root.name


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path, nargs="+")
    parser.add_argument("--language", action="append", choices=LANGUAGES)
    options = parser.parse_args()
    languages = frozenset(options.language or LANGUAGES)
    jobs = [(path.resolve(), languages) for path in options.directory if path.is_dir()]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        rows = list(pool.imap(measure, jobs, chunksize=1))
    for reading, resolving, files, calls, memory, name in sorted(
        rows, key=lambda row: row[1] / max(row[0], 0.01)
    ):
        print(
            f"{name:<32} {files:>5} files  read {reading:6.2f} s  resolved {resolving:6.2f} s"
            f" = {resolving / max(reading, 0.01):5.1f} x  {calls:>6} calls  {memory:>4} MB"
        )


if __name__ == "__main__":
    main()
