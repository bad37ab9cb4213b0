"""What tells that a file changed."""

from __future__ import annotations

import os

from attrs import frozen

__all__ = ["Stamp", "stamp_of"]


@frozen
class Stamp:
    """Size, inode and both times of a file: one of them differs when its content does.

    Whoever writes can set the modification time back, as archivers do; nobody can set `ctime_ns`.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a file."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
