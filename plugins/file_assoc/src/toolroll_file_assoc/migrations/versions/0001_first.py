"""Make the tables for files, findings, issues, links and events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BINARY = sa.String().with_variant(sa.String(collation="C"), "postgresql")
COUNTERS = ("total_findings", "open_findings", "critical", "high", "medium", "low", "info")
FILTERED = ("path", "language", *COUNTERS[1:], "scan_sources")


def upgrade() -> None:
    _files()
    _issues()
    _findings()
    _links()
    _events()


def _files() -> None:
    op.create_table(
        "files",
        sa.Column("id", BINARY, primary_key=True),
        sa.Column("path", BINARY, nullable=False),
        sa.Column("language", BINARY, nullable=False),
        sa.Column("file_type", sa.Text, nullable=False),
        sa.Column("first_seen", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
        sa.Column("seen_on_disk", sa.Boolean, nullable=False),
        sa.Column("content_sha256", sa.String, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in COUNTERS),
        sa.Column("scan_sources", BINARY, nullable=False),
        sa.Column("associations_count", sa.Integer, nullable=False),
    )
    op.create_index("uq_files_path", "files", ["path"], unique=True)
    op.create_index("ix_files_by_scan_sources", "files", ["scan_sources"])
    op.create_index("ix_files_by_findings", "files", [*FILTERED[2:]])
    for key in ("updated_at", "first_seen", "path", "language"):
        op.create_index(f"ix_files_by_{key}", "files", list(dict.fromkeys([key, "id", *FILTERED])))


def _issues() -> None:
    op.create_table(
        "issues",
        sa.Column("id", BINARY, primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("external_key", BINARY, unique=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.CheckConstraint("priority BETWEEN 0 AND 4", name="priority"),
    )
    op.create_index("ix_issues_by_created_at", "issues", ["created_at", "id"])


def _findings() -> None:
    op.create_table(
        "findings",
        sa.Column("id", BINARY, primary_key=True),
        sa.Column("file_id", BINARY, sa.ForeignKey("files.id", ondelete="CASCADE"), nullable=False),
        sa.Column("issue_id", BINARY, sa.ForeignKey("issues.id", ondelete="SET NULL")),
        sa.Column("scan_source", BINARY, nullable=False),
        sa.Column("rule_id", BINARY, nullable=False),
        sa.Column("severity", sa.String, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("suggestion", sa.Text, nullable=False),
        sa.Column("scan_run_id", sa.Text, nullable=False),
        sa.Column("line_start", sa.Integer),
        sa.Column("line_end", sa.Integer),
        sa.Column("seen_count", sa.Integer, nullable=False),
        sa.Column("first_seen", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("last_seen_at", sa.BigInteger, nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
        sa.CheckConstraint(
            "severity IN ('critical', 'high', 'medium', 'low', 'info')", name="severity"
        ),
        sa.CheckConstraint(
            "status IN ('open', 'acknowledged', 'fixed', 'false_positive', 'unseen_in_latest')",
            name="status",
        ),
    )
    line = sa.text("coalesce(line_start, -1)")
    identity = ["file_id", "scan_source", "rule_id", line]
    op.create_index("uq_findings_identity", "findings", identity, unique=True)
    by_update = ["file_id", "updated_at", "id"]
    op.create_index("ix_findings_by_first_seen", "findings", ["file_id", "first_seen", "id"])
    op.create_index("ix_findings_by_updated_at", "findings", by_update)
    updated = sa.text("updated_at <> first_seen")
    op.create_index(
        "ix_findings_updated", "findings", by_update, sqlite_where=updated, postgresql_where=updated
    )
    unseen = sa.text("status = 'unseen_in_latest'")
    op.create_index(
        "ix_findings_unseen",
        "findings",
        ["last_seen_at"],
        sqlite_where=unseen,
        postgresql_where=unseen,
    )
    op.create_index("ix_findings_by_issue", "findings", ["issue_id"])


def _links() -> None:
    op.create_table(
        "links",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("file_id", BINARY, sa.ForeignKey("files.id", ondelete="CASCADE"), nullable=False),
        sa.Column(
            "issue_id", BINARY, sa.ForeignKey("issues.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("assoc_type", sa.String, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("file_id", "issue_id", "assoc_type", name="uq_links"),
        sa.CheckConstraint(
            "assoc_type IN ('bug_in', 'task_for', 'scan_finding', 'mentioned_in')",
            name="assoc_type",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_links_by_file", "links", ["file_id", "created_at", "id"])
    op.create_index("ix_links_by_issue", "links", ["issue_id", "created_at", "id"])


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("file_id", BINARY, sa.ForeignKey("files.id", ondelete="CASCADE"), nullable=False),
        sa.Column("field", sa.String, nullable=False),
        sa.Column("old_value", sa.Text, nullable=False),
        sa.Column("new_value", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_by_file", "events", ["file_id", "created_at", "id"])
