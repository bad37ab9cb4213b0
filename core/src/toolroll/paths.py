"""Path safety for everybody: one canonical form, allowed roots, and a race-free open.

A path that a caller gives is checked twice. `ProjectRoot.canonical` turns its text into the one
project-relative form, with symlinks resolved and nothing outside the root; `ProjectRoot.open` walks
that form segment by segment without following any link, so that nothing swapped in between the
check and the use can lead outside.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from attrs import field, frozen

from toolroll.errors import InvalidPath, NotFound, PermissionDenied

__all__ = ["AllowedRoots", "ProjectRoot", "can_be_named"]

MAX_PATH_BYTES: Final = 4096
"""Longest path, in UTF-8 bytes: PATH_MAX of Linux."""
MAX_SEGMENT_BYTES: Final = 255
"""Longest segment, in UTF-8 bytes: NAME_MAX of every common file system."""

MOST_TOLD: Final = 5
"""Roots that an error names."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY: Final = getattr(os, "O_DIRECTORY", 0)
_HAS_DIR_FD: Final = os.open in os.supports_dir_fd


def can_be_named(name: str) -> bool:
    """Say whether anything may have this name: others cannot be stored, or harm a terminal."""
    return _CONTROL.search(name) is None


def _checked(text: str, wanted: str = "a path relative to the project root") -> str:
    """Refuse what no project path may hold; return it with `/` as the only separator."""
    if not text or not text.strip():
        raise InvalidPath(f"path is empty; give {wanted}")
    if found := _CONTROL.search(text):
        raise InvalidPath(f"path holds the character U+{ord(found[0]):04X}, which is not allowed")
    text = text.replace("\\", "/")
    if len(text.encode()) > MAX_PATH_BYTES:
        raise InvalidPath(f"path is longer than {MAX_PATH_BYTES} bytes")
    for segment in text.split("/"):
        if len(segment.encode()) > MAX_SEGMENT_BYTES:
            raise InvalidPath(f"a path segment is longer than {MAX_SEGMENT_BYTES} bytes")
    return text


def _prefix(root: ProjectRoot) -> str:
    return str(root.path).rstrip("/")


def _begins(text: str, prefix: str) -> bool:
    """Say whether an absolute path names a directory or something below it."""
    return text == prefix or text.startswith(f"{prefix}/")


