"""Files that only their owner can read, and that are never seen half written."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_RANDOM: Final = 8
"""Characters that mkstemp puts after its prefix."""


def write_private(path: Path, text: str) -> None:
    """Write a file with mode 0600 in directories with mode 0700, replacing it at once.

    It is not synced: what these files hold is in the database or can be made again. What a writer
    of this file left that was killed is removed.
    """
    make_private_directory(path.parent)
    prefix = f".{path.name}."
    for file in path.parent.iterdir():
        if file.name.startswith(prefix) and len(file.name) == len(prefix) + _RANDOM:
            file.unlink(missing_ok=True)
    # mkstemp makes files that only their owner can read.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=prefix)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # Gone: another writer took it for what was left, and its text, the later, replaces ours.
        with suppress(FileNotFoundError):
            Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def make_private_directory(directory: Path) -> None:
    """Make a directory and its parents, each with mode 0700 where it is made here."""
    if not directory.is_dir():
        make_private_directory(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)
