"""Whether what is indexed of a file is what is on disk now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from attrs import frozen

from toolroll_codegraph.indexing.digests import content_digest
from toolroll_codegraph.indexing.walk import walk
from toolroll_codegraph.storage.store import chunks
from toolroll_codegraph.storage.tables import files

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

    from toolroll_codegraph.storage.store import StoredProject

__all__ = ["IndexedFile", "indexed_files", "is_behind", "stale_files", "text_of"]

_STATE = (files.c.path, files.c.size, files.c.modified, files.c.digest)


@frozen
class IndexedFile:
    """The state in which a file was indexed."""

    path: str
    size: int
    modified: int
    digest: str

    def holds(self, data: bytes) -> bool:
        """Say whether this is the content that was indexed."""
        return content_digest(data) == self.digest

    def is_stale(self, root: Path) -> bool:
        """Say whether the file has changed or gone since.

        One that was only written anew, as git does when branches are switched there and back, has
        not: its content is what counts.
        """
        try:
            state = (root / self.path).stat()
        except OSError:
            return True
        return self.differs(root, state.st_size, state.st_mtime_ns)

    def differs(self, root: Path, size: int, modified: int) -> bool:
        """Say whether a file of this size and time of change (ns) is another than was indexed."""
        if (size, modified) == (self.size, self.modified):
            return False
        text = text_of(root / self.path) if size == self.size else None
        return text is None or not self.holds(text)


def text_of(file: Path) -> bytes | None:
    """Return what a file holds now; None where there is none that can be read."""
    try:
        return file.read_bytes()
    except OSError:
        return None


def stale_files(session: Session, project: int, root: Path, paths: Collection[str]) -> list[str]:
    """Return those of some indexed files that have changed or gone since, sorted."""
    ordered = sorted(set(paths))
    found: list[str] = []
    for chunk in chunks(ordered):
        rows = session.execute(
            sa.select(*_STATE).where(files.c.project == project, files.c.path.in_(chunk))
        )
        found += [row.path for row in rows if IndexedFile(*row).is_stale(root)]
    return sorted(found)


def is_behind(session: Session, project: StoredProject) -> bool:
    """Say whether files of a project are new, or have changed or gone, since it was indexed."""
    listing = walk(
        Path(project.path), frozenset(project.languages), include_tests=project.include_tests
    )
    found = {
        file.path: (file.size, file.modified)
        for file in listing.files
        if file.language != "configuration"
    }
    rows = session.execute(sa.select(*_STATE).where(files.c.project == project.id))
    stored = [IndexedFile(*row) for row in rows]
    root = Path(project.path)
    return found.keys() != {file.path for file in stored} or any(
        file.differs(root, *found[file.path]) for file in stored
    )


def indexed_files(session: Session, project: int, path: str) -> list[IndexedFile]:
    """Return the indexed file at a path, or those below a directory, sorted; "" is the root.

    A file that was left out (binary, minified, generated, unreadable) is not indexed.
    """
    statement = (
        sa.select(*_STATE)
        .where(files.c.project == project, files.c.reason == "")
        .order_by(files.c.path)
    )
    rows = session.execute(statement.where(files.c.path == path)).all()
    if not rows:
        start = f"{path}/" if path else ""  # not LIKE: SQLite's folds case, and bounds patterns
        rows = session.execute(
            statement.where(sa.func.substr(files.c.path, 1, len(start)) == start)
        ).all()
    return [IndexedFile(*row) for row in rows]
