"""What packs store of single directories and the like, so that an operator can be rid of it.

Nothing here is removed by itself, after whatever time: a directory that isn't there may be on a
disk that isn't mounted, and its index took minutes to make.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Literal

from attrs import frozen

__all__ = ["Holding", "Presence", "presence"]

Presence = Literal["", "there", "gone", "away"]


@frozen(kw_only=True)
class Holding:
    """One thing that a pack stores, and could be rid of.

    Attributes:
        name: What the pack calls it; with `tenant`, one of it alone.
        directory: What it was made of, absolute; "" where it is itself what is kept.
        tenant: Whose it is; "" for everybody's, or the host's own.
        size: Bytes that it takes, about.
        used: When it was last written, if that is known.
        only_copy: It is kept nowhere else, so that an operator is asked before it goes.
    """

    name: str
    directory: str = ""
    tenant: str = ""
    size: int
    used: datetime | None = None
    only_copy: bool = False


def presence(directory: str) -> Presence:
    """Say whether a directory is `there`, `gone`, or `away`: then more is missing than it alone.

    Where its parent is missing or empty, too, a disk may not be mounted. What may not be looked at
    counts as there; without a directory it is "".
    """
    if not directory:
        return ""
    path = Path(directory)
    if not _is_missing(path):
        return "there"
    try:
        return "gone" if any(path.parent.iterdir()) else "away"
    except OSError:
        return "away"


def _is_missing(path: Path) -> bool:
    try:
        return not path.is_dir()
    except OSError:
        return False
