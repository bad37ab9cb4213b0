"""Finding the files that a path means."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

import toolroll
from toolroll_codegraph.queries.freshness import indexed_files
from toolroll_codegraph.storage.tables import projects

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

MOST_FILES: Final = 400
"""Files that are looked into; in one IN list, where SQLite's oldest limit of variables is 999."""
SEPARATOR: Final = re.compile(r"[/\\]")


def project_root(session: Session, project: int) -> str:
    return session.scalar(sa.select(projects.c.path).where(projects.c.id == project)) or ""


def files_meant(session: Session, project: int, text: str) -> list[str]:
    """The indexed files that a path means: the one of that path, or those that end with it.

    A path that begins with the project's own directory is one from the directory above it.
    """
    root = project_root(session, project)
    for spelled in dict.fromkeys((text, text.replace("\\", "/"))):  # as it is, and Windows' way
        path = _below(root, spelled)
        if [file.path for file in indexed_files(session, project, path)] == [path]:
            return [path]
        every = indexed_files(session, project, "")
        if found := [file.path for file in every if file.path.endswith(f"/{path}")]:
            return found[:MOST_FILES]
        names, parents = path.split("/"), SEPARATOR.split(root)
        for count in range(min(len(names) - 1, len(parents)), 0, -1):  # from above the project
            below = "/".join(names[count:])
            if names[:count] == parents[-count:] and below in {file.path for file in every}:
                return [below]
    return []


def _below(root: str, path: str) -> str:
    """Return a path from the project's directory on; an absolute one may lead there by links."""
    if Path(path).is_absolute():
        with suppress(toolroll.InvalidPath):
            return toolroll.ProjectRoot(Path(root)).relative(path)
    return path.removeprefix("./")
