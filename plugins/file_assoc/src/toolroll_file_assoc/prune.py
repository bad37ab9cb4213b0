"""Removing files that have left the disk, with their findings and history."""

from __future__ import annotations

from attrs import frozen
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from toolroll_file_assoc import counters
from toolroll_file_assoc.disk import Disk
from toolroll_file_assoc.tables import File

__all__ = ["Gone", "gone", "remove"]


@frozen
class Gone:
    """A file that was on disk once and is there no more."""

    id: str
    path: str
    total_findings: int
    associations_count: int


def gone(session: Session, disk: Disk) -> list[Gone]:
    """Return the files that have left the disk, by path.

    A file that was registered before it was ever written is planned, not gone.
    """
    columns = (File.id, File.path, File.total_findings, File.associations_count)
    rows = session.execute(select(*columns).where(File.seen_on_disk).order_by(File.path))
    return [
        Gone(file_id, path, findings, links)
        for file_id, path, findings, links in rows
        if not disk.exists(path)
    ]


def remove(session: Session, files: list[Gone]) -> None:
    """Remove files with their findings, links and events."""
    for chunk in counters.chunks(file.id for file in files):
        session.execute(delete(File).where(File.id.in_(chunk)))
