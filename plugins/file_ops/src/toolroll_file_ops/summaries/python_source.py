"""Python source as a tree."""

from __future__ import annotations

import ast
import threading
from typing import Final

__all__ = ["parsed"]

_parsing: Final = threading.Lock()
"""Held while a tree is made. Before 3.11.8 and 3.12.2 Python counts in one place for all threads
how deep the tree is: where a garbage collection lets another thread parse meanwhile, both may end
in a SystemError (https://github.com/python/cpython/issues/106905)."""


def parsed(text: str) -> ast.Module | None:
    """Return the tree of a module; None of what is no Python, or nested too deep for the parser."""
    try:
        with _parsing:
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last is its own stack's
        return None
