"""The one form of a file path in a collection.

`./src//app.py` and `src\\app.py` are `src/app.py`; a `..` segment, an absolute path in any system's
form, `~`, control characters and empty paths are refused before anything is looked up. Percent
signs are literal. Whether symlinks lie on the way is checked when the file is opened.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import toolroll
from toolroll_file_ops.failures import invalid_path

__all__ = ["check_file_path", "is_file_path"]

MAX_PATH_BYTES: Final = 2600
"""What an index of PostgreSQL takes; a longer path in one file would keep all others out."""

# A root without anything in it: its `canonical` applies the rules of the text alone.
_NOWHERE: Final = toolroll.ProjectRoot(Path("/dev/null/collection"))
_ABSOLUTE: Final = re.compile(r"[/\\]|[A-Za-z]:")
# What a path has that may not be a form of its own; nothing else costs a closer look.
_SUSPICIOUS: Final = re.compile(r"^[~\s]|^[A-Za-z]:|[\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def check_file_path(text: str) -> str:
    """Return the canonical form of a path that a caller gave.

    Raises:
        InvalidPath: It cannot name a file inside a collection; the message says why.
    """
    if not text.strip():
        raise invalid_path(
            text, "file_path is empty; give it relative to the collection's directory"
        )
    segments = text.replace("\\", "/").split("/")
    if ".." in segments:
        raise invalid_path(
            text,
            "Path contains directory traversal: file_path holds a '..' segment; give a path in "
            "the collection",
        )
    if text.startswith("~"):
        raise invalid_path(text, "file_path begins with '~'; give a path in the collection")
    if _ABSOLUTE.match(text):
        raise invalid_path(
            text,
            "Absolute paths not allowed: file_path is absolute; give it relative to the "
            "collection's directory",
        )
    path = _NOWHERE.canonical(text)
    if _is_long(path):
        raise invalid_path(path, f"file_path is longer than {MAX_PATH_BYTES} bytes")
    return path


def is_file_path(path: str) -> bool:
    """Say whether a caller can name the file at a path that was found on disk."""
    if not _SUSPICIOUS.search(path):
        return not _is_long(path)
    try:
        return check_file_path(path) == path
    except toolroll.InvalidPath:
        return False


def _is_long(path: str) -> bool:
    return 4 * len(path) > MAX_PATH_BYTES and len(path.encode()) > MAX_PATH_BYTES
