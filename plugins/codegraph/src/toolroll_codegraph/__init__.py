"""Who calls whom, in Python, JavaScript, TypeScript and Ruby: the Toolroll pack `codegraph`."""

from __future__ import annotations

import toolroll

__all__ = ["toolroll_pack"]


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    """Return the pack."""
    from toolroll_codegraph.pack import CodeGraph  # the worker processes do without

    return CodeGraph()
