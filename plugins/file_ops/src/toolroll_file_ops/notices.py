"""What the kernel says about a directory tree: the cheap way to know that nothing changed.

inotify queues an event before the call that changed a file returns, so reading the queue before an
answer misses nothing. It says nothing of other machines, so only local file systems count.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

__all__ = ["Notices", "is_local"]

_LOCAL: Final = frozenset(
    "ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs tmpfs ramfs overlay".split()  # noqa: SIM905
)
_UNUSUAL: Final = re.compile(r"\\([0-7]{3})")
"""How a mount point has a space, a tab, a line feed, or a backslash; others stand as they are."""
_MOUNTS: Final = Path("/proc/self/mountinfo")
MOST_TREES: Final = 16
"""Trees listened to in one process; a user may have 128 listeners in all."""

_trees: weakref.WeakSet[Notices] = weakref.WeakSet()


def _character(written: re.Match[str]) -> str:
    return chr(int(written[1], 8))


def is_local(root: Path, mounts: str) -> bool:
    """Say whether a tree lies on local file systems alone.

    Args:
        root: The tree's directory, resolved.
        mounts: The text of `/proc/self/mountinfo` (proc(5)).
    """
    around = Path("/")
    kinds: dict[Path, str] = {}
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        point = Path(_UNUSUAL.sub(_character, before.split(" ")[4]))
        if root.is_relative_to(point):
            around = max(around, point, key=lambda path: len(path.parts))
        elif not point.is_relative_to(root):
            continue
        kinds[point] = after.split(" ")[0]
    inside = [kind for point, kind in kinds.items() if point.is_relative_to(root)]
    return {kinds.get(around, ""), *inside} <= _LOCAL


class Notices:
    """Listens to the directories of one tree.

    Args:
        root: The tree's directory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._inotify: Any = None
        self._watches: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._unsure = True
        if len(_trees) < MOST_TREES and _is_local(root):
            # Without the library (other systems) or with too many listeners there are no notices.
            with contextlib.suppress(ImportError, OSError):
                library: Any = importlib.import_module("inotify_simple")
                flags = library.flags
                self._inotify = library.INotify(nonblocking=True)
                self._finalizer = weakref.finalize(self, self._inotify.close)
                self._mask = int(
                    flags.MODIFY
                    | flags.ATTRIB
                    | flags.CREATE
                    | flags.DELETE
                    | flags.MOVED_FROM
                    | flags.MOVED_TO
                    | flags.DELETE_SELF
                    | flags.MOVE_SELF
                    | flags.ONLYDIR
                    | flags.DONT_FOLLOW
                )
                self._structural = int(
                    flags.ISDIR
                    | flags.IGNORED
                    | flags.UNMOUNT
                    | flags.Q_OVERFLOW
                    | flags.DELETE_SELF
                    | flags.MOVE_SELF
                )
                self._gone = int(flags.IGNORED)
                _trees.add(self)

    @property
    def listening(self) -> bool:
        """Whether there are notices at all."""
        return self._inotify is not None

    def follow(self, directories: Iterable[str]) -> None:
        """Listen to exactly these directories, given relative to the root."""
        if self._inotify is None:
            return
        wanted = set(directories)
        for path in sorted(self._watches.keys() - wanted):
            watch = self._watches.pop(path)
            if self._paths.get(watch) == path:
                del self._paths[watch]
                with contextlib.suppress(OSError):  # it went with its directory
                    self._inotify.rm_watch(watch)
        for path in sorted(wanted - self._watches.keys()):
            try:
                watch = self._inotify.add_watch(self._root / path, self._mask)
            except FileNotFoundError:
                self._unsure = True
                continue
            except OSError:  # the limit of watches: better no notices than some
                self._stop()
                return
            self._watches.pop(self._paths.get(watch, path), None)  # a directory that was moved
            self._watches[path], self._paths[watch] = watch, path
            self._unsure = True  # something may have happened before it was listened to

    def changed(self) -> tuple[set[str], bool]:
        """Return the directories in which something changed since the last call.

        The second value says whether that is all; else everything must be looked at.
        """
        if self._inotify is None:
            return set(), False
        sure, self._unsure = not self._unsure, False
        found: set[str] = set()
        for event in self._inotify.read(timeout=0):
            path = self._paths.get(event.wd)
            if path is not None:
                found.add(path)
                if event.mask & self._gone:
                    del self._paths[event.wd]
                    self._watches.pop(path, None)
            sure = sure and path is not None and not event.mask & self._structural
        return found, sure

    def _stop(self) -> None:
        self._finalizer()
        self._inotify = None
        _trees.discard(self)


def _is_local(root: Path) -> bool:
    try:
        return is_local(root, _MOUNTS.read_text("utf-8", "surrogateescape"))
    except OSError:
        return False
