"""What the tools answer (manual 3.1, 3.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

__all__ = [
    "ZERO_TIME",
    "Chunk",
    "Chunks",
    "Content",
    "Deleted",
    "DeletedFile",
    "DeletedFiles",
    "Entries",
    "Entry",
    "EntryPage",
    "Match",
    "Matches",
    "Moved",
    "Project",
    "Projects",
    "Restored",
    "Stat",
    "Timestamp",
    "Written",
    "timestamp",
]

ZERO_TIME: Final = "0001-01-01T00:00:00Z"
"""What directories have as `created_at`, and what does not exist as either time."""


Timestamp = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""RFC 3339 in UTC; microseconds where there are any."""


def timestamp(value: datetime) -> str:
    """Return a UTC time as the tools show it."""
    return f"{value.isoformat()[:-6]}Z"  # without +00:00


class Stat(BaseModel):
    """Answer of `file_stat`; `type` is "" where nothing exists."""

    exists: bool
    type: Literal["FILE", "DIRECTORY", ""]
    size: int
    created_at: Timestamp
    updated_at: Timestamp


class Content(BaseModel):
    """Answer of `file_read`."""

    content: str
    content_encoding: Literal["utf-8"] = "utf-8"


class Written(BaseModel):
    """Answer of `file_write`: bytes of the payload, not of the file."""

    bytes_written: int


class Deleted(BaseModel):
    """Answer of `file_delete`, in files."""

    deleted_count: int


class Moved(BaseModel):
    """Answer of `file_rename`, in files."""

    moved_count: int


class Entry(TypedDict):
    """A file, or a directory that some file's path implies; a plain dict, for its speed."""

    name: str
    path: str
    type: Literal["FILE", "DIRECTORY"]
    size: int
    created_at: Timestamp
    updated_at: Timestamp


class Entries(BaseModel):
    """Answer of `file_list`."""

    entries: list[Entry]
    has_more: bool


class EntryPage(BaseModel):
    """Answer of `file_list_page`; an empty cursor ends the listing."""

    entries: list[Entry]
    next_cursor: str


class Chunk(BaseModel):
    """A found part of a file: the bytes `[file_seek_start_bytes, file_seek_end_bytes)`."""

    file_path: str
    file_seek_start_bytes: int
    file_seek_end_bytes: int
    chunk_content: str
    score: float


class Chunks(BaseModel):
    """Answer of `file_search`."""

    chunks: list[Chunk]


class Match(BaseModel):
    """A match of `file_grep`: the bytes `[file_seek_start_bytes, file_seek_end_bytes)`."""

    file_path: str
    line: int
    file_seek_start_bytes: int
    file_seek_end_bytes: int
    line_content: str


class Matches(BaseModel):
    """Answer of `file_grep`; an empty cursor means that every file was read."""

    matches: list[Match]
    next_cursor: str


class DeletedFile(BaseModel):
    """A deleted file that can still be restored."""

    path: str
    size: int
    deleted_at: Timestamp
    purged_after: Timestamp


class DeletedFiles(BaseModel):
    """Answer of `file_list_deleted`; an empty cursor ends the listing."""

    files: list[DeletedFile]
    next_cursor: str


class Restored(BaseModel):
    """Answer of `file_undelete`, in files."""

    restored_count: int


class IndexStatus(BaseModel):
    """Answer of `file_index_status`: what is not searchable yet, and what has been given up.

    `lag_seconds` is the age of the oldest change that waits; 0 where none does.
    """

    jobs_waiting: int
    jobs_failed: int
    lag_seconds: float


class Project(BaseModel):
    """Totals of a project's files."""

    project: str
    file_count: int
    total_bytes: int
    updated_at: Timestamp


class Projects(BaseModel):
    """Answer of `file_list_projects`; an empty cursor ends the listing."""

    projects: list[Project]
    next_cursor: str
