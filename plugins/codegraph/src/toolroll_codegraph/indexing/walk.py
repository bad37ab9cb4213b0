"""Finding the code files of a project, as git would list them."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import frozen

from toolroll.ignore import further_worktrees, ignore_lines, ignore_rules, rules_above
from toolroll.paths import can_be_named
from toolroll_codegraph.indexing.source import LARGEST, Unsuitable, to_utf8
from toolroll_codegraph.languages.registry import (
    is_embedding,
    is_never_built,
    is_test,
    language_of,
    language_of_script,
    language_of_source,
    unread_suffix,
)

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SKIPPED_DIRECTORIES: Final = frozenset(
    [
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        ".venv",
        "venv",
        "env",
        "__pycache__",
        "dist",
        "build",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        "site-packages",
        ".next",
        ".nuxt",
        "coverage",
        ".toolroll",
        ".eggs",
    ]
)
PERHAPS_PACKAGES: Final = frozenset(["build", "coverage", "dist", "env"])
"""Skipped, unless what is directly in them shows that somebody's source is called so."""
_LONGEST_SHEBANG: Final = 256
"""What Linux reads of one."""
_TESTS: Final = "tests"
_CONFIGURATION: Final = ("package.json", "tsconfig.json", "jsconfig.json")


@frozen
class FoundFile:
    """A file as the directory tells it, not yet read."""

    path: str
    """Project-relative, posix."""
    language: str
    """One of the four, or `configuration`."""
    size: int
    modified: int
    """Nanoseconds."""


@frozen
class Listing:
    """The code files of a project."""

    files: list[FoundFile]
    """Sorted by path."""
    unread: list[str]
    """Directories that may not be read, `.` the project's own: nobody knows what they hold."""
    others: Mapping[str, int]
    """Code files that were not asked for or that nobody here reads, by language or suffix."""
    tests: int
    """Test files of the languages that were not asked for."""
    directories: list[str]
    """Left out because builds and environments are called so, though git does not ignore them."""


def walk(root: Path, languages: frozenset[str], *, include_tests: bool) -> Listing:
    """List the code files of the languages.

    Git-ignored files stay out (nested `.gitignore`, negations, those above the project in its
    repository, `.git/info/exclude`; the project need not be in one), so do dependency, build and
    cache directories, virtual environments and further worktrees of the repository. Directory
    symlinks are not followed; a link to a file inside of the project is the file itself, which is
    listed under its own path. What has a name that is no UTF-8, or holds control characters, is
    left out: no caller could ask for it.
    """
    unread: list[str] = []
    directories: list[str] = []
    left_out: Counter[str] = Counter()
    files = _walk(root, languages, include_tests, unread, directories, left_out)
    found = sorted(files, key=lambda file: file.path)
    tests = left_out.pop(_TESTS, 0)
    return Listing(
        found, sorted(unread), dict(sorted(left_out.items())), tests, sorted(directories)
    )


def _walk(
    root: Path,
    languages: frozenset[str],
    include_tests: bool,
    unread: list[str],
    directories: list[str],
    left_out: Counter[str],
) -> Iterator[FoundFile]:
    scripts = not languages.isdisjoint(("javascript", "typescript"))
    above = rules_above(root, [".gitignore"])
    copies = {str(directory) for directory in further_worktrees(root)}
    pending: list[tuple[str, list[tuple[str, GitIgnoreSpec]]]] = [("", [])]
    while pending:
        prefix, known = pending.pop()
        try:
            with os.scandir(f"{root}/{prefix}") as entries:
                listed = [entry for entry in entries if can_be_named(entry.name)]
        except PermissionError:
            unread.append(prefix.removesuffix("/") or ".")
            continue
        except OSError:
            continue  # vanished: no part of the project any more
        names = {entry.name for entry in listed}
        if "pyvenv.cfg" in names and prefix:
            continue
        if ".gitignore" in names:
            spec = ignore_rules(ignore_lines(root / prefix / ".gitignore"))
            if spec is not None:
                known = [*known, (prefix, spec)]
        for entry in listed:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if path.endswith("vendor/bundle") or entry.path in copies:
                    continue
                skipped = _is_skipped(entry)
                if skipped and not _may_be_source(entry):
                    continue
                if not ignored(path + "/", known, above):
                    if skipped:
                        directories.append(path)
                    else:
                        pending.append((path + "/", known))
                continue
            language = language_of(entry.name) or _language_of_program(entry)
            if is_embedding(entry.name) and not ignored(path, known, above):
                language = _language_inside(entry) or language
            left = ""  # what the file counts as, if it is left out
            if scripts and entry.name in _CONFIGURATION:
                language = "configuration"
            elif language in languages:
                left = "" if include_tests or not is_test(path) else _TESTS
            else:
                left = language or unread_suffix(entry.name)
                if not left or (not include_tests and is_test(path)):
                    continue
            if not entry.is_file(follow_symlinks=False) or ignored(path, known, above):
                continue
            if left or language is None:
                left_out[left] += 1
                continue
            try:
                state = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield FoundFile(path, language, state.st_size, state.st_mtime_ns)


def _language_of_program(entry: os.DirEntry[str]) -> str | None:
    """The language of an executable file whose name has no suffix, None for any other."""
    if "." in entry.name:
        return None
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        if not entry.stat(follow_symlinks=False).st_mode & stat.S_IXUSR:
            return None
        with Path(entry).open("rb") as file:
            return language_of_script(file.read(_LONGEST_SHEBANG))
    except OSError:
        return None


def _language_inside(entry: os.DirEntry[str]) -> str | None:
    """The language that a file in several languages counts as, None where it can't be read."""
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        with Path(entry).open("rb") as file:
            data = file.read(LARGEST + 1)
        return language_of_source(entry.name, to_utf8(entry.name, data))
    except (OSError, Unsuitable):
        return None


def _is_skipped(directory: os.DirEntry[str]) -> bool:
    if directory.name not in PERHAPS_PACKAGES:
        return directory.name in SKIPPED_DIRECTORIES
    try:
        with os.scandir(directory) as entries:
            return not any(
                (entry.name == "__init__.py" or is_never_built(entry.name))
                and entry.is_file(follow_symlinks=False)
                for entry in entries
            )
    except OSError:
        return True


def _may_be_source(directory: os.DirEntry[str]) -> bool:
    """Whether somebody's source may be in a directory that is left out for its name."""
    if directory.name not in PERHAPS_PACKAGES:
        return False
    return not Path(directory, "pyvenv.cfg").is_file()


def ignored(
    path: str, specs: list[tuple[str, GitIgnoreSpec]], above: list[tuple[str, GitIgnoreSpec]]
) -> bool:
    """Whether git ignores a path: the last pattern that matches decides, the deepest file last."""
    for prefix, spec in reversed(specs):
        result = spec.check_file(path[len(prefix) :])
        if result.include is not None:
            return result.include
    for way, spec in above:
        result = spec.check_file(way + path)
        if result.include is not None:
            return result.include
    return False
