"""The directory in which a host keeps what its packs store."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

from toolroll.errors import SettingsError

__all__ = ["GONE", "default_data_dir", "make_data_dir", "refuse_link"]

DATA_DIR: Final = ".toolroll"
GONE: Final = "the data directory is gone; start the host again"
"""Who removes it while a host runs means to: it is not made again."""


def default_data_dir(root: Path) -> Path:
    """Return where the data of a host lies that serves this project root."""
    return root / DATA_DIR


def refuse_link(directory: Path) -> None:
    """Refuse a data directory that a served repository has replaced with a link.

    Our data would be written wherever that repository likes.

    Raises:
        SettingsError: It is a link.
    """
    if directory.is_symlink():
        raise SettingsError(
            f"{DATA_DIR} in the project root is a symlink; remove it, or name the directory "
            "it leads to with --data-dir"
        )


def make_data_dir(directory: Path) -> None:
    """Make a data directory with a `.gitignore` that ignores all of it.

    Raises:
        SettingsError: It can't be made or written to.
    """
    ignore = directory / ".gitignore"
    try:
        if not directory.is_dir():
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not ignore.exists():
            with contextlib.suppress(FileExistsError), ignore.open("x", encoding="utf-8") as f:
                f.write("# made by toolroll\n*\n")
    except OSError as error:
        raise SettingsError(
            f"cannot make the data directory {directory}: {error.strerror}; choose "
            "another with --data-dir"
        ) from None
