"""The tables: files, findings, issues, links, and the events of a file.

Times are microseconds since 1970 in UTC: eight bytes instead of 32 in every index, and compared
exactly. Texts that are sorted or ranged over have binary collation, as SQLite's default is.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = ["SORT_INDEXES", "Base", "Event", "File", "Finding", "Issue", "Link"]

Binary: Final = String().with_variant(String(collation="C"), "postgresql")


class Base(DeclarativeBase):
    """The pack's own metadata."""


class File(Base):
    """A tracked file, with the counters that its findings and links give it.

    `toolroll_file_assoc.counters` is the only writer of the counters, always in the unit of work
    that changes what they count.

    Attributes:
        extra: The caller's metadata, a JSON object.
        seen_on_disk: It has existed; only such a file can leave the disk.
        content_sha256: Of its bytes at the last scan; recognises a renamed file. May be "".
        scan_sources: Names of every source that has findings here, sorted, each between newlines.
    """

    __tablename__ = "files"

    id: Mapped[str] = mapped_column(Binary, primary_key=True)
    path: Mapped[str] = mapped_column(Binary)
    language: Mapped[str] = mapped_column(Binary, default="")
    file_type: Mapped[str] = mapped_column(Text, default="")
    first_seen: Mapped[int] = mapped_column(BigInteger)
    updated_at: Mapped[int] = mapped_column(BigInteger)
    extra: Mapped[str] = mapped_column("metadata", Text, default="{}")
    seen_on_disk: Mapped[bool] = mapped_column(default=False)
    content_sha256: Mapped[str] = mapped_column(String, default="")
    total_findings: Mapped[int] = mapped_column(default=0)
    open_findings: Mapped[int] = mapped_column(default=0)
    critical: Mapped[int] = mapped_column(default=0)
    high: Mapped[int] = mapped_column(default=0)
    medium: Mapped[int] = mapped_column(default=0)
    low: Mapped[int] = mapped_column(default=0)
    info: Mapped[int] = mapped_column(default=0)
    scan_sources: Mapped[str] = mapped_column(Binary, default="")
    associations_count: Mapped[int] = mapped_column(default=0)


SORT_INDEXES: Final = {
    "updated_at": "ix_files_by_updated_at",
    "first_seen": "ix_files_by_first_seen",
    "path": "ix_files_by_path",
    "language": "ix_files_by_language",
}
"""The index that holds the files in each order."""

_FILTERED: Final = (
    "path",
    "language",
    "open_findings",
    "critical",
    "high",
    "medium",
    "low",
    "info",
    "scan_sources",
)
"""What `list_files` filters by. Each sort index carries all of it, so that a page, however deep,
and an exact total are found by walking one index in order, without touching the table."""

for _key, _name in SORT_INDEXES.items():
    _columns = dict.fromkeys([_key, "id", *_FILTERED])
    Index(_name, *(getattr(File, column) for column in _columns))
Index("uq_files_path", File.path, unique=True)
Index("ix_files_by_scan_sources", File.scan_sources)
Index("ix_files_by_findings", *(getattr(File, column) for column in _FILTERED[2:]))


class Issue(Base):
    """An issue, as far as files need it: it exists, has a title and a status.

    Attributes:
        status: Any text a tracker uses.
        external_key: Its name in the tracker it was imported from; None for issues made here.
    """

    __tablename__ = "issues"

    id: Mapped[str] = mapped_column(Binary, primary_key=True)
    title: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text, default="open")
    type: Mapped[str] = mapped_column(Text, default="task")
    priority: Mapped[int] = mapped_column(default=2)
    external_key: Mapped[str | None] = mapped_column(Binary, unique=True)
    url: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[int] = mapped_column(BigInteger)
    updated_at: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (
        CheckConstraint("priority BETWEEN 0 AND 4", name="priority"),
        Index("ix_issues_by_created_at", "created_at", "id"),
    )


