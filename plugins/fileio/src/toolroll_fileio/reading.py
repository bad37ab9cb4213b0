"""`file_stat` and `file_read` (manual 9.1, 9.2)."""

from __future__ import annotations

from toolroll_fileio.content import LONGEST_TAIL, forward
from toolroll_fileio.failures import failure
from toolroll_fileio.names import ROOT, check_path, check_project
from toolroll_fileio.results import ZERO_TIME, Content, Stat, timestamp
from toolroll_fileio.store import Files

__all__ = ["check_range", "check_target", "read", "stat"]

WHOLE = -1
"""The length that means: to the end of the file."""
MOST_BYTES = 1_000_000_000
"""More than a file can have (`max_file_bytes`), and less than a database counts in 32 bits."""


def check_target(project: str, path: str, *, root: bool = True) -> None:
    """Check project and path, in this order.

    Raises:
        ToolError: INVALID_PATH.
    """
    check_project(project)
    check_path(path, root=root)


def check_range(offset: int, length: int) -> None:
    """Check a byte range.

    Raises:
        ToolError: INVALID_OFFSET.
    """
    if offset < 0:
        raise failure("INVALID_OFFSET", "offset must not be negative")
    if length < WHOLE:
        raise failure("INVALID_OFFSET", "length must be -1 (to the end of the file) or more")


def stat(files: Files, path: str) -> Stat:
    """Describe what a path names; that nothing is there is an answer, not an error."""
    file = files.get(path) if path != ROOT else None
    if file:
        return Stat(
            exists=True,
            type="FILE",
            size=file.size,
            created_at=timestamp(file.created_at),
            updated_at=timestamp(file.updated_at),
        )
    exists = files.is_directory(path)
    newest = files.times_of([path]).get(path) if exists else None
    return Stat(
        exists=exists,
        type="DIRECTORY" if exists else "",
        size=0,
        created_at=ZERO_TIME,
        updated_at=timestamp(newest) if newest else ZERO_TIME,
    )


def read(files: Files, path: str, offset: int, length: int) -> Content:
    """Return the text of a byte range.

    Both ends move forward to the next character boundary, so that consecutive ranges tile a file.

    Raises:
        ToolError: NOT_FOUND, IS_DIRECTORY.
    """
    most = MOST_BYTES if length == WHOLE else min(length, MOST_BYTES)
    found = files.part(path, min(offset, MOST_BYTES), most + LONGEST_TAIL)
    if found is None:
        if files.is_directory(path):
            raise failure("IS_DIRECTORY", "path is a directory; list it with file_list")
        raise failure("NOT_FOUND", "no file has this path; file_list shows those there are")
    size, data = found
    if offset >= size:
        return Content(content="")
    start, stop = forward(data, 0), forward(data, min(most, size - offset))
    return Content(content=data[start:stop].decode())
