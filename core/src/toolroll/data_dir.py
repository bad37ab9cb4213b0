"""The directory in which a host keeps what its packs store."""

from __future__ import annotations

import contextlib
import errno
import tempfile
from pathlib import Path
from typing import Final

from toolroll.errors import InternalError, SettingsError

__all__ = ["DataDirectory", "default_data_dir", "make_inside", "unwritable"]

DATA_DIR: Final = ".toolroll"
_GONE: Final = "the data directory is gone; start the host again"
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


def default_data_dir(root: Path) -> Path:
    """Return where the data of a host lies that serves this project root."""
    return root / DATA_DIR


class DataDirectory:
    """Where one host's packs store their data; made when something is first stored.

    Args:
        path: Where it is, or by default in the project root.
        root: The project root.

    Attributes:
        is_made: Whether `make` has made it, or found it there.
    """

    def __init__(self, path: Path | None, root: Path) -> None:
        default = default_data_dir(root)
        self.path = (path or default).absolute()
        self._is_default = self.path == default
        self.is_made = False

    def make(self) -> Path:
        """Make it with a `.gitignore` that ignores all of it, and return it.

        Only the first call does: who removes it while a host runs means to.

        Raises:
            SettingsError: It can't be made or written to, or it is a link of the served repository.
        """
        if not self.is_made:
            if self._is_default:
                _refuse_link(self.path)
            _make(self.path)
            self.is_made = True
        return self.path

    def probe(self) -> None:
        """Write to it, and leave nothing there.

        Raises:
            InternalError: It takes nothing, or somebody has removed it.
        """
        try:
            with tempfile.TemporaryFile(dir=self.path) as file:
                file.write(bytes(_PROBE_BYTES))
        except FileNotFoundError:
            raise InternalError(_GONE) from None
        except OSError as error:
            raise unwritable(error) from error

    def make_for(self, name: str) -> Path:
        """Make the directory of one pack, and return it.

        Raises:
            SettingsError: As `make`.
            InternalError: As `make_inside`.
        """
        return make_inside(self.make() / name)


_PROBE_BYTES: Final = 1 << 16
"""A disk with less room than this is full before long."""


def make_inside(directory: Path) -> Path:
    """Make a directory of a data directory, for its owner alone, and return it.

    Raises:
        InternalError: Somebody has removed the data directory meanwhile, or it can't be written.
    """
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        raise InternalError(_GONE) from None
    except OSError as error:
        raise unwritable(error) from error
    return directory


def unwritable(error: OSError) -> InternalError:
    """Return what a caller is told of a data directory that takes nothing; no path is named."""
    remedy = "make room" if error.errno in _FULL else "make it writable, or choose another"
    return InternalError(f"the data directory cannot be written ({error.strerror}); {remedy}")


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
