"""Which files belong to a collection: one matcher for walking, watching and reading.

Nested `.gitignore` and `.toolrollignore` files count as git reads them, negation included, with
those above the collection in its repository and the repository's `info/exclude`; the collection's
own include and exclude globs come on top.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec

from toolroll.ignore import ignore_lines, ignore_rules, rules_above
from toolroll_file_ops.stamps import Stamp, stamp_of

__all__ = ["IGNORE_FILES", "Rules", "parents", "unmatched"]

IGNORE_FILES: Final = (".gitignore", ".toolrollignore")
"""In order of strength: the later one overrides."""

_NEVER: Final = frozenset({".git", ".hg", ".svn", ".toolroll"})
_BY_DEFAULT: Final = (
    "node_modules/",
    "__pycache__/",
    ".venv/",
    ".tox/",
    ".nox/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".DS_Store",
)
"""The weakest rules; a line such as `!node_modules/` in `.toolrollignore` undoes one."""


class Rules:
    """The rules of one collection.

    Args:
        root: The collection's directory.
        include: Globs as in `.gitignore`; empty for every file.
        exclude: Globs that are left out whatever else says.
    """

    def __init__(self, root: Path, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._root = root
        self._include = GitIgnoreSpec.from_lines(include) if include else None
        self._exclude = GitIgnoreSpec.from_lines(exclude) if exclude else None
        self._default = GitIgnoreSpec.from_lines(_BY_DEFAULT)
        self._specs: dict[str, GitIgnoreSpec | None] = {}
        self._seen: dict[str, list[Stamp | None]] = {}
        self._outer = rules_above(root, IGNORE_FILES)

    def admits(self, path: str) -> bool:
        """Say whether the file at a path belongs, looking at every directory above it."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            if not self.enters("/".join(parts[:depth])):
                return False
        return self.takes(path)

    def enters(self, directory: str) -> bool:
        """Say whether a directory is looked into, given that the one above is."""
        if directory.rpartition("/")[2] in _NEVER:
            return False
        if self._exclude is not None and self._exclude.match_file(f"{directory}/"):
            return False
        return not self._ignored(directory, directory=True)

    def takes(self, path: str) -> bool:
        """Say whether a file belongs, given that its directory is looked into."""
        if path.rpartition("/")[2] in _NEVER:  # a worktree's `.git` is a file
            return False
        if self._include is not None and not self._include.match_file(path):
            return False
        if self._exclude is not None and self._exclude.match_file(path):
            return False
        return not self._ignored(path, directory=False)

    def current(self, directories: Iterable[str]) -> bool:
        """Say whether the ignore files of some directories are those that the rules come from."""
        return all(self._seen[d] == self._look(d) for d in directories if d in self._seen)

    def _ignored(self, path: str, *, directory: bool) -> bool:
        suffix = "/" if directory else ""
        above = path.rpartition("/")[0]
        while True:
            spec = self._spec(above)
            if spec is not None:
                inner = path[len(above) + 1 :] if above else path
                verdict = spec.check_file(inner + suffix).include
                if verdict is not None:
                    return verdict
            if not above:
                break
            above = above.rpartition("/")[0]
        for prefix, spec in self._outer:
            verdict = spec.check_file(prefix + path + suffix).include
            if verdict is not None:
                return verdict
        return bool(self._default.match_file(path + suffix))

    def _spec(self, directory: str) -> GitIgnoreSpec | None:
        if directory not in self._specs:
            self._seen[directory] = self._look(directory)
            lines: list[str] = []
            for name in IGNORE_FILES:
                lines += ignore_lines(self._root / directory / name)
            self._specs[directory] = ignore_rules(lines)
        return self._specs[directory]

    def _look(self, directory: str) -> list[Stamp | None]:
        """Return the stamps of a directory's ignore files; None for one that is not there."""
        found: list[Stamp | None] = []
        for name in IGNORE_FILES:
            try:
                found.append(stamp_of(os.lstat(self._root / directory / name)))
            except OSError:
                found.append(None)
        return found


def unmatched(globs: Iterable[str], paths: Collection[str]) -> list[str]:
    """Return the globs that none of some paths matches: misspelt, most likely."""
    sought = ((glob, GitIgnoreSpec.from_lines([glob]).match_file) for glob in globs)
    return [glob for glob, match in sought if glob[0] != "!" and not any(map(match, paths))]


def parents(path: str) -> Iterator[str]:
    """Yield the directories above a path, the root as ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path
