"""What of a project differs from a git revision, line by line."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

__all__ = ["WHOLE", "Change", "Lines", "blob_text", "changed_lines", "parse_diff"]

_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BLOBS: Final = re.compile(rb"index ([0-9a-f]+)\.\.([0-9a-f]+)")
_BINARY: Final = b"Binary files "
_AND: Final = b" and "
_DIFFER: Final = b" differ"
_NONE: Final = b"/dev/null"
_REVISION: Final = re.compile(r"[^-\0\n][^\0\n]*\Z")
"""What git can't take for an option; what else is none, it says itself."""
_SECONDS: Final = 60

# Whatever the user's settings are: paths as they are, these prefixes, and no program of theirs.
_DIFF: Final = (
    "-c", "core.quotePath=false", "diff", "--relative", "--no-color", "--no-ext-diff",
    "--no-textconv", "--no-renames", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
    "--unified=0", "--inter-hunk-context=0", "--full-index",
)  # fmt: skip

Lines = tuple[tuple[int, int], ...]
"""Ranges of lines, both ends included; line 0 is before the first."""


@frozen
class Change:
    """What of a file differs from a revision; without lines all of it does."""

    old: Lines = ()
    """Of its text at that revision; where lines were only added, the one before them."""
    new: Lines = ()
    """Of its text after the change; where lines were only removed, the one before them."""
    old_blob: str = ""
    """Git's name of the text at that revision."""
    new_blob: str = ""
    """Git's name of the text after the change; "" where that is the one in the working tree."""


WHOLE: Final = Change()


def changed_lines(root: Path, revision: str, *, staged: bool = False) -> dict[str, Change]:
    """Return the lines that differ from a git revision in the working tree, by file.

    Files that git doesn't track yet count as a whole, as do deleted ones; a renamed file is a
    deleted and a new one. `A..B` compares two revisions and leaves the working tree out, as `A^!`
    does. `staged`, what differs is what the next commit has, and the working tree counts no more.

    Raises:
        ValueError: The revision is malformed, or git cannot compare with it.
    """
    if not _REVISION.match(revision):
        raise ValueError(f"not a git revision: {revision!r}")
    named = _git(root, "rev-parse", "--revs-only", revision).split()
    what = ("--cached", revision) if staged else (revision,)
    changes = parse_diff(_git(root, *_DIFF, *what, "--"))
    if staged or len(named) > 1:
        return changes
    changes = {path: evolve(change, new_blob="") for path, change in changes.items()}
    new = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    paths = (path.removesuffix(b"/") for path in new.split(b"\0"))  # "/": a repository of its own
    return changes | {os.fsdecode(path): WHOLE for path in paths if path}


def blob_text(root: Path, blob: str) -> bytes | None:
    """Return the text that git has under a name; None where there is none."""
    try:
        return _git(root, "cat-file", "blob", blob) if blob else None
    except ValueError:  # the "text" of a submodule is a commit
        return None


def parse_diff(data: bytes) -> dict[str, Change]:
    """Read the line ranges of a unified diff; of a deleted or replaced file, its path alone.

    What git takes for binary, or was told not to compare (`-diff`), counts as a whole.
    """
    found: dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]], tuple[str, ...]]] = {}
    old = new = ""
    blobs = ("", "")
    lines = iter(data.split(b"\n"))
    for line in lines:
        if line.startswith(b"--- "):
            old = _path(line)
        elif (named := _BLOBS.match(line)) is not None:
            blobs = (named[1].decode(), named[2].decode())
        elif line.startswith(b"+++ "):
            new = _path(line)
            if new in found:  # a link in the place of a file, or the other way round
                new = ""
            else:
                found[new or old] = ([], [], blobs)
        elif (hunk := _HUNK.match(line)) is not None:
            removed, added = int(hunk[2] or 1), int(hunk[4] or 1)
            if new:
                found[new][0].append(_range(int(hunk[1]), removed))
                found[new][1].append(_range(int(hunk[3]), added))
            _skip(lines, removed + added)  # whose lines may look like headers
        elif line.startswith(_BINARY) and line.endswith(_DIFFER):
            found[_compared(line[len(_BINARY) : -len(_DIFFER)])] = ([], [], blobs)
    return {path: Change(tuple(a), tuple(b), *blobs) for path, (a, b, blobs) in found.items()}


def _range(start: int, count: int) -> tuple[int, int]:
    return start, start + max(count, 1) - 1


def _skip(lines: Iterator[bytes], count: int) -> None:
    while count and (line := next(lines, None)) is not None:
        count -= not line.startswith(b"\\")  # "\ No newline at end of file" is none of them


def _compared(text: bytes) -> str:
    """The path in `a/PATH and b/PATH`, or in what has `/dev/null` in the place of one of them."""
    if text.startswith(_NONE + _AND):
        return _name(text.removeprefix(_NONE + _AND))
    if text.endswith(_AND + _NONE):
        return _name(text.removesuffix(_AND + _NONE))
    return _name(text[: (len(text) - len(_AND)) // 2])


def _path(line: bytes) -> str:
    """The path that a header names; "" for none."""
    return _name(line[4:].removesuffix(b"\t"))


def _name(name: bytes) -> str:
    """A path without its `a/` or `b/`; "" for none."""
    if name == _NONE:
        return ""
    if name.startswith(b'"'):  # in C's way, where it holds quotes or control characters
        name = name[1:-1].decode("unicode_escape").encode("latin-1")
    return os.fsdecode(name[2:])


def _environment() -> dict[str, str]:
    """Ours, without what a hook of a worktree has: it makes any directory the top of the tree."""
    alone = "GIT_DIR" in os.environ and "GIT_WORK_TREE" not in os.environ
    return {name: text for name, text in os.environ.items() if not (alone and name == "GIT_DIR")}


def _git(root: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and a checked revision
            command, capture_output=True, check=False, timeout=_SECONDS, env=_environment()
        )
    except OSError as error:
        raise ValueError(f"git cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise ValueError(f"git did not answer within {_SECONDS} s") from None
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ValueError(message[0] if message else "git diff failed")
    return done.stdout
