"""Which files are nearest to another, where nothing tells which of them run together."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from itertools import takewhile


def nearest(paths: Sequence[str], here: int, files: Iterable[int]) -> list[int]:
    """Those of some files that have most directories around them in common with one."""
    shared = {file: _shared(paths[here], paths[file]) for file in files}
    most = max(shared.values(), default=0)
    return [file for file, count in shared.items() if count == most]


def _shared(first: str, second: str) -> int:
    parts = (posixpath.dirname(path).split("/") for path in (first, second))
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*parts, strict=False)))
