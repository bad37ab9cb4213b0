"""Count the files that come back byte for byte, over whole directories.

    python bench/file_ops/exact.py DIRECTORY...

Each directory is indexed as a collection; then every file in it is asked for with
`get_file_content` and page by page with `get_file_chunks_ordered`, and compared with the disk.
Files that are not UTF-8 text, or too large to be returned whole, must be refused by name.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from toolroll.context import LOCAL
from toolroll.runtime import Runtime

REFUSED = {"NotTextFile", "FileTooLarge"}


def measure(root: Path) -> Counter[str]:
    """Return how many files came back exactly, were refused, or differ."""
    with (
        tempfile.TemporaryDirectory() as data,
        Runtime.open(roots=[root], data_dir=Path(data)) as runtime,
    ):

        def call(tool: str, arguments: Mapping[str, Any]) -> tuple[str, Any]:
            answer = anyio.run(runtime.caller.call, tool, arguments, LOCAL)
            return answer.code, json.loads(answer.text)

        code, done = call("index_collection", {"collection": "bench", "path": "."})
        if code:
            raise SystemExit(done["message"])
        pack = runtime.registry.packs["file_ops"].pack
        engine = pack.engine(runtime.context("file_ops"))
        (place,) = engine.visible(runtime.context("file_ops"))
        found: Counter[str] = Counter()
        for path in sorted(engine.space(place).files):
            asked = {"collection": "bench", "file_path": path}
            code, answer = call("get_file_content", {**asked, "max_size_kb": 5000})
            if code:
                found["refused" if code in REFUSED else "failed"] += 1
                continue
            paged, start = "", 0
            while start is not None:
                page = {**asked, "start_chunk": start, "limit": 50}
                _, chunks = call("get_file_chunks_ordered", page)
                paged += "".join(chunk["content"] for chunk in chunks["chunks"])
                start = chunks["next_start"]
            exact = (root / path).read_bytes() == answer["content"].encode() == paged.encode()
            found["exact" if exact else "different"] += 1
        return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directories", type=Path, nargs="+", metavar="DIRECTORY")
    options = parser.parse_args()
    for directory in options.directories:
        found = measure(directory)
        text = found["exact"] + found["different"] + found["failed"]
        share = found["exact"] / text if text else 1.0
        print(
            f"{directory.name}: {found['exact']} of {text} text files exact ({share:.2%}), "
            f"{found['refused']} refused as not text or too large"
        )


if __name__ == "__main__":
    main()
