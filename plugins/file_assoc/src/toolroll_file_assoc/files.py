"""Files: one record for each canonical path, registered by callers and by scans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

import toolroll
from toolroll_file_assoc import clock, identity
from toolroll_file_assoc.results import FileRecord
from toolroll_file_assoc.stored_json import dumps, loads
from toolroll_file_assoc.tables import Event, File

__all__ = ["change", "find", "get", "record", "register"]


def get(session: Session, file_id: str) -> File:
    """Return a file by id.

    Raises:
        NotFound: There is none.
    """
    found = session.get(File, file_id)
    if found is None:
        raise toolroll.NotFound(f"File not found: {file_id}")
    return found


def find(session: Session, path: str) -> File | None:
    """Return the file with a canonical path, or None."""
    return session.scalars(select(File).where(File.path == path)).one_or_none()


def record(file: File) -> FileRecord:
    """Return a file as callers see it."""
    return FileRecord(
        id=file.id,
        path=file.path,
        language=file.language,
        file_type=file.file_type,
        first_seen=identity.iso(file.first_seen),
        updated_at=identity.iso(file.updated_at),
        metadata=loads(file.extra),
    )


def register(
    session: Session,
    path: str,
    *,
    prefix: str,
    seen_on_disk: bool,
    language: str | None = None,
    file_type: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> File:
    """Return the file of a canonical path, made or changed as the arguments say.

    Texts that are absent or empty keep what is stored, and so does absent metadata; given metadata
    replaces all of it. A call that changes nothing leaves `updated_at` alone; each changed field of
    a known file becomes an event of its timeline (reference 1.8, design 8).
    """
    file = find(session, path)
    if file is None:
        fresh = identity.file_id(prefix)
        now = clock.next_of_file(session, fresh)
        file = File(
            id=fresh,
            path=path,
            language=language or "",
            file_type=file_type or "",
            first_seen=now,
            updated_at=now,
            extra=dumps(metadata or {}),
            seen_on_disk=seen_on_disk,
        )
        session.add(file)
        session.flush()
        return file
    file.seen_on_disk = file.seen_on_disk or seen_on_disk
    changes: dict[str, str] = {}
    if language and language != file.language:
        changes["language"] = language
    if file_type and file_type != file.file_type:
        changes["file_type"] = file_type
    if metadata is not None and (text := dumps(metadata)) != file.extra:  # to Python, 1 is True
        changes["metadata"] = text
    now = clock.next_of_file(session, file.id) if changes else file.updated_at
    for field, value in changes.items():
        change(session, file, field, value, now)
    return file


def change(session: Session, file: File, field: str, value: str, now: int) -> None:
    """Set one field of a file and note the change in its timeline."""
    attribute = "extra" if field == "metadata" else field
    stored: object = getattr(file, attribute)
    old = stored if isinstance(stored, str) else ""  # damaged: SQLite also holds bytes in a text
    setattr(file, attribute, value)
    file.updated_at = now
    event = Event(file_id=file.id, field=field, old_value=old, new_value=value, created_at=now)
    session.add(event)
