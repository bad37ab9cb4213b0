"""The directory in which a host keeps what its packs store."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

from toolroll.errors import InternalError, SettingsError

__all__ = ["GONE", "DataDirectory", "default_data_dir"]

DATA_DIR: Final = ".toolroll"
GONE: Final = "the data directory is gone; start the host again"


def default_data_dir(root: Path) -> Path:
    """Return where the data of a host lies that serves this project root."""
    return root / DATA_DIR


class DataDirectory:
    """Where one host's packs store their data; made when something is first stored.

    Args:
        path: Where it is, or by default in the project root.
        root: The project root.
    """

    def __init__(self, path: Path | None, root: Path) -> None:
        default = default_data_dir(root)
        self.path = (path or default).absolute()
        self._is_default = self.path == default
        self._is_made = False

    def make(self) -> Path:
        """Make it with a `.gitignore` that ignores all of it, and return it.

        Only the first call does: who removes it while a host runs means to.

        Raises:
            SettingsError: It can't be made or written to, or it is a link of the served repository.
        """
        if not self._is_made:
            if self._is_default:
                _refuse_link(self.path)
            _make(self.path)
            self._is_made = True
        return self.path

    def make_for(self, name: str) -> Path:
        """Make the directory of one pack, and return it.

        Raises:
            SettingsError: As `make`.
            InternalError: Somebody has removed the data directory meanwhile.
        """
        directory = self.make() / name
        try:
            directory.mkdir(mode=0o700, exist_ok=True)
        except FileNotFoundError:
            raise InternalError(GONE) from None
        return directory


def _refuse_link(directory: Path) -> None:
    """Refuse a data directory that a served repository has replaced with a link.

    Our data would be written wherever that repository likes.
    """
    if directory.is_symlink():
        raise SettingsError(
            f"{DATA_DIR} in the project root is a symlink; remove it, or name the directory "
            "it leads to with --data-dir"
        )


def _make(directory: Path) -> None:
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