def _require_text(path: str) -> None:
    """Refuse a root that neither answers nor databases could name."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise InvalidPath("a root's name is not UTF-8; rename the directory") from None


def _is_absolute(text: str) -> bool:
    return text.startswith("/") or _DRIVE.match(text) is not None


@frozen
class ProjectRoot:
    """A directory that calls may work in.

    Attributes:
        path: The root, absolute and with symlinks resolved.
    """

    # not Path.resolve, which raises for a loop of symlinks; such a root is one that does not exist
    path: Path = field(converter=lambda path: Path(os.path.realpath(path)))

    def canonical(self, text: str, *, allow_root: bool = False) -> str:
        """Return the one project-relative form of a path: posix, links resolved, no `.` or `..`.

        The file need not exist. Backslashes are separators.

        Args:
            text: A relative path as a caller wrote it.
            allow_root: Whether the root itself may be named; its form is `.`.

        Raises:
            InvalidPath: The path is empty, absolute (POSIX, drive or UNC form), too long, holds a
                control character or surrogate, names the root, or leaves it, by `..` or a link.
        """
        clean = _checked(text)
        if _is_absolute(clean):
            raise InvalidPath(
                f"Absolute paths not allowed: {text}; give a path relative to the project root"
            )
        return self._relative(self.path / clean, text, allow_root=allow_root)

    def relative(self, text: str, *, allow_root: bool = False) -> str:
        """Return the canonical form of a path that may also be absolute, inside this root."""
        clean = _checked(text)
        return self._relative(self.path / clean, text, allow_root=allow_root)

    def _relative(self, joined: Path, text: str, *, allow_root: bool) -> str:
        try:
            resolved = Path(os.path.realpath(joined))
        except OSError as error:
            raise InvalidPath(f"path cannot be resolved: {text} ({error.strerror})") from None
        if not resolved.is_relative_to(self.path):
            raise InvalidPath(f"Path escapes project directory: {text}")
        relative = resolved.relative_to(self.path).as_posix()
        if relative == "." and not allow_root:
            raise InvalidPath(f"path names the project root itself: {text}; name a file in it")
        if relative != _checked(relative) or _is_absolute(relative):
            # a link may lead to a name that no caller could write: it has no canonical form
            raise InvalidPath(f"path leads to a file whose name is not allowed: {text}")
        return relative

    def open(self, canonical: str) -> BinaryIO:
        """Open a regular file for reading, following no symlink on the way.

        Args:
            canonical: What `canonical` returned.

        Raises:
            NotFound: There is no such file, or it is not a regular file.
            InvalidPath: A symlink has been swapped in since the path was checked.
        """
        with contextlib.ExitStack() as stack:
            descriptor = self._descend(canonical, stack)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise NotFound(f"not a regular file: {canonical}")
            return os.fdopen(descriptor, "rb")

    def _descend(self, canonical: str, stack: contextlib.ExitStack) -> int:
        flags = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_CLOEXEC", 0)
        # O_NONBLOCK: opening a FIFO must fail the regular-file test instead of waiting for a writer
        last = flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        *directories, name = canonical.split("/")
        try:
            if not _HAS_DIR_FD:  # Windows: no links without a privilege; check again, then open
                self.canonical(canonical)
                return os.open(self.path / canonical, last)
            here = os.open(self.path, flags | _DIRECTORY)
            stack.callback(os.close, here)
            for directory in directories:
                here = os.open(directory, flags | _DIRECTORY, dir_fd=here)
                stack.callback(os.close, here)
            return os.open(name, last, dir_fd=here)
        except OSError as error:
            if error.errno == errno.ELOOP or (
                error.errno == errno.ENOTDIR and self._has_link(canonical)
            ):
                raise InvalidPath(
                    f"symlinks are not followed: {canonical}; name the file that it leads to"
                ) from None
            raise NotFound(f"cannot open {canonical}: {error.strerror}") from None

    def _has_link(self, canonical: str) -> bool:
        """Linux reports a directory link under O_DIRECTORY | O_NOFOLLOW as ENOTDIR: look again."""
        path = self.path
        for segment in canonical.split("/"):
            path = path / segment
            if path.is_symlink():
                return True
        return False


@frozen
class AllowedRoots:
    """The directories that calls may name; the first is the project root of the host."""

    roots: tuple[ProjectRoot, ...]

    @classmethod
    def of(cls, paths: Sequence[Path | str]) -> AllowedRoots:
        """Make allowed roots from directories; the order is kept, repeats are dropped."""
        return cls(tuple(dict.fromkeys(ProjectRoot(path) for path in paths)))

    def __iter__(self) -> Iterator[ProjectRoot]:
        return iter(self.roots)

    @property
    def first(self) -> ProjectRoot:
        """The project root."""
        return self.roots[0]

    def limited_to(self, paths: Sequence[str]) -> AllowedRoots:
        """Return what of these roots lies in `paths`: the roots of a key that has its own."""
        limits = [ProjectRoot(path) for path in paths]
        own = [limit for limit in limits if any(_lies_in(limit, root) for root in self.roots)]
        whole = [root for root in self.roots if any(_lies_in(root, limit) for limit in limits)]
        return _LimitedRoots(tuple(dict.fromkeys([*whole, *own])), project=self.first)

    def find(self, text: str) -> ProjectRoot:
        """Return the directory that an absolute path names as a root of its own.

        Backslashes are separators behind the name of an allowed root; the name itself is exact.
        The directory need not exist; it only has to lie in, or be, an allowed root.

        Raises:
            InvalidPath: The path is relative, malformed, or outside every allowed root.
        """
        wanted = "the absolute path of a project"
        own = max((root for root in map(_prefix, self.roots) if _begins(text, root)), default="")
        _require_text(own)
        rest = text[len(own) :]  # a root's own name is whatever its operator gave it
        clean = own + _checked(rest, wanted) if rest.strip("/") or not own else own
        if not Path(clean).is_absolute():
            raise InvalidPath(f"path is not absolute: {text}; give {wanted}{self._told}")
        try:
            resolved = Path(os.path.realpath(clean))
        except OSError as error:
            raise InvalidPath(f"path cannot be resolved: {text} ({error.strerror})") from None
        for root in self.roots:
            if resolved.is_relative_to(root.path):
                return ProjectRoot(resolved)
        inside = f"give one{self._told} or " if self.roots else ""
        raise InvalidPath(f"path is outside the allowed roots: {text}; {inside}{self._remedy}")

    @property
    def _remedy(self) -> str:
        return "start the host with --root for it"

    @property
    def _told(self) -> str:
        """What tells a caller who guesses where it may look."""
        more = ", …" if len(self.roots) > MOST_TOLD else ""
        told = ", ".join(str(root.path) for root in self.roots[:MOST_TOLD])
        return f" in {told}{more}" if told else ""


@frozen
class _LimitedRoots(AllowedRoots):
    """The roots of one key, which may leave out the host's project root."""

    project: ProjectRoot

    @property
    def first(self) -> ProjectRoot:
        if self.project not in self.roots:
            raise PermissionDenied(
                "this key does not allow the project root; ask for one that does, or name a "
                "directory that it allows by its absolute path"
            )
        return self.project

    @property
    def _remedy(self) -> str:
        return "ask for a key that allows it"


def _lies_in(inner: ProjectRoot, outer: ProjectRoot) -> bool:
    return inner.path.is_relative_to(outer.path)
