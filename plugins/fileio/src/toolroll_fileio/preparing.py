"""What is made of files before they are stored: parts of a batch, and the chunks of each.

A unit of work keeps every other change of its project waiting, on SQLite of all projects, and the
chunks of its files are in memory all the while: a batch of large files is taken in parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from attrs import frozen
from sqlalchemy import Connection, bindparam, select

from toolroll_fileio.chunking import Piece, cut
from toolroll_fileio.store import IN_SPACE
from toolroll_fileio.tables import active, files

if TYPE_CHECKING:
    import toolroll
    from toolroll_fileio.jobs import Job
    from toolroll_fileio.names import Space
    from toolroll_fileio.settings import FileioSettings

__all__ = ["WITH_PATHS", "Prepared", "parts", "prepare"]

MOST_BYTES: Final = 2_000_000
"""Text that one unit of work indexes, or one larger file: some 1,300 chunks, stored in half a
second of processor time where words are many."""

WITH_PATHS: Final = IN_SPACE & active & files.c.path.in_(bindparam("paths", expanding=True))
_SIZES: Final = select(files.c.path, files.c.size).where(WITH_PATHS)
_CONTENT: Final = select(files.c.path, files.c.content_hash, files.c.content).where(WITH_PATHS)


@frozen
class Prepared:
    """What was made of a path's content; no hash and no pieces where there is no file."""

    content_hash: str | None
    pieces: list[Piece]


def parts(connection: Connection, space: Space, batch: Sequence[Job]) -> Iterator[list[Job]]:
    """Yield a space's jobs in lists that one unit of work takes; jobs of one path together."""
    by_path: defaultdict[str, list[Job]] = defaultdict(list)
    for job in batch:
        by_path[job.path].append(job)
    found = connection.execute(_SIZES, {**space.bound, "paths": list(by_path)})
    sizes = {row.path: row.size for row in found}
    part: list[Job] = []
    size = 0
    for path, of_path in by_path.items():
        more = sizes.get(path, 0)
        if part and size + more > MOST_BYTES:
            yield part
            part, size = [], 0
        part += of_path
        size += more
    yield part


def prepare(
    context: toolroll.PackContext, connection: Connection, space: Space, paths: Sequence[str]
) -> Mapping[str, Prepared]:
    """Cut what each path holds now."""
    target = cast("FileioSettings", context.settings).index.chunk_bytes
    bound = {**space.bound, "paths": list(paths)}
    found: dict[str, Prepared] = {}
    for row in connection.execute(_CONTENT, bound):
        try:
            pieces = cut(row.content, row.path, target)
        except Exception:  # a parser's failure costs the structure of a file, not the file
            context.log.exception("a file is cut as plain text")
            pieces = cut(row.content, row.path, target, plain=True)
        found[row.path] = Prepared(row.content_hash, pieces)
    return {path: found.get(path, Prepared(None, [])) for path in paths}
