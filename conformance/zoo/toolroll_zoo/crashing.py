"""A pack that takes its process down, as a fault does in a library not written in Python."""

from __future__ import annotations

import ctypes

import toolroll
from toolroll_zoo.shelf import Count, Shelf


class Crashing(Shelf):
    """Reads at address zero."""

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        ctypes.string_at(0)
        return []
