"""The repositories at hand when nothing else names them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolroll_investigation.scenario import Repository
from toolroll_investigation.settings import RepositorySettings


def default_repositories(configured: Sequence[RepositorySettings], root: Path) -> list[Repository]:
    """Those of the settings; without any, the project itself on the branch it is on."""
    if configured:
        return [Repository(**entry.model_dump()) for entry in configured]
    return [
        Repository(
            name=root.name or "project",
            path=".",
            purpose="The project the tests belong to",
            branch=_branch(root),
        )
    ]


def _branch(root: Path) -> str:
    """The checked-out branch, read without running git; empty when there is none."""
    try:
        head = (root / ".git" / "HEAD").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    prefix = "ref: refs/heads/"
    return head.removeprefix(prefix) if head.startswith(prefix) else ""
