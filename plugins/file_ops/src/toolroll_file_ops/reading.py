"""Reading many files of a collection, some of which may have gone a moment ago."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import toolroll
from toolroll_file_ops.content import Loaded

if TYPE_CHECKING:
    from toolroll_file_ops.opened import Opened

__all__ = ["those_there"]

AT_ONCE: Final = 20
"""Files read in one statement."""


def those_there(opened: Opened, paths: Iterable[str]) -> dict[str, Loaded]:
    """Return those of some files that are still there and text, by path."""
    names = sorted(paths)
    found: dict[str, Loaded] = {}
    for start in range(0, len(names), AT_ONCE):
        opened.check()
        part = names[start : start + AT_ONCE]
        try:
            loaded = opened.load_all(part)
        except toolroll.ToolError:  # one went since the look a moment ago
            loaded = _one_by_one(opened, part)
        found |= {name: file for name, (file, _) in loaded.items()}
    return found


def _one_by_one(opened: Opened, paths: list[str]) -> dict[str, tuple[Loaded, bool]]:
    found: dict[str, tuple[Loaded, bool]] = {}
    for path in paths:
        with contextlib.suppress(toolroll.ToolError):
            found[path] = opened.load(path)
    return found
