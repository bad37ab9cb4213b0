"""What the six tools take; each class is the schema the document prints for its tool."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

import toolroll
from toolroll_file_assoc.stored_json import dumps

__all__ = [
    "AddFileAssociation",
    "AssocType",
    "EventType",
    "GetFile",
    "GetFileTimeline",
    "GetIssueFiles",
    "ListFiles",
    "RegisterFile",
    "Severity",
    "SortKey",
    "Status",
]

AssocType = Literal["bug_in", "task_for", "scan_finding", "mentioned_in"]
EventType = Literal["finding", "association", "file_metadata_update"]
Severity = Literal["critical", "high", "medium", "low", "info"]
SortKey = Literal["updated_at", "first_seen", "path", "language"]
Status = Literal["open", "acknowledged", "fixed", "false_positive", "unseen_in_latest"]

MAX_LABEL: Final = 255
"""Characters of a language or file type: both are index keys."""
MAX_METADATA: Final = 65_536
"""Characters of a file's metadata as JSON: a page of files has to stay readable."""


def _required(value: str) -> str:
    if not value.strip():
        raise ValueError("is required")
    return value


def _storable(value: str) -> str:
    if "\0" in value:  # PostgreSQL stores no NUL in a text
        raise ValueError("must not hold a NUL character")
    return value


def _label(value: str) -> str:
    if len(value) > MAX_LABEL:
        raise ValueError(f"must have at most {MAX_LABEL} characters")
    return _storable(value)


def _metadata(value: dict[str, Any]) -> dict[str, Any]:
    if len(dumps(value)) > MAX_METADATA:
        raise ValueError(f"must have at most {MAX_METADATA} characters as JSON")
    return value


Id = Annotated[str, AfterValidator(_required), AfterValidator(_storable)]
Label = Annotated[str, AfterValidator(_label)]
Text = Annotated[str, AfterValidator(_storable)]
# pydantic alone would print "additionalProperties": true, which the document does not
Metadata = Annotated[dict[str, Any], WithJsonSchema({"type": "object"}), AfterValidator(_metadata)]


class ListFiles(toolroll.Params):
    """Seed, tool 1."""

    limit: int = Field(default=100, ge=1, le=10000)
    offset: int = Field(default=0, ge=0)
    language: Text | None = None
    path_prefix: Text | None = None
    min_findings: Annotated[int, Field(ge=0)] | None = None
    has_severity: Severity | None = None
    scan_source: Text | None = None
    sort: SortKey = "updated_at"
    direction: Literal["asc", "desc", "ASC", "DESC"] | None = None


class GetFile(toolroll.Params):
    """Seed, tool 2."""

    file_id: Id


class GetFileTimeline(toolroll.Params):
    """Seed, tool 3."""

    file_id: Id
    limit: int = Field(default=50, ge=1, le=10000)
    offset: int = Field(default=0, ge=0)
    event_type: EventType | None = None


class GetIssueFiles(toolroll.Params):
    """Seed, tool 4."""

    issue_id: Id


class AddFileAssociation(toolroll.Params):
    """Seed, tool 5."""

    file_id: Id
    issue_id: Id
    assoc_type: AssocType


class RegisterFile(toolroll.Params):
    """Seed, tool 6. Absent metadata keeps what is stored; `{}` clears it."""

    path: Annotated[toolroll.ProjectPath, AfterValidator(_required)]
    language: Label | None = None
    file_type: Label | None = None
    metadata: Metadata | None = None
