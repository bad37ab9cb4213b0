"""Where files that come would meet files that stay: the one conflict check of move and restore."""

from __future__ import annotations

from collections.abc import Iterable

from toolroll_fileio.failures import failure
from toolroll_fileio.names import parents_of

__all__ = ["check_meeting"]


def check_meeting(stay: Iterable[str], come: Iterable[str]) -> None:
    """Refuse paths of which two would be the same, or one a file and a directory at once.

    Args:
        stay: Paths of active files.
        come: Paths that files would get.

    Raises:
        ToolError: ALREADY_EXISTS, NOT_DIRECTORY; the message names a file that is in the way.
    """
    files = set(come)
    directories = {parent for path in files for parent in parents_of(path)}
    for path in stay:
        if path in files or not files.isdisjoint(parents_of(path)):
            raise failure("ALREADY_EXISTS", f"{path} is in the way; move or delete it first")
        if path in directories:
            raise failure("NOT_DIRECTORY", f"{path} is a file where a directory would come")
