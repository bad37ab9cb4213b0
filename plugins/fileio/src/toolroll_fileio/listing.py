"""`file_list` and its paged form: entries in byte order, found by skipping, not by scanning.

Directories are only prefixes, and `/a` sorts before `/a-b` although `/a/x` sorts after it. So the
walk looks at the next file, asks which directories could come before it, and after a directory at
the deepest level jumps over all that lies below it (manual 9.6; reference 1.5, 2.9).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from attrs import frozen

from toolroll_fileio.failures import failure
from toolroll_fileio.names import ROOT, Span, check_path, check_project, name_of
from toolroll_fileio.results import ZERO_TIME, Entry
from toolroll_fileio.store import Files, StoredFile

__all__ = ["check_listing", "list_entries"]

FIRST_PAGE: Final = 8
LARGEST_PAGE: Final = 1024

_Found = StoredFile | str
"""A file, or the path of a directory."""


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
    if path != ROOT and not files.is_directory(path):
        if files.get(path):
            raise failure("NOT_FOUND", "path is a file; use depth 0, or file_stat")
        raise failure("NOT_FOUND", "no directory has this path; list one of its parents")
    found = list(islice(_Walk(files, path, depth).entries(after), limit + 1))
    return _described(files, found[:limit]), len(found) > limit


def _itself(files: Files, path: str) -> Entry:
    file = files.get(path) if path != ROOT else None
    if file is None and path != ROOT and not files.is_directory(path):
        raise failure("NOT_FOUND", "no file or directory has this path; list one of its parents")
    return _described(files, [file or path])[0]


def _described(files: Files, found: list[_Found]) -> list[Entry]:
    newest = files.times_of([item for item in found if isinstance(item, str)])
    return [
        Entry(
            name=name_of(item),
            path=item,
            type="DIRECTORY",
            size=0,
            created_at=ZERO_TIME,
            updated_at=newest.get(item, ZERO_TIME),
        )
        if isinstance(item, str)
        else Entry(
            name=name_of(item.path),
            path=item.path,
            type="FILE",
            size=item.size,
            created_at=item.created_at,
            updated_at=item.updated_at,
        )
        for item in found
    ]


@frozen
class _Walk:
    """Finds the entries below one directory, down to a depth."""

    files: Files
    base: str
    depth: int

    def entries(self, after: str) -> Iterator[_Found]:
        """Yield files and directories behind `after` in byte order of their paths."""
        low = f"{after}!" if after else f"{self.base}/"  # "!" sorts before all that paths hold
        high = Span.below(self.base).high
        last, most = after, FIRST_PAGE
        while page := self.files.page(Span(low, high), most):
            full = len(page) == most
            low = f"{page[-1].path}!"
            skipped = ""
            for file in page:
                if skipped and file.path.startswith(skipped):
                    continue
                for directory in self._directories(file.path, last):
                    last = directory
                    yield directory
                deepest = self._cut(file.path)
                if deepest is None:
                    last, skipped = file.path, ""
                    yield file
                else:
                    skipped = f"{deepest}/"
            if not full:
                return
            jumps = bool(skipped)
            if jumps:
                low = max(low, f"{skipped[:-1]}0")
            most = FIRST_PAGE if jumps else min(most * 2, LARGEST_PAGE)

    def _cut(self, path: str) -> str | None:
        """Return the ancestor at the deepest level if `path` lies below it, else None."""
        segments = path[len(self.base) + 1 :].split("/", self.depth)
        if len(segments) <= self.depth:
            return None
        return f"{self.base}/{'/'.join(segments[: self.depth])}"

    def _directories(self, path: str, last: str) -> Iterator[str]:
        """Yield the directories that sort between the last entry and the file at `path`.

        They are prefixes of the file's path: its own ancestors, and those that end before a `-` or
        `.`, the two characters that sort before `/`.
        """
        level = 0
        for at in range(len(self.base) + 1, len(path)):
            character = path[at]
            if character not in "-./":
                continue
            level += character == "/"
            candidate = path[:at]
            if candidate > last and candidate[-1] != "/" and level < self.depth + (character == "/"):
                # an ancestor of a file needs no question
                if character == "/" or self.files.is_directory(candidate):
                    yield candidate
            if level == self.depth:
                return
