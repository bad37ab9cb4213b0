"""Rules of ignore files as git reads them: malformed lines are left out, links not followed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["further_worktrees", "ignore_lines", "ignore_rules", "is_ignore_rule", "rules_above"]


def ignore_lines(path: Path) -> list[str]:
    """Return the lines of an ignore file; none of what is no plain file or cannot be read."""
    try:
        if path.is_symlink() or not path.is_file():  # git follows no link here; a pipe would block
            return []
        return path.read_text("utf-8-sig", "replace").splitlines()  # git passes a mark over, too
    except OSError:
        return []


def ignore_rules(lines: Sequence[str]) -> GitIgnoreSpec | None:
    """Return the rules that lines spell, None if they spell none."""
    from pathspec import GitIgnoreSpec

    usable = [line for line in lines if line.strip() and not line.startswith("#")]
    try:
        return GitIgnoreSpec.from_lines(usable) if usable else None
    except (ValueError, re.error):
        return GitIgnoreSpec.from_lines([line for line in usable if is_ignore_rule(line)])


def is_ignore_rule(line: str) -> bool:
    """Say whether a line of an ignore file could read so, or is malformed."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


def rules_above(root: Path, names: Sequence[str]) -> list[tuple[str, GitIgnoreSpec]]:
    """Return the rules for a directory that stand outside of it: of the repository it lies in.

    Those are the ignore files of the directories above it, and the repository's `info/exclude`. A
    directory that they leave out themselves is wanted all the same, so they say nothing about it.

    Args:
        root: Absolute.
        names: The ignore files of a directory, the later ones stronger.

    Returns:
        The strongest first, each with what comes before a path in `root` where the rules stand.
    """
    found: list[tuple[str, GitIgnoreSpec]] = []
    here, prefix = root, ""
    while not os.path.lexists(here / ".git"):
        if here.parent == here:
            return []
        prefix, here = f"{here.name}/{prefix}", here.parent
        rules = ignore_rules([line for name in names for line in ignore_lines(here / name)])
        if rules is not None:
            found.append((prefix, rules))
    rules = ignore_rules(ignore_lines(_common_directory(here / ".git") / "info" / "exclude"))
    if rules is not None:
        found.append((prefix, rules))
    return [] if any(_leaves_out(rules, way) for way, rules in found) else found


def further_worktrees(root: Path) -> frozenset[Path]:
    """Return the worktrees beside that in which a directory lies: other states of the same files.

    A bare repository has none such, since worktrees are all that there is of its files. Git notes
    where they are by absolute paths; in a repository that was moved, or is mounted elsewhere, as in
    a container, those inside of it are where they were in it.
    """
    top = next((here for here in (root, *root.parents) if os.path.lexists(here / ".git")), None)
    if top is None or not (_git_directory(top / ".git") / "index").is_file():
        return frozenset()
    try:
        kept = list((_common_directory(top / ".git") / "worktrees").iterdir())
    except OSError:  # as in most repositories
        return frozenset()
    found: set[Path] = set()
    for state in kept:
        for line in ignore_lines(state / "gitdir")[:1]:
            noted = Path(os.path.realpath(state / line)).parent
            way = noted.parts[1:]
            inside = (top.joinpath(*way[first:]) for first in range(len(way)))
            moved = [here for here in inside if _is_worktree(here / ".git", state.name)]
            found.update([noted] if noted.is_dir() else moved)
    return frozenset(found) - {top}


def _is_worktree(git: Path, name: str) -> bool:
    lines = ignore_lines(git)[:1] if git.is_file() else []
    return any(line.strip().endswith(f"/worktrees/{name}") for line in lines)


def _git_directory(git: Path) -> Path:
    """Return where git keeps the state of a worktree: in `.git`, or where such a file says."""
    for line in ignore_lines(git)[:1]:
        return git.parent / line.removeprefix("gitdir:").strip()
    return git


def _common_directory(git: Path) -> Path:
    """Return where a repository keeps what its worktrees share."""
    directory = _git_directory(git)
    for common in ignore_lines(directory / "commondir")[:1]:
        return directory / common.strip()
    return directory


def _leaves_out(rules: GitIgnoreSpec, way: str) -> bool:
    """Say whether rules leave out one of the directories on the way down."""
    steps = way.split("/")[:-1]
    return any(rules.match_file("/".join(steps[: depth + 1]) + "/") for depth in range(len(steps)))
