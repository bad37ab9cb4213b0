#!/usr/bin/env python3
"""Listings of a 100,000-file project, and moving a 10,000-file directory.

python bench/fileio/listing.py [--times 50]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from projects import Bench, timed

SHAPES = {
    "300 directories": "/d{d:03}/s{s}/file-{i:06}.txt",
    "one directory": "/all/file-{i:06}.txt",
    "no directory": "/file-{i:06}.txt",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--files", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench.open(Path(scratch))
        for number, (name, shape) in enumerate(SHAPES.items()):
            names = (shape.format(i=i, d=i % 300, s=i % 7) for i in range(options.files))
            bench.fill(f"p{number}", dict.fromkeys(names, b"x" * 400))
            listed = timed(lambda p=f"p{number}": bench.call("file_list", project=p), options.times)
            print(f"file_list depth 1, {options.files} files in {name:16} {listed}")
        stat = timed(lambda: bench.call("file_stat", project="p1", path="/all"), options.times)
        print(f"file_stat of a directory with {options.files} files        {stat}")
        names = (f"/src/m{i % 50}/file-{i:06}.txt" for i in range(10_000))
        bench.fill("move", dict.fromkeys(names, b"x" * 400))
        started = time.perf_counter()
        bench.call("file_rename", project="move", from_path="/src", to_path="/dst/deeper")
        print(f"file_rename of 10,000 files {time.perf_counter() - started:.2f} s")
        bench.runtime.close()


if __name__ == "__main__":
    main()
