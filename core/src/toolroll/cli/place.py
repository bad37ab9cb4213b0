"""Where commands stand that name no place: as git's, in what the current directory is part of."""

from __future__ import annotations

import os
from pathlib import Path

from toolroll.configuration import CONFIG_NAME
from toolroll.data_dir import default_data_dir

__all__ = ["root_above"]


def root_above(directory: Path, pack: str) -> Path:
    """Return the nearest root, here or above, that has settings, or data that a pack stored.

    The home directory and those above it are no root of what lies below, nor is one whose files
    belong to another user. Where there is no root it is the directory itself.
    """
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - not Path.home, which raises for none
    for root in (directory, *directory.parents):
        if root != directory and home.is_relative_to(root):
            break
        if _is_ours(root / CONFIG_NAME) or _is_ours(default_data_dir(root) / f"{pack}.db"):
            return root
    return directory


def _is_ours(file: Path) -> bool:
    try:
        owner = file.stat().st_uid
    except OSError:
        return False
    return not hasattr(os, "getuid") or owner == os.getuid()
