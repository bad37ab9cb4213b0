"""What the six tools answer; field names and order are the document's."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

__all__ = [
    "FileDetail",
    "FileLink",
    "FilePage",
    "FileRecord",
    "FileRow",
    "Finding",
    "IssueFile",
    "Linked",
    "Summary",
    "Timeline",
    "TimelineEntry",
]


class FileRecord(BaseModel):
    """A tracked file. Times are ISO 8601 in UTC with microseconds; the path is canonical."""

    id: str
    path: str
    language: str
    file_type: str
    first_seen: str
    updated_at: str
    metadata: dict[str, Any]


class Summary(BaseModel):
    """Counts of a file's findings; the severities count open ones, so they add up to `open`.

    Open is every status but `fixed` and `false_positive` (reference 1.3).
    """

    total_findings: int
    open_findings: int
    critical: int
    high: int
    medium: int
    low: int
    info: int


class FileRow(FileRecord):
    """A file in a listing."""

    summary: Summary
    associations_count: int


class FilePage(BaseModel):
    """One page of `list_files`; `total` counts every file that the filters let through."""

    results: list[FileRow]
    total: int
    limit: int
    offset: int
    has_more: bool


class FileLink(BaseModel):
    """A link of a file, with the issue at its other end."""

    id: int
    file_id: str
    issue_id: str
    assoc_type: str
    created_at: str
    issue_title: str
    issue_status: str


class Finding(BaseModel):
    """A finding of a scanner in a file."""

    id: str
    file_id: str
    severity: str
    status: str
    scan_source: str
    rule_id: str
    message: str
    suggestion: str
    scan_run_id: str
    line_start: int | None
    line_end: int | None
    issue_id: str | None
    seen_count: int
    first_seen: str
    updated_at: str
    last_seen_at: str
    metadata: dict[str, Any]


class FileDetail(BaseModel):
    """One file with its links, newest first, and its ten last updated findings."""

    file: FileRecord
    associations: list[FileLink]
    recent_findings: list[Finding]
    summary: Summary


class TimelineEntry(BaseModel):
    """Something that happened to a file; `id` is the same on every call."""

    id: str
    type: str
    timestamp: str
    source_id: str
    data: dict[str, Any]


class Timeline(BaseModel):
    """One page of a file's timeline, newest first."""

    results: list[TimelineEntry]
    total: int
    limit: int
    offset: int
    has_more: bool


class IssueFile(BaseModel):
    """A link of an issue, with the file at its other end."""

    id: int
    file_id: str
    issue_id: str
    assoc_type: str
    created_at: str
    file_path: str
    file_language: str


class Linked(BaseModel):
    """The answer to a link, new or repeated."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    status: Literal["created"] = "created"
