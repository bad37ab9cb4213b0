"""Looking at a directory tree: what is there, and since when. No symlink is ever followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterator
from pathlib import Path

from attrs import define, field, frozen

from toolroll_file_ops.checks import Check, no_check
from toolroll_file_ops.failures import invalid_parameter
from toolroll_file_ops.file_paths import is_file_path
from toolroll_file_ops.ignore import Rules
from toolroll_file_ops.stamps import Stamp, stamp_of

__all__ = ["Limits", "Tree", "changed_at", "guard_root", "scan"]


@frozen
class Limits:
    """How much one collection may hold."""

    collection: str
    files: int
    total_bytes: int

    def require(self, files: int, total_bytes: int) -> None:
        """Refuse what is more.

        Raises:
            ToolError: InvalidParameter.
        """
        if files > self.files or total_bytes > self.total_bytes:
            raise invalid_parameter(
                "collection",
                f"{self.collection!r} holds more than {self.files} files or {self.total_bytes} "
                "bytes; index a smaller directory, exclude parts of it, or raise max_files and "
                "max_total_bytes in [file_ops]",
            )


@define
class Tree:
    """A directory tree as it was found.

    Attributes:
        files: Stamp of each file that belongs, by path.
        directories: Modification time of each directory looked into, by path; "" is the root.
        unread: How many directories may not be read, and files and directories have a name that no
            path can hold: a backslash, a control character, bytes that are no text, too many of
            them.
    """

    files: dict[str, Stamp] = field(factory=dict[str, Stamp])
    directories: dict[str, int] = field(factory=dict[str, int])
    unread: int = 0


def guard_root(path: Path) -> None:
    """Refuse directories that nobody means to index whole.

    Raises:
        ToolError: InvalidParameter for a file system's root, a home directory or what holds one.
    """
    home = Path.home().resolve()
    if path == Path(path.anchor) or path == home or path in home.parents:
        raise invalid_parameter(
            "path", f"{path.name or path} holds far more than a project; name a project directory"
        )
    if not path.is_dir():
        raise invalid_parameter("path", f"{path.name} is not a directory")


def scan(
    root: Path,
    rules: Rules,
    limits: Limits,
    *,
    start: str = "",
    skip: Container[str] = frozenset(),
    check: Check = no_check,
) -> Tree:
    """Walk the tree below `start` and return the files that belong.

    Args:
        root: The collection's directory.
        rules: Which files belong.
        limits: Guards against walking into something huge.
        start: Directory to begin at, relative to the root.
        skip: Directories that are not looked into.
        check: Called for each directory; raises to stop.

    Raises:
        ToolError: InvalidParameter when a limit is passed.
    """
    tree = Tree()
    total = 0
    pending = [start]
    while pending:
        check()
        directory = pending.pop()
        for entry in _entries(root, directory, tree):
            path = f"{directory}/{entry.name}" if directory else entry.name
            if not is_file_path(path):
                is_file = entry.is_file(follow_symlinks=False)
                tree.unread += is_file or entry.is_dir(follow_symlinks=False)
                continue
            if entry.is_dir(follow_symlinks=False):
                if path not in skip and rules.enters(path):
                    pending.append(path)
            elif entry.is_file(follow_symlinks=False) and rules.takes(path):
                stamp = _stamp(entry)
                if stamp is None:
                    continue
                tree.files[path] = stamp
                total += stamp.size
                limits.require(len(tree.files), total)
    return tree


def _entries(root: Path, directory: str, tree: Tree) -> Iterator[os.DirEntry[str]]:
    """Yield a directory's entries by name; none if it has gone or may not be read."""
    place = root / directory
    changed = changed_at(place)
    if changed is None:
        return
    try:
        with os.scandir(place) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        tree.unread += isinstance(error, PermissionError)
        return
    tree.directories[directory] = changed
    yield from entries


def changed_at(directory: str | Path) -> int | None:
    """Return when entries of a directory came or went last; None where no directory is."""
    try:
        status = os.lstat(directory)
    except OSError:
        return None
    return status.st_mtime_ns if stat.S_ISDIR(status.st_mode) else None


def _stamp(entry: os.DirEntry[str]) -> Stamp | None:
    try:
        return stamp_of(entry.stat(follow_symlinks=False))
    except OSError:  # gone between listing and looking
        return None
