"""Time and memory of indexing a directory, with the parse floor measured in the same run.

python speed.py DIRECTORY [--language python]… [--processes 2] [--queries 500]
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import random
import resource
import shutil
import statistics
import tempfile
import time
from pathlib import Path

LANGUAGES = ("python", "javascript", "typescript", "ruby")
ADDED = {
    "py": b"\n\ndef added(first):\n    return added(first)\n",
    "rb": b"\n\ndef added(first)\n  added(first)\nend\n",
    "js": b"\nfunction added(first) { return added(first); }\n",
    "ts": b"\nfunction added(first) { return added(first); }\n",
}
"""By the first two letters of a file's suffix."""
EDITS = 9
"""Files edited, one after another: in one place an edit has many neighbours, in another none."""


def parse(jobs: list[tuple[str, str]]) -> int:
    """Parse files and do nothing with them: no tool that parses can be faster."""
    from toolroll_codegraph.languages.grammar import parser_for
    from toolroll_codegraph.languages.javascript.module import dialect_of

    size = 0
    for path, language in jobs:
        grammar = language if language in ("python", "ruby") else dialect_of(path)
        source = Path(path).read_bytes()
        parser_for(grammar).parse(source)
        size += len(source)
    return size


def floor(root: Path, languages: frozenset[str], processes: int) -> tuple[float, int, int]:
    from toolroll_codegraph.indexing.walk import walk

    files = walk(root, languages, include_tests=True).files
    jobs = [(str(root / file.path), file.language) for file in files
            if file.language != "configuration"]  # fmt: skip
    batches = [jobs[start : start + 40] for start in range(0, len(jobs), 40)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        pool.map(parse, [[] for _ in range(processes)])  # started and warm
        started = time.perf_counter()
        size = sum(pool.imap_unordered(parse, batches))
        return time.perf_counter() - started, len(jobs), size


def spread(times: list[float]) -> str:
    return f"median {statistics.median(times):.2f} s, longest {max(times):.2f} s"


def megabytes(who: int) -> int:
    return resource.getrusage(who).ru_maxrss // 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--language", action="append", choices=LANGUAGES)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--queries", type=int, default=500)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    from toolroll.runtime import Runtime
    from toolroll_codegraph import answers, service
    from toolroll_codegraph.storage.tables import functions

    languages = options.language or list(LANGUAGES)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "project"
        shutil.copytree(options.directory, root, symlinks=True)
        base, files, size = floor(root, frozenset(languages), options.processes)
        print(f"floor: {files} files, {size / 1e6:.1f} MB parsed in {base:.2f} s")
        overrides = {"codegraph": {"processes": options.processes}}
        with Runtime.open(
            roots=[root], data_dir=Path(scratch) / "data", overrides=overrides
        ) as runtime:
            context = runtime.context("codegraph")
            context.database.open()

            def index(*, provisionally: bool = False) -> float:
                started = time.perf_counter()
                answer = service.index(
                    context, root, languages, include_tests=True, provisionally=provisionally
                )
                taken = time.perf_counter() - started
                print(f"  {answer.stats.model_dump()}")
                return taken

            cold = index()
            print(f"cold index with store: {cold:.2f} s = {cold / base:.1f} x floor")
            print(f"unchanged: {index():.3f} s")
            import sqlalchemy as sa

            with context.database.read() as session:
                names = [
                    f"{path}::{name}"
                    for path, name in session.execute(
                        sa.select(functions.c.path, functions.c.qualified_name).where(
                            functions.c.kind.in_(("function", "method"))
                        )
                    )
                ]
            paths = [name.partition("::")[0] for name in sorted(names)]
            edits = [root / paths[len(paths) * place // EDITS] for place in range(EDITS)]
            times: list[float] = []
            for edited in edits:
                edited.write_bytes(b"\n" + edited.read_bytes())
                times.append(index())
            print(f"one file edited, its lines moved: {spread(times)}")
            times.clear()
            for edited in edits:
                before = edited.read_bytes()
                edited.write_bytes(before + ADDED[edited.suffix[1:3]])
                times.append(index(provisionally=True))
            print(f"one file edited, a function added: {spread(times)}")
            started = time.perf_counter()
            service.reconcile(context, root, service.reconciliation(context, root))
            print(f"… and resolved in the background: {time.perf_counter() - started:.2f} s")
            edits[-1].write_bytes(before)
            print(f"one file edited, a function removed, all resolved: {index():.2f} s")
            print(
                f"memory: {megabytes(resource.RUSAGE_SELF)} MB, "
                f"each worker process {megabytes(resource.RUSAGE_CHILDREN)} MB"
            )
            random.seed(1)
            times.clear()
            for name in random.sample(names, min(options.queries, len(names))):
                started = time.perf_counter()
                answers.function_context(context, root, name, callers=True, callees=True, depth=3)
                times.append((time.perf_counter() - started) * 1000)
            times.sort()
            middle, high = times[len(times) // 2], times[len(times) * 95 // 100]
            print(f"query, depth 3: p50 {middle:.1f} ms, p95 {high:.1f} ms")


if __name__ == "__main__":
    main()
