"""The fileio pack: durable, project-scoped text files for agents, with search."""

from __future__ import annotations

import toolroll
from toolroll_fileio.pack import FileIO
from toolroll_fileio.settings import FileioSettings

__all__ = ["FileIO", "FileioSettings", "toolroll_pack"]


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    """Give the host this pack."""
    return FileIO()
