"""`file_list` and its paged form: entries in byte order, found by skipping, not by scanning.

Directories are only prefixes, and `/a` sorts before `/a-b` although `/a/x` sorts after it. So the
walk looks at the next files, asks which directories could come before each, and after a directory
at the deepest level jumps over all that lies below it (manual 9.6; reference 1.5, 2.9).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Final

from attrs import frozen

from toolroll_fileio.failures import failure
from toolroll_fileio.names import ROOT, Span, check_path, check_project, name_of
from toolroll_fileio.results import ZERO_TIME, Entry, timestamp
from toolroll_fileio.store import Files, StoredFile

__all__ = ["check_listing", "list_entries"]

FIRST_PAGE: Final = 16
LARGEST_PAGE: Final = 1024


def check_listing(project: str, path: str, depth: int) -> str:
    """Check a listing and return its path; `/` is taken for the root here, and only here.

    Raises:
        ToolError: INVALID_PATH, INVALID_OFFSET.
    """
    path = ROOT if path == "/" else path
    check_project(project)
    check_path(path)
    if depth < 0:
        raise failure("INVALID_OFFSET", "depth must not be negative; 0 describes the path itself")
    return path


def list_entries(
    files: Files, path: str, depth: int, limit: int, after: str = ""
) -> tuple[list[Entry], bool]:
    """Return the entries down to `depth` in byte order of their paths, and whether more follow.

    Args:
        files: The project.
        path: A directory; with depth 0, a file too.
        depth: Levels below `path`; 0 for the path itself.
        limit: Most entries.
        after: Begin behind this entry.

    Raises:
        ToolError: NOT_FOUND: there is no such directory.
    """
    if depth == 0:
        return [_itself(files, path)], False
    if depth == 1 and not files.has_directory_in(Span.below(path)):
        rows = files.rows(_behind(path, after), limit + 1)  # nothing to skip
        if rows or path == ROOT:
            return [_file(*row) for row in rows[:limit]], len(rows) > limit
    if path != ROOT and not files.is_directory(path):
        if files.get(path):
            raise failure("NOT_FOUND", "path is a file; use depth 0, or file_stat")
        raise failure("NOT_FOUND", "no directory has this path; list one of its parents")
    most = limit + 1
    found = dict(islice(_Walk(files, path, depth).entries(after, most), most))
    return _described(files, found)[:limit], len(found) > limit


def _behind(directory: str, after: str) -> Span:
    """Return the range of what lies below a directory and behind one of its entries."""
    below = Span.below(directory)
    # "!" sorts before all that paths hold
    return Span(max(below.low, f"{after}!"), below.high) if after else below


def _itself(files: Files, path: str) -> Entry:
    if path != ROOT and not files.get(path) and not files.is_directory(path):
        raise failure("NOT_FOUND", "no file or directory has this path; list one of its parents")
    return _described(files, {path: files.times_of([path]).get(path)})[0]


def _described(files: Files, found: Mapping[str, datetime | None]) -> list[Entry]:
    """Return entries of paths; directories come with their newest change."""
    stored = files.some([path for path, newest in found.items() if newest is None])
    return [_entry(path, stored.get(path), newest) for path, newest in found.items()]


def _entry(path: str, file: StoredFile | None, newest: datetime | None) -> Entry:
    if file:
        return _file(path, file.size, timestamp(file.created_at), timestamp(file.updated_at))
    return {
        "name": name_of(path),
        "path": path,
        "type": "DIRECTORY",
        "size": 0,
        "created_at": ZERO_TIME,
        "updated_at": timestamp(newest) if newest else ZERO_TIME,
    }


def _file(path: str, size: int, created: str, updated: str) -> Entry:
    return {
        "name": name_of(path),
        "path": path,
        "type": "FILE",
        "size": size,
        "created_at": created,
        "updated_at": updated,
    }


@frozen
class _Walk:
    """Finds the paths of the entries below one directory, down to a depth."""

    files: Files
    base: str
    depth: int

    def entries(self, after: str, most: int) -> Iterator[tuple[str, datetime | None]]:
        """Yield what lies behind `after` in byte order: paths, of directories with their time.

        `most` says how many the caller will take at most.
        """
        last = after
        for page in self._pages(after, most):
            directories = self.files.times_of(
                [name for path in page for name in self._possible(path) if name > last]
            )
            for path in page:
                for name in self._possible(path):
                    if name > last and name in directories:
                        last = name
                        yield name, directories[name]
                if path > last and path.count("/", len(self.base) + 1) < self.depth:
                    last = path
                    yield path, None

    def _pages(self, after: str, most: int) -> Iterator[list[str]]:
        """Yield paths of files, at least one of every directory at the deepest level."""
        below = _behind(self.base, after)
        low, high = below.low, below.high
        size = min(most, LARGEST_PAGE) if self.depth == 1 else FIRST_PAGE
        while low < high:
            span = Span(low, high)
            if self.depth == 1:
                page = self.files.children(span, self.base, size)
            else:
                page = self.files.page(span, size)
            if page:
                yield page
            if len(page) < size:
                return
            deepest = self._deepest(page[-1])
            low = f"{deepest}0" if deepest else f"{page[-1]}!"
            if self.depth > 1:  # large pages for many small directories, small ones to jump far
                size = FIRST_PAGE if deepest else min(size * 2, LARGEST_PAGE)

    def _deepest(self, path: str) -> str:
        """Return the ancestor at the deepest level if `path` lies below it, else ""."""
        segments = path[len(self.base) + 1 :].split("/", self.depth)
        if len(segments) <= self.depth:
            return ""
        return f"{self.base}/{'/'.join(segments[: self.depth])}"

    def _possible(self, path: str) -> Iterator[str]:
        """Yield the directories that may sort right before the file at `path`.

        They are prefixes of its path: its own ancestors, and those that end before a `-` or `.`,
        the two characters that sort before `/`.
        """
        level = 0
        for at in range(len(self.base) + 1, len(path)):
            character = path[at]
            if character == "/":
                level += 1
                yield path[:at]
            elif character in "-." and path[at - 1] != "/":
                yield path[:at]
            if level == self.depth:
                return
