"""The one form of a file path in a collection.

`./src//app.py` and `src\\app.py` are `src/app.py`; a `..` segment, an absolute path in any system's
form, `~`, control characters and empty paths are refused before anything is looked up. Percent
signs are literal. Whether symlinks lie on the way is checked when the file is opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import toolroll
from toolroll_file_ops.failures import invalid_path

__all__ = ["check_file_path"]

# A root without anything in it: its `canonical` applies the rules of the text alone.
_NOWHERE: Final = toolroll.ProjectRoot(Path("/dev/null/collection"))


def check_file_path(text: str) -> str:
    """Return the canonical form of a path that a caller gave.

    Raises:
        InvalidPath: It cannot name a file inside a collection; the message says why.
    """
    segments = text.replace("\\", "/").split("/")
    if ".." in segments:
        raise invalid_path(text, "file_path holds a '..' segment; give a path in the collection")
    if text.startswith("~"):
        raise invalid_path(text, "file_path begins with '~'; give a path in the collection")
    return _NOWHERE.canonical(text)
