"""What the project's files are on disk right now: whether they exist, and what is in them."""

from __future__ import annotations

import hashlib
import os
from typing import Final

import toolroll

__all__ = ["Disk"]

MAX_HASHED: Final = 64 * 1024 * 1024
"""Bytes; a larger file is known to exist, but not recognised after a rename."""


class Disk:
    """The files under a project root, each looked at once."""

    def __init__(self, root: toolroll.ProjectRoot) -> None:
        self._root = root
        self._digests: dict[str, str | None] = {}

    def exists(self, path: str) -> bool:
        """Say whether a canonical path names anything, a dangling link included."""
        return os.path.lexists(self._root.path / path)

    def digest(self, path: str) -> str | None:
        """Return the SHA-256 of a regular file; "" for one that is empty, too large or not
        readable, None for one that isn't there."""
        if path not in self._digests:
            self._digests[path] = self._hash(path)
        return self._digests[path]

    def _hash(self, path: str) -> str | None:
        try:
            with self._root.open(path) as file:
                size = os.fstat(file.fileno()).st_size
                if not 0 < size <= MAX_HASHED:
                    return ""
                digest = hashlib.sha256()
                while block := file.read(1 << 20):
                    digest.update(block)
                return digest.hexdigest()
        except (toolroll.NotFound, toolroll.InvalidPath, OSError):
            return "" if self.exists(path) else None