class Finding(Base):
    """A finding: one rule of one source, at one line of one file."""

    __tablename__ = "findings"

    id: Mapped[str] = mapped_column(Binary, primary_key=True)
    file_id: Mapped[str] = mapped_column(ForeignKey("files.id", ondelete="CASCADE"))
    issue_id: Mapped[str | None] = mapped_column(ForeignKey("issues.id", ondelete="SET NULL"))
    scan_source: Mapped[str] = mapped_column(Binary)
    rule_id: Mapped[str] = mapped_column(Binary)
    severity: Mapped[str] = mapped_column(String)
    status: Mapped[str] = mapped_column(String, default="open")
    message: Mapped[str] = mapped_column(Text)
    suggestion: Mapped[str] = mapped_column(Text, default="")
    scan_run_id: Mapped[str] = mapped_column(Text, default="")
    line_start: Mapped[int | None] = mapped_column(Integer)
    line_end: Mapped[int | None] = mapped_column(Integer)
    seen_count: Mapped[int] = mapped_column(default=1)
    first_seen: Mapped[int] = mapped_column(BigInteger)
    updated_at: Mapped[int] = mapped_column(BigInteger)
    last_seen_at: Mapped[int] = mapped_column(BigInteger)
    extra: Mapped[str] = mapped_column("metadata", Text, default="{}")

    __table_args__ = (
        CheckConstraint(
            "severity IN ('critical', 'high', 'medium', 'low', 'info')", name="severity"
        ),
        CheckConstraint(
            "status IN ('open', 'acknowledged', 'fixed', 'false_positive', 'unseen_in_latest')",
            name="status",
        ),
    )


Index(
    "uq_findings_identity",
    Finding.file_id,
    Finding.scan_source,
    Finding.rule_id,
    func.coalesce(Finding.line_start, -1),
    unique=True,
)
Index("ix_findings_by_first_seen", Finding.file_id, Finding.first_seen, Finding.id)
Index("ix_findings_by_updated_at", Finding.file_id, Finding.updated_at, Finding.id)
Index(
    "ix_findings_updated",
    Finding.file_id,
    Finding.updated_at,
    Finding.id,
    sqlite_where=text("updated_at <> first_seen"),
    postgresql_where=text("updated_at <> first_seen"),
)
Index(
    "ix_findings_unseen",
    Finding.last_seen_at,
    sqlite_where=text("status = 'unseen_in_latest'"),
    postgresql_where=text("status = 'unseen_in_latest'"),
)
Index("ix_findings_by_issue", Finding.issue_id)


class Link(Base):
    """A link between a file and an issue."""

    __tablename__ = "links"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    file_id: Mapped[str] = mapped_column(ForeignKey("files.id", ondelete="CASCADE"))
    issue_id: Mapped[str] = mapped_column(ForeignKey("issues.id", ondelete="CASCADE"))
    assoc_type: Mapped[str] = mapped_column(String)
    created_at: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (
        UniqueConstraint("file_id", "issue_id", "assoc_type", name="uq_links"),
        CheckConstraint(
            "assoc_type IN ('bug_in', 'task_for', 'scan_finding', 'mentioned_in')",
            name="assoc_type",
        ),
        Index("ix_links_by_file", "file_id", "created_at", "id"),
        Index("ix_links_by_issue", "issue_id", "created_at", "id"),
        {"sqlite_autoincrement": True},  # an id names a timeline entry: never give it out again
    )


class Event(Base):
    """A change of one field of a file, after its registration."""

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    file_id: Mapped[str] = mapped_column(ForeignKey("files.id", ondelete="CASCADE"))
    field: Mapped[str] = mapped_column(String)
    old_value: Mapped[str] = mapped_column(Text, default="")
    new_value: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (
        Index("ix_events_by_file", "file_id", "created_at", "id"),
        {"sqlite_autoincrement": True},
    )
