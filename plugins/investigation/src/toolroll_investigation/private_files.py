"""Files that only their owner can read, and that are never seen half written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write a file with mode 0600 in directories with mode 0700, replacing it at once.

    It is not synced: what these files hold is in the database or can be made again.
    """
    make_private_directory(path.parent)
    # mkstemp makes files that only their owner can read.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def make_private_directory(directory: Path) -> None:
    """Make a directory and its parents, each with mode 0700 where it is made here."""
    if not directory.is_dir():
        make_private_directory(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)
