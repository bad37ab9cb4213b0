"""What a log may show of an error."""

from __future__ import annotations

import toolroll
from toolroll.search import SearchError

__all__ = ["cause_of"]


def cause_of(error: Exception) -> str:
    """Return the text of an error that is written for callers, and of others the class.

    Those may quote what a file holds.
    """
    ours = isinstance(error, toolroll.ToolError | SearchError)
    return (str(error) if ours else "") or type(error).__name__
