"""Whole files, summaries, outlines and search over indexed collections: the pack `file_ops`."""

from __future__ import annotations

import toolroll
from toolroll_file_ops.pack import FileOps

__all__ = ["FileOps", "toolroll_pack"]


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    """Return the pack."""
    return FileOps()
