"""Files, findings, issues and the links between them: the Toolroll pack `file_assoc`."""

from __future__ import annotations

import toolroll
from toolroll_file_assoc.pack import FileAssoc

__all__ = ["FileAssoc", "toolroll_pack"]


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    """Return the pack."""
    return FileAssoc()
