"""Projects and virtual paths: their rules, and the arithmetic of prefixes.

A path names a file inside a project of the pack's database, not on disk: `""` is the project's
root, everything else starts with `/`. Directories exist only as prefixes of file paths (manual 8).
"""

from __future__ import annotations

import re
from typing import Any, Final

from attrs import frozen

from toolroll_fileio.failures import failure

__all__ = [
    "ROOT",
    "Space",
    "Span",
    "check_path",
    "check_project",
    "may_begin_path",
    "name_of",
    "parents_of",
]

ROOT: Final = ""
MAX_PROJECT: Final = 128
MAX_PATH_BYTES: Final = 512

_PROJECT: Final = re.compile(r"[A-Za-z0-9_.-]+")
_FORBIDDEN: Final = re.compile(r"[^A-Za-z0-9/_.-]")


@frozen
class Space:
    """A project of a tenant: what every query, lock, quota and job is bound to.

    Attributes:
        tenant: SHA-256 of the caller's key, in hex.
        project: The project's name, checked.
    """

    tenant: str
    project: str

    @property
    def lock(self) -> str:
        """The key of the lock that mutations of this project take."""
        return f"{self.tenant}:{self.project}"

    @property
    def bound(self) -> dict[str, Any]:
        """The parameters `tenant` and `project` of a statement, to add others to."""
        return {"tenant": self.tenant, "project": self.project}


@frozen
class Span:
    """The half-open range `low <= path < high` that holds exactly the paths under a prefix.

    A range, never LIKE: `_` is a legal character of paths and a wildcard there, and LIKE of SQLite
    ignores case (reference 2.9).
    """

    low: str
    high: str

    @classmethod
    def below(cls, directory: str) -> Span:
        """Return the range of everything under a directory, itself excluded; all for the root."""
        return cls(f"{directory}/", f"{directory}0")  # "0" is the character after "/"

    @classmethod
    def prefixed(cls, prefix: str) -> Span:
        """Return the range of the paths that start with these characters, whatever they are."""
        # paths are ASCII, so that no path lies between a prefix and the prefix plus U+FFFF
        return cls(prefix, f"{prefix}\uffff")


def check_project(text: str, parameter: str = "project") -> str:
    """Return a project's name, or refuse it.

    Args:
        text: As the caller wrote it.
        parameter: What the caller calls it, for the message.

    Raises:
        ToolError: INVALID_PATH.
    """
    if not text.strip():
        raise failure("INVALID_PATH", f"{parameter} is empty; name one, for example 'notes'")
    if len(text) > MAX_PROJECT:
        raise failure("INVALID_PATH", f"{parameter} is longer than {MAX_PROJECT} characters")
    if not _PROJECT.fullmatch(text):
        raise failure("INVALID_PATH", f"{parameter} may hold only A-Z a-z 0-9 _ . -")
    return text


def check_path(text: str, parameter: str = "path", *, root: bool = True) -> str:
    """Return a path, or refuse it; the rules are asked in the order of reference 1.2.

    Args:
        text: As the caller wrote it.
        parameter: What the caller calls it, for the message.
        root: Whether `""`, the project's root, is meant for this tool.

    Raises:
        ToolError: INVALID_PATH.
    """
    problem = _problem(text)
    if not problem and text == ROOT and not root:
        problem = "names the project's root; give a path below it"
    if problem:
        raise failure("INVALID_PATH", f"{parameter} {problem}")
    return text


def _problem(text: str) -> str:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if text == ROOT:
        return ""
    if not text.startswith("/"):
        return "must start with '/'; the project's root is \"\""
    if text.endswith("/"):
        return "must not end with '/'; the project's root is \"\""
    segments = text.split("/")[1:]
    if "" in segments:
        return "must not hold an empty segment ('//')"
    if "." in segments or ".." in segments:
        return "must not hold the segments '.' or '..'"
    if found := _FORBIDDEN.search(text):
        return f"holds the character U+{ord(found[0]):04X}; allowed are A-Z a-z 0-9 / _ - ."
    return ""


def may_begin_path(prefix: str) -> bool:
    """Say whether any path could start with these characters."""
    return len(prefix) <= MAX_PATH_BYTES and not _FORBIDDEN.search(prefix)


def parents_of(path: str) -> list[str]:
    """Return the directories above a path from the nearest to the root: `/a/b` → `/a`, ``."""
    found: list[str] = []
    while path:
        path = path.rpartition("/")[0]
        found.append(path)
    return found


def name_of(path: str) -> str:
    """Return the last segment of a path; "" for the root."""
    return path.rpartition("/")[2]
