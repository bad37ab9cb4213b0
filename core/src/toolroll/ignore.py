"""Rules of ignore files as git reads them: malformed lines are left out, links not followed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["ignore_lines", "ignore_rules", "is_ignore_rule"]


def ignore_lines(path: Path) -> list[str]:
    """Return the lines of an ignore file; none of what is no plain file or cannot be read."""
    if path.is_symlink() or not path.is_file():  # git follows no link here; a pipe would block
        return []
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []


def ignore_rules(lines: Sequence[str]) -> GitIgnoreSpec | None:
    """Return the rules that lines spell, None if they spell none."""
    from pathspec import GitIgnoreSpec

    usable = [line for line in lines if line.strip() and not line.startswith("#")]
    try:
        return GitIgnoreSpec.from_lines(usable) if usable else None
    except (ValueError, re.error):
        return GitIgnoreSpec.from_lines([line for line in usable if is_ignore_rule(line)])


def is_ignore_rule(line: str) -> bool:
    """Say whether a line of an ignore file could read so, or is malformed."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
