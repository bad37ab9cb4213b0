"""Failure investigation for Toolroll: a model reasons, the F0-F6 pipeline decides and remembers."""

from __future__ import annotations

import toolroll
from toolroll_investigation.pack import InvestigationPack

__all__ = ["InvestigationPack", "toolroll_pack"]


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    """The pack, for the host that found it by its entry point."""
    return InvestigationPack()
