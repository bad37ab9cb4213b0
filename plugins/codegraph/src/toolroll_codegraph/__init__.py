"""Who calls whom, in Python, JavaScript, TypeScript and Ruby: the Toolroll pack `codegraph`."""

from __future__ import annotations

import toolroll
from toolroll_codegraph.pack import CodeGraph

__all__ = ["CodeGraph", "toolroll_pack"]


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    """Return the pack."""
    return CodeGraph()
